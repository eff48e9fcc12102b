// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/chi2_probability.hpp"

#include <math.h>  // lgamma_r: std::lgamma writes a global variable

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace gttf {

double chi2_probability(double chi2, int ndf) {
  if (!(chi2 >= 0) || ndf < 1) return std::numeric_limits<double>::quiet_NaN();
  if (chi2 == 0) return 1;
  const double x = 0.5 * chi2, offset = ndf % 2 == 0 ? 0 : 0.5;
  const int m = ndf / 2;
  const double head = ndf % 2 == 0 ? 0 : std::erfc(std::sqrt(x));
  if (m == 0) return head;
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
