// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/bias_columns.hpp"

#include <cmath>
#include <limits>

namespace gttf {

BiasColumns bias_columns(const ToyFit& fit, int n_triplets, double relative) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const double n = n_triplets, s = relative, s2 = s * s, r = s * std::sqrt(n);
  if (!(n >= 1)) return {none, none, none, none};
  switch (fit.kind) {
    case FitKind::regularised:
      return {(2 * n - 1) * s2, 2 * (n - 1) * s, r * r / n, 0};
    case FitKind::common_curvature:
      return {0, -s, none, none};
    case FitKind::scattering:
      switch (fit.weights) {
        case WeightSource::estimate:
          return {0, 0, 0, 0};
        case WeightSource::update:
          return {0, -s, none, none};
        case WeightSource::local:
          return {-2 * (n - 1) * s2, -(2 * n - 1) * s, -(2 - 2 / n) * r * r,
                  -std::sqrt((8 * n * n - 5 * n + 4) / n) * r};
      }
      break;
    case FitKind::general:
    case FitKind::hits:
      break;
  }
  return {none, none, none, none};
}

}  // namespace gttf
