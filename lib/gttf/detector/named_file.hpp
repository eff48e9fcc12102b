// SPDX-License-Identifier: Apache-2.0
// Files named in a detector file: maps of the field and of material.
#pragma once

#include <string>

#include "gttf/config/reader.hpp"

namespace gttf::detail {

/// The path of a file named by a value: relative to the detector file, or to
/// the working directory if the name is given on the command line.
std::string path_of_named(const Value& value, const std::string& name,
                          const std::string& detector_file);

/// Reports why a named file could not be read. An error that concerns the whole
/// file, such as a missing file, is located at the value that names it.
void report_named(const Value& value, const std::string& path,
                  const Diagnostics& errors);

}  // namespace gttf::detail
