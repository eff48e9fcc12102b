// SPDX-License-Identifier: Apache-2.0
// HitColumns: where a file of hits has what, and in which units.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "gttf/config/csv_reader.hpp"

namespace gttf {

/// A header line that has everything, for messages.
inline constexpr std::string_view hit_header_example =
    "track,layer,x_mm,y_mm,z_mm";

/// A column of lengths.
struct LengthColumn {
  std::size_t column = 0;
  double unit = 1;  ///< mm
};

/// Columns of a file of hits; absent ones are empty.
struct HitColumns {
  std::size_t count = 0;  ///< cells in a line
  std::optional<std::size_t> event, layer;
  std::size_t track = 0;
  std::array<LengthColumn, 3> position;
  std::array<std::optional<LengthColumn>, 2> sigma;  ///< of u and v
};

/// Reads a header line: `track` (or `track_id`), `event`, `layer`, and with
/// their units, as `x_mm` or `x [mm]`, x, y, z, sigma_u, sigma_v. Other columns
/// are warned of. Throws InputError with everything that is wrong.
HitColumns read_hit_columns(const CsvReader& file, Diagnostics& warnings);

}  // namespace gttf
