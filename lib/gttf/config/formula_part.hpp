// SPDX-License-Identifier: Apache-2.0
// Parts of a formula that is being read, and the rules for their dimensions.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "gttf/config/formula.hpp"

namespace gttf::detail {

/// A part of a formula and where it stands.
struct Part {
  std::vector<Formula::Step> steps;
  Powers powers;
  std::size_t begin = 0, end = 0;
  bool percent = false;    ///< a number in %, and nothing else
  bool reference = false;  ///< the reference variable, and nothing else
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

/// Both parts under one operator.
Part joined_by(Part left, Part right, Formula::Code code, Powers powers);

/// Sum, difference or quadratic sum. Throws FormulaFault if their dimensions
/// differ or a percentage is ambiguous.
Part added(Part left, Part right, const Sign& sign, const FormulaRules& rules);

/// Its value if it uses no variable.
std::optional<double> constant_of(const Part& part);

/// These throw FormulaFault.
void check_argument(const Function& function, const Part& part);
void check_result(const Part& whole, std::string_view text,
                  const FormulaRules& rules);

}  // namespace gttf::detail
