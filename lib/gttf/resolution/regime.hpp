// SPDX-License-Identifier: Apache-2.0
// Tracking regimes: what limits a track and each of its triplets, which fit
// suffices, and up to which momentum the curvature is significant.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "gttf/resolution/batch.hpp"

namespace gttf {

/// Which triplets of measured layers are looked at.
enum class TripletChoice {
  consecutive,
  all,
  recurling  ///< consecutive, and on through the outer arc of the track
};

/// A triplet of hits of a track, by itself: the local fit.
///
/// Scattering of layers between the hits is included as if the track were
/// straight: a kink at the fraction f of a segment, seen from the far end of
/// it, turns the triplet by f times its angle.
struct TripletRegime {
  static constexpr double none = Resolution::none;

  std::array<std::size_t, 3> layers{};  ///< in Detector::layers
  /// The last hit comes after the outer arc, inwards again.
  bool recurls = false;
  /// Variances of the two kinks and their covariance that come from hit
  /// errors; rad^2. Source: [GTTF] eq:gamtheta, eq:gamphi without scattering
  double gamma_phi = none, gamma_theta = none, gamma_phi_theta = none;
  double sigma_ms = none;                  ///< scattering angle in a plane, rad
  double b_ms = none;                      ///< sigma_ms/|kappa|, mm
  std::array<double, 2> arms{none, none};  ///< the two arcs in space, mm
  double length = none;                    ///< a: their sum, mm
  double mu_phi = none;  ///< sqrt(gamma_phi/(gamma_phi + scattering))
  double mu_theta = none;
  double xi = none;     ///< |kappa|/sigma(kappa)
  double xi_ms = none;  ///< the same without hit errors
  /// Small bending: a sin(theta)/(2 b_ms); for a helix only.
  double xi_ms_limit = none;
  Regime regime = Regime::unknown;
  /// Largest momentum at which xi reaches the threshold of significance, of
  /// tracks in this direction; NaN if there is none at which the track crosses
  /// the three layers.
  double p_significant = none;

  /// False if a hit has one coordinate only: the triplet fixes no direction.
  bool exists() const { return !std::isnan(xi); }
};

/// Biases of the curvature fits that take scattering only, relative to the
/// curvature, and means of their pulls; NaN where hit errors matter.
struct FitBiases {
  double local = Resolution::none;        ///< each triplet at its own curvature
  double regularised = Resolution::none;  ///< chi2 with theta0 = b |kappa|
  double common = Resolution::none;       ///< common curvature
  double local_pull = Resolution::none;
  double regularised_pull = Resolution::none;
  double common_pull = Resolution::none;
};

/// The fit that is enough; named as the fits of data are.
enum class RecommendedFit {
  none,              ///< there is no regime
  scattering,        ///< scattering only
  common_curvature,  ///< scattering only, free of the bias of local weights
  general,
  hits  ///< hit errors only
};

std::string_view to_string(RecommendedFit);

struct TrackRegime {
  static constexpr double none = Resolution::none;

  Status status = Status::ok;
  int n_hits = 0;
  double mu_phi = none, mu_theta = none, xi = none;  ///< as in Resolution
  double xi_ms = none;                               ///< without hit errors
  Regime regime = Regime::unknown;
  RegimeThresholds thresholds;
  RecommendedFit fit = RecommendedFit::none;
  FitBiases biases;
  double p_significant = none;          ///< as in TripletRegime
  std::vector<TripletRegime> triplets;  ///< order of flight

  /// The existing triplet of the track with the smallest xi, or null.
  const TripletRegime* weakest() const;
};

/// Regimes of tracks and of their triplets. Without field there are none.
/// Recurling triplets, in a solenoid, have no p_significant, and are not part
/// of the track.
///
/// mu, xi and xi_ms are those of resolve(); xi of triplets [GTTF] section
/// "Tracking Regimes"; the searches of p_significant,
///
///   xi(p_significant) = xi_significant
///
/// go on side by side, each step of all of them vectorised. Tracks in the same
/// direction share them. The result of a track does not depend on the number of
/// threads nor, within one SimdLevel, on the tracks beside it.
///
/// @param results  one per track
/// @param threads  0: all cores
/// Source: [GTTF] section "Tracking Regimes"; docs/theory/regimes.md
BatchStatistics find_regimes(const TrackingGeometry& geometry,
                             const TrackArrays& tracks, const Model& model,
                             const RegimeThresholds& thresholds,
                             std::span<TrackRegime> results,
                             TripletChoice choice = TripletChoice::consecutive,
                             unsigned threads = 1);

/// find_regimes() of one track.
TrackRegime find_regime(const TrackingGeometry& geometry, const Track& track,
                        const Model& model = {},
                        const RegimeThresholds& thresholds = {},
                        TripletChoice choice = TripletChoice::consecutive);

/// Triplets of consecutive hits of every track only, without p_significant: to
/// search it for all of them is most of the work of find_regimes. Hits in other
/// layers than `layers` (sorted; empty: all) are passed over, but scatter.
/// @return  those of each track
/// @param threads  0: all cores
std::vector<std::vector<TripletRegime>> find_triplets(
    const TrackingGeometry& geometry, const TrackArrays& tracks,
    const Model& model = {}, std::span<const std::size_t> layers = {},
    const RegimeThresholds& thresholds = {}, unsigned threads = 1);

}  // namespace gttf
