// SPDX-License-Identifier: Apache-2.0
// A scan kept as one table, for studies that go on with its rows.
#pragma once

#include <cstddef>

#include "gttf/study/scan/scan.hpp"

namespace gttf {

/// Appends the rows of `more`, which has the same columns; an empty `table`
/// becomes `more`.
void append_rows(Table& table, Table more);

struct ScanTable {
  Table rows;                 ///< scan_columns(), in the order of grid_points()
  std::size_t evaluated = 0;  ///< tracks with at least one resolution
};

/// scan() of one detector.
ScanTable scan_table(const StudyRequest& request, const Detector& detector,
                     const ScanOptions& options);

}  // namespace gttf
