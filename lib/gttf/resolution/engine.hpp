// SPDX-License-Identifier: Apache-2.0
// What both engines deliver to resolve(): covariances in fit parameters.
#pragma once

#include <limits>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/beam_spot.hpp"
#include "gttf/trajectory/crossings.hpp"

namespace gttf::detail {

/// Result of a fit without data. Matrices with kappa, zero there without field.
struct EngineResult {
  bool determined = false;
  Matrix5 perigee, perigee_without_inner;  ///< order of Perigee
  Matrix5 first_hit;                       ///< order of OnSurface
  /// Variance of kappa in the two limits; NaN if the limit does not exist.
  double hit_only = std::numeric_limits<double>::quiet_NaN();
  double scattering_only = std::numeric_limits<double>::quiet_NaN();
};

/// @param spot  null: no constraint of the start
EngineResult streaming_engine(const TrackingGeometry& geometry,
                              const Crossings<double>& c, const BeamSpot* spot);
EngineResult triplet_engine(const TrackingGeometry& geometry,
                            const Track& track, const Crossings<double>& c,
                            const BeamSpot* spot);

/// Shares of hit errors (beam spot included) in Var(kappa) and Var(theta),
/// exact; theta at the perigee, without inner material unless there is a spot.
struct HitShares {
  double kappa = 0, theta = 0;
};
HitShares hit_shares(const TrackingGeometry& geometry,
                     const Crossings<double>& c, const BeamSpot* spot);

}  // namespace gttf::detail
