// SPDX-License-Identifier: Apache-2.0
// The kernels of toys and of their hits in regions of uniform fields, compiled
// once for each instruction set, without fused products and sums: see
// exact.cpp.
#include "gttf/fit/triplet/flown_fit.hpp"
#include "gttf/kernels/tables.hpp"
#include "gttf/resolution/flown_toys.hpp"
#include GTTF_ISA_HEADER

namespace gttf::detail::GTTF_LEVEL {

const HitKernel flown_fit = make_flown_kernel<KernelScalar>();
const ToyKernel flown_toys = make_flown_toy_kernel<KernelScalar>();

}  // namespace gttf::detail::GTTF_LEVEL
