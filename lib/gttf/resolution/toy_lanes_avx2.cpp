// SPDX-License-Identifier: Apache-2.0
// Simulation of toys in lanes, for x86-64-v3.
#include "gttf/core/isa_avx2.hpp"
#include "gttf/resolution/toy_lane_flight.hpp"

namespace gttf::detail {

const ToyKernel avx2_toy_kernel = make_toy_kernel<Pack<Avx2>>();

}  // namespace gttf::detail
