// SPDX-License-Identifier: Apache-2.0
// Common output of both engines for resolve(): covariances in fit parameters.
#pragma once

#include <limits>

#include "gttf/resolution/any_track.hpp"

namespace gttf::detail {

/// Shares of hit errors (beam spot included) in Var(kappa) and Var(theta),
/// exact; theta at the perigee, without inner material unless there is a spot.
struct HitShares {
  double kappa = 0, theta = 0;
};

/// Whether the hits determine a track. `wide`: only in twice the precision of a
/// double, which is then used for the results.
enum class Determined { no, yes, wide };

/// Properties of a track that do not depend on the engine, determined from its
/// five equations, see docs/theory/streaming.md.
struct Outline {
  Determined determined = Determined::no;
  bool doubtful = false;  ///< determined, but see UndoubtedVariances
  Determined hit_only = Determined::no;  ///< this limit
  bool scattering_only = false;          ///< does this limit exist?
  HitShares shares;                      ///< if determined
  double sigma_pt_rel = std::numeric_limits<double>::quiet_NaN();  ///< as below
};

/// Result of a fit without data, in the user's axes. Matrices with kappa, whose
/// elements are zero without field; NaN where a parameter does not exist.
struct EngineResult {
  Determined determined = Determined::no;
  Matrix5 perigee, perigee_without_inner;  ///< order of Perigee
  Matrix5 first_hit;                       ///< order of OnSurface
  Matrix5 start_plane;                     ///< as Resolution::start_plane
  /// Variance of kappa in the two limits; NaN if the limit does not exist.
  double hit_only = std::numeric_limits<double>::quiet_NaN();
  double scattering_only = std::numeric_limits<double>::quiet_NaN();
  HitShares shares;
  /// sigma(pT)/pT of a helix, without the subtractions between elements of a
  /// covariance, in which it may be lost.
  double sigma_pt_rel = std::numeric_limits<double>::quiet_NaN();
};

/// @param spot    null: no constraint of the start
/// @param limits  EngineResult::hit_only and scattering_only
EngineResult streaming_engine(const AnyTrack& track, const BeamSpot* spot,
                              Limits limits = Limits::computed);
/// Existence of the results, and the shares, are given by outline_of().
EngineResult triplet_engine(const AnyTrack& track, const BeamSpot* spot);

/// Variance of kappa from scattering only, by triplets: where exact hits of the
/// streaming fit are lost in rounding. NaN where triplets do not give it
/// either: for traced tracks that are doubtful or have hits at one place.
/// @param doubtful  as Outline::doubtful
double triplet_limit(const AnyTrack& track, const BeamSpot* spot,
                     bool doubtful);

Outline outline_of(const AnyTrack& track, const BeamSpot* spot);

/// The state of the track at a layer; covariances with kappa at the layer.
/// @param determined  whether all hits determine the track
StateAtLayer state_at_layer(const AnyTrack& track, const BeamSpot* spot,
                            const AtLayer& at, Determined determined);

}  // namespace gttf::detail
