// SPDX-License-Identifier: Apache-2.0
// Kernels without fused products and sums; compiled once for each instruction
// set. Their formulas are shared with other code; the compiler would choose the
// product to fuse, possibly differently in the two halves of a pack.
#include "gttf/fit/streaming/batch_stream_fit.hpp"
#include "gttf/fit/triplet/flown_fit.hpp"
#include "gttf/kernels/tables.hpp"
#include "gttf/resolution/batch_triplet_fit.hpp"
#include "gttf/resolution/flown_toys.hpp"
#include GTTF_ISA_HEADER

namespace gttf::detail::GTTF_LEVEL {

const HitKernel streaming_fit = make_stream_kernel<KernelScalar>();
const TripletKernel triplets = make_triplet_kernel<KernelScalar>();

// Toys whose path is not one helix, and their hits.
const HitKernel flown_fit = make_flown_kernel<KernelScalar>();
const ToyKernel flown_toys = make_flown_toy_kernel<KernelScalar>();

}  // namespace gttf::detail::GTTF_LEVEL
