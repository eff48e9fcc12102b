// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/chi2_probability.hpp"

#include <math.h>  // lgamma_r: std::lgamma writes a global variable

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace gttf {

namespace {

/// Degrees of freedom and chi2/2 up to which the terms of the sum, from the
/// first one on, neither overflow nor underflow.
constexpr int most_terms = 64;
constexpr double largest_half = 600;

/// 1/(k + offset) for offset 0 and 1/2.
constexpr auto inverses = [] {
  std::array<std::array<double, most_terms>, 2> table{};
  for (int k = 1; k < most_terms; ++k)
    for (std::size_t odd = 0; odd < 2; ++odd)
      table[odd][static_cast<std::size_t>(k)] =
          1 / (k + 0.5 * static_cast<double>(odd));
  return table;
}();

/// sum_k x^(k + offset)/Gamma(k + offset + 1) exp(-x), k = 0 ... m - 1.
double short_sum(double x, int m, bool odd) {
  double term = std::exp(-x);
  if (odd) term *= 2 * std::sqrt(x * std::numbers::inv_pi);
  double sum = term;
  for (std::size_t k = 1; k < static_cast<std::size_t>(m); ++k)
    sum += term *= x * inverses[odd ? 1 : 0][k];
  return sum;
}

}  // namespace

double chi2_probability(double chi2, int ndf) {
  if (!(chi2 >= 0) || ndf < 1) return std::numeric_limits<double>::quiet_NaN();
  if (chi2 == 0) return 1;
  const double x = 0.5 * chi2, offset = ndf % 2 == 0 ? 0 : 0.5;
  const int m = ndf / 2;
  const double head = ndf % 2 == 0 ? 0 : std::erfc(std::sqrt(x));
  if (m == 0) return head;
  if (m <= most_terms && x < largest_half)
    return std::min(1.0, head + short_sum(x, m, ndf % 2 != 0));
  // Term k is x^(k + offset)/Gamma(k + offset + 1). From the largest one on,
  // in both directions, nothing overflows.
  const int largest = static_cast<int>(std::min(double(m - 1), std::floor(x)));
  double start = 0;
  if (largest == 0) {
    start = offset == 0
                ? std::exp(-x)
                : std::exp(-x) * 2 * std::sqrt(x * std::numbers::inv_pi);
  } else {
    const double power = largest + offset;
    int sign = 0;
    start = std::exp(power * std::log(x) - x - lgamma_r(power + 1, &sign));
  }
  double sum = start, term = start;
  for (int k = largest + 1; k < m; ++k) sum += term *= x / (k + offset);
  term = start;
  for (int k = largest; k > 0; --k) sum += term *= (k + offset) / x;
  return std::min(1.0, head + sum);
}

}  // namespace gttf
