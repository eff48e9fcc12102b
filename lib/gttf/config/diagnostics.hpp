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
  std::string file;         ///< as given by the user; "<option>" for --set
  int line = 0;             ///< from 1; 0: no place in the file
  int column = 0;           ///< from 1
  int length = 1;           ///< characters to underline
  std::string path;         ///< e.g. layers[3].cylinder.radius; may be empty
  std::string problem;      ///< what is wrong, quoting what was written
  std::string suggestion;   ///< what to write instead; may be empty
  std::string source_line;  ///< text of that line; may be empty
};

/// Collects the diagnostics of an input, in the order of their place.
class Diagnostics {
 public:
  void add(Diagnostic d) { items_.push_back(std::move(d)); }
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
class InputError : public std::runtime_error {
 public:
  explicit InputError(Diagnostics diagnostics);
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
};

}  // namespace gttf
