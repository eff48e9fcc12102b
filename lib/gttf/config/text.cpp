// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <system_error>
#include <vector>

namespace gttf {
namespace {

constexpr std::size_t longest_quote = 60;  // characters shown of a value
constexpr std::size_t longest_word = 64;   // bytes compared for a suggestion
constexpr std::size_t longest_list = 40;   // words listed

/// Optimal string alignment distance of two words, ASCII case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1),
      next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

}  // namespace

namespace detail {

Character character_at(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(offset);
  if (first < 0x80) return {first, 1, true};
  std::size_t bytes = 0;
  char32_t code = 0, smallest = 0;
  if (first >= 0xC2 && first <= 0xDF) {
    bytes = 2, code = first & 0x1F, smallest = 0x80;
  } else if (first >= 0xE0 && first <= 0xEF) {
    bytes = 3, code = first & 0x0F, smallest = 0x800;
  } else if (first >= 0xF0 && first <= 0xF4) {
    bytes = 4, code = first & 0x07, smallest = 0x10000;
  } else {
    return {};
  }
  for (std::size_t i = 1; i < bytes; ++i) {
    const unsigned next = byte(offset + i);
    if ((next & 0xC0) != 0x80) return {};
    code = (code << 6) | (next & 0x3F);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < smallest || code > 0x10FFFF || surrogate) return {};
  return {code, bytes, true};
}

bool may_be_invisible(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte >= 0x7F;
  });
}

void append_escape(std::string& out, char32_t code) {
  if (code == '\n' || code == '\t' || code == '\r') {
    out += '\\';
    out += code == '\n' ? 'n' : code == '\t' ? 't' : 'r';
    return;
  }
  const auto number = static_cast<unsigned>(code);
  fmt::format_to(std::back_inserter(out),
                 code <= 0xFF     ? fmt::runtime("\\x{:02x}")
                 : code <= 0xFFFF ? fmt::runtime("\\u{:04x}")
                                  : fmt::runtime("\\U{:08x}"),
                 number);
}

int display_width(char32_t code) {
  using Range = std::array<char32_t, 2>;
  // The wide blocks relevant in practice; other characters take one column.
  constexpr std::array<Range, 8> no_width = {{{0x0300, 0x036F},
                                              {0x0483, 0x0489},
                                              {0x0591, 0x05BD},
                                              {0x1AB0, 0x1AFF},
                                              {0x200B, 0x200F},
                                              {0x20D0, 0x20FF},
                                              {0xFE00, 0xFE0F},
                                              {0xFEFF, 0xFEFF}}};
  constexpr std::array<Range, 8> double_width = {{{0x1100, 0x115F},
                                                  {0x2E80, 0x303E},
                                                  {0x3041, 0xA4CF},
                                                  {0xAC00, 0xD7A3},
                                                  {0xF900, 0xFAFF},
                                                  {0xFF00, 0xFF60},
                                                  {0x1F300, 0x1FAFF},
                                                  {0x20000, 0x3FFFD}}};
  const auto within = [code](const Range& r) {
    return code >= r[0] && code <= r[1];
  };
  if (std::ranges::any_of(no_width, within)) return 0;
  if (std::ranges::any_of(double_width, within)) return 2;
  return 1;
}

std::size_t character_count(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++count)
    i += character_at(text, i).bytes;
  return count;
}

}  // namespace detail

namespace {

/// `kept`: invisible characters that are not escaped.
std::string with_escapes(std::string_view text, std::string_view kept) {
  if (!detail::may_be_invisible(text)) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const detail::Character c = detail::character_at(text, i);
    if (!c.valid)
      out += "\uFFFD";
    else if (detail::is_invisible(c.code) &&
             (c.bytes > 1 || kept.find(text[i]) == kept.npos))
      detail::append_escape(out, c.code);
    else
      out += text.substr(i, c.bytes);
    i += c.bytes;
  }
  return out;
}

/// Value of the given number of hexadecimal digits at `at`.
std::optional<unsigned> hex_at(std::string_view text, std::size_t at,
                               std::size_t digits) {
  unsigned value = 0;
  if (at + digits > text.size()) return std::nullopt;
  const char* const begin = text.data() + at;
  const auto [end, error] = std::from_chars(begin, begin + digits, value, 16);
  if (error != std::errc() || end != begin + digits) return std::nullopt;
  return value;
}

}  // namespace

namespace detail {

std::size_t command_at_begin(std::string_view line) {
  const auto first = std::ranges::find_if(line, [](char c) {
    return c != ' ' && c != '\t' && static_cast<unsigned char>(c) < 0x80;
  });
  return std::string_view(first, line.end()).starts_with("::")
             ? static_cast<std::size_t>(first - line.begin())
             : line.npos;
}

bool is_command(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with("##")) return false;
  const auto end = std::find_if_not(
      text.begin() + static_cast<std::ptrdiff_t>(at) + 2, text.end(),
      [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  return end != text.end() && *end == '[';
}

std::string without_commands(std::string_view lines) {
  std::string out;
  for (std::size_t from = 0, end = 0; from < lines.size(); from = end) {
    end = lines.find('\n', from);
    end = end == lines.npos ? lines.size() : end + 1;
    const std::string_view line = lines.substr(from, end - from);
    const std::size_t first = command_at_begin(line);
    for (std::size_t i = 0; i < line.size(); ++i)
      if (i == first || is_command(line, i))
        append_escape(out, static_cast<unsigned char>(line[i]));
      else
        out += line[i];
  }
  return out;
}

}  // namespace detail

std::string visible(std::string_view text) {
  return detail::without_commands(with_escapes(text, ""));
}

std::string visible_lines(std::string_view text) {
  return detail::without_commands(with_escapes(text, "\n\t"));
}

std::string backslash_escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const detail::Character c = detail::character_at(text, i);
    if (!c.valid || (c.code > 0xFF && detail::is_invisible(c.code))) {
      for (const char byte : text.substr(i, c.bytes))
        fmt::format_to(std::back_inserter(out), "\\x{:02x}",
                       static_cast<unsigned char>(byte));
    } else if (c.code == '\\') {
      out += "\\\\";
    } else if (c.code >= 0x80 && detail::is_invisible(c.code)) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}",
                     static_cast<unsigned>(c.code));
    } else if (detail::is_invisible(c.code)) {
      detail::append_escape(out, c.code);
    } else {
      out += text.substr(i, c.bytes);
    }
    i += c.bytes;
  }
  return out;
}

std::string backslash_unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : 0;
    constexpr std::string_view letters = "nrt\\", meant = "\n\r\t\\";
    if (const auto k = letters.find(next); next != 0 && k != letters.npos) {
      out += meant[k];
      ++i;
    } else if (const auto byte = hex_at(text, i + 2, 2); next == 'x' && byte) {
      out += static_cast<char>(*byte);
      i += 3;
    } else if (const auto code = hex_at(text, i + 2, 4);
               next == 'u' && code && *code >= 0x80 && *code < 0xC0) {
      out += '\xC2';  // of all such characters
      out += static_cast<char>(*code);
      i += 5;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  std::size_t shown = 0;
  for (std::size_t i = 0; i < text.size(); ++shown) {
    if (shown == longest_quote) {
      result += "...";
      break;
    }
    const detail::Character c = detail::character_at(text, i);
    if (!c.valid) {
      result += "\uFFFD";
    } else if (detail::is_invisible(c.code)) {
      detail::append_escape(result, c.code);
    } else {
      result += text.substr(i, c.bytes);
    }
    i += c.bytes;
  }
  return result + '"';
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::optional<std::string> nearest(std::string_view word,
                                   std::span<const std::string> candidates) {
  if (word.empty() || word.size() > longest_word) return std::nullopt;
  const std::string lower = lower_case(word);
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::size_t best_alike = 0;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > longest_word) continue;
    const std::string other = lower_case(candidate);
    const std::size_t d = edit_distance(lower, other);
    // a word with every character replaced is not similar
    if (d >= std::max(word.size(), candidate.size())) continue;
    // typing errors are rare at the beginning of a word
    const auto differ = std::ranges::mismatch(lower, other).in1;
    const auto alike = static_cast<std::size_t>(differ - lower.begin());
    if (d < best_distance ||
        (best && d == best_distance && alike > best_alike)) {
      best = candidate;
      best_distance = d;
      best_alike = alike;
    }
  }
  if (best) return best;
  for (const std::string& candidate : candidates)
    if (lower_case(candidate).starts_with(lower + '_')) return candidate;
  return std::nullopt;
}

std::string joined(std::span<const std::string> words) {
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i == longest_list) return result + ", ...";
    if (i > 0) result += ", ";
    result += words[i];
  }
  return result;
}

}  // namespace gttf

namespace gttf::detail {
namespace {

constexpr std::array<Advice, 15> advices = {{
    {"end of sequence flow not found", "the bracket \"[\" is not closed",
     "add \"]\", or \",\" between the values", Advice::Mistake::bracket},
    {"end of map flow not found", "the brace \"{\" is not closed",
     "add \"}\", or \",\" between the entries", Advice::Mistake::bracket},
    {"end of sequence not found", "this line does not fit the list above it",
     "indent it like the lines before it"},
    {"end of map not found", "this line does not fit the keys above it",
     "write \"key: value\", indented like its neighbours"},
    {"illegal map value", "a \":\" is not allowed here",
     "check the indentation here and the \":\" in the line before"},
    {"illegal block entry", "a list cannot begin here",
     "begin it on a line of its own, or write [a, b]"},
    {"illegal map key", "a key cannot begin here",
     "begin it on a line of its own"},
    {"illegal EOF in scalar", "this quotation mark is not closed",
     "close it on the same line", Advice::Mistake::quote},
    {"illegal document indicator in scalar",
     "this quotation mark is not closed", "close it on the same line",
     Advice::Mistake::quote},
    {"illegal flow end", "closing bracket without an opening one", "remove it"},
    {"illegal tab when looking for indentation", "a tab indents this line",
     "indent with spaces"},
    {"unknown token", "a value cannot begin with this character",
     "put the value in quotes"},
    {"the referenced anchor is not defined", "there is no anchor of this name",
     "define it before, as in \"&name value\""},
    {"unknown escape character: ", "unknown escape in a quoted text",
     "use single quotes for text with backslashes"},
    {"invalid unicode: ", "half of a pair of surrogates is not a character",
     "write the character, or its code as in \"\\U0001f600\"; in Python, "
     "json.dump(..., ensure_ascii=False) does"},
}};

}  // namespace

const Advice* advice_on(std::string_view message) {
  for (const Advice& advice : advices)
    if (message.starts_with(advice.theirs)) return &advice;
  return nullptr;
}

std::size_t content_offset(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    const std::size_t end = text.find_first_of(" \t\r\n", at);
    const std::size_t next = text.find_first_not_of(" \t\r\n", end);
    if (next == std::string_view::npos) break;
    at = next;
  }
  return at;
}

std::size_t scalar_length(std::string_view text, std::size_t at,
                          std::string_view value) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with(value)) return std::max<std::size_t>(1, value.size());
  const std::size_t line = std::min(rest.find('\n'), rest.size());
  if (rest.starts_with('"') || rest.starts_with('\'')) {
    const std::size_t end = rest.find(rest[0], 1);
    if (end < line) return end + 1;
  }
  return std::max<std::size_t>(1, trimmed(rest.substr(0, line)).size());
}

}  // namespace gttf::detail
