// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <utility>

#include "gttf/config/formula_part.hpp"
#include "gttf/config/formula_text.hpp"
#include "gttf/config/text.hpp"

namespace gttf::detail {

using Code = Formula::Code;
using Step = Formula::Step;

namespace {

/// a + 0.1 % of a = 1.001 a
Part with_percent(Part left, const Part& percent, Code code) {
  const double share = percent.steps.front().value;
  left.steps.push_back(
      {Code::constant, code == Code::add ? 1 + share : 1 - share});
  left.steps.push_back({Code::multiply});
  left.end = percent.end;
  left.reference = false;
  return left;
}

std::string how_to_match(const Part& left, const Part& right) {
  const Powers momentum{.energy = 1};
  const bool extra = left.powers == momentum + right.powers ||
                     right.powers == momentum + left.powers;
  return extra ? "give the coefficient its unit: \"0.1 % / GeV * pT\", or "
                 "\"0.1 % * pT / GeV\""
               : "";
}

}  // namespace

Part joined_by(Part left, Part right, Code code, Powers powers) {
  left.steps.insert(left.steps.end(), right.steps.begin(), right.steps.end());
  left.steps.push_back({code});
  left.powers = powers;
  left.end = right.end;
  left.percent = left.reference = false;
  left.has_reference = left.has_reference || right.has_reference;
  return left;
}

Part added(Part left, Part right, const Sign& sign, const FormulaRules& rules) {
  const bool uses = left.has_reference || right.has_reference;
  if (uses && (left.percent || right.percent)) {
    if (left.reference && right.percent && sign.code != Code::quadratic_sum)
      return with_percent(std::move(left), right, sign.code);
    const std::string& name = rules.variables[rules.reference].name;
    const Part& percent = left.percent ? left : right;
    FormulaText::fail(
        "of what is this a percentage?",
        fmt::format("write \"{0} + 0.1 %\", which is 0.1 % of {0}, or "
                    "multiply: \"1.001 * {0}\"",
                    name),
        percent.begin, percent.end);
  }
  if (left.powers != right.powers)
    FormulaText::fail(fmt::format("cannot add {} and {}", name_of(left.powers),
                                  name_of(right.powers)),
                      how_to_match(left, right), sign.begin, sign.end);
  const Powers powers = left.powers;
  return joined_by(std::move(left), std::move(right), sign.code, powers);
}

std::optional<double> constant_of(const Part& part) {
  for (const Step& step : part.steps)
    if (step.code == Code::variable) return std::nullopt;
  return Formula::evaluate(part.steps, {});
}

void check_argument(const Function& function, const Part& part) {
  const Powers angle{.angle = 1};
  if (function.argument == Function::Argument::angle && part.powers != angle)
    FormulaText::fail(fmt::format("{} is of an angle, got {}", function.name,
                                  name_of(part.powers)),
                      is_number(part.powers)
                          ? "write for example sin(theta), or multiply "
                            "by rad"
                          : "",
                      part.begin, part.end);
  if (function.argument == Function::Argument::number &&
      !is_number(part.powers))
    FormulaText::fail(fmt::format("{} is of a number, got {}", function.name,
                                  name_of(part.powers)),
                      "divide by a unit", part.begin, part.end);
}

void check_result(const Part& whole, std::string_view text,
                  const FormulaRules& rules) {
  if (whole.powers == rules.powers) return;
  const std::string wanted = name_of(rules.powers);
  const std::string unit = example_unit(rules.powers);
  const bool bare = whole.steps.size() == 1 &&
                    whole.steps[0].code == Code::constant &&
                    is_number(whole.powers) && !whole.percent;
  if (bare)
    FormulaText::fail(
        fmt::format("missing unit: expected {}, got {}", wanted,
                    in_quotes(text)),
        fmt::format("add a unit, for example \"{} {}\"", trimmed(text), unit),
        whole.begin, whole.end);
  const std::string got = whole.percent ? "a fraction" : name_of(whole.powers);
  const Powers momentum{.energy = 1};
  const bool extra = whole.powers == momentum + rules.powers;
  FormulaText::fail(
      fmt::format("expected {}, got {} ({})", wanted, got, in_quotes(text)),
      extra ? "divide pT by its unit: \"pT / GeV\""
            : (unit.empty() ? "" : fmt::format("it is in {}", unit)),
      whole.begin, whole.end);
}

}  // namespace gttf::detail
