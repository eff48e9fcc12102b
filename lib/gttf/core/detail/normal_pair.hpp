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
template <class Isa>
struct Uniform<Pack<Isa>> {
  using P = Pack<Isa>;
  using Vector = typename P::Vector;
  [[gnu::always_inline]] static P of(const std::uint64_t* bits) {
    const P x = P::load(reinterpret_cast<const double*>(bits));
    return P(from_one(x.low), from_one(x.high)) - P(1 - 0x1p-53);
  }

 private:
  /// 1 + k 2^-52, of which 1 - 2^-53 can be taken away without rounding.
  [[gnu::always_inline]] static Vector from_one(Vector bits) {
    using Bits = typename P::Bits;
    return __builtin_bit_cast(Vector, (__builtin_bit_cast(Bits, bits) >> 12) |
                                          std::uint64_t{0x3ff0000000000000});
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
