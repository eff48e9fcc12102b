// SPDX-License-Identifier: Apache-2.0
// Streaming fits one track at a time, on any processor; the choice of the code.
#include "gttf/fit/streaming/stream_lane_fit.hpp"

namespace gttf::detail {

const HitKernel scalar_stream_kernel = make_stream_kernel<double>();

const HitKernel& stream_kernel(SimdLevel level) {
#if GTTF_SIMD_X86
  switch (level) {
    case SimdLevel::scalar:
      break;
    case SimdLevel::sse2:
      return sse2_stream_kernel;
    case SimdLevel::avx2:
      return avx2_stream_kernel;
    case SimdLevel::avx512:
      return avx512_stream_kernel;
  }
#else
  static_cast<void>(level);
#endif
  return scalar_stream_kernel;
}

}  // namespace gttf::detail
