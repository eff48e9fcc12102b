// SPDX-License-Identifier: Apache-2.0
// The binary form of a field map: the nodes as doubles, which are mapped into
// memory instead of parsed.
//
// A header of 192 bytes and the values of FieldGrid, all little-endian:
//
//     0  16 bytes    "\x89GTTF-field\r\n\x1A\n\0"
//    16  uint32      version of the format, 1
//    20  uint32      number of axes: 3 (x, y, z) or 2 (r, z)
//    24  3 x uint32  nodes along each axis, 0 if there is no such axis
//    36  uint32      0
//    40  3 x double  first node along each axis, mm
//    64  3 x double  spacing, mm
//    88  uint64      number of values
//    96  64 bytes    SHA-256, hexadecimal, of all bytes but these
//   160  32 bytes    0
//   192  doubles     values in GeV/(e mm): 1 T is 2.99792458e-4
#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "gttf/config/diagnostics.hpp"
#include "gttf/detector/field_map.hpp"

namespace gttf {

/// Whether a file begins like a binary field map.
bool is_binary_field_map(const std::string& path);

/// Reads a binary field map. Nothing in it is trusted: the size must be that of
/// the grid, the checksum correct, every number finite.
/// @return  nothing after an error, which is added to `diagnostics`
std::optional<FieldGrid> read_binary_field_map(const std::string& path,
                                               Diagnostics& diagnostics);

/// Writes a binary field map. The values are kept to the last bit.
void write_binary_field_map(std::ostream& out, const FieldGrid& grid);

}  // namespace gttf
