// SPDX-License-Identifier: Apache-2.0
// Dual<N>: a number that carries its N first derivatives.
#pragma once

#include <array>
#include <cmath>

namespace gttf {

/// Value and N first derivatives; arithmetic follows the chain rule exactly.
/// Put into a formula template in place of double, it yields the formula's
/// derivative: seed an input with Dual<N>::variable(x, i).
template <int N>
struct Dual {
  double value = 0;
  std::array<double, N> derivative{};

  constexpr Dual() = default;
  constexpr explicit Dual(double v) : value(v) {}

  /// The independent variable number `index`.
  static constexpr Dual variable(double v, int index) {
    Dual d(v);
    d.derivative[static_cast<std::size_t>(index)] = 1;
    return d;
  }

  /// f(x) with f' given: value and derivatives of a one-argument function.
  constexpr Dual apply(double f, double slope) const {
    Dual d(f);
    for (std::size_t i = 0; i < N; ++i) d.derivative[i] = slope * derivative[i];
    return d;
  }

  friend constexpr Dual operator+(Dual a, const Dual& b) {
    a.value += b.value;
    for (std::size_t i = 0; i < N; ++i) a.derivative[i] += b.derivative[i];
    return a;
  }
  friend constexpr Dual operator-(Dual a, const Dual& b) {
    a.value -= b.value;
    for (std::size_t i = 0; i < N; ++i) a.derivative[i] -= b.derivative[i];
    return a;
  }
  friend constexpr Dual operator-(const Dual& a) {
    return a.apply(-a.value, -1);
  }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    Dual d(a.value * b.value);
    for (std::size_t i = 0; i < N; ++i)
      d.derivative[i] = a.derivative[i] * b.value + a.value * b.derivative[i];
    return d;
  }
  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    Dual d(a.value / b.value);
    for (std::size_t i = 0; i < N; ++i)
      d.derivative[i] = (a.derivative[i] - d.value * b.derivative[i]) / b.value;
    return d;
  }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend constexpr bool operator<(const Dual& a, const Dual& b) {
    return a.value < b.value;
  }
  friend constexpr bool operator>(const Dual& a, const Dual& b) {
    return a.value > b.value;
  }
  friend constexpr bool operator<=(const Dual& a, const Dual& b) {
    return a.value <= b.value;
  }

  friend Dual sqrt(const Dual& x) {
    const double r = std::sqrt(x.value);
    return x.apply(r, 0.5 / r);
  }
  friend Dual log(const Dual& x) {
    return x.apply(std::log(x.value), 1 / x.value);
  }
  friend Dual abs(const Dual& x) { return x.value < 0 ? -x : x; }
  friend Dual sin(const Dual& x) {
    return x.apply(std::sin(x.value), std::cos(x.value));
  }
  friend Dual cos(const Dual& x) {
    return x.apply(std::cos(x.value), -std::sin(x.value));
  }
  friend Dual atan2(const Dual& y, const Dual& x) {
    const double r2 = x.value * x.value + y.value * y.value;
    Dual d(std::atan2(y.value, x.value));
    for (std::size_t i = 0; i < N; ++i)
      d.derivative[i] =
          (x.value * y.derivative[i] - y.value * x.derivative[i]) / r2;
    return d;
  }
};

}  // namespace gttf
