// SPDX-License-Identifier: Apache-2.0
// Pack: a scalar for formulas that holds several numbers in the vector
// registers of one instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

// An instruction set `Isa` is a struct with
//
//   Vector, Mask      types of the compiler; Vector has operators + - * /
//   Bits              vector of std::uint64_t of the same size, for << >> & |
//   width             doubles in a Vector
//   fill, load, store, sqrt, abs, less, less_equal, choose, both, either,
//   neither, bits_of, mask_of
//
// It is a type of the unnamed namespace of one source file. All functions
// instantiated with it are then local to that file, which is compiled for that
// instruction set: the linker cannot use one elsewhere.

#define GTTF_PACK_FUNCTION [[gnu::always_inline]] friend inline

namespace gttf {

/// One truth value per element.
template <class Isa>
struct PackMask {
  typename Isa::Mask low, high;

  GTTF_PACK_FUNCTION PackMask both(const PackMask& a, const PackMask& b) {
    return {Isa::both(a.low, b.low), Isa::both(a.high, b.high)};
  }
  GTTF_PACK_FUNCTION PackMask either(const PackMask& a, const PackMask& b) {
    return {Isa::either(a.low, b.low), Isa::either(a.high, b.high)};
  }
  GTTF_PACK_FUNCTION PackMask operator!(const PackMask& a) {
    return {Isa::negated(a.low), Isa::negated(a.high)};
  }
  /// Bit i is element i.
  GTTF_PACK_FUNCTION std::uint32_t track_bits(const PackMask& a) {
    return Isa::bits_of(a.low) | Isa::bits_of(a.high) << Isa::width;
  }
  GTTF_PACK_FUNCTION bool any(const PackMask& a) { return track_bits(a) != 0; }
};

/// One of the two vectors of a Pack, as a scalar for arithmetic.
template <class Isa>
struct HalfPack {
  using Vector = typename Isa::Vector;

  Vector vector;

  HalfPack() = default;
  [[gnu::always_inline]] explicit HalfPack(Vector v) : vector(v) {}
  [[gnu::always_inline]] explicit HalfPack(double x) : vector(Isa::fill(x)) {}

  GTTF_PACK_FUNCTION HalfPack operator+(const HalfPack& a, const HalfPack& b) {
    return HalfPack(a.vector + b.vector);
  }
  GTTF_PACK_FUNCTION HalfPack operator-(const HalfPack& a, const HalfPack& b) {
    return HalfPack(a.vector - b.vector);
  }
  GTTF_PACK_FUNCTION HalfPack operator*(const HalfPack& a, const HalfPack& b) {
    return HalfPack(a.vector * b.vector);
  }
  GTTF_PACK_FUNCTION HalfPack operator/(const HalfPack& a, const HalfPack& b) {
    return HalfPack(a.vector / b.vector);
  }
  GTTF_PACK_FUNCTION HalfPack operator-(const HalfPack& a) {
    return HalfPack(-a.vector);
  }
};

/// Two vectors: independent chains of operations that hide each other's
/// latency. Two members instead of an array, which g++ 12 would not keep in
/// registers.
template <class Isa>
struct Pack {
  using Vector = typename Isa::Vector;
  using Bits = typename Isa::Bits;
  using Mask = PackMask<Isa>;
  static constexpr std::size_t size = 2 * Isa::width;

  Vector low, high;

  Pack() = default;
  [[gnu::always_inline]] Pack(Vector l, Vector h) : low(l), high(h) {}
  [[gnu::always_inline]] explicit Pack(double x)
      : low(Isa::fill(x)), high(low) {}
  [[gnu::always_inline]] static Pack load(const double* from) {
    return {Isa::load(from), Isa::load(from + Isa::width)};
  }
  [[gnu::always_inline]] void store(double* to) const {
    Isa::store(to, low);
    Isa::store(to + Isa::width, high);
  }
  [[gnu::always_inline]] static Mask mask_of(std::uint32_t elements) {
    return {Isa::mask_of(elements), Isa::mask_of(elements >> Isa::width)};
  }

  GTTF_PACK_FUNCTION Pack operator+(const Pack& a, const Pack& b) {
    return {a.low + b.low, a.high + b.high};
  }
  GTTF_PACK_FUNCTION Pack operator-(const Pack& a, const Pack& b) {
    return {a.low - b.low, a.high - b.high};
  }
  GTTF_PACK_FUNCTION Pack operator*(const Pack& a, const Pack& b) {
    return {a.low * b.low, a.high * b.high};
  }
  GTTF_PACK_FUNCTION Pack operator/(const Pack& a, const Pack& b) {
    return {a.low / b.low, a.high / b.high};
  }
  GTTF_PACK_FUNCTION Pack operator-(const Pack& a) { return {-a.low, -a.high}; }
  GTTF_PACK_FUNCTION Mask operator<(const Pack& a, const Pack& b) {
    return {Isa::less(a.low, b.low), Isa::less(a.high, b.high)};
  }
  GTTF_PACK_FUNCTION Mask operator<=(const Pack& a, const Pack& b) {
    return {Isa::less_equal(a.low, b.low), Isa::less_equal(a.high, b.high)};
  }
  GTTF_PACK_FUNCTION Mask operator>(const Pack& a, const Pack& b) {
    return b < a;
  }
  GTTF_PACK_FUNCTION Mask operator>=(const Pack& a, const Pack& b) {
    return b <= a;
  }

  GTTF_PACK_FUNCTION Pack select(const Mask& mask, const Pack& a,
                                 const Pack& b) {
    return {Isa::choose(mask.low, a.low, b.low),
            Isa::choose(mask.high, a.high, b.high)};
  }
  GTTF_PACK_FUNCTION Pack sqrt(const Pack& a) {
    return {Isa::sqrt(a.low), Isa::sqrt(a.high)};
  }
  GTTF_PACK_FUNCTION Pack abs(const Pack& a) {
    return {Isa::abs(a.low), Isa::abs(a.high)};
  }
};

}  // namespace gttf

#undef GTTF_PACK_FUNCTION
