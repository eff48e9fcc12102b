// SPDX-License-Identifier: Apache-2.0
// Dual numbers and constants: arithmetic that does not touch derivatives of 0,
// and values without derivatives.
#pragma once

#include <type_traits>
#include <utility>

#include "gttf/core/dual.hpp"

namespace gttf {

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
