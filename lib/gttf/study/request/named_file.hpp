// SPDX-License-Identifier: Apache-2.0
// Files that other files name: paths are relative to the file that names them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/reader.hpp"

namespace gttf::detail {

/// `path` as seen from the folder of `file`; "-" (standard input) is in none.
std::string beside(const std::string& file, const std::string& path);

/// The file that `value` names in `file`: there, or an installed one of
/// `folders`. Nothing if `value` is no text; a file that does not exist is
/// reported, and its path returned.
/// @param what  for messages: "the path of a detector file"
std::optional<std::string> named_file(
    const Value& value, const std::string& file, std::string_view what,
    const std::vector<std::string_view>& folders);

}  // namespace gttf::detail
