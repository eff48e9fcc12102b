// SPDX-License-Identifier: Apache-2.0
// Reads the grid of a field map from a table of its nodes, or from its binary
// form.
#pragma once

#include <optional>
#include <string>

#include "gttf/config/diagnostics.hpp"
#include "gttf/detector/field_map.hpp"

namespace gttf {

/// Reads a table of nodes: one line each, columns x y z Bx By Bz or r z Br Bz
/// in any order, separated by blanks, tabs, commas or semicolons, after a line
/// with the names of columns and units: `x[mm] y[mm] z[mm] Bx[T] By[T] Bz[T]`.
/// Empty lines and comments (#, %, !, //) are skipped; the names may be in a
/// comment. The nodes may be in any order produced by nested loops over evenly
/// spaced coordinates. A file in binary form (binary_field_map.hpp) is
/// recognised by its beginning.
///
/// @return  nothing if the file cannot be read or is not such a grid; the first
///          error is added to `diagnostics` with its line
std::optional<FieldGrid> read_field_grid(const std::string& path,
                                         Diagnostics& diagnostics);

}  // namespace gttf
