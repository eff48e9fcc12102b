// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "gttf/config/ascii.hpp"
#include "gttf/config/formula_text.hpp"
#include "gttf/config/known_unit.hpp"
#include "gttf/config/text.hpp"

namespace gttf::detail {
namespace {

/// Bytes of a character that may stand in a name (0: none): letters, and all
/// beyond ASCII but the circled plus; the micro sign is one of them.
std::size_t name_bytes(std::string_view text) {
  if (text.empty() || text.starts_with(circled_plus)) return 0;
  const char c = text[0];
  const bool letter =
      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  if (letter) return 1;
  return static_cast<unsigned char>(c) < 0x80 ? 0 : character_at(text, 0).bytes;
}

}  // namespace

void FormulaText::fail(std::string problem, std::string suggestion,
                       std::size_t begin, std::size_t end) {
  throw FormulaFault{std::move(problem), std::move(suggestion), begin,
                     std::max(end, begin + 1)};
}

void FormulaText::skip_spaces() {
  at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
}
bool FormulaText::at_end() {
  skip_spaces();
  return at_ == text_.size();
}
bool FormulaText::sees(std::string_view mark) {
  skip_spaces();
  return rest().starts_with(mark);
}
bool FormulaText::take(std::string_view mark) {
  if (!sees(mark)) return false;
  at_ += mark.size();
  return true;
}
bool FormulaText::sees_number() {
  skip_spaces();
  const std::string_view r = rest();
  return !r.empty() &&
         (is_digit(r[0]) || (r[0] == '.' && r.size() > 1 && is_digit(r[1])));
}
bool FormulaText::sees_name() {
  skip_spaces();
  return name_bytes(rest()) > 0;
}

std::string_view FormulaText::token() const {
  std::size_t end = at_;
  while (end < text_.size()) {
    const std::size_t bytes =
        is_digit(text_[end]) ? 1 : name_bytes(text_.substr(end));
    if (bytes == 0) break;
    end += bytes;
  }
  if (end == at_ && end < text_.size()) end += character_at(text_, at_).bytes;
  return text_.substr(at_, end - at_);
}

std::string_view FormulaText::unit_name() const {
  const std::string_view word = token();
  for (const std::string_view c : {"/c^2", "/c2", "/c"}) {
    if (!rest().substr(word.size()).starts_with(c)) continue;
    const std::string_view after = rest().substr(word.size() + c.size());
    if (name_bytes(after) > 0 || (!after.empty() && is_digit(after[0])))
      continue;
    const std::string_view longer = rest().substr(0, word.size() + c.size());
    if (find_unit(longer) != nullptr) return longer;
  }
  return word;
}

double FormulaText::take_number() {
  const std::size_t begin = at_;
  double value = 0;
  const char* first = text_.data() + at_;
  const auto [end, error] =
      std::from_chars(first, text_.data() + text_.size(), value);
  at_ += static_cast<std::size_t>(end - first);
  if (error != std::errc() || !std::isfinite(value))
    fail(fmt::format("{} is too large or too small for a number",
                     in_quotes(text_.substr(begin, at_ - begin))),
         "", begin, at_);
  return value;
}

std::vector<std::string> units_in_formulas() {
  std::vector<std::string> names;
  for (const Dimension d : {Dimension::length, Dimension::energy,
                            Dimension::angle, Dimension::field})
    for (std::string& name : units_of(d)) names.push_back(std::move(name));
  names.emplace_back("%");
  return names;
}

}  // namespace gttf::detail
