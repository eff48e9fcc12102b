// SPDX-License-Identifier: Apache-2.0
// Formula: "0.003 % * pT / GeV (+) 0.2 %", checked for its dimension.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/quantity.hpp"

namespace gttf {

/// A name that a formula may use, and its dimension. A name that is not a
/// single word (`layers[L0].cylinder.radius`) is recognised if the text
/// continues with all of it.
struct FormulaVariable {
  std::string name;
  Powers powers;
};

/// Allowed names and required result of a formula.
struct FormulaRules {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::vector<FormulaVariable> variables;
  Powers powers;  ///< of the result
  /// Index of the variable that a neighbouring % refers to: with "baseline",
  /// `baseline + 0.1 %` is 1.001 times it.
  std::size_t reference = none;
  bool any_powers = false;  ///< allow any dimension of the result
};

/// An expression in native units. Immutable.
class Formula {
 public:
  enum class Code {
    constant,
    variable,
    add,
    subtract,
    quadratic_sum,
    multiply,
    divide,
    power,
    negate,
    sin,
    cos,
    tan,
    sqrt,
    exp,
    log,
    abs,
    min,
    max
  };
  /// One step of a stack machine.
  struct Step {
    Code code = Code::constant;
    double value = 0;          ///< of a constant
    std::size_t variable = 0;  ///< index
  };

  /// The value for these variables, in the order of the rules; not finite where
  /// the expression has none (1/0, sqrt(-1)). For scalars with derivatives, the
  /// derivatives of the value are returned as well.
  double operator()(std::span<const double> variables) const {
    return evaluate<double>(steps_, variables);
  }
  template <class S>
  S value(std::span<const S> variables) const {
    return evaluate<S>(steps_, variables);
  }
  template <class S>
  static S evaluate(std::span<const Step> steps, std::span<const S> variables);

  /// Whether it uses the variable.
  bool uses(std::size_t variable) const;
  /// The text as written, trimmed.
  const std::string& text() const { return text_; }
  /// The dimension of its value.
  const Powers& powers() const { return powers_; }

 private:
  friend Parsed<Formula> parse_formula(std::string_view text,
                                       const FormulaRules& rules);
  std::vector<Step> steps_;
  std::string text_;
  Powers powers_;
};

template <class S>
S Formula::evaluate(std::span<const Step> steps, std::span<const S> variables) {
  using std::abs, std::cos, std::exp, std::hypot, std::log, std::max, std::min,
      std::pow, std::sin, std::sqrt, std::tan;
  std::vector<S> stack;
  const auto unary = [&](auto f) { stack.back() = f(stack.back()); };
  const auto binary = [&](auto f) {
    const S b = stack.back();
    stack.pop_back();
    stack.back() = f(stack.back(), b);
  };
  for (const Step& step : steps) {
    switch (step.code) {
      case Code::constant:
        stack.push_back(S(step.value));
        break;
      case Code::variable:
        stack.push_back(variables[step.variable]);
        break;
      case Code::add:
        binary([](const S& a, const S& b) { return a + b; });
        break;
      case Code::subtract:
        binary([](const S& a, const S& b) { return a - b; });
        break;
      case Code::quadratic_sum:
        binary([](const S& a, const S& b) { return hypot(a, b); });
        break;
      case Code::multiply:
        binary([](const S& a, const S& b) { return a * b; });
        break;
      case Code::divide:
        binary([](const S& a, const S& b) { return a / b; });
        break;
      case Code::power:
        binary([](const S& a, const S& b) { return pow(a, b); });
        break;
      case Code::min:
        binary([](const S& a, const S& b) { return min(a, b); });
        break;
      case Code::max:
        binary([](const S& a, const S& b) { return max(a, b); });
        break;
      case Code::negate:
        unary([](const S& a) { return -a; });
        break;
      case Code::sin:
        unary([](const S& a) { return sin(a); });
        break;
      case Code::cos:
        unary([](const S& a) { return cos(a); });
        break;
      case Code::tan:
        unary([](const S& a) { return tan(a); });
        break;
      case Code::sqrt:
        unary([](const S& a) { return sqrt(a); });
        break;
      case Code::exp:
        unary([](const S& a) { return exp(a); });
        break;
      case Code::log:
        unary([](const S& a) { return log(a); });
        break;
      case Code::abs:
        unary([](const S& a) { return abs(a); });
        break;
    }
  }
  assert(stack.size() == 1);
  return stack.back();
}

/// Reads a formula. Precedence from weak to strong: `+ - (+)`, `* /`, sign,
/// `^`; `a (+) b` is sqrt(a^2 + b^2), also written with U+2295; it does not mix
/// with + and - without brackets. A number may have a unit; a unit may also be
/// used alone; `pi` and the functions sin cos tan (of angles), sqrt abs min
/// max, exp log (of numbers) are known; mm2, cm2 and so on are areas. Names are
/// case-sensitive.
///
/// Refused with location: syntax errors, unknown names, a sum of different
/// dimensions, a result of the wrong dimension or without unit, and a % added
/// to more than the reference variable, as it would be ambiguous.
Parsed<Formula> parse_formula(std::string_view text, const FormulaRules& rules);

}  // namespace gttf

// Parts of a formula during parsing, and the rules for their dimensions.
namespace gttf::detail {

/// A part of a formula and its location.
struct Part {
  std::vector<Formula::Step> steps;
  Powers powers;
  std::size_t begin = 0, end = 0;
  bool percent = false;    ///< only a number in %
  bool reference = false;  ///< only the reference variable
  bool has_reference = false;
};

struct Function {
  std::string_view name;
  Formula::Code code;
  enum class Argument { angle, number, any } argument;
  int n_arguments = 1;
};
inline constexpr std::array<Function, 9> functions{{
    {"sin", Formula::Code::sin, Function::Argument::angle},
    {"cos", Formula::Code::cos, Function::Argument::angle},
    {"tan", Formula::Code::tan, Function::Argument::angle},
    {"exp", Formula::Code::exp, Function::Argument::number},
    {"log", Formula::Code::log, Function::Argument::number},
    {"sqrt", Formula::Code::sqrt, Function::Argument::any},
    {"abs", Formula::Code::abs, Function::Argument::any},
    {"min", Formula::Code::min, Function::Argument::any, 2},
    {"max", Formula::Code::max, Function::Argument::any, 2},
}};

/// The sign between two parts.
struct Sign {
  Formula::Code code = Formula::Code::add;
  std::size_t begin = 0, end = 0;
};

/// Combines both parts with an operator.
Part joined_by(Part left, Part right, Formula::Code code, Powers powers);

/// Sum, difference or quadratic sum. Throws FormulaError if their dimensions
/// differ or a percentage is ambiguous.
Part added(Part left, Part right, const Sign& sign, const FormulaRules& rules);

/// Its value if it uses no variable.
std::optional<double> constant_of(const Part& part);

/// These throw FormulaError.
void check_argument(const Function& function, const Part& part);
void check_result(const Part& whole, std::string_view text,
                  const FormulaRules& rules);

// The text of a formula and the current position of the parser.

/// An error stops the parser; only the first one is reported.
struct FormulaError {
  std::string problem, suggestion;
  std::size_t begin = 0, end = 0;  ///< of the erroneous part
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

  /// The name or number at this position, else one character.
  std::string_view token() const;
  /// The name here, with "/c" if that makes it a unit of momentum.
  std::string_view unit_name() const;
  /// Parses a number without its unit. Throws FormulaError.
  double take_number();

  /// Throws FormulaError.
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
