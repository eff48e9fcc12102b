// SPDX-License-Identifier: Apache-2.0
// Run-time selection of the kernels.
#include "gttf/core/kernels.hpp"

#include <algorithm>
#include <utility>

#include "gttf/kernels/tables.hpp"

namespace gttf::detail {

const Kernels& kernels(SimdLevel level) {
  using Table = std::pair<SimdLevel, Kernels>;
#define LEVEL(name)                                                          \
  Table{SimdLevel::name,                                                     \
        {name::covariance, name::in_regions, name::triplet_fit,              \
         name::streaming_fit, name::flown_fit, name::toys, name::flown_toys, \
         name::triplets}},
  static constexpr Table tables[] = {GTTF_COMPILED_LEVELS};  // lib/simd.cmake
#undef LEVEL
  return std::ranges::find(tables, level, &Table::first)->second;
}

}  // namespace gttf::detail
