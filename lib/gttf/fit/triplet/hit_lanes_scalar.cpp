// SPDX-License-Identifier: Apache-2.0
// Fits of hits one track at a time, on any processor; the choice of the code.
#include "gttf/fit/triplet/hit_lane_fit.hpp"

namespace gttf::detail {

const HitKernel scalar_hit_kernel = make_hit_kernel<double>();

const HitKernel& hit_kernel(SimdLevel level) {
#if GTTF_SIMD_X86
  switch (level) {
    case SimdLevel::scalar:
      break;
    case SimdLevel::sse2:
      return sse2_hit_kernel;
    case SimdLevel::avx2:
      return avx2_hit_kernel;
    case SimdLevel::avx512:
      return avx512_hit_kernel;
  }
#else
  static_cast<void>(level);
#endif
  return scalar_hit_kernel;
}

}  // namespace gttf::detail
