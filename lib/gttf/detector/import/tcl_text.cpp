// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/import/tcl_text.hpp"

#include <cstddef>
#include <string>

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

/// Length of "[12]" at the beginning of `text`; 0 if there is none.
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

namespace {

/// Reads one script from beginning to end.
class Scanner {
 public:
  Scanner(const ForeignFile& file, const ForeignWord& script)
      : file_(file), text_(script.text), offset_(script.offset) {}

  std::vector<TclCommand> commands() {
    std::vector<TclCommand> commands;
    TclCommand command;
    const auto finish = [&] {
      if (!command.empty()) commands.push_back(std::move(command));
      command.clear();
    };
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_space(at_)) {
        at_ += c == '\\' ? continuation(at_) : 1;
      } else if (c == '\n' || c == ';') {
        finish();
        ++at_;
      } else if (c == '#' && command.empty()) {
        skip_comment();
      } else {
        command.push_back(word());
      }
    }
    finish();
    return commands;
  }

 private:
  /// Length of a backslash and line end at `at`; 0 if there is none.
  std::size_t continuation(std::size_t at) const {
    if (text_.substr(at, 2) == "\\\n") return 2;
    return text_.substr(at, 3) == "\\\r\n" ? 3 : 0;
  }

  bool is_space(std::size_t at) const {
    const char c = text_[at];
    return c == ' ' || c == '\t' || c == '\r' || continuation(at) > 0;
  }

  bool ends_word(std::size_t at) const {
    return is_space(at) || text_[at] == '\n' || text_[at] == ';';
  }

  void skip_comment() {
    while (at_ < text_.size() && text_[at_] != '\n')
      at_ += text_[at_] == '\\' ? 2 : 1;
  }

  TclWord word() {
    if (text_[at_] == '{') return braced();
    if (text_[at_] == '"') return quoted();
    const std::size_t begin = at_;
    while (at_ < text_.size() && !ends_word(at_))
      at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    return made(begin, at_, TclWord::Kind::bare);
  }

  TclWord braced() {
    const std::size_t open = at_;
    for (std::size_t depth = 0; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\') {
        ++at_;
      } else if (c == '{') {
        ++depth;
      } else if (c == '}' && --depth == 0) {
        ++at_;
        expect_end("brace");
        return made(open + 1, at_ - 1, TclWord::Kind::braced);
      }
    }
    return unclosed(open, "this brace is never closed", "add a } after it");
  }

  TclWord quoted() {
    const std::size_t open = at_++;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\') {
        ++at_;
      } else if (c == '"') {
        ++at_;
        expect_end("quote");
        return made(open + 1, at_ - 1, TclWord::Kind::quoted);
      }
    }
    return unclosed(open, "this quote is never closed", "add a \" after it");
  }

  /// Tcl requires a space after a closing brace; anything else becomes a
  /// separate word.
  void expect_end(std::string_view what) {
    if (at_ >= text_.size() || ends_word(at_)) return;
    file_.error({text_.substr(at_, 1), offset_ + at_},
                "there are characters after the closing " + std::string(what),
                "put a space or a line end between them");
  }

  TclWord unclosed(std::size_t open, std::string problem,
                   std::string suggestion) {
    file_.error({text_.substr(open, 1), offset_ + open}, std::move(problem),
                std::move(suggestion));
    at_ = text_.size();
    return made(open + 1, at_, TclWord::Kind::braced);
  }

  TclWord made(std::size_t begin, std::size_t end, TclWord::Kind kind) const {
    TclWord word;
    word.text = text_.substr(begin, end - begin);
    word.offset = offset_ + begin;
    word.kind = kind;
    return word;
  }

  const ForeignFile& file_;
  std::string_view text_;
  std::size_t offset_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<TclCommand> tcl_commands(const ForeignFile& file,
                                     const ForeignWord& script) {
  return Scanner(file, script).commands();
}

}  // namespace gttf::detail
