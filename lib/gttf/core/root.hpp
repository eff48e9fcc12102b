// SPDX-License-Identifier: Apache-2.0
// find_root: where a function changes sign.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace gttf {

/// A zero of f between a and b, where f has opposite signs; f may jump or be
/// infinite. Inverse quadratic interpolation where it helps, else bisection.
///
/// @param tolerance  on the place, absolute
/// @return           the best place found, |f| smallest of those tried last;
///                   NaN if f(a) and f(b) have the same sign
/// Source            [Chandrupatla97]
template <class Function>
double find_root(const Function& f, double a, double b, double tolerance) {
  double fa = f(a), fb = f(b);
  if (fa == 0) return a;
  if (fb == 0) return b;
  if (!((fa < 0) != (fb < 0)) || std::isnan(fa) || std::isnan(fb))
    return std::numeric_limits<double>::quiet_NaN();
  // b is the latest place, a on the other side of the root, c the one before
  double c = a, fc = fa, step = 0.5;
  constexpr int enough = 200;  // bisection alone needs 64 for any interval
  for (int i = 0; i < enough; ++i) {
    const double x = a + step * (b - a), fx = f(x);
    if ((fx < 0) == (fa < 0)) {
      c = a;
      fc = fa;
    } else {
      c = b;
      fc = fb;
      b = a;
      fb = fa;
    }
    a = x;
    fa = fx;
    const bool a_best = std::abs(fa) < std::abs(fb);
    const double best = a_best ? a : b;
    const double margin =
        (2 * std::numeric_limits<double>::epsilon() * std::abs(best) +
         0.5 * tolerance) /
        std::abs(b - a);
    if (margin > 0.5 || fa == 0) return fa == 0 ? a : best;
    const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    const bool interpolate = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
    step = interpolate ? fa / (fb - fa) * fc / (fb - fc) +
                             (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
                       : 0.5;
    if (!std::isfinite(step)) step = 0.5;
    step = std::clamp(step, margin, 1 - margin);
  }
  return std::abs(fa) < std::abs(fb) ? a : b;
}

}  // namespace gttf
