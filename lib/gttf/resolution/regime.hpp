// SPDX-License-Identifier: Apache-2.0
// Tracking regimes: the limiting errors of a track and its triplets, the fit
// that suffices, and the momentum up to which the curvature is significant.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "gttf/resolution/batch.hpp"

namespace gttf {

/// The triplets of measured layers to consider.
enum class TripletChoice {
  consecutive,
  all,
  recurling  ///< consecutive, also through the outer arc of the track
};

/// The local fit of a triplet of hits.
///
/// Scattering of layers between the hits is included in the approximation of a
/// straight track: a kink at the fraction f of a segment, measured from its far
/// end, changes the kink of the triplet by f times its angle.
struct TripletRegime {
  static constexpr double none = Resolution::none;

  std::array<std::size_t, 3> layers{};  ///< in Detector::layers
  /// The last hit comes after the outer arc, on the way inwards.
  bool recurls = false;
  /// Variances of the two kinks and their covariance from hit errors; rad^2.
  /// Source: [GTTF] eq:gamtheta, eq:gamphi without scattering
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

  /// False if a hit has one coordinate only: no direction is determined.
  bool exists() const { return !std::isnan(xi); }
};

/// Relative biases of the curvature fits with scattering only, and means of
/// their pulls; NaN where hit errors are not negligible.
struct FitBiases {
  double local = Resolution::none;        ///< each triplet at its own curvature
  double regularised = Resolution::none;  ///< chi2 with theta0 = b |kappa|
  double common = Resolution::none;       ///< common curvature
  double local_pull = Resolution::none;
  double regularised_pull = Resolution::none;
  double common_pull = Resolution::none;
};

/// The fit that suffices; same names as for fits of data.
enum class RecommendedFit {
  none,              ///< no regime
  scattering,        ///< scattering only
  common_curvature,  ///< scattering only, without the bias of local weights
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
/// run in parallel, with each step vectorised. Tracks in the same direction
/// share them. The result of a track does not depend on the number of threads
/// or, within one SimdLevel, on the other tracks.
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

/// Only triplets of consecutive hits of every track, without p_significant: its
/// search takes most of the time of find_regimes. Hits in layers other than
/// `layers` (sorted; empty: all) are ignored, but scatter.
/// @return the triplets of each track
/// @param threads  0: all cores
std::vector<std::vector<TripletRegime>> find_triplets(
    const TrackingGeometry& geometry, const TrackArrays& tracks,
    const Model& model = {}, std::span<const std::size_t> layers = {},
    const RegimeThresholds& thresholds = {}, unsigned threads = 1);

}  // namespace gttf
