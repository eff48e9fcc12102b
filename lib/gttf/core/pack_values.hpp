// SPDX-License-Identifier: Apache-2.0
// What code for one instruction set takes and gives: numbers, one in each
// element of a vector.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gttf::detail {

inline constexpr std::size_t most_in_pack = 16;

/// One number per lane.
struct alignas(64) PackValues {
  double value[most_in_pack];
};

/// Bit i: lane i.
using TrackBits = std::uint32_t;

}  // namespace gttf::detail
