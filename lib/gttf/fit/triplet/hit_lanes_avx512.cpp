// SPDX-License-Identifier: Apache-2.0
// Fits of hits in lanes, for x86-64-v4.
#include "gttf/core/isa_avx512.hpp"
#include "gttf/fit/triplet/hit_lane_fit.hpp"

namespace gttf::detail {

const HitKernel avx512_hit_kernel = make_hit_kernel<Pack<Avx512>>();

}  // namespace gttf::detail
