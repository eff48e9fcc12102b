// SPDX-License-Identifier: Apache-2.0
// Source: text from a file or an option, with locations.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/diagnostics.hpp"

namespace gttf {

/// Longest text that is read: 4 MiB, enough for 15 000 written layers. The
/// parser needs up to 250 bytes of memory for one of text; nodes have a
/// separate limit, see Node::max_nodes.
inline constexpr std::size_t max_text_bytes = std::size_t{4} << 20;

/// A text with a name; converts byte offsets to line and column.
class Source {
 public:
  enum class Kind { file, option };

  /// @param name  file as given by the user, or the option (--p)
  /// @param text  its content; of an option, the value
  Source(std::string name, std::string text, Kind kind = Kind::file);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  Kind kind() const { return kind_; }

  /// Number of the line (from 1) of a byte.
  int line_of(std::size_t offset) const;

  /// A diagnostic with file, line, column, length and source line filled in;
  /// the underline ends with the line. Options have no line number.
  Diagnostic at(std::size_t offset, std::size_t bytes = 1) const;

 private:
  std::string name_;
  std::string text_;
  Kind kind_;
  std::vector<std::size_t> line_starts_;
  /// Characters before each block of bytes, so that the column of an error in a
  /// long line does not cost its length.
  std::vector<std::size_t> characters_before_;

  std::size_t characters_up_to(std::size_t offset) const;
};

using SourcePtr = std::shared_ptr<const Source>;

/// Maximum size of a list from another program, which is not parsed as YAML.
inline constexpr std::size_t max_list_bytes = std::size_t{32} << 20;

/// Reads the text file `path` ("-": standard input) up to `most` bytes. Returns
/// nullptr if that fails or check_text finds an error, with the reason in
/// `diagnostics`. `role`: as in open_input(). In a run, a pipe may be read more
/// than once and gives the same text.
SourcePtr read_source(const std::string& path, Diagnostics& diagnostics,
                      std::string_view role = {},
                      std::size_t most = max_text_bytes);

/// Adds an error if the text is longer than `most` bytes, is not UTF-8 or has
/// control characters (binary data). Returns whether it is valid.
bool check_text(const Source& source, Diagnostics& diagnostics,
                std::size_t most = max_text_bytes);

/// Suggestion for a missing file: the nearest name in its folder, or an empty
/// text.
std::string suggest_file(const std::string& path);

}  // namespace gttf
