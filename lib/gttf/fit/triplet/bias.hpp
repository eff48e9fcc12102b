// SPDX-License-Identifier: Apache-2.0
// Predicted biases of scattering-dominated fits, whose weights depend on the
// curvature they measure.
#pragma once

#include <cmath>

namespace gttf {

/// Source of the scattering angles of the fit.
enum class BiasedFit {
  unregularised,  ///< every triplet at its own fitted curvature
  regularised,    ///< chi2(kappa) with theta0 = b |kappa|
  updated,        ///< all at the fitted curvature: fixed point of the updates
  common_curvature,  ///< the same in one step
};

/// Leading order, for kappa > 0: multiply by the sign of kappa.
struct Bias {
  double curvature = 0;  ///< (E[kappa] - kappa)/kappa
  double pull = 0;       ///< E[(kappa_fit - kappa)/sigma_fit]
};

/// With r the relative error of the curvature of one triplet and n triplets of
/// equal error:
///
///   unregularised      curvature -(2 - 2/n) r^2    pull -(2n - 1)/sqrt(n) r
///   regularised        curvature +(2 - 1/n) r^2    pull +2(n - 1)/sqrt(n) r
///   common, updated    curvature 0                 pull -r/sqrt(n)
///
/// For triplets of different errors use r = r_c sqrt(n), where r_c is the
/// relative error of the combined fit. Higher orders are relevant from r = 0.1.
/// @param r  relative error of one triplet, > 0
/// @param n  number of triplets, >= 1
/// Source: second order expansion in docs/theory/biases.md; corrects [GTTF]
///         eq:weightingbias, eq:reg_curvature_bias_many, eq:bias_regularized
inline Bias predicted_bias(BiasedFit fit, double r, int n) {
  const double m = n;
  switch (fit) {
    case BiasedFit::unregularised:
      return {-(2 - 2 / m) * r * r, -(2 * m - 1) / std::sqrt(m) * r};
    case BiasedFit::regularised:
      return {(2 - 1 / m) * r * r, 2 * (m - 1) / std::sqrt(m) * r};
    case BiasedFit::updated:
    case BiasedFit::common_curvature:
      break;
  }
  return {0, -r / std::sqrt(m)};
}

/// The corresponding formulas of the paper, for comparison. The pull of the
/// unregularised fit is the quadratic sum of its two sources as in its text,
/// sqrt((4n^2 - 8n + 5)/n) r; the printed formula is sqrt((8n^2 - 5n + 4)/n) r.
/// Source: [GTTF] eq:uncertainty_bias to eq:bias_regularized
inline Bias printed_bias(BiasedFit fit, double r, int n) {
  const double m = n;
  switch (fit) {
    case BiasedFit::unregularised:
      return {-(2 - 2 / m) * r * r,
              -std::sqrt((8 * m * m - 5 * m + 4) / m) * r};
    case BiasedFit::regularised:
      return {r * r / m, 0};
    case BiasedFit::updated:
    case BiasedFit::common_curvature:
      break;
  }
  return {0, -r / std::sqrt(m)};
}

}  // namespace gttf
