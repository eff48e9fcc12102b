// SPDX-License-Identifier: Apache-2.0
// Sse2: the baseline of x86-64: vectors of two doubles.
#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>

namespace gttf::detail {

// On purpose: what is made from it must stay in its source file, see pack.hpp.
namespace {  // NOLINT(google-build-namespaces)

struct Sse2 {
  using Vector = __m128d;
  using Mask = __m128d;
  using Bits [[gnu::vector_size(16)]] = std::uint64_t;
  static constexpr std::size_t width = 2;

#define GTTF_ISA [[gnu::always_inline]] static
  GTTF_ISA Vector fill(double x) { return _mm_set1_pd(x); }
  GTTF_ISA Vector load(const double* p) { return _mm_loadu_pd(p); }
  GTTF_ISA void store(double* p, Vector x) { _mm_storeu_pd(p, x); }
  GTTF_ISA Vector sqrt(Vector x) { return _mm_sqrt_pd(x); }
  GTTF_ISA Vector abs(Vector x) { return _mm_andnot_pd(_mm_set1_pd(-0.0), x); }
  GTTF_ISA Mask less(Vector a, Vector b) { return _mm_cmplt_pd(a, b); }
  GTTF_ISA Mask less_equal(Vector a, Vector b) { return _mm_cmple_pd(a, b); }
  GTTF_ISA Vector choose(Mask m, Vector a, Vector b) {
    return _mm_or_pd(_mm_and_pd(m, a), _mm_andnot_pd(m, b));
  }
  GTTF_ISA Mask both(Mask a, Mask b) { return _mm_and_pd(a, b); }
  GTTF_ISA Mask either(Mask a, Mask b) { return _mm_or_pd(a, b); }
  GTTF_ISA Mask negated(Mask a) {
    return _mm_xor_pd(a, _mm_castsi128_pd(_mm_set1_epi32(-1)));
  }
  GTTF_ISA std::uint32_t bits_of(Mask a) {
    return static_cast<std::uint32_t>(_mm_movemask_pd(a));
  }
  GTTF_ISA Mask mask_of(std::uint32_t lanes) {
    const auto bit = [lanes](unsigned i) {
      return -static_cast<long long>((lanes >> i) & 1);
    };
    return _mm_castsi128_pd(_mm_set_epi64x(bit(1), bit(0)));
  }
#undef GTTF_ISA
};

}  // namespace

}  // namespace gttf::detail
