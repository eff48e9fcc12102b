// SPDX-License-Identifier: Apache-2.0
// Diagnostics: errors and warnings about an input, each with its location.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gttf {

enum class Severity { error, warning };

/// One error or warning about an input:
///
///   file:line:column: error: key path: problem (why)
///     12 |     radius: 22
///        |             ^~ suggestion
struct Diagnostic {
  Severity severity = Severity::error;
  std::string file;         ///< as given by the user, or the option: --p
  int line = 0;             ///< from 1; 0: no location in a file
  int column = 0;           ///< in characters, from 1
  int length = 1;           ///< characters to underline
  std::string path;         ///< e.g. layers[3].cylinder.radius; may be empty
  std::string problem;      ///< the problem, quoting the input
  std::string suggestion;   ///< suggested correction; may be empty
  std::string source_line;  ///< text of that line or option; may be empty
  int cut = 0;  ///< characters of a long line that source_line does not have
  /// Not an error or a warning: stands for so many of the file that are not
  /// listed.
  std::size_t unlisted = 0;

  /// Sets source_line and cut: of a long line `text`, the part around its byte
  /// `offset`, which is at `column`.
  void set_source_line(std::string_view text, std::size_t offset);
};

/// Collects the diagnostics of an input, sorted by location. The same problem
/// at the same location is kept once (an alias may lead there many times). Of a
/// file, the first 100 errors and the first 100 warnings are listed, and then
/// their number.
class Diagnostics {
 public:
  void add(Diagnostic d);
  /// Adds all diagnostics of `others`.
  void add(const Diagnostics& others);
  bool has_errors() const;
  /// Errors or warnings, including those that are not listed.
  std::size_t count(Severity severity) const;
  bool empty() const { return items_.empty(); }
  const std::vector<Diagnostic>& items() const { return items_; }

 private:
  void add_unlisted(const Diagnostic& d, std::size_t n);

  std::vector<Diagnostic> items_;
};

/// Formats one diagnostic, including the caret line; each line ends in '\n'.
/// `colour` adds ANSI colours.
std::string to_text(const Diagnostic& d, bool colour = false);

/// Thrown if an input has errors; contains all errors and warnings. what()
/// returns them as text.
class InputError : public std::runtime_error {
 public:
  explicit InputError(Diagnostics diagnostics);
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
};

/// A file written by the program cannot be read or does not match; the text
/// gives file and reason. (Errors in files written by users are Diagnostics.)
class FileError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gttf
