// SPDX-License-Identifier: Apache-2.0
// Dual<N>: a number with its N first derivatives.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <type_traits>
#include <utility>

#include "gttf/core/scalar.hpp"

namespace gttf {

/// Value and N first derivatives; arithmetic follows the chain rule exactly.
/// Used in a formula template instead of double, it yields the derivative of
/// the formula: seed an input with Dual<N>::variable(x, i).
/// @tparam T type of value and derivatives: double, or a Pack
template <int N, class T = double>
struct Dual {
  T value{0};
  std::array<T, N> derivative{};

  constexpr Dual() = default;
  constexpr explicit Dual(double v) : value(v) {}
  constexpr explicit Dual(const T& v) requires(!std::same_as<T, double>)
      : value(v) {}

  /// The independent variable number `index`.
  static constexpr Dual variable(const T& v, int index) {
    Dual d(v);
    d.derivative[static_cast<std::size_t>(index)] = T(1);
    return d;
  }

  /// f(x) with f' given: value and derivatives of a one-argument function.
  constexpr Dual apply(const T& f, const T& slope) const {
    Dual d(f);
    for (std::size_t i = 0; i < N; ++i) d.derivative[i] = slope * derivative[i];
    return d;
  }
  /// f(x, y) with both partial derivatives given.
  static constexpr Dual apply(const T& f, const Dual& x, const T& by_x,
                              const Dual& y, const T& by_y) {
    Dual d(f);
    for (std::size_t i = 0; i < N; ++i)
      d.derivative[i] = by_x * x.derivative[i] + by_y * y.derivative[i];
    return d;
  }

  friend constexpr Dual operator+(Dual a, const Dual& b) {
    a.value = a.value + b.value;
    for (std::size_t i = 0; i < N; ++i)
      a.derivative[i] = a.derivative[i] + b.derivative[i];
    return a;
  }
  friend constexpr Dual operator-(Dual a, const Dual& b) {
    a.value = a.value - b.value;
    for (std::size_t i = 0; i < N; ++i)
      a.derivative[i] = a.derivative[i] - b.derivative[i];
    return a;
  }
  friend constexpr Dual operator-(const Dual& a) {
    return a.apply(-a.value, T(-1));
  }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    return apply(a.value * b.value, a, b.value, b, a.value);
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

  friend constexpr auto operator<(const Dual& a, const Dual& b) {
    return a.value < b.value;
  }
  friend constexpr auto operator>(const Dual& a, const Dual& b) {
    return a.value > b.value;
  }
  friend constexpr auto operator<=(const Dual& a, const Dual& b) {
    return a.value <= b.value;
  }
  friend constexpr Dual select(const MaskOf<T>& mask, const Dual& a,
                               const Dual& b) {
    Dual d(select(mask, a.value, b.value));
    for (std::size_t i = 0; i < N; ++i)
      d.derivative[i] = select(mask, a.derivative[i], b.derivative[i]);
    return d;
  }

  friend Dual sqrt(const Dual& x) {
    using std::sqrt;
    const T r = sqrt(x.value);
    return x.apply(r, T(0.5) / r);
  }
  friend Dual exp(const Dual& x) {
    using std::exp;
    const T f = exp(x.value);
    return x.apply(f, f);
  }
  friend Dual log(const Dual& x) {
    using std::log;
    return x.apply(log(x.value), T(1) / x.value);
  }
  friend Dual abs(const Dual& x) { return select(x.value < T(0), -x, x); }
  friend Dual sin(const Dual& x) {
    using std::cos, std::sin;
    return x.apply(sin(x.value), cos(x.value));
  }
  friend Dual cos(const Dual& x) {
    using std::cos, std::sin;
    return x.apply(cos(x.value), -sin(x.value));
  }
  friend Dual tan(const Dual& x) {
    using std::tan;
    const T f = tan(x.value);
    return x.apply(f, T(1) + f * f);
  }
  friend Dual atan2(const Dual& y, const Dual& x) {
    using std::atan2;
    const T r2 = x.value * x.value + y.value * y.value;
    Dual d(atan2(y.value, x.value));
    for (std::size_t i = 0; i < N; ++i)
      d.derivative[i] =
          (x.value * y.derivative[i] - y.value * x.derivative[i]) / r2;
    return d;
  }
  friend Dual hypot(const Dual& a, const Dual& b) {
    using std::hypot;
    const T f = hypot(a.value, b.value);
    return apply(f, a, a.value / f, b, b.value / f);
  }
  /// With a constant exponent, the base may be negative.
  friend Dual pow(const Dual& a, const Dual& b) {
    using std::log, std::pow;
    const T f = pow(a.value, b.value);
    const T by_base = b.value * pow(a.value, b.value - T(1));
    Dual d = a.apply(f, by_base);
    for (std::size_t i = 0; i < N; ++i)
      if (b.derivative[i] != T(0))
        d.derivative[i] = d.derivative[i] + f * log(a.value) * b.derivative[i];
    return d;
  }
  friend Dual min(const Dual& a, const Dual& b) {
    return select(b.value < a.value, b, a);
  }
  friend Dual max(const Dual& a, const Dual& b) {
    return select(a.value < b.value, b, a);
  }
};

// With a constant: no arithmetic on the zeros that its derivatives would be.
template <int N, class T>
[[gnu::always_inline]] constexpr Dual<N, T> operator+(Dual<N, T> a,
                                                      const T& b) {
  a.value = a.value + b;
  return a;
}
template <int N, class T>
[[gnu::always_inline]] constexpr Dual<N, T> operator-(Dual<N, T> a,
                                                      const T& b) {
  a.value = a.value - b;
  return a;
}
template <int N, class T>
[[gnu::always_inline]] constexpr Dual<N, T> operator*(const Dual<N, T>& a,
                                                      const T& b) {
  return a.apply(a.value * b, b);
}
template <int N, class T>
[[gnu::always_inline]] constexpr Dual<N, T> operator*(const T& a,
                                                      const Dual<N, T>& b) {
  return b.apply(a * b.value, a);
}

/// A number without its derivatives.
template <class S>
[[gnu::always_inline]] constexpr const S& value_of(const S& x) {
  return x;
}
template <int N, class T>
[[gnu::always_inline]] constexpr const T& value_of(const Dual<N, T>& x) {
  return x.value;
}
template <class S>
using ValueOf = std::remove_cvref_t<decltype(value_of(std::declval<S>()))>;

}  // namespace gttf
