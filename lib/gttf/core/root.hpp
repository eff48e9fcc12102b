// SPDX-License-Identifier: Apache-2.0
// find_root: a zero of a function.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace gttf {

/// A zero of f between a and b, where f has opposite signs, computed step by
/// step, so that one call that evaluates f at many points can serve many
/// searches. f may jump or be infinite. Inverse quadratic interpolation where
/// it converges, else bisection.
///
///   while (!search.done()) search.take(f(search.place()));
///
/// Source  [Chandrupatla97]
class RootSearch {
 public:
  RootSearch() = default;
  /// @param fa, fb     f(a) and f(b), of opposite signs
  /// @param tolerance  of the position, absolute
  /// @param step       the first position is a + step (b - a), 0 < step < 1
  RootSearch(double a, double fa, double b, double fb, double tolerance,
             double step = 0.5)
      : tolerance_(tolerance), a_(a), fa_(fa), b_(b), fb_(fb), c_(a), fc_(fa) {
    set_place(step);
  }

  bool done() const { return done_; }
  /// The next position at which f is needed; when done, the best position
  /// found, with the smallest |f| of the last ones.
  double place() const { return place_; }

  /// @param f  at place()
  void take(double f) {
    // b is the latest position, a on the other side, c the previous one
    if ((f < 0) == (fa_ < 0)) {
      c_ = a_;
      fc_ = fa_;
    } else {
      c_ = b_;
      fc_ = fb_;
      b_ = a_;
      fb_ = fa_;
    }
    a_ = place_;
    fa_ = f;
    const double best = std::abs(fa_) < std::abs(fb_) ? a_ : b_;
    const double margin =
        (2 * std::numeric_limits<double>::epsilon() * std::abs(best) +
         0.5 * tolerance_) /
        std::abs(b_ - a_);
    constexpr int enough = 200;  // bisection alone needs 64 for any interval
    if (margin > 0.5 || fa_ == 0 || ++taken_ == enough) {
      place_ = fa_ == 0 ? a_ : best;
      done_ = true;
      return;
    }
    const double xi = (a_ - b_) / (c_ - b_), phi = (fa_ - fb_) / (fc_ - fb_);
    const bool interpolate = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
    double step = interpolate ? fa_ / (fb_ - fa_) * fc_ / (fb_ - fc_) +
                                    (c_ - a_) / (b_ - a_) * fa_ / (fc_ - fa_) *
                                        fb_ / (fc_ - fb_)
                              : 0.5;
    if (!std::isfinite(step)) step = 0.5;
    set_place(std::clamp(step, margin, 1 - margin));
  }

 private:
  void set_place(double step) { place_ = a_ + step * (b_ - a_); }

  double tolerance_ = 0;
  double a_ = 0, fa_ = 0, b_ = 0, fb_ = 0, c_ = 0, fc_ = 0;
  double place_ = 0;
  int taken_ = 0;
  bool done_ = false;
};

/// Runs a complete search.
/// @return  NaN if f(a) and f(b) have the same sign
template <class Function>
double find_root(const Function& f, double a, double b, double tolerance) {
  const double fa = f(a), fb = f(b);
  if (fa == 0) return a;
  if (fb == 0) return b;
  if (!((fa < 0) != (fb < 0)) || std::isnan(fa) || std::isnan(fb))
    return std::numeric_limits<double>::quiet_NaN();
  RootSearch search(a, fa, b, fb, tolerance);
  while (!search.done()) search.take(f(search.place()));
  return search.place();
}

}  // namespace gttf
