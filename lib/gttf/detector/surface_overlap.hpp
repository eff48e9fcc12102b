// SPDX-License-Identifier: Apache-2.0
// Do two surfaces at one place have an area in common?
#pragma once

#include "gttf/detector/surface.hpp"

namespace gttf::detail {

/// Whether surfaces with the same Carrier have more than an edge in common.
bool overlap(const Surface& a, const Surface& b);

}  // namespace gttf::detail
