// SPDX-License-Identifier: Apache-2.0
// User text in Tcl, where almost every punctuation mark has a meaning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gttf/detector/import/foreign_text.hpp"

namespace gttf::detail {

/// `text` as a Tcl word that is literal in braces, a list or a comment. Of
/// ASCII only letters, digits and _ - + . : , / ( ) = @ are kept, a space
/// becomes _; every other byte is written as % and two hexadecimal digits.
/// Brackets around a number are kept: the copies of a layer are named L[0],
/// L[1], and a number is not a command even where brackets are evaluated. An
/// empty text is "_".
std::string tcl_word(std::string_view text);

/// Inverse of tcl_word(), except that underscores are kept. A word that
/// tcl_word() cannot have written (other escapes, bytes that are not UTF-8) is
/// returned unchanged: cards of other programs may contain a literal %.
std::string from_tcl_word(std::string_view word);

// Tcl commands: the subset needed to find the settings of a module in a card.

/// A word of a command; `text` is without the braces or quotes around it.
struct TclWord : ForeignWord {
  enum class Kind { bare, quoted, braced };
  Kind kind = Kind::bare;
};

using TclCommand = std::vector<TclWord>;

/// The commands of `script`, a part of the file: words in braces are not
/// parsed, nothing is substituted. Rules 1 to 6, 9 and 10 of the Tcl manual
/// page: a comment is a # at the beginning of a command; a backslash escapes
/// the next character, an escaped line end is space; braces nest, also in
/// comments inside them. Adds an error if a brace or quote is not closed.
std::vector<TclCommand> tcl_commands(const ForeignFile& file,
                                     const ForeignWord& script);

}  // namespace gttf::detail
