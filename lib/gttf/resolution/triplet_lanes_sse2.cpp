// SPDX-License-Identifier: Apache-2.0
// The code for the baseline of x86-64: vectors of two doubles, two at a time.
#include "gttf/core/isa_sse2.hpp"
#include "gttf/resolution/triplet_lane_fit.hpp"

namespace gttf::detail {

const TripletKernel sse2_triplet_kernel = make_triplet_kernel<Pack<Sse2>>();

}  // namespace gttf::detail
