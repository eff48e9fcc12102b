// SPDX-License-Identifier: Apache-2.0
// Whether the standard deviations of functions of the line are known: their
// coefficients may cancel.
#pragma once

#include <algorithm>
#include <cmath>

#include "gttf/fit/streaming/determination.hpp"

namespace gttf {

/// Largest relative change of the standard deviation of a function of the line
/// if its coefficients z in the basis of the independent errors, which may
/// cancel, have the rounding d of a few operations:
///
///   sum_k v_k (2 |z_k| d_k + d_k^2) / (2 sum_k v_k z_k^2)
///
/// @param n  number of functions
template <class S>
double change_by_rounding(const FiveEquations<S>& e,
                          const std::array<Row<S>, track_dim>& functions,
                          std::size_t n) {
  constexpr double operations = 8;
  double worst = 0;
  for (std::size_t q = 0; q < n; ++q) {
    const Row<double> z = detail::absolute(express(e, functions[q]));
    double variance = 0, change = 0;
    for (std::size_t j = 0; j < track_dim; ++j) {
      double size = std::abs(static_cast<double>(functions[q][j]));
      for (std::size_t i = 0; i < j; ++i)
        size += z[i] *
                std::abs(static_cast<double>(e.r[FiveEquations<S>::at(i, j)]));
      const double d = operations * rounding_of_scalar<S> * size;
      const auto v = static_cast<double>(e.v[j]);
      variance += v * z[j] * z[j];
      change += v * d * (2 * z[j] + d);
    }
    // an exact function has no error
    if (change > 0) worst = std::max(worst, 0.5 * change / variance);
  }
  return worst;
}

}  // namespace gttf
