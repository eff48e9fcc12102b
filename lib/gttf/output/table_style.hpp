// SPDX-License-Identifier: Apache-2.0
// TableStyle: options common to all table formats.
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
  std::string title;                 ///< a line above it in formats for readers
  std::vector<std::string> columns;  ///< shown, in this order; empty: all
  int precision = 0;  ///< significant digits, 1 to 17; 0: exact in CSV and
                      ///< JSON, three for results in formats for readers
  std::optional<Provenance> provenance;  ///< written where there is one
  std::string csv_comment;               ///< whole lines above the header
  bool csv_checksum = false;  ///< of all lines, in a comment below them
  bool colour = false;        ///< ANSI; text only
  /// Characters of a line; columns that do not fit are omitted, and a line
  /// below the table lists them. 0: any number; text only
  std::size_t width = 0;
};

/// The columns of `table` shown by `style`, by index. Names not in the table
/// are omitted.
std::vector<std::size_t> shown_columns(const Table& table,
                                       const TableStyle& style);

// Heading: the name of a column as displayed.

/// The heading of a column: `sigma_pt_rel` is {"sigma", "pt"} in %, with
/// numbers multiplied by 100; `sigma_d0_um` is {"sigma", "d0"} in um.
struct Heading {
  std::vector<std::string> words;
  std::string unit;  ///< empty: none
  double factor = 1;
  Zeros zeros = Zeros::strip;  ///< results keep trailing zeros, inputs do not
  bool ratio = false;          ///< near 1: 1.004 gets one digit more than 0.996
};

/// The heading of a column, from rules rather than a list of names: a unit at
/// the end (`_GeV`, `_um`, ...), `_rel` and `x_over_x0` in percent, `n_`
/// dropped, underscores between words.
Heading heading_of(std::string_view column_name);

/// The heading in one line: "sigma(pt) [%]".
std::string one_line(const Heading& heading);

}  // namespace gttf

namespace gttf::detail {

/// Approximate size in bytes of the pieces of text emitted by writers.
inline constexpr std::size_t flush_above = 1 << 16;

}  // namespace gttf::detail
