// SPDX-License-Identifier: Apache-2.0
// How much text the writers of tables collect.
#pragma once

#include <cstddef>

namespace gttf::detail {

/// Writers pass their text on in pieces of about this many bytes.
inline constexpr std::size_t flush_above = 1 << 16;

}  // namespace gttf::detail
