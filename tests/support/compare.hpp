// SPDX-License-Identifier: Apache-2.0
// How far two results are from each other.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gttf/core/matrix.hpp"

namespace gttf::test {

/// Largest |a_ij - b_ij| over sigma_i sigma_j of b, first n rows and columns.
inline double worst(const Matrix5& a, const Matrix5& b, int n = 5) {
  double w = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      w = std::max(w,
                   std::abs(a(i, j) - b(i, j)) / std::sqrt(b(i, i) * b(j, j)));
  return w;
}

inline double relative(double a, double b) { return std::abs(a / b - 1); }
/// The same of values that may be 0 or not exist (NaN): both or neither.
inline double relative_if_any(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  return a == b ? 0 : relative(a, b);
}

/// Equal to the bit, NaN included.
inline bool same_bits(const std::vector<double>& a,
                      const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) {
                      return std::bit_cast<std::uint64_t>(x) ==
                             std::bit_cast<std::uint64_t>(y);
                    });
}

}  // namespace gttf::test
