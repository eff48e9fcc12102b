// SPDX-License-Identifier: Apache-2.0
// Small services for text in messages: quoting, widths, the nearest word.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gttf::detail {

/// The byte order mark that some programs put before UTF-8 text.
inline constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";

/// ASCII digits, in any locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace gttf::detail

namespace gttf {

/// `text` in double quotes as a message can show it: control characters are
/// written as escapes, bytes that are not UTF-8 as U+FFFD, long texts are cut.
std::string in_quotes(std::string_view text);

/// `text` as it may be shown on a terminal, in a log or on a page: in one line,
/// what nobody sees or what acts on the text around it written as an escape
/// (`\n`, `\x1b`, `\u202e`; see detail::is_invisible), bytes that are not
/// UTF-8 as U+FFFD. All text from files and command lines passes here, or
/// through a function that does the same for its format, on its way to people.
std::string visible(std::string_view text);

/// The same for a message of several lines: line ends and tabs stay.
std::string visible_lines(std::string_view text);

/// `text` for a cell of CSV, whose rows are lines: as visible(), but with the
/// bytes kept, and a backslash written twice, so that unescaped() gives it
/// back.
std::string backslash_escaped(std::string_view text);
std::string backslash_unescaped(std::string_view text);

/// The candidate that `word` is most likely a slip of, if any is near enough:
/// equal up to upper and lower case, or within one edit (insertion, deletion,
/// replacement, exchange of neighbours) for every three characters; otherwise
/// the first that goes on behind it with an underscore ("sigma_d0_um").
std::optional<std::string> nearest(std::string_view word,
                                   std::span<const std::string> candidates);

/// The words in one line: "a, b, c"; cut with "..." when there are very many.
std::string joined(std::span<const std::string> words);

/// ASCII letters in lower case; other bytes unchanged. Locale independent.
std::string lower_case(std::string_view text);

/// Without spaces, tabs and line ends at both ends.
std::string_view trimmed(std::string_view text);

namespace detail {

/// The character of UTF-8 `text` that begins at `offset`.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;  ///< false: not UTF-8; `bytes` is 1
};
Character character_at(std::string_view text, std::size_t offset);

/// Whether a character is not seen or rules those around it: controls (C0, DEL,
/// C1), separators of lines, marks that turn the direction of writing.
constexpr bool is_invisible(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C ||
         code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) ||
         (code >= 0xFFF9 && code <= 0xFFFB);
}

/// Whether such a character, or a byte that is not UTF-8, may be in `text`; it
/// is cheap, and yes for much that is not ASCII.
bool may_be_invisible(std::string_view text);

/// Appends the escape of a character: `\n`, `\x1b`, `\u202e`.
void append_escape(std::string& out, char32_t code);

/// Columns of a terminal that a character takes: 0, 1 or 2.
int display_width(char32_t code);

/// Number of characters (code points) in UTF-8 text.
std::size_t character_count(std::string_view text);

}  // namespace detail
}  // namespace gttf

// Advice: the YAML parser's messages in our words.
namespace gttf::detail {

/// A message of the parser, what we say instead, and what to do.
struct Advice {
  /// Where the fault is: as told, or at the bracket or quote that is open.
  enum class Fault { as_told, bracket, quote };

  std::string_view theirs, ours, suggestion;
  Fault fault = Fault::as_told;
};

/// What to say instead of `message`, or nullptr.
const Advice* advice_on(std::string_view message);

// Where a YAML value stands in the text: what the parser does not tell.

/// Past `&anchor` and `!tag`, which stand before the content at `at`.
std::size_t content_offset(std::string_view text, std::size_t at);

/// How many bytes the scalar `value` takes at `at`, quotation marks included;
/// at least 1.
std::size_t scalar_length(std::string_view text, std::size_t at,
                          std::string_view value);

}  // namespace gttf::detail
