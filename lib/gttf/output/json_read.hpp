// SPDX-License-Identifier: Apache-2.0
// Reads back what the JSON writer wrote.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gttf/config/opened_files.hpp"
#include "gttf/core/document.hpp"
#include "gttf/core/file_error.hpp"

namespace gttf {

/// The document of a JSON text; numbers exact, whole ones as integers.
/// @param name  of the text, for messages
/// Errors: FileError if it is no JSON, is nested deeper than 64 levels, has a
/// whole number beyond 64 bits, a text above 4 MiB or more than 16 million
/// values.
Document read_json(std::string_view text, const std::string& name);

/// Longest file that is read: 256 MiB.
inline constexpr std::size_t max_file_bytes = std::size_t{1} << 28;

/// The text of a file, up to max_file_bytes; `role` and `rewritten` as of
/// open_input(). Errors: FileError.
std::string read_file(const std::string& path, std::string_view role = {},
                      const OutputClaim* rewritten = nullptr);

}  // namespace gttf
