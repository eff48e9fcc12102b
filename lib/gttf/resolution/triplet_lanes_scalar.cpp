// SPDX-License-Identifier: Apache-2.0
// The code for one triplet at a time, on any processor; the choice of the code.
#include "gttf/resolution/triplet_lane_fit.hpp"

namespace gttf::detail {

const TripletKernel scalar_triplet_kernel = make_triplet_kernel<double>();

const TripletKernel& triplet_kernel(SimdLevel level) {
#if GTTF_SIMD_X86
  switch (level) {
    case SimdLevel::scalar:
      break;
    case SimdLevel::sse2:
      return sse2_triplet_kernel;
    case SimdLevel::avx2:
      return avx2_triplet_kernel;
    case SimdLevel::avx512:
      return avx512_triplet_kernel;
  }
#else
  static_cast<void>(level);
#endif
  return scalar_triplet_kernel;
}

}  // namespace gttf::detail
