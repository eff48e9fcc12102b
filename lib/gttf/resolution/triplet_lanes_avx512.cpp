// SPDX-License-Identifier: Apache-2.0
// The code for x86-64-v4: vectors of eight doubles, two at a time.
#include "gttf/core/isa_avx512.hpp"
#include "gttf/resolution/triplet_lane_fit.hpp"

namespace gttf::detail {

const TripletKernel avx512_triplet_kernel = make_triplet_kernel<Pack<Avx512>>();

}  // namespace gttf::detail
