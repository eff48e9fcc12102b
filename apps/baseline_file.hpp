// SPDX-License-Identifier: Apache-2.0
// Reads the baseline of a requirements file.
#pragma once

#include <optional>
#include <string>

#include "gttf/config/reader.hpp"
#include "gttf/study/check/baseline.hpp"

namespace gttf::app {

/// The baseline in the file `path`, named by `value`; `hash` becomes the
/// SHA-256 of the file. Nothing after an error was reported.
std::optional<Baseline> load_baseline(const std::string& path,
                                      const Value& value, std::string& hash);

}  // namespace gttf::app
