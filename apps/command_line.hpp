// SPDX-License-Identifier: Apache-2.0
// Converts the words of a command line to typed values.
#pragma once

#include <string>
#include <vector>

#include "verb.hpp"

namespace gttf::app {

/// The options of `verb` in `words`, those after the verb. Throws UsageError
/// for what is unknown, missing, given twice or out of range. With --help only
/// Options::help is set.
Options parse_command_line(const Verb& verb,
                           const std::vector<std::string>& words);

/// Throws UsageError with the nearest one if `value` is not in `known`.
void check_choice(const std::string& option, const std::string& value,
                  const std::vector<std::string>& known);

/// "a,b,c" as words, each of which must be in `known`; "all" is all of them.
/// Throws UsageError.
std::vector<std::string> parse_names(const std::string& option,
                                     const std::string& text,
                                     const std::vector<std::string>& known);

}  // namespace gttf::app
