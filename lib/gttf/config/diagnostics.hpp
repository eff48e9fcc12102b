// SPDX-License-Identifier: Apache-2.0
// Diagnostics: everything wrong with the input, each with its place.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace gttf {

enum class Severity { error, warning };

/// One fault in an input:
///
///   file:line:column: error: key path: problem (why)
///     12 |     radius: 22
///        |             ^~ suggestion
struct Diagnostic {
  Severity severity = Severity::error;
  std::string file;         ///< as given by the user, or the option: --p
  int line = 0;             ///< from 1; 0: no place in a file
  int column = 0;           ///< in characters, from 1
  int length = 1;           ///< characters to underline
  std::string path;         ///< e.g. layers[3].cylinder.radius; may be empty
  std::string problem;      ///< what is wrong, quoting what was written
  std::string suggestion;   ///< what to write instead; may be empty
  std::string source_line;  ///< text of that line or option; may be empty
};

/// Collects the diagnostics of an input, in the order of their place; the same
/// fault at the same place is kept once (an alias may lead there many times).
class Diagnostics {
 public:
  void add(Diagnostic d);
  /// Adds all of `others`.
  void add(const Diagnostics& others);
  bool has_errors() const;
  bool empty() const { return items_.empty(); }
  const std::vector<Diagnostic>& items() const { return items_; }

 private:
  std::vector<Diagnostic> items_;
};

/// One diagnostic as text, caret line included, each line ending in '\n'.
/// `colour` adds ANSI colours.
std::string to_text(const Diagnostic& d, bool colour = false);

/// Thrown where an input has errors; carries all of them (and the warnings).
/// what() is all of them as text.
class InputError : public std::runtime_error {
 public:
  explicit InputError(Diagnostics diagnostics);
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
};

/// A file that the program once wrote cannot be read or does not fit; the text
/// names it and says why. (Faults of files that users write are Diagnostics.)
class FileError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gttf
