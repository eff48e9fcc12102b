// SPDX-License-Identifier: Apache-2.0
// Utilities for text in messages: quoting, widths, the nearest word.
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

/// `text` in double quotes for display in a message: control characters are
/// written as escapes, bytes that are not UTF-8 as U+FFFD, long texts are cut.
std::string in_quotes(std::string_view text);

/// `text` for safe display on a terminal, in a log or on a page: in one line,
/// with invisible characters and those that affect the text around as escapes
/// (`\n`, `\x1b`, `\u202e`; see detail::is_invisible), bytes that are not UTF-8
/// as U+FFFD, without commands of workflows (detail::without_commands). All
/// text from files and command lines passes through this function, or one for
/// its format, before display.
std::string visible(std::string_view text);

/// The same for a message of several lines: line ends and tabs are kept.
std::string visible_lines(std::string_view text);

/// `text` for a cell of CSV, whose rows are lines: like visible(), but invalid
/// bytes are kept and backslashes are doubled, so that unescaped() restores the
/// text.
std::string backslash_escaped(std::string_view text);
std::string backslash_unescaped(std::string_view text);

/// The candidate that `word` is most likely a misspelling of, if any is close
/// enough: equal except for case, or within one edit (insertion, deletion,
/// replacement, exchange of neighbours) for every three characters; otherwise
/// the first that continues it with an underscore ("sigma_d0_um").
std::optional<std::string> nearest(std::string_view word,
                                   std::span<const std::string> candidates);

/// The words in one line: "a, b, c"; truncated with "..." if very many.
std::string joined(std::span<const std::string> words);

/// ASCII letters in lower case; other bytes unchanged. Locale independent.
std::string lower_case(std::string_view text);

/// Removes spaces, tabs and line ends at both ends.
std::string_view trimmed(std::string_view text);

namespace detail {

/// The character of UTF-8 `text` that begins at `offset`.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;  ///< false: not UTF-8; `bytes` is 1
};
Character character_at(std::string_view text, std::size_t offset);

/// Whether a character is invisible or affects the characters around it:
/// controls (C0, DEL, C1), separators of lines, direction marks, spaces without
/// width, tags. Not the joiners and variation selectors that scripts and emoji
/// need.
constexpr bool is_invisible(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xAD ||
         code == 0x061C || code == 0x180E || code == 0x200B || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF ||
         (code >= 0xFFF9 && code <= 0xFFFB) ||
         (code >= 0xE0000 && code <= 0xE007F);
}

/// Fast test whether `text` may contain such a character or invalid UTF-8; true
/// for much non-ASCII text.
bool may_be_invisible(std::string_view text);

/// Appends the escape of a character: `\n`, `\x1b`, `\u202e`, `\U000e0001`.
void append_escape(std::string& out, char32_t code);

/// Commands that a workflow executes if they are in its log: lines that begin
/// with "::", and "##[error]", "##vso[...]" anywhere. Offset of the colons, or
/// npos; whether one begins at `at`.
std::size_t command_at_begin(std::string_view line);
bool is_command(std::string_view text, std::size_t at);

/// `lines` with the first character of each such command as an escape: `\x3a`,
/// `\x23`.
std::string without_commands(std::string_view lines);

/// Width of a character in terminal columns: 0, 1 or 2.
int display_width(char32_t code);

/// Whether a byte of UTF-8 text continues a character.
constexpr bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// Number of characters (code points) in UTF-8 text.
std::size_t character_count(std::string_view text);

}  // namespace detail
}  // namespace gttf

// Advice: rewording of messages of the YAML parser.
namespace gttf::detail {

/// A message of the parser, our wording, and a suggestion.
struct Advice {
  /// Location of the error: as reported, or at the open bracket or quote.
  enum class Mistake { as_reported, bracket, quote };

  std::string_view theirs, ours, suggestion;
  Mistake mistake = Mistake::as_reported;
};

/// The replacement for `message`, or nullptr.
const Advice* advice_on(std::string_view message);

// Location of a YAML value in the text, which the parser does not report.

/// Skips `&anchor` and `!tag` in front of the content at `at`.
std::size_t content_offset(std::string_view text, std::size_t at);

/// Length in bytes of the scalar `value` at `at`, including quotation marks; at
/// least 1.
std::size_t scalar_length(std::string_view text, std::size_t at,
                          std::string_view value);

}  // namespace gttf::detail
