// SPDX-License-Identifier: Apache-2.0
// The kernel of tracks through regions of a uniform field, compiled once for
// each instruction set; products and sums may be fused.
#include "gttf/kernels/tables.hpp"
#include "gttf/resolution/batch_region_path.hpp"
#include GTTF_ISA_HEADER

namespace gttf::detail::GTTF_LEVEL {

const CovarianceKernel in_regions = make_region_kernel<KernelScalar>();

}  // namespace gttf::detail::GTTF_LEVEL
