// SPDX-License-Identifier: Apache-2.0
// Simulation of toys in lanes, for the baseline of x86-64.
#include "gttf/core/isa_sse2.hpp"
#include "gttf/resolution/toy_lane_flight.hpp"

namespace gttf::detail {

const ToyKernel sse2_toy_kernel = make_toy_kernel<Pack<Sse2>>();

}  // namespace gttf::detail
