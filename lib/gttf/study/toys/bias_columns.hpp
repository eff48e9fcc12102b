// SPDX-License-Identifier: Apache-2.0
// The biases that theory expects of the fits of a study of toys.
#pragma once

#include "gttf/fit/triplet/bias.hpp"
#include "gttf/study/toys/toy_fit.hpp"

namespace gttf {

/// Where scattering dominates; NaN: nothing is known.
struct BiasColumns {
  Bias expected;
  Bias paper;  ///< as printed in [GTTF]
};

/// @param n         number of triplets
/// @param relative  sigma_kappa/|kappa| of all of them together, by scattering
/// Source: docs/theory/bias-study.md
BiasColumns bias_columns(const ToyFit& fit, int n, double relative);

}  // namespace gttf
