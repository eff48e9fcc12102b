// SPDX-License-Identifier: Apache-2.0
// Relations between the chi2 of local and global fits of the same hits.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace gttf {

/// A result of a scattering fit: of one triplet or of a track.
struct LocalCurvature {
  double kappa = 0, sigma = 0, chi2 = 0;
};

/// The scattering-dominated global fit from its local ones, without looking at
/// a hit again; no inversion:
///
///   1/sigma^2 = sum 1/sigma_j^2,  kappa = sigma^2 sum kappa_j/sigma_j^2
///   chi2 = sum chi2_j + sum (kappa - kappa_j)^2/sigma_j^2
///
/// An upper bound of the chi2 of the general fit with the same scattering
/// variances: hit errors can only lower it.
/// @param local  at least one, sigma > 0
/// Source: [GTTF] eq:global_MS_chi2j, eq:chi2min_inequality; the exponent of
///         kappa_j as in docs/theory/local-fit.md
inline LocalCurvature combine(std::span<const LocalCurvature> local) {
  double weight = 0, sum = 0, chi2 = 0;
  for (const LocalCurvature& f : local) {
    const double w = 1 / (f.sigma * f.sigma);
    weight += w;
    sum += w * f.kappa;
  }
  const double kappa = sum / weight;
  for (const LocalCurvature& f : local) {
    const double pull = (f.kappa - kappa) / f.sigma;
    chi2 += f.chi2 + pull * pull;
  }
  return {kappa, 1 / std::sqrt(weight), chi2};
}

/// Lower bound of the chi2 of the scattering fit: sum of the local ones.
/// Source: [GTTF] eq:MS_inequality
inline double scattering_lower_bound(std::span<const LocalCurvature> local) {
  double sum = 0;
  for (const LocalCurvature& f : local) sum += f.chi2;
  return sum;
}

/// Lower bound of the chi2 of the general fit from general local ones in order
/// of flight: the largest of all, and the best sum over triplets that share no
/// hit. The sum over all is no bound, since triplets share hits.
/// Source: docs/theory/local-fit.md
inline double general_lower_bound(std::span<const double> local_chi2) {
  // best sum with the last triplet taken at least three back, or skipped
  double best[3] = {0, 0, 0};  // up to one, two, three triplets back
  for (const double chi2 : local_chi2) {
    const double now = std::max(best[0], best[2] + chi2);
    best[2] = best[1];
    best[1] = best[0];
    best[0] = now;
  }
  return best[0];
}

/// Can a candidate be dropped before its general fit? True if the lower bound
/// from its triplets exceeds the cut.
inline bool fails_by_triplets(std::span<const double> local_chi2, double cut) {
  return general_lower_bound(local_chi2) > cut;
}

}  // namespace gttf
