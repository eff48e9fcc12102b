// SPDX-License-Identifier: Apache-2.0
// Parts of the reader of field maps: faults, and the line that names columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gttf::detail {

/// The first fault of a map; thrown.
struct GridFault {
  std::string_view where;  ///< part of the text
  std::string problem, suggestion;
};

inline constexpr std::string_view example_grid_header =
    "x[mm] y[mm] z[mm] Bx[T] By[T] Bz[T]";

/// Between the numbers of a line.
inline bool is_grid_separator(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

/// What the columns of a map hold.
struct GridColumns {
  struct Column {
    int target = -1;  ///< index in `names`, -1: not read
    double unit = 1;
  };
  bool around_z = false;
  std::vector<std::string> names;  ///< x y z Bx By Bz or r z Br Bz
  std::vector<Column> columns;     ///< in the order of the file

  std::size_t coordinates() const { return around_z ? 2 : 3; }
};

/// Does the line name columns of a map? A comment that does not is a comment.
bool names_grid_columns(std::string_view line);

/// Reads such a line. Throws GridFault.
GridColumns read_grid_columns(std::string_view line);

}  // namespace gttf::detail
