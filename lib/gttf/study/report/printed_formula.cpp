// SPDX-License-Identifier: Apache-2.0
// Formulas in typographical notation.
#include <cctype>
#include <cstddef>
#include <string>

#include "gttf/study/report/report_figures.hpp"

namespace gttf::detail {
namespace {

struct Symbol {
  std::string_view word;
  const char* shown;
};

constexpr Symbol symbols[] = {
    {"p", "*p*"},     {"pt", "*p*_{T}"}, {"pT", "*p*_{T}"}, {"theta", "*θ*"},
    {"eta", "*η*"},   {"beta", "*β*"},   {"pi", "π"},       {"um", "µm"},
    {"urad", "µrad"}, {"deg", "°"},
};

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
}

class Writer {
 public:
  explicit Writer(std::string_view text) : text_(text) {}

  RichText write() {
    while (at_ < text_.size()) {
      if (is_letter(text_[at_]))
        add_word();
      else if (is_digit(text_[at_]))
        add_number();
      else if (text_.substr(at_, 3) == "(+)")
        add("⊕", 3);
      else
        add_sign();
    }
    return std::move(out_);
  }

 private:
  void add(std::string_view shown, std::size_t length) {
    out_ += shown;
    at_ += length;
  }

  void add_word() {
    std::size_t end = at_;
    while (end < text_.size() &&
           (is_letter(text_[end]) || is_digit(text_[end])))
      ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    constexpr std::string_view space = "\u00a0";
    if (word == "deg" && out_.ends_with(space))
      out_.resize(out_.size() - space.size());
    for (const Symbol& symbol : symbols)
      if (symbol.word == word) return add(symbol.shown, word.size());
    add(literal_text(word), word.size());
  }

  // Includes the exponent: the minus sign in 1e-3 is not an operator.
  void add_number() {
    std::size_t end = at_;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      std::size_t digits = end + 1;
      if (digits < text_.size() &&
          (text_[digits] == '-' || text_[digits] == '+'))
        ++digits;
      if (digits < text_.size() && is_digit(text_[digits])) {
        end = digits;
        while (end < text_.size() && is_digit(text_[end])) ++end;
      }
    }
    add(text_.substr(at_, end - at_), end - at_);
    // keeps it on one line with its unit
    std::size_t next = at_;
    while (next < text_.size() && text_[next] == ' ') ++next;
    if (next > at_ && next < text_.size() &&
        (is_letter(text_[next]) || text_[next] == '%'))
      add("\u00a0", next - at_);
  }

  void add_sign() {
    switch (text_[at_]) {
      case '*':
        skip_spaces_before();
        add("·", 1);
        return skip_spaces();
      case '/':
        skip_spaces_before();
        add("/", 1);
        return skip_spaces();
      case '-':
        return add("−", 1);
      case '^':
        return add_power();
      default:
        return add(literal_text(text_.substr(at_, 1)), 1);
    }
  }

  // A number, or an expression of numbers in brackets, is raised.
  void add_power() {
    std::size_t from = at_ + 1;
    while (from < text_.size() && text_[from] == ' ') ++from;
    const bool brackets = from < text_.size() && text_[from] == '(';
    if (brackets) ++from;
    std::size_t end = from;
    constexpr std::string_view of_numbers = "0123456789./-";
    while (end < text_.size() && of_numbers.find(text_[end]) != text_.npos &&
           (brackets || text_[end] != '/'))
      ++end;
    const bool closed = !brackets || (end < text_.size() && text_[end] == ')');
    if (end == from || !closed) return add("\\^", 1);
    out_ += "^{";
    for (const char c : text_.substr(from, end - from))
      out_ += c == '-' ? std::string("−") : std::string(1, c);
    out_ += "}";
    at_ = end + (brackets ? 1 : 0);
  }

  void skip_spaces_before() {
    while (out_.ends_with(' ')) out_.pop_back();
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  RichText out_;
};

}  // namespace

RichText printed_formula(std::string_view formula) {
  return Writer(formula).write();
}

}  // namespace gttf::detail
