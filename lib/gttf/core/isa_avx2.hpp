// SPDX-License-Identifier: Apache-2.0
// Avx2: x86-64-v3: vectors of four doubles.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "gttf/core/pack.hpp"

namespace gttf::detail {

// Intentional: code that uses it must be local to its file, see pack.hpp.
namespace {  // NOLINT(google-build-namespaces)

struct Avx2 {
  using Vector = __m256d;
  using Mask = __m256d;
  using Bits [[gnu::vector_size(32)]] = std::uint64_t;
  static constexpr std::size_t width = 4;

#define GTTF_ISA [[gnu::always_inline]] static
  GTTF_ISA Vector fill(double x) { return _mm256_set1_pd(x); }
  GTTF_ISA Vector load(const double* p) { return _mm256_loadu_pd(p); }
  GTTF_ISA void store(double* p, Vector x) { _mm256_storeu_pd(p, x); }
  GTTF_ISA Vector sqrt(Vector x) { return _mm256_sqrt_pd(x); }
  GTTF_ISA Vector abs(Vector x) {
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
  }
  GTTF_ISA Mask less(Vector a, Vector b) {
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
  }
  GTTF_ISA Mask less_equal(Vector a, Vector b) {
    return _mm256_cmp_pd(a, b, _CMP_LE_OQ);
  }
  GTTF_ISA Vector choose(Mask m, Vector a, Vector b) {
    return _mm256_blendv_pd(b, a, m);
  }
  GTTF_ISA Mask both(Mask a, Mask b) { return _mm256_and_pd(a, b); }
  GTTF_ISA Mask either(Mask a, Mask b) { return _mm256_or_pd(a, b); }
  GTTF_ISA Mask negated(Mask a) {
    return _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)));
  }
  GTTF_ISA std::uint32_t bits_of(Mask a) {
    return static_cast<std::uint32_t>(_mm256_movemask_pd(a));
  }
  GTTF_ISA Mask mask_of(std::uint32_t elements) {
    const __m256i bit = _mm256_set_epi64x(8, 4, 2, 1);
    const __m256i all = _mm256_set1_epi64x(elements);
    return _mm256_castsi256_pd(
        _mm256_cmpeq_epi64(_mm256_and_si256(all, bit), bit));
  }
#undef GTTF_ISA
};

using KernelScalar = Pack<Avx2>;

}  // namespace

}  // namespace gttf::detail
