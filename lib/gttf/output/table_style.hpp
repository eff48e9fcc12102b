// SPDX-License-Identifier: Apache-2.0
// TableStyle: what every table format can be told.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/readable.hpp"
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
  /// Characters of a line; columns for which there is no room are left out, and
  /// a line below the table names them. 0: any number; text only
  std::size_t width = 0;
};

/// The columns of `table` that `style` shows, by index. Names that the table
/// does not have are left out.
std::vector<std::size_t> shown_columns(const Table& table,
                                       const TableStyle& style);

// Heading: how a column's name is shown to a reader.

/// A column's heading: `sigma_pt_rel` is {"sigma", "pt"} in %, its numbers
/// shown 100 times as large; `sigma_d0_um` is {"sigma", "d0"} in um.
struct Heading {
  std::vector<std::string> words;
  std::string unit;  ///< empty: none
  double factor = 1;
  Zeros zeros = Zeros::strip;  ///< results keep them, inputs do not
  bool ratio = false;  ///< near 1: 1.004 is told with one digit more than 0.996
};

/// The heading of a column of that name. The rules, not a list of names: a unit
/// at the end (`_GeV`, `_um`, ...), `_rel` and `x_over_x0` in percent, `n_`
/// dropped, underscores between words.
Heading heading_of(std::string_view column_name);

/// The heading in one line: "sigma(pt) [%]".
std::string one_line(const Heading& heading);

}  // namespace gttf

namespace gttf::detail {

/// Writers pass their text on in pieces of about this many bytes.
inline constexpr std::size_t flush_above = 1 << 16;

}  // namespace gttf::detail
