// SPDX-License-Identifier: Apache-2.0
// Text of users in Tcl, where almost every punctuation mark is a command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gttf/detector/import/foreign_text.hpp"

namespace gttf::detail {

/// `text` as a word of Tcl that stands for itself in braces, a list or a
/// comment. Of ASCII only letters, digits and _ - + . : , / ( ) = @ are kept, a
/// space becomes _; every other byte is written as % and two hexadecimal
/// digits. Brackets stay around a number: the copies of a layer are named L[0],
/// L[1], and a number is no command even where brackets are evaluated. An empty
/// text is "_".
std::string tcl_word(std::string_view text);

/// The text that tcl_word() has written as `word`; an underscore stays one.
/// What it cannot have written (other escapes, bytes that are not UTF-8) is
/// returned as it is: cards of other programs have a % that means itself.
std::string from_tcl_word(std::string_view word);

// Tcl commands: enough of the language to find a module's settings in a card.

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
