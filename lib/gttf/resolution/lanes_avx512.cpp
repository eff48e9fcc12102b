// SPDX-License-Identifier: Apache-2.0
// The code for x86-64-v4: vectors of eight doubles, two at a time.
#include "gttf/core/isa_avx512.hpp"
#include "gttf/resolution/lane_fit.hpp"

namespace gttf::detail {

const LaneKernel avx512_lane_kernel = make_lane_kernel<Pack<Avx512>>();

}  // namespace gttf::detail
