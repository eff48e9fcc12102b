// SPDX-License-Identifier: Apache-2.0
// Two: two numbers as one scalar for arithmetic; doubles share a vector of the
// baseline of the processor.
#pragma once

#include <array>
#include <cstddef>

#include "gttf/core/pack.hpp"

namespace gttf {

/// Two numbers with the operators of one, for types without vectors.
template <class S>
struct PlainPair {
  S item[2];

  const S& operator[](std::size_t i) const { return item[i]; }

  friend PlainPair operator+(const PlainPair& a, const PlainPair& b) {
    return {{a[0] + b[0], a[1] + b[1]}};
  }
  friend PlainPair operator-(const PlainPair& a, const PlainPair& b) {
    return {{a[0] - b[0], a[1] - b[1]}};
  }
  friend PlainPair operator*(const PlainPair& a, const PlainPair& b) {
    return {{a[0] * b[0], a[1] * b[1]}};
  }
  friend PlainPair operator/(const PlainPair& a, const PlainPair& b) {
    return {{a[0] / b[0], a[1] / b[1]}};
  }
  friend PlainPair operator-(const PlainPair& a) { return {{-a[0], -a[1]}}; }
};

/// The vector of Two, in the form that HalfPack needs.
template <class S>
struct PairVector {
  using Vector = PlainPair<S>;
  static Vector fill(double x) { return {{S(x), S(x)}}; }
};
template <>
struct PairVector<double> {
  using Vector [[gnu::vector_size(16)]] = double;
  static Vector fill(double x) { return Vector{x, x}; }
};

template <class S>
using Two = HalfPack<PairVector<S>>;

template <class S>
Two<S> two(const S& first, const S& second) {
  return Two<S>(typename PairVector<S>::Vector{first, second});
}

/// The same number, or numbers, twice.
template <class S>
Two<S> twice(const S& x) {
  return two(x, x);
}
template <class S, std::size_t n>
std::array<Two<S>, n> twice(const std::array<S, n>& x) {
  std::array<Two<S>, n> both;
  for (std::size_t i = 0; i < n; ++i) both[i] = twice(x[i]);
  return both;
}

/// Number 0 or 1 of an element.
template <class S, std::size_t n>
std::array<S, n> one_of(const std::array<Two<S>, n>& both, std::size_t which) {
  std::array<S, n> x;
  for (std::size_t i = 0; i < n; ++i) x[i] = both[i].vector[which];
  return x;
}

}  // namespace gttf
