// SPDX-License-Identifier: Apache-2.0
// Regimes of many tracks at once: arrays of tracks in, arrays of results out,
// several tracks or triplets in every instruction.
#pragma once

#include <span>
#include <vector>

#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/regime.hpp"

namespace gttf {

/// Where the results of tracks go, `size` numbers each; an array that is empty
/// is not asked for. The members are those of TrackRegime and its Resolution.
struct RegimeArrays {
  std::span<double> mu_phi, mu_theta, xi, xi_ms;
  std::span<double> p_significant;  ///< costs a search
  std::span<int> n_hits;
  std::span<Status> status;
  std::span<Regime> regime;
  std::span<RecommendedFit> fit;
  std::span<FitBiases> biases;
};

/// Triplets of many tracks, member by member as in TripletRegime. Those of
/// track t stand at begin[t] to begin[t + 1], in order of flight.
struct TripletArrays {
  std::vector<std::size_t> begin{0};
  std::vector<std::array<std::size_t, 3>> layers;
  std::vector<char> recurls;
  std::vector<double> gamma_phi, gamma_theta, gamma_phi_theta, sigma_ms, b_ms,
      mu_phi, mu_theta, xi, xi_ms, xi_ms_limit, p_significant;
  std::vector<std::array<double, 2>> arms;
  std::vector<Regime> regime;

  std::size_t size() const { return layers.size(); }
  TripletRegime operator[](std::size_t i) const;
  /// Of one track.
  std::vector<TripletRegime> of_track(std::size_t track) const;

  /// Adds one, or those from `from` to `to` of others; not to `begin`.
  void add(const TripletRegime& triplet);
  void add(const TripletArrays& other, std::size_t from, std::size_t to);
};

/// Room for all that find_regimes() can give of n tracks.
struct RegimeColumns {
  explicit RegimeColumns(std::size_t n);

  RegimeArrays views();
  /// As find_regime() gives it, but for what these arrays do not hold: of its
  /// Resolution all but mu, xi, hits, status and regime; its thresholds.
  TrackRegime of_track(std::size_t track) const;

  std::vector<double> mu_phi, mu_theta, xi, xi_ms, p_significant;
  std::vector<int> n_hits;
  std::vector<Status> status;
  std::vector<Regime> regime;
  std::vector<RecommendedFit> fit;
  std::vector<FitBiases> biases;
  TripletArrays triplets;
};

/// find_regime() for every track: the same numbers but for rounding. The result
/// of a track does not depend on the number of threads nor, within one
/// SimdLevel, on the tracks beside it.
///
/// mu, xi and xi_ms come from resolve() for batches; xi of triplets [GTTF]
/// section "Tracking Regimes", and the searches of p_significant,
///
///   xi(p_significant) = xi_significant
///
/// go on side by side, each step of all of them vectorised. Tracks in the same
/// direction share them. What is not is_vectorised(), and
/// TripletChoice::recurling in a field, takes the scalar path.
///
/// @param triplets  null: not asked for; else what it held is lost
/// @param threads   0: all cores
BatchStatistics find_regimes(const TrackingGeometry& geometry,
                             const TrackArrays& tracks, const Model& model,
                             const RegimeThresholds& thresholds,
                             const RegimeArrays& results,
                             TripletArrays* triplets = nullptr,
                             TripletChoice choice = TripletChoice::consecutive,
                             unsigned threads = 1);

/// find_triplets() for every track: p_significant is NaN.
/// @param threads  0: all cores
TripletArrays find_triplets(const TrackingGeometry& geometry,
                            const TrackArrays& tracks, const Model& model = {},
                            std::span<const std::size_t> layers = {},
                            const RegimeThresholds& thresholds = {},
                            unsigned threads = 1);

}  // namespace gttf
