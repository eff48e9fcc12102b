// SPDX-License-Identifier: Apache-2.0
// Files named in files and options. They are inputs of a run even if it does
// not read them: an option may replace the value that names them, or the file
// that does.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "gttf/config/node.hpp"

namespace gttf {

/// Whether the values of a key are names of files. `key` may be a path, of
/// which the last name counts: "layers[2].material[0].map", "detectors[1]".
bool names_files(std::string_view key);

/// Throws std::logic_error unless names_files(key): readers of names call it,
/// so that no key is forgotten.
void require_file_key(const std::string& key);

/// Records all files named in the text of `file` as inputs of the run, also
/// those in values that are not used.
void record_named_files(const Node& root, const std::string& file);

/// The same for the value that an option gives to a key.
void record_named_files(std::string_view key, const Node& value);

/// Records the files named in files that were recorded but not parsed, at any
/// depth. Called before an existing file is replaced.
void follow_named_files();

}  // namespace gttf

namespace gttf::detail {

/// The folder from which names in `file` start: its own, or that of the run
/// (empty) if it is standard input or another open descriptor, such as
/// /dev/fd/63.
std::filesystem::path folder_of(const std::string& file);

/// `path` as seen from that folder.
std::string beside(const std::string& file, const std::string& path);

}  // namespace gttf::detail
