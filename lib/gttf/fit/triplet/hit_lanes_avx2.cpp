// SPDX-License-Identifier: Apache-2.0
// Fits of hits in lanes, for x86-64-v3.
#include "gttf/core/isa_avx2.hpp"
#include "gttf/fit/triplet/hit_lane_fit.hpp"

namespace gttf::detail {

const HitKernel avx2_hit_kernel = make_hit_kernel<Pack<Avx2>>();

}  // namespace gttf::detail
