// SPDX-License-Identifier: Apache-2.0
// The code for one track at a time, on any processor; the choice of the code.
#include "gttf/resolution/lane_fit.hpp"

namespace gttf::detail {

const LaneKernel scalar_lane_kernel = make_lane_kernel<double>();

const LaneKernel& lane_kernel(SimdLevel level) {
#if GTTF_SIMD_X86
  switch (level) {
    case SimdLevel::scalar:
      break;
    case SimdLevel::sse2:
      return sse2_lane_kernel;
    case SimdLevel::avx2:
      return avx2_lane_kernel;
    case SimdLevel::avx512:
      return avx512_lane_kernel;
  }
#else
  static_cast<void>(level);
#endif
  return scalar_lane_kernel;
}

}  // namespace gttf::detail
