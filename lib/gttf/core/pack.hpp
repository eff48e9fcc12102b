// SPDX-License-Identifier: Apache-2.0
// Pack: a scalar for formulas that is several numbers at once, in the vector
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
// It is a type of the unnamed namespace of one source file. All functions made
// with it are then local to that file, which is compiled for that instruction
// set: the linker cannot take one of them for code that runs everywhere.

#define GTTF_LANES [[gnu::always_inline]] friend inline

namespace gttf {

/// One truth value per lane.
template <class Isa, std::size_t n_vectors>
struct PackMask {
  typename Isa::Mask m[n_vectors];

  GTTF_LANES PackMask both(const PackMask& a, const PackMask& b) {
    PackMask r;
    for (std::size_t i = 0; i < n_vectors; ++i)
      r.m[i] = Isa::both(a.m[i], b.m[i]);
    return r;
  }
  GTTF_LANES PackMask either(const PackMask& a, const PackMask& b) {
    PackMask r;
    for (std::size_t i = 0; i < n_vectors; ++i)
      r.m[i] = Isa::either(a.m[i], b.m[i]);
    return r;
  }
  GTTF_LANES PackMask operator!(const PackMask& a) {
    PackMask r;
    for (std::size_t i = 0; i < n_vectors; ++i) r.m[i] = Isa::negated(a.m[i]);
    return r;
  }
  /// Bit i is lane i.
  GTTF_LANES std::uint32_t lane_bits(const PackMask& a) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < n_vectors; ++i)
      bits |= Isa::bits_of(a.m[i]) << (i * Isa::width);
    return bits;
  }
  GTTF_LANES bool any(const PackMask& a) { return lane_bits(a) != 0; }
};

/// n_vectors vectors side by side: independent chains of operations that hide
/// each other's latency.
template <class Isa, std::size_t n_vectors>
struct Pack {
  using Vector = typename Isa::Vector;
  using Bits = typename Isa::Bits;
  using Mask = PackMask<Isa, n_vectors>;
  static constexpr std::size_t size = n_vectors * Isa::width;

  Vector v[n_vectors];

  Pack() = default;
  [[gnu::always_inline]] explicit Pack(double x) {
    for (Vector& part : v) part = Isa::fill(x);
  }
  [[gnu::always_inline]] static Pack load(const double* from) {
    Pack r;
    for (std::size_t i = 0; i < n_vectors; ++i)
      r.v[i] = Isa::load(from + i * Isa::width);
    return r;
  }
  [[gnu::always_inline]] void store(double* to) const {
    for (std::size_t i = 0; i < n_vectors; ++i)
      Isa::store(to + i * Isa::width, v[i]);
  }
  [[gnu::always_inline]] static Mask mask_of(std::uint32_t lanes) {
    Mask r;
    for (std::size_t i = 0; i < n_vectors; ++i)
      r.m[i] = Isa::mask_of(lanes >> (i * Isa::width));
    return r;
  }

  GTTF_LANES Pack operator+(const Pack& a, const Pack& b) {
    Pack r;
    for (std::size_t i = 0; i < n_vectors; ++i) r.v[i] = a.v[i] + b.v[i];
    return r;
  }
  GTTF_LANES Pack operator-(const Pack& a, const Pack& b) {
    Pack r;
    for (std::size_t i = 0; i < n_vectors; ++i) r.v[i] = a.v[i] - b.v[i];
    return r;
  }
  GTTF_LANES Pack operator*(const Pack& a, const Pack& b) {
    Pack r;
    for (std::size_t i = 0; i < n_vectors; ++i) r.v[i] = a.v[i] * b.v[i];
    return r;
  }
  GTTF_LANES Pack operator/(const Pack& a, const Pack& b) {
    Pack r;
    for (std::size_t i = 0; i < n_vectors; ++i) r.v[i] = a.v[i] / b.v[i];
    return r;
  }
  GTTF_LANES Pack operator-(const Pack& a) {
    Pack r;
    for (std::size_t i = 0; i < n_vectors; ++i) r.v[i] = -a.v[i];
    return r;
  }
  GTTF_LANES Mask operator<(const Pack& a, const Pack& b) {
    Mask r;
    for (std::size_t i = 0; i < n_vectors; ++i)
      r.m[i] = Isa::less(a.v[i], b.v[i]);
    return r;
  }
  GTTF_LANES Mask operator<=(const Pack& a, const Pack& b) {
    Mask r;
    for (std::size_t i = 0; i < n_vectors; ++i)
      r.m[i] = Isa::less_equal(a.v[i], b.v[i]);
    return r;
  }
  GTTF_LANES Mask operator>(const Pack& a, const Pack& b) { return b < a; }
  GTTF_LANES Mask operator>=(const Pack& a, const Pack& b) { return b <= a; }

  GTTF_LANES Pack select(const Mask& mask, const Pack& a, const Pack& b) {
    Pack r;
    for (std::size_t i = 0; i < n_vectors; ++i)
      r.v[i] = Isa::choose(mask.m[i], a.v[i], b.v[i]);
    return r;
  }
  GTTF_LANES Pack sqrt(const Pack& a) {
    Pack r;
    for (std::size_t i = 0; i < n_vectors; ++i) r.v[i] = Isa::sqrt(a.v[i]);
    return r;
  }
  GTTF_LANES Pack abs(const Pack& a) {
    Pack r;
    for (std::size_t i = 0; i < n_vectors; ++i) r.v[i] = Isa::abs(a.v[i]);
    return r;
  }
};

}  // namespace gttf

#undef GTTF_LANES
