// SPDX-License-Identifier: Apache-2.0
// The text of a formula and the place that its parser has come to.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gttf::detail {

/// A fault stops the parser; the first one is told.
struct FormulaFault {
  std::string problem, suggestion;
  std::size_t begin = 0, end = 0;  ///< of the part that is wrong
};

class FormulaText {
 public:
  explicit FormulaText(std::string_view text) : text_(text) {}

  std::string_view text() const { return text_; }
  std::string_view rest() const { return text_.substr(at_); }
  std::size_t at() const { return at_; }
  void move_to(std::size_t at) { at_ = at; }

  /// These skip spaces first.
  bool at_end();
  bool sees(std::string_view mark);
  bool take(std::string_view mark);
  bool sees_number();
  bool sees_name();

  /// The name or number that stands here, else one character.
  std::string_view token() const;
  /// The name here, with "/c" if that makes it a unit of momentum.
  std::string_view unit_name() const;
  /// Takes a number without its unit. Throws FormulaFault.
  double take_number();

  /// Throws FormulaFault.
  [[noreturn]] static void fail(std::string problem, std::string suggestion,
                                std::size_t begin, std::size_t end);

  void skip_spaces();

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// Names of all units that a formula may use.
std::vector<std::string> units_in_formulas();

/// The sign of a quadratic sum besides "(+)".
inline constexpr std::string_view circled_plus = "\u2295";

}  // namespace gttf::detail
