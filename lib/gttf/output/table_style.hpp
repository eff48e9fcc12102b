// SPDX-License-Identifier: Apache-2.0
// TableStyle: what every table format can be told.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gttf/core/table.hpp"
#include "gttf/output/provenance.hpp"

namespace gttf {

struct TableStyle {
  std::string title;                 ///< a line above it where people read
  std::vector<std::string> columns;  ///< to show, in that order; empty: all
  int precision = 0;  ///< significant digits, 1 to 17; 0: exact in CSV and
                      ///< JSON, three for results where people read
  std::optional<Provenance> provenance;  ///< written where there is one
  std::string csv_comment;               ///< whole lines above the header
  bool csv_checksum = false;  ///< of all lines, in a comment below them
  bool colour = false;        ///< ANSI; text only
};

/// The columns of `table` that `style` shows, by index. Names that the table
/// does not have are left out.
std::vector<std::size_t> shown_columns(const Table& table,
                                       const TableStyle& style);

}  // namespace gttf
