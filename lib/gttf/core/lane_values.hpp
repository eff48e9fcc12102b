// SPDX-License-Identifier: Apache-2.0
// What code for one instruction set takes and gives: numbers, one per lane.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gttf::detail {

inline constexpr std::size_t most_lanes = 16;

/// One number per lane.
struct alignas(64) LaneValues {
  double value[most_lanes];
};

/// Bit i: lane i.
using LaneBits = std::uint32_t;

}  // namespace gttf::detail
