// SPDX-License-Identifier: Apache-2.0
// Formula: "0.003 % * pT / GeV (+) 0.2 %", checked for its dimension.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/powers.hpp"
#include "gttf/config/quantity.hpp"

namespace gttf {

/// A name that a formula may use, and the dimension of what it stands for.
struct FormulaVariable {
  std::string name;
  Powers powers;
};

/// What a formula may use and has to give.
struct FormulaRules {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::vector<FormulaVariable> variables;
  Powers powers;  ///< of the result
  /// Index of the variable that a % next to it is of: with "baseline",
  /// `baseline + 0.1 %` is 1.001 times it.
  std::size_t reference = none;
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

  /// The value for these variables, in the order of the rules; not finite
  /// where the expression has none (1/0, sqrt(-1)).
  double operator()(std::span<const double> variables) const {
    return evaluate(steps_, variables);
  }
  static double evaluate(std::span<const Step> steps,
                         std::span<const double> variables);

  /// Whether it uses that variable.
  bool uses(std::size_t variable) const;
  /// As it was written, without spaces at the ends.
  const std::string& text() const { return text_; }

 private:
  friend Parsed<Formula> parse_formula(std::string_view text,
                                       const FormulaRules& rules);
  std::vector<Step> steps_;
  std::string text_;
};

/// Reads a formula. Precedence from weak to strong: `+ - (+)`, `* /`, sign,
/// `^`; `a (+) b` is sqrt(a^2 + b^2), also written with U+2295; it does not mix
/// with + and - without brackets. A number may carry a unit, which may also
/// stand alone; `pi` and the functions sin cos tan (of angles), sqrt abs min
/// max, exp log (of numbers) are known. Case counts.
///
/// Refused with their place: wrong syntax, unknown names, a sum of different
/// dimensions, a result of the wrong dimension or without unit, and a % added
/// to more than the reference variable, as it would be ambiguous.
Parsed<Formula> parse_formula(std::string_view text, const FormulaRules& rules);

}  // namespace gttf
