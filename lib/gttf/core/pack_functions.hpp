// SPDX-License-Identifier: Apache-2.0
// Logarithm, exponential, sine and cosine of a Pack, without branches and
// tables; loading and storing its elements.
#pragma once

#include <cstdint>

#include "gttf/core/kernels.hpp"
#include "gttf/core/pack.hpp"
#include "gttf/core/series.hpp"

namespace gttf {

namespace detail {

/// 1.5 * 2^52: adding it rounds to a whole number, stored in the lowest bits.
inline constexpr double to_whole = 6755399441055744.0;

/// ln(m) for m in [sqrt(1/2), sqrt(2)).
template <class S>
[[gnu::always_inline]] inline S log_of_mantissa(const S& m) {
  return twice_atanh_small(S((m - S(1)) / (m + S(1))));
}

/// Sine and cosine of |y| <= pi/4, and the quadrant in the two lowest bits.
template <class P>
struct Quadrant {
  P sine, cosine;
  P quadrant;
};

template <class Isa>
[[gnu::always_inline]] inline Quadrant<Pack<Isa>> quadrant_of(
    const Pack<Isa>& x) {
  using P = Pack<Isa>;
  // pi/2 in parts of 33 bits: products with whole numbers below 2^20 are exact
  constexpr double part1 = 1.57079632673412561417e+00;
  constexpr double part2 = 6.07710050630396597660e-11;
  constexpr double part3 = 2.02226624879595063154e-21;
  const P shifted = x * P(2 / unit::pi) + P(to_whole);
  const P turns = shifted - P(to_whole);
  const P y = ((x - turns * P(part1)) - turns * P(part2)) - turns * P(part3);
  const P y2 = y * y;
  const SineSeries<P> series = sine_series(y2);
  return {y - y * (y2 * series.deficit), series.cosine, shifted};
}

/// `even` in even quadrants, `odd` in odd ones, negative in the quadrants 2 and
/// 3.
template <class Isa>
[[gnu::always_inline]] inline typename Isa::Vector by_quadrant(
    typename Isa::Vector quadrant, std::uint64_t shift,
    typename Isa::Vector even, typename Isa::Vector odd) {
  using Vector = typename Isa::Vector;
  using Bits = typename Isa::Bits;
  const Bits q = __builtin_bit_cast(Bits, quadrant) + shift;
  // the number 2 where the lowest bit is set, else 0
  const auto two = __builtin_bit_cast(Vector, (q & 1) << 62);
  const Bits value = __builtin_bit_cast(
      Bits, Isa::choose(Isa::less(Isa::fill(1), two), odd, even));
  return __builtin_bit_cast(Vector, value ^ ((q & 2) << 62));
}

template <class Isa>
[[gnu::always_inline]] inline Pack<Isa> by_quadrant(
    const Quadrant<Pack<Isa>>& q, std::uint64_t shift) {
  return {by_quadrant<Isa>(q.quadrant.low, shift, q.sine.low, q.cosine.low),
          by_quadrant<Isa>(q.quadrant.high, shift, q.sine.high, q.cosine.high)};
}

/// x = 2^exponent mantissa, the mantissa in [sqrt(1/2), sqrt(2)).
template <class P>
struct Binary {
  P exponent, mantissa;
};

template <class Isa>
[[gnu::always_inline]] inline Binary<typename Isa::Vector> binary_of(
    typename Isa::Vector x) {
  using Vector = typename Isa::Vector;
  using Bits = typename Isa::Bits;
  constexpr std::uint64_t one = 0x3ff0000000000000;
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd;
  constexpr std::uint64_t two_to_52 = 0x4330000000000000;
  const Bits bits = __builtin_bit_cast(Bits, x);
  const Bits biased = (bits - root_half + one) >> 52;
  return {__builtin_bit_cast(Vector, biased | two_to_52) -
              Isa::fill(4503599627370496.0 + 1023.0),
          __builtin_bit_cast(Vector, bits - (biased << 52) + one)};
}

}  // namespace detail

/// ln(x) for normal x > 0, within 2.5 units in the last place; for other x the
/// result is unspecified, finite or NaN.
template <class Isa>
[[gnu::always_inline]] inline Pack<Isa> log(const Pack<Isa>& x) {
  using P = Pack<Isa>;
  const auto low = detail::binary_of<Isa>(x.low);
  const auto high = detail::binary_of<Isa>(x.high);
  return P(low.exponent, high.exponent) * P(0.69314718055994530942) +
         detail::log_of_mantissa(P(low.mantissa, high.mantissa));
}

/// exp(x) for |x| < 700, within 2 units in the last place; for other x the
/// result is unspecified.
template <class Isa>
[[gnu::always_inline]] inline Pack<Isa> exp(const Pack<Isa>& x) {
  using P = Pack<Isa>;
  using Vector = typename Isa::Vector;
  using Bits = typename Isa::Bits;
  using detail::to_whole;
  // ln(2) in parts: products of the first with whole numbers below 2^11 are
  // exact
  constexpr double part1 = 6.93147180369123816490e-01;
  constexpr double part2 = 1.90821492927058770002e-10;
  const P shifted = x * P(1.44269504088896340736) + P(to_whole);
  const P powers = shifted - P(to_whole);
  const P y = (x - powers * P(part1)) - powers * P(part2);
  const auto power_of_two = [](Vector n) {
    const Bits biased = __builtin_bit_cast(Bits, n) + 1023;
    return __builtin_bit_cast(Vector, biased << 52);
  };
  return detail::exp_small(y) *
         P(power_of_two(shifted.low), power_of_two(shifted.high));
}

/// sin(x) for |x| < 1e5, within 1.5 units in the last place.
template <class Isa>
[[gnu::always_inline]] inline Pack<Isa> sin(const Pack<Isa>& x) {
  return detail::by_quadrant(detail::quadrant_of(x), 0);
}

/// cos(x) for |x| < 1e5, within 1.5 units in the last place.
template <class Isa>
[[gnu::always_inline]] inline Pack<Isa> cos(const Pack<Isa>& x) {
  return detail::by_quadrant(detail::quadrant_of(x), 1);
}

// Arc tangent of a Pack.

namespace detail {

/// atan(t) for |t| <= tan(pi/8): the polynomial in t^2 has an error of 5e-18.
/// Two half-length chains (even and odd powers) shorten the latency.
template <class S>
[[gnu::always_inline]] inline S atan_small(const S& t) {
  constexpr double even[] = {0.3333333333333333,  0.14285714284666542,
                             0.09090904578123903, 0.06664511447381948,
                             0.0508544973794026,  0.01917688711906226};
  constexpr double odd[] = {-0.1999999999999552, -0.11111111015256361,
                            -0.07692183190826087, -0.0585814891280221,
                            -0.03923165829558719};
  const S z = t * t, z2 = z * z;
  return t - t * z * (polynomial(even, z2) + z * polynomial(odd, z2));
}

}  // namespace detail

/// The angle of the vector (x, y), not both zero, within 3 units in the last
/// place.
template <class Isa>
[[gnu::always_inline]] inline Pack<Isa> atan2(const Pack<Isa>& y,
                                              const Pack<Isa>& x) {
  using P = Pack<Isa>;
  constexpr double eighth = 0.41421356237309503;       // tan(pi/8)
  constexpr double three_eighths = 2.414213562373095;  // tan(3 pi/8)
  const P ax = abs(x), ay = abs(y);
  const auto ahead = ay <= x * P(eighth);
  if (!any(!ahead)) return detail::atan_small(y / x);
  const auto flat = ay <= ax * P(eighth);
  const auto steep = ay > ax * P(three_eighths);
  const P numerator = select(flat, ay, select(steep, -ax, ay - ax));
  const P denominator = select(flat, ax, select(steep, ay, ay + ax));
  const P offset =
      select(flat, P(0), select(steep, P(0.5 * unit::pi), P(0.25 * unit::pi)));
  P angle = offset + detail::atan_small(numerator / denominator);
  angle = select(x < P(0), P(unit::pi) - angle, angle);
  return select(y < P(0), -angle, angle);
}

}  // namespace gttf

namespace gttf::detail {

/// A Pack, or one double as a single element.
template <class S>
struct PackAccess {
  static constexpr std::size_t width = S::size;
  using Mask = typename S::Mask;
  [[gnu::always_inline]] static S load(const PackValues& x) {
    return S::load(x.value);
  }
  [[gnu::always_inline]] static S load(const double* x) { return S::load(x); }
  [[gnu::always_inline]] static void store(const S& from, PackValues& to) {
    from.store(to.value);
  }
  [[gnu::always_inline]] static void store(const S& from, double* to) {
    from.store(to);
  }
  [[gnu::always_inline]] static Mask mask(TrackBits bits) {
    return S::mask_of(bits);
  }
  [[gnu::always_inline]] static TrackBits bits(const Mask& mask) {
    return track_bits(mask);
  }
};

template <>
struct PackAccess<double> {
  static constexpr std::size_t width = 1;
  using Mask = bool;
  static double load(const PackValues& x) { return x.value[0]; }
  static double load(const double* x) { return *x; }
  static void store(double from, PackValues& to) { to.value[0] = from; }
  static void store(double from, double* to) { *to = from; }
  static bool mask(TrackBits bits) { return (bits & 1) != 0; }
  static TrackBits bits(bool mask) { return mask ? 1 : 0; }
};

template <class S>
inline constexpr TrackBits all_in_pack = (1u << PackAccess<S>::width) - 1;

}  // namespace gttf::detail
