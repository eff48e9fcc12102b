// SPDX-License-Identifier: Apache-2.0
// Small services for text in messages: quoting, widths, the nearest word.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gttf {

/// `text` in double quotes as a message can show it: control characters are
/// written as escapes, bytes that are not UTF-8 as U+FFFD, long texts are cut.
std::string in_quotes(std::string_view text);

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
  enum class Place { as_told, bracket, quote };

  std::string_view theirs, ours, suggestion;
  Place place = Place::as_told;
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
