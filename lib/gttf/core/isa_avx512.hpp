// SPDX-License-Identifier: Apache-2.0
// Avx512: x86-64-v4: vectors of eight doubles.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "gttf/core/pack.hpp"

namespace gttf::detail {

// Intentional: code that uses it must be local to its file, see pack.hpp.
namespace {  // NOLINT(google-build-namespaces)

struct Avx512 {
  using Vector = __m512d;
  using Mask = __mmask8;
  using Bits [[gnu::vector_size(64)]] = std::uint64_t;
  static constexpr std::size_t width = 8;

#define GTTF_ISA [[gnu::always_inline]] static
  GTTF_ISA Vector fill(double x) { return _mm512_set1_pd(x); }
  GTTF_ISA Vector load(const double* p) { return _mm512_loadu_pd(p); }
  GTTF_ISA void store(double* p, Vector x) { _mm512_storeu_pd(p, x); }
  // gcc 12 gives a false warning about uninitialised values in _mm512_sqrt_pd
  GTTF_ISA Vector sqrt(Vector x) { return _mm512_mask_sqrt_pd(x, 0xff, x); }
  GTTF_ISA Vector abs(Vector x) {
    return _mm512_andnot_pd(_mm512_set1_pd(-0.0), x);
  }
  GTTF_ISA Mask less(Vector a, Vector b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
  }
  GTTF_ISA Mask less_equal(Vector a, Vector b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
  }
  GTTF_ISA Vector choose(Mask m, Vector a, Vector b) {
    return _mm512_mask_blend_pd(m, b, a);
  }
  GTTF_ISA Mask both(Mask a, Mask b) { return _kand_mask8(a, b); }
  GTTF_ISA Mask either(Mask a, Mask b) { return _kor_mask8(a, b); }
  GTTF_ISA Mask negated(Mask a) { return _knot_mask8(a); }
  GTTF_ISA std::uint32_t bits_of(Mask a) { return a; }
  GTTF_ISA Mask mask_of(std::uint32_t elements) {
    return static_cast<Mask>(elements);
  }
#undef GTTF_ISA
};

using KernelScalar = Pack<Avx512>;

}  // namespace

}  // namespace gttf::detail
