// SPDX-License-Identifier: Apache-2.0
// DoubleDouble: a number with twice the precision of a double.
#pragma once

#include <cmath>
#include <compare>
#include <limits>
#include <numbers>

#include "gttf/core/series.hpp"

namespace gttf {

/// The unevaluated sum high + low with |low| <= ulp(high)/2: 106 bits, the
/// range of a double. Errors of + - * / and sqrt: below 1e-31, relative.
/// Source: [Dekker71]; the sums as in [Hida01]
class DoubleDouble {
 public:
  constexpr DoubleDouble() = default;
  constexpr explicit DoubleDouble(double x) : high_(x) {}
  constexpr explicit operator double() const { return high_; }

  friend constexpr auto operator<=>(const DoubleDouble&,
                                    const DoubleDouble&) = default;

  friend DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble s = sum(a.high_, b.high_), t = sum(a.low_, b.low_);
    const DoubleDouble u = ordered_sum(s.high_, s.low_ + t.high_);
    return ordered_sum(u.high_, u.low_ + t.low_);
  }
  friend DoubleDouble operator-(const DoubleDouble& a) {
    return {-a.high_, -a.low_};
  }
  friend DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) {
    return a + -b;
  }
  friend DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble p = product(a.high_, b.high_);
    return ordered_sum(p.high_, p.low_ + (a.high_ * b.low_ + a.low_ * b.high_));
  }
  friend DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble first(a.high_ / b.high_);
    const DoubleDouble rest = a - first * b;
    const DoubleDouble second(rest.high_ / b.high_);
    const double third = (rest - second * b).high_ / b.high_;
    return first + second + DoubleDouble(third);
  }
  DoubleDouble& operator+=(const DoubleDouble& b) { return *this = *this + b; }
  DoubleDouble& operator-=(const DoubleDouble& b) { return *this = *this - b; }
  DoubleDouble& operator*=(const DoubleDouble& b) { return *this = *this * b; }
  DoubleDouble& operator/=(const DoubleDouble& b) { return *this = *this / b; }

  /// Of x >= 0: one step of Newton's method from the root of a double.
  friend DoubleDouble sqrt(const DoubleDouble& x) {
    const double root = std::sqrt(x.high_);
    if (!(root > 0)) return DoubleDouble(root);
    return DoubleDouble(root) +
           DoubleDouble((x - product(root, root)).high_ / (2 * root));
  }
  friend DoubleDouble abs(const DoubleDouble& x) {
    return x.high_ < 0 ? -x : x;
  }

 private:
  constexpr DoubleDouble(double high, double low) : high_(high), low_(low) {}

  /// a + b without error, |a| >= |b|.
  static DoubleDouble ordered_sum(double a, double b) {
    const double s = a + b;
    return {s, b - (s - a)};
  }
  /// a + b without error.
  static DoubleDouble sum(double a, double b) {
    const double s = a + b, of_b = s - a;
    return {s, (a - (s - of_b)) + (b - of_b)};
  }
  /// a b without error.
  static DoubleDouble product(double a, double b) {
    const double p = a * b;
#ifdef FP_FAST_FMA
    return {p, std::fma(a, b, -p)};
#else
    const DoubleDouble x = halves(a), y = halves(b);
    return {p, ((x.high_ * y.high_ - p) + x.high_ * y.low_ + x.low_ * y.high_) +
                   x.low_ * y.low_};
#endif
  }
  /// The upper 26 bits and the remainder.
  static DoubleDouble halves(double a) {
    const double shifted = 0x1p27 * a + a;
    const double high = shifted - (shifted - a);
    return {high, a - high};
  }

  double high_ = 0, low_ = 0;
};

}  // namespace gttf

template <>
class std::numeric_limits<gttf::DoubleDouble>
    : public std::numeric_limits<double> {
 public:
  static constexpr int digits = 106, digits10 = 31;
  static constexpr gttf::DoubleDouble epsilon() {
    return gttf::DoubleDouble(0x1p-105);
  }
  static constexpr gttf::DoubleDouble lowest() {
    return gttf::DoubleDouble(numeric_limits<double>::lowest());
  }
  static constexpr gttf::DoubleDouble max() {
    return gttf::DoubleDouble(numeric_limits<double>::max());
  }
};

namespace gttf {

namespace detail {

struct DoubleDoubleSine {
  DoubleDouble sine, cosine;
};

/// Reduced modulo a quarter turn, then evaluated by the series.
inline DoubleDoubleSine sine_and_cosine(const DoubleDouble& x) {
  constexpr double quarter_turn = 0.5 * std::numbers::pi;
  constexpr double rest = 6.123233995736766e-17;  // pi/2 - quarter_turn
  const double quarters = std::nearbyint(static_cast<double>(x) / quarter_turn);
  const DoubleDouble n(quarters);
  const DoubleDouble y =
      x - n * DoubleDouble(quarter_turn) - n * DoubleDouble(rest);
  const DoubleDouble y2 = y * y;
  const SineSeries<DoubleDouble> series = sine_series(y2);
  const DoubleDouble sine = y - y * y2 * series.deficit;
  switch (static_cast<int>(std::fmod(quarters, 4) + 4) % 4) {
    case 0:
      return {sine, series.cosine};
    case 1:
      return {series.cosine, -sine};
    case 2:
      return {-sine, -series.cosine};
    default:
      return {-series.cosine, sine};
  }
}

}  // namespace detail

/// Absolute error 1e-31 for angles of a few turns.
inline DoubleDouble sin(const DoubleDouble& x) {
  return detail::sine_and_cosine(x).sine;
}
inline DoubleDouble cos(const DoubleDouble& x) {
  return detail::sine_and_cosine(x).cosine;
}

/// Of x > 0, by the series of atanh.
inline DoubleDouble log(const DoubleDouble& x) {
  constexpr double ln2 = std::numbers::ln2;
  constexpr double rest = 2.3190468138462996e-17;  // of ln(2)
  constexpr double half_binade = 0.70710678118654752;
  int exponent = 0;
  if (std::frexp(static_cast<double>(x), &exponent) < half_binade) --exponent;
  const DoubleDouble one(1), m = x * DoubleDouble(std::ldexp(1.0, -exponent));
  const DoubleDouble s = (m - one) / (m + one), s2 = s * s;
  DoubleDouble sum(0), power = s;
  constexpr int terms = 24;  // s2 < 0.0295
  for (int k = 0; k < terms; ++k) {
    sum += power / DoubleDouble(2 * k + 1);
    power *= s2;
  }
  const DoubleDouble n(exponent);
  return sum + sum + n * DoubleDouble(ln2) + n * DoubleDouble(rest);
}

/// One Newton step from the angle in double precision.
inline DoubleDouble atan2(const DoubleDouble& y, const DoubleDouble& x) {
  const DoubleDouble angle(
      std::atan2(static_cast<double>(y), static_cast<double>(x)));
  const auto [sine, cosine] = detail::sine_and_cosine(angle);
  return angle + (y * cosine - x * sine) / (x * cosine + y * sine);
}

}  // namespace gttf
