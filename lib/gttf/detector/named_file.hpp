// SPDX-License-Identifier: Apache-2.0
// Files that a detector file names: maps of fields and of material.
#pragma once

#include <string>

#include "gttf/config/reader.hpp"

namespace gttf::detail {

/// The path of a file that a value names: relative to the detector file, or if
/// the name is from the command line to the working directory.
std::string path_of_named(const Value& value, const std::string& name,
                          const std::string& detector_file);

/// Reports why a named file could not be read. What concerns the file as a
/// whole, as that there is none, is an error of the place that names it.
void report_named(const Value& value, const std::string& path,
                  const Diagnostics& faults);

}  // namespace gttf::detail
