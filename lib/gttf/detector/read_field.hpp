// SPDX-License-Identifier: Apache-2.0
// Part of the detector reader: the magnetic field.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gttf/config/reader.hpp"
#include "gttf/detector/detector.hpp"

namespace gttf::detail {

/// Reads `field`: none, a solenoid, dipoles or a map. Errors are reported.
///
/// @param layers      for gaps between layers; if `all_read` is false, some are
///                    missing because of errors
/// @param file        detector file: maps are searched relative to it
Field read_field(const Value& value, const std::vector<Layer>& layers,
                 bool all_read, const std::string& file);

/// Reads one dipole or a list of them.
Field read_dipoles(const Value& value, const std::vector<Layer>& layers,
                   bool all_read);

/// A field, GeV/(e mm); warns of a value that no magnet reaches.
std::optional<double> read_field_strength(const Value& value);

}  // namespace gttf::detail
