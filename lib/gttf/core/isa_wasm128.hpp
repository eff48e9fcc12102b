// SPDX-License-Identifier: Apache-2.0
// Wasm128: WebAssembly with 128-bit SIMD: vectors of two doubles.
#pragma once

#include <wasm_simd128.h>

#include <cstddef>
#include <cstdint>

#include "gttf/core/pack.hpp"

namespace gttf::detail {

// Intentional: code that uses it must be local to its file, see pack.hpp.
namespace {  // NOLINT(google-build-namespaces)

struct Wasm128 {
  using Vector [[gnu::vector_size(16)]] = double;
  using Mask = v128_t;
  using Bits [[gnu::vector_size(16)]] = std::uint64_t;
  static constexpr std::size_t width = 2;

#define GTTF_ISA [[gnu::always_inline]] static
  GTTF_ISA Vector of(v128_t x) { return reinterpret_cast<Vector>(x); }
  GTTF_ISA v128_t bare(Vector x) { return reinterpret_cast<v128_t>(x); }
  GTTF_ISA Vector fill(double x) { return of(wasm_f64x2_splat(x)); }
  GTTF_ISA Vector load(const double* p) { return of(wasm_v128_load(p)); }
  GTTF_ISA void store(double* p, Vector x) { wasm_v128_store(p, bare(x)); }
  GTTF_ISA Vector sqrt(Vector x) { return of(wasm_f64x2_sqrt(bare(x))); }
  GTTF_ISA Vector abs(Vector x) { return of(wasm_f64x2_abs(bare(x))); }
  GTTF_ISA Mask less(Vector a, Vector b) {
    return wasm_f64x2_lt(bare(a), bare(b));
  }
  GTTF_ISA Mask less_equal(Vector a, Vector b) {
    return wasm_f64x2_le(bare(a), bare(b));
  }
  GTTF_ISA Vector choose(Mask m, Vector a, Vector b) {
    return of(wasm_v128_bitselect(bare(a), bare(b), m));
  }
  GTTF_ISA Mask both(Mask a, Mask b) { return wasm_v128_and(a, b); }
  GTTF_ISA Mask either(Mask a, Mask b) { return wasm_v128_or(a, b); }
  GTTF_ISA Mask negated(Mask a) { return wasm_v128_not(a); }
  GTTF_ISA std::uint32_t bits_of(Mask a) { return wasm_i64x2_bitmask(a); }
  GTTF_ISA Mask mask_of(std::uint32_t elements) {
    const v128_t bit = wasm_i64x2_make(1, 2);
    return wasm_i64x2_eq(wasm_v128_and(wasm_i64x2_splat(elements), bit), bit);
  }
#undef GTTF_ISA
};

using KernelScalar = Pack<Wasm128>;

}  // namespace

}  // namespace gttf::detail
