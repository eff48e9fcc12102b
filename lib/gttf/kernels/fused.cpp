// SPDX-License-Identifier: Apache-2.0
// Kernels in which the compiler may fuse products and sums; compiled once for
// each instruction set.
#include "gttf/fit/triplet/batch_fitter.hpp"
#include "gttf/kernels/tables.hpp"
#include "gttf/resolution/batch_covariance.hpp"
#include "gttf/resolution/toy_flight.hpp"
#include GTTF_ISA_HEADER

namespace gttf::detail::GTTF_LEVEL {

const CovarianceKernel covariance = make_covariance_kernel<KernelScalar>();
const HitKernel triplet_fit = make_hit_kernel<KernelScalar>();
const ToyKernel toys = make_toy_kernel<KernelScalar>();

}  // namespace gttf::detail::GTTF_LEVEL
