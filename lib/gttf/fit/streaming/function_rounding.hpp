// SPDX-License-Identifier: Apache-2.0
// Whether the standard deviations of functions of the line are known: their
// coefficients may cancel.
#pragma once

#include <algorithm>
#include <cstddef>

#include "gttf/fit/streaming/determination.hpp"

namespace gttf {

namespace detail {

/// Whether a function is a multiple of theta or of kappa. Its coefficients are
/// products: nothing cancels.
template <class S>
bool is_of_one_of_the_last_two(const Row<S>& a) {
  return a[0] == S(0) && a[1] == S(0) && a[2] == S(0) &&
         (a[3] == S(0) || a[4] == S(0));
}

}  // namespace detail

/// Largest relative change of the standard deviation of a function of the line
/// if its coefficients z in the basis of the independent errors, which may
/// cancel, have the rounding d of a few operations:
///
///   sum_k v_k (2 |z_k| d_k + d_k^2) / (2 sum_k v_k z_k^2)
///
/// @param n         number of functions
/// @param rounding  relative, of their coefficients
template <class S>
double change_by_rounding(const FiveEquations<S>& e,
                          const std::array<Row<S>, track_dim>& functions,
                          std::size_t n, double rounding) {
  constexpr double operations = 8;
  const auto r = detail::absolute(e.r);
  const auto v = detail::absolute(e.v);
  double worst = 0;
  for (std::size_t q = 0; q < n; ++q) {
    const Row<S>& function = functions[q];
    if (detail::is_of_one_of_the_last_two(function)) continue;
    const auto z = detail::absolute(express(e, function));
    auto size = detail::absolute(function);
    double variance = 0, change = 0;
    GTTF_UNROLL
    for (std::size_t j = 0; j < track_dim; ++j) {
      GTTF_UNROLL
      for (std::size_t i = 0; i < j; ++i)
        size[j] += z[i] * r[FiveEquations<S>::at(i, j)];
      const double d = operations * rounding * size[j];
      variance += v[j] * z[j] * z[j];
      change += v[j] * d * (2 * z[j] + d);
    }
    // an exact function has no error
    if (change > 0) worst = std::max(worst, 0.5 * change / variance);
  }
  return worst;
}

}  // namespace gttf
