// SPDX-License-Identifier: Apache-2.0
// Random bits of many positions at once and normal random numbers from them,
// compiled with the instruction set of the including source file.
#pragma once

#include <cmath>
#include <cstdint>

#include <Random123/philox.h>

#include "gttf/core/pack_functions.hpp"
#include "gttf/core/random.hpp"

namespace gttf::detail {

/// random_block() for n_places positions with consecutive indices: word w of
/// position k at w n_places + k.
/// @param branch 0, or the branch of a RandomBranch
/// @tparam S  a type local to the source file, which makes this local, too
template <class S>
void random_words(const RandomPlace& first, std::uint64_t block,
                  std::size_t n_places, std::uint64_t* out,
                  std::uint64_t branch = 0) {
  // the C functions of Random123 are static, its classes are not
  const philox4x64_key_t key{{first.seed, first.stream}};
  for (std::size_t k = 0; k < n_places; ++k) {
    const philox4x64_ctr_t counter{{first.index + k, block, branch, 0}};
    const philox4x64_ctr_t bits = philox4x64(counter, key);
    for (std::size_t w = 0; w < 4; ++w) out[w * n_places + k] = bits.v[w];
  }
}

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

/// From one word of bits per element.
template <class Isa>
struct Uniform<Pack<Isa>> {
  using P = Pack<Isa>;
  using Vector = typename P::Vector;
  [[gnu::always_inline]] static P of(const std::uint64_t* bits) {
    const P x = P::load(reinterpret_cast<const double*>(bits));
    return P(from_one(x.low), from_one(x.high)) - P(1 - 0x1p-53);
  }

 private:
  /// 1 + k 2^-52, from which 1 - 2^-53 can be subtracted without rounding.
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

/// The cosine and the sine of 2 pi w.
template <class S>
[[gnu::always_inline]] inline NormalPair<S> on_circle(const S& w) {
  using std::cos, std::sin;
  const S angle = S(2 * unit::pi) * w;
  return {cos(angle), sin(angle)};
}

/// The same as vectors for w in (0, 1): quarter turns are subtracted without
/// rounding, and minimax polynomials cover an eighth of a turn (errors
/// 4e-18).
template <class Isa>
[[gnu::always_inline]] inline NormalPair<Pack<Isa>> on_circle(
    const Pack<Isa>& w) {
  using P = Pack<Isa>;
  // (1 - sin(y)/y)/y^2 and (cos(y) - 1 + y^2/2)/y^4, of y^2
  constexpr double sine[] = {0.16666666666666632,    -0.008333333333322425,
                             0.00019841269829816966, -2.7557313695231757e-06,
                             2.5050758654048854e-08, -1.5896827971571142e-10};
  constexpr double cosine[] = {0.0416666666666666,    -0.0013888888888874138,
                               2.480158728949185e-05, -2.7557314355248904e-07,
                               2.087572368546086e-09, -1.1359669923825787e-11};
  const P quarters = P(4) * w, shifted = quarters + P(to_whole);
  const P y = (quarters - (shifted - P(to_whole))) * P(0.5 * unit::pi);
  const P y2 = y * y;
  const Quadrant<P> q{y - y * (y2 * polynomial(sine, y2)),
                      P(1) - y2 * (P(0.5) - y2 * polynomial(cosine, y2)),
                      shifted};
  return {by_quadrant(q, 1), by_quadrant(q, 0)};
}

/// sqrt(-2 ln u) (cos(2 pi w), sin(2 pi w)) of uniform u, w.
/// Source: [BoxMuller58]
template <class S>
[[gnu::always_inline]] inline NormalPair<S> normal_pair(
    const std::uint64_t* u_bits, const std::uint64_t* w_bits) {
  using std::log, std::sqrt;
  const S radius = sqrt(S(-2) * log(Uniform<S>::of(u_bits)));
  const NormalPair<S> at = on_circle(Uniform<S>::of(w_bits));
  return {radius * at.first, radius * at.second};
}

}  // namespace gttf::detail
