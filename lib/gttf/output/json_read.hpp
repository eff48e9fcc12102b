// SPDX-License-Identifier: Apache-2.0
// Reads back what the JSON writer wrote.
#pragma once

#include <string>
#include <string_view>

#include "gttf/config/opened_files.hpp"
#include "gttf/core/document.hpp"
#include "gttf/core/file_error.hpp"

namespace gttf {

/// The document of a JSON text; numbers exact, whole ones as integers.
/// @param name  of the text, for messages
/// Errors: FileError if it is no JSON, is nested deeper than 64 levels or has a
/// whole number beyond 64 bits.
Document read_json(std::string_view text, const std::string& name);

/// The text of a file; `role` and `rewritten` as of open_input(). Errors:
/// FileError.
std::string read_file(const std::string& path, std::string_view role = {},
                      const OutputClaim* rewritten = nullptr);

}  // namespace gttf
