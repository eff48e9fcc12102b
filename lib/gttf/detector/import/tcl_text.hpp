// SPDX-License-Identifier: Apache-2.0
// Text of users in Tcl, where almost every punctuation mark is a command.
#pragma once

#include <string>
#include <string_view>

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

}  // namespace gttf::detail
