// SPDX-License-Identifier: Apache-2.0
// Tcl commands: enough of the language to find a module's settings in a card.
#pragma once

#include <string_view>
#include <vector>

#include "gttf/detector/import/foreign_text.hpp"

namespace gttf::detail {

/// A word of a command; `text` is without the braces or quotes around it.
struct TclWord : ForeignWord {
  enum class Kind { bare, quoted, braced };
  Kind kind = Kind::bare;
};

using TclCommand = std::vector<TclWord>;

/// The commands of `script`, a part of the file: words in braces are not looked
/// into, nothing is substituted. Rules 1 to 6, 9 and 10 of the Tcl manual page:
/// a comment is a # where a command begins; a backslash hides the character
/// after it, and a line end behind it counts as space; braces nest, in comments
/// inside of them as well. Adds an error where a brace or quote is not closed.
std::vector<TclCommand> tcl_commands(const ForeignFile& file,
                                     const ForeignWord& script);

}  // namespace gttf::detail
