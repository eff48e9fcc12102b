// SPDX-License-Identifier: Apache-2.0
// The code for x86-64-v3: vectors of four doubles, two at a time.
#include "gttf/core/isa_avx2.hpp"
#include "gttf/resolution/lane_fit.hpp"

namespace gttf::detail {

const LaneKernel avx2_lane_kernel = make_lane_kernel<Pack<Avx2>>();

}  // namespace gttf::detail
