// SPDX-License-Identifier: Apache-2.0
// Simulation of toys in lanes, for x86-64-v4.
#include "gttf/core/isa_avx512.hpp"
#include "gttf/resolution/toy_lane_flight.hpp"

namespace gttf::detail {

const ToyKernel avx512_toy_kernel = make_toy_kernel<Pack<Avx512>>();

}  // namespace gttf::detail
