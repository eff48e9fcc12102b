// SPDX-License-Identifier: Apache-2.0
// The biases that theory expects of the fits of a study of toys.
#pragma once

#include "gttf/study/toy_fit.hpp"

namespace gttf {

/// Relative bias of the curvature and mean of its pull, positive for too much
/// curvature, where scattering dominates; NaN: nothing is known.
struct BiasColumns {
  double expected_bias, expected_pull;
  double paper_bias, paper_pull;  ///< as printed in [GTTF]
};

/// @param n         number of triplets, of similar weight
/// @param relative  sigma_kappa/|kappa| of the combined fit, s
///
/// Leading orders in s, which is r/sqrt(n) for n equal triplets of relative
/// error r:
///
///   fit                  bias                  pull
///   scattering           0                     0
///   scattering-local     -2 (n-1) s^2          -(2n-1) s
///   scattering-updated   0                     -s
///   regularised          +(2n-1) s^2           +2 (n-1) s
///   common-curvature     0                     -s
///
/// As printed: -(2-2/n) r^2 and -sqrt((8n^2-5n+4)/n) r for local weights;
/// r^2/n and 0 for the regularised fit.
/// Source: docs/theory/bias-study.md
BiasColumns bias_columns(const ToyFit& fit, int n, double relative);

}  // namespace gttf
