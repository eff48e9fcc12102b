// SPDX-License-Identifier: Apache-2.0
// What the regime of one track and those of many have in common.
#pragma once

#include "gttf/resolution/regime.hpp"
#include "gttf/resolution/significant_momentum.hpp"

namespace gttf::detail {

/// Where searches of a momentum begin: above the regimes of most detectors,
/// tracks being straight there. What is found from there is a property of the
/// direction, the same for tracks of all momenta.
inline constexpr double common_start = 100 * unit::GeV;

/// Must the search begin at the momentum p of the track? That is so if there is
/// nothing at the common start, or `found` from there contradicts the track.
/// @param xi  at p
inline bool must_start_at(double p, double xi, double least,
                          const SignificantMomentum& found) {
  return !found.started() || (xi >= least && !(found.result() >= p));
}

RecommendedFit recommend(Regime regime, double xi,
                         const RegimeThresholds& thresholds);

/// Where hit errors matter, the fits with scattering only are wrong by more
/// than their bias.
FitBiases predict_biases(int n_hits, double mu_phi, double xi,
                         const RegimeThresholds& thresholds);

/// Calls add(i, j, k) for the triplets of n hits in a row.
template <class Add>
void for_each_triplet(std::size_t n, TripletChoice choice, const Add& add) {
  for (std::size_t i = 0; i + 2 < n; ++i) {
    if (choice != TripletChoice::all) {
      add(i, i + 1, i + 2);
      continue;
    }
    for (std::size_t j = i + 1; j + 1 < n; ++j)
      for (std::size_t k = j + 1; k < n; ++k) add(i, j, k);
  }
}

}  // namespace gttf::detail
