// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/import/tcl_text.hpp"

#include <cstddef>

#include "gttf/config/ascii.hpp"
#include "gttf/config/text.hpp"

namespace gttf::detail {
namespace {

constexpr std::string_view hex_digits = "0123456789ABCDEF";
constexpr std::string_view harmless = "_-+.:,/()=@";

/// Independent of the locale, unlike std::isalnum.
bool is_kept(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
         harmless.find(c) != harmless.npos;
}

/// Length of "[12]" at the begin of `text`; 0: there is none.
std::size_t index_length(std::string_view text) {
  if (!text.starts_with('[')) return 0;
  std::size_t end = 1;
  while (end < text.size() && is_digit(text[end])) ++end;
  const bool closed = end > 1 && end < text.size() && text[end] == ']';
  return closed ? end + 1 : 0;
}

void append_escaped(std::string& to, char c) {
  const auto byte = static_cast<unsigned char>(c);
  to += '%';
  to += hex_digits[byte >> 4];
  to += hex_digits[byte & 15];
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Character c = character_at(text, i);
    if (!c.valid) return false;
    i += c.bytes;
  }
  return true;
}

}  // namespace

std::string tcl_word(std::string_view text) {
  std::string word;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (const std::size_t n = index_length(text.substr(i)); n > 0) {
      word += text.substr(i, n);
      i += n - 1;
    } else if (is_kept(c)) {
      word += c;
    } else if (c == ' ') {
      word += '_';
    } else {
      append_escaped(word, c);
    }
  }
  return word.empty() ? "_" : word;
}

std::string from_tcl_word(std::string_view word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      return at < word.size() ? hex_digits.find(word[at]) : hex_digits.npos;
    };
    const std::size_t high = digit(i + 1), low = digit(i + 2);
    if (word[i] != '%' || high == hex_digits.npos || low == hex_digits.npos) {
      text += word[i];
      continue;
    }
    text += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return is_utf8(text) && tcl_word(text) == word ? text : std::string(word);
}

}  // namespace gttf::detail
