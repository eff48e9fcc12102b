// SPDX-License-Identifier: Apache-2.0
// The kernels of the module: covariances, with the vector instructions of
// WebAssembly. The page neither simulates nor fits.
#include "gttf/core/kernels.hpp"

#include "gttf/core/isa_wasm128.hpp"
#include "gttf/fit/triplet/batch_hits.hpp"
#include "gttf/resolution/batch_covariance.hpp"
#include "gttf/resolution/batch_region_path.hpp"
#include "gttf/resolution/batch_triplets.hpp"
#include "gttf/resolution/toy_task.hpp"

namespace gttf::detail {

const Kernels& kernels(SimdLevel) {
  static constexpr CovarianceKernel covariance =
      make_covariance_kernel<KernelScalar>();
  static constexpr CovarianceKernel in_regions =
      make_region_kernel<KernelScalar>();
  static constexpr HitKernel no_fit{};
  static constexpr ToyKernel no_toys{};
  static constexpr TripletKernel no_triplets{};
  static constexpr Kernels table{covariance, in_regions, no_fit,  no_fit,
                                 no_fit,     no_toys,    no_toys, no_triplets};
  return table;
}

}  // namespace gttf::detail
