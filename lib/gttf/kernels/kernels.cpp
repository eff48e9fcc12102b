// SPDX-License-Identifier: Apache-2.0
// Run-time selection of the kernels.
#include "gttf/core/kernels.hpp"

#include "gttf/kernels/tables.hpp"

namespace gttf::detail {

const Kernels& kernels(SimdLevel level) {
#define GTTF_TABLE(name, ...)                                            \
  {name::covariance, name::triplet_fit, name::streaming_fit, name::toys, \
   name::triplets},
  static constexpr Kernels tables[] = {GTTF_LEVELS(GTTF_TABLE)};
#undef GTTF_TABLE
  return tables[static_cast<std::size_t>(level)];
}

}  // namespace gttf::detail
