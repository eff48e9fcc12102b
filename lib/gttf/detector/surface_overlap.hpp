// SPDX-License-Identifier: Apache-2.0
// Whether two surfaces at the same position share an area.
#pragma once

#include "gttf/detector/surface.hpp"

namespace gttf::detail {

/// Whether surfaces with the same Carrier have more than an edge in common.
bool overlap(const Surface& a, const Surface& b);

}  // namespace gttf::detail
