// SPDX-License-Identifier: Apache-2.0
// Simulation of one toy at a time, on any processor; the choice of the code.
#include "gttf/resolution/toy_lane_flight.hpp"

namespace gttf::detail {

const ToyKernel scalar_toy_kernel = make_toy_kernel<double>();

const ToyKernel& toy_kernel(SimdLevel level) {
#if GTTF_SIMD_X86
  switch (level) {
    case SimdLevel::scalar:
      break;
    case SimdLevel::sse2:
      return sse2_toy_kernel;
    case SimdLevel::avx2:
      return avx2_toy_kernel;
    case SimdLevel::avx512:
      return avx512_toy_kernel;
  }
#else
  static_cast<void>(level);
#endif
  return scalar_toy_kernel;
}

}  // namespace gttf::detail
