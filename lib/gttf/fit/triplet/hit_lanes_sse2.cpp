// SPDX-License-Identifier: Apache-2.0
// Fits of hits in lanes, for the baseline of x86-64.
#include "gttf/core/isa_sse2.hpp"
#include "gttf/fit/triplet/hit_lane_fit.hpp"

namespace gttf::detail {

const HitKernel sse2_hit_kernel = make_hit_kernel<Pack<Sse2>>();

}  // namespace gttf::detail
