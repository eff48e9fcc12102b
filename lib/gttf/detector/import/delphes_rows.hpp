// SPDX-License-Identifier: Apache-2.0
// Rows of Delphes' DetectorGeometry: 13 columns for each layer, in metres.
#pragma once

#include "gttf/detector/import/foreign_text.hpp"

namespace gttf::detail {

/// Adds the layers and materials of the rows in `block` to `description`.
void read_delphes_rows(const ForeignFile& file, const ForeignWord& block,
                       Description& description);

}  // namespace gttf::detail
