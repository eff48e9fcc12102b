// SPDX-License-Identifier: Apache-2.0
// Normal numbers from random bits, for one place or one per lane.
#pragma once

#include <cmath>
#include <cstdint>

#include "gttf/core/pack_functions.hpp"

namespace gttf::detail {

/// A number in (0, 1) from 64 random bits: the middle of one of 2^52 equal
/// cells, exactly.
template <class S>
struct Uniform;

template <>
struct Uniform<double> {
  static double of(const std::uint64_t* bits) {
    return (static_cast<double>(*bits >> 12) + 0.5) * 0x1p-52;
  }
};

/// From one word of bits per lane.
template <class Isa, std::size_t n>
struct Uniform<Pack<Isa, n>> {
  using P = Pack<Isa, n>;
  [[gnu::always_inline]] static P of(const std::uint64_t* bits) {
    using Bits = typename P::Bits;
    P x = P::load(reinterpret_cast<const double*>(bits));
    for (auto& part : x.v) {
      // 1 + k 2^-52, of which 1 - 2^-53 is then taken away without rounding
      const Bits of_one = (__builtin_bit_cast(Bits, part) >> 12) |
                          std::uint64_t{0x3ff0000000000000};
      part = __builtin_bit_cast(typename P::Vector, of_one);
    }
    return x - P(1 - 0x1p-53);
  }
};

template <class S>
struct NormalPair {
  S first, second;
};

/// sqrt(-2 ln u) (cos(2 pi w), sin(2 pi w)) of uniform u, w.
/// Source: [BoxMuller58]
template <class S>
[[gnu::always_inline]] inline NormalPair<S> normal_pair(
    const std::uint64_t* u_bits, const std::uint64_t* w_bits) {
  using std::cos, std::log, std::sin, std::sqrt;
  const S radius = sqrt(S(-2) * log(Uniform<S>::of(u_bits)));
  const S angle = S(2 * unit::pi) * Uniform<S>::of(w_bits);
  return {radius * cos(angle), radius * sin(angle)};
}

}  // namespace gttf::detail
