// SPDX-License-Identifier: Apache-2.0
// Reads formulas: recursive descent, dimensions checked on the way.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "gttf/config/formula.hpp"
#include "gttf/config/formula_part.hpp"
#include "gttf/config/formula_text.hpp"
#include "gttf/config/known_unit.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/units.hpp"

namespace gttf {
namespace {

using Code = Formula::Code;
using detail::Function;
using detail::Part;

constexpr int deepest = 64;  // brackets and signs within each other

class Parser : private detail::FormulaText {
 public:
  Parser(std::string_view text, const FormulaRules& rules)
      : FormulaText(text), rules_(rules) {}

  Part parse() {
    Part whole = sum();
    if (!at_end()) {
      const std::string_view rest = text().substr(at());
      if (rest[0] == ')')
        fail("this bracket closes nothing", "", at(), at() + 1);
      if (rest[0] == ',')
        fail("a comma is not allowed here", "decimals have a point", at(),
             at() + 1);
      fail(fmt::format("{} is not expected here", in_quotes(token())),
           "write an operator: + - * / ^ or (+)", at(), at() + token().size());
    }
    detail::check_result(whole, text(), rules_);
    return whole;
  }

 private:
  enum class Sum { none, plain, quadratic };

  Part sum() {
    Part left = product();
    Sum kind = Sum::none;
    while (true) {
      skip_spaces();
      const std::size_t sign = at();
      Code code = Code::add;
      if (take("(+)") || take(detail::circled_plus))
        code = Code::quadratic_sum;
      else if (take("+"))
        code = Code::add;
      else if (take("-"))
        code = Code::subtract;
      else
        return left;
      const Sum now = code == Code::quadratic_sum ? Sum::quadratic : Sum::plain;
      if (kind != Sum::none && kind != now)
        fail("a quadratic and a plain sum in one", "use brackets", sign, at());
      kind = now;
      const std::size_t sign_end = at();
      Part right = product();
      left = detail::added(std::move(left), std::move(right),
                           {code, sign, sign_end}, rules_);
    }
  }

  Part product() {
    Part left = signed_part();
    while (true) {
      if (take("*")) {
        Part right = signed_part();
        const Powers powers = left.powers + right.powers;
        left = detail::joined_by(std::move(left), std::move(right),
                                 Code::multiply, powers);
      } else if (take("/")) {
        Part right = signed_part();
        const Powers powers = left.powers + -1.0 * right.powers;
        left = detail::joined_by(std::move(left), std::move(right),
                                 Code::divide, powers);
      } else {
        return left;
      }
    }
  }

  Part signed_part() {
    skip_spaces();
    const std::size_t begin = at();
    if (!sees("(+)") && take("-")) {
      enter(begin);
      Part part = signed_part();
      --depth_;
      if (part.percent)
        part.steps.front().value *= -1;
      else
        part.steps.push_back({Code::negate});
      part.begin = begin;
      part.reference = false;
      return part;
    }
    if (take("+")) {
      enter(begin);
      Part part = signed_part();
      --depth_;
      part.begin = begin;
      return part;
    }
    return power();
  }

  Part power() {
    Part base = primary();
    skip_spaces();
    const std::size_t sign = at();
    const bool python = sees("**");
    if (python)
      fail("\"**\" is not known", "write ^ for a power", sign, sign + 2);
    if (!take("^")) return base;
    Part exponent = signed_part();
    if (!is_number(exponent.powers))
      fail(fmt::format("an exponent is a number, got {}",
                       name_of(exponent.powers)),
           "", exponent.begin, exponent.end);
    Powers powers;
    if (!is_number(base.powers)) {
      const std::optional<double> n = detail::constant_of(exponent);
      if (!n)
        fail(fmt::format("the exponent of {} must be a constant",
                         name_of(base.powers)),
             "", exponent.begin, exponent.end);
      powers = *n * base.powers;
    }
    return detail::joined_by(std::move(base), std::move(exponent), Code::power,
                             powers);
  }

  void enter(std::size_t begin) {
    if (++depth_ > deepest)
      fail("too many brackets within each other", "", begin, begin + 1);
  }

  Part primary() {
    if (at_end()) fail("the formula ends too early", "", text().size(), 0);
    const std::size_t begin = at();
    if (sees("(+)"))
      fail("a value is missing before \"(+)\"", "", begin, begin + 3);
    if (take("(")) {
      enter(begin);
      Part part = sum();
      if (!take(")")) not_closed(begin);
      --depth_;
      part.begin = begin;
      part.end = at();
      return part;
    }
    if (sees_number()) return number();
    if (sees_name()) return named();
    fail(fmt::format("expected a value, got {}", in_quotes(token())), "", at(),
         at() + token().size());
  }

  [[noreturn]] void not_closed(std::size_t begin) {
    if (sees(","))
      fail("a comma is not allowed here", "decimals have a point", at(),
           at() + 1);
    fail("the bracket \"(\" is not closed", "add \")\"", begin, begin + 1);
  }

  Part number() {
    Part part;
    part.begin = at();
    double value = take_number();
    part.end = at();
    const bool comma = in_call_ == 0 && rest().size() > 1 && rest()[0] == ',' &&
                       rest()[1] >= '0' && rest()[1] <= '9';
    if (comma)
      fail("a decimal comma", "decimals have a point", part.begin, at() + 1);
    if (take("%")) {
      value *= unit::percent;
      part.percent = true;
      part.end = at();
    } else if (sees_name()) {
      value *= unit_of_number(part);
      part.end = at();
    }
    part.steps.push_back({Code::constant, value});
    return part;
  }

  /// The factor of the unit behind a number.
  double unit_of_number(Part& part) {
    const std::size_t begin = at();
    const std::string_view name = unit_name();
    if (const auto* unit = detail::find_unit(name)) {
      move_to(begin + name.size());
      part.powers = powers_of(unit->dimension);
      return unit->factor;
    }
    const std::string_view number =
        trimmed(text().substr(part.begin, begin - part.begin));
    const std::string_view word = token();
    const bool known = find_variable(word) != FormulaRules::none ||
                       find_function(word) != nullptr || word == "pi";
    if (known)
      fail(fmt::format("an operator is missing before {}", in_quotes(word)),
           fmt::format("write \"{} * {}\"", number, word), begin,
           begin + word.size());
    const auto near = nearest(word, detail::units_in_formulas());
    fail(fmt::format("unknown unit {}", in_quotes(word)),
         near
             ? fmt::format("did you mean \"{} {}\"?", number, *near)
             : fmt::format("units are {}", joined(detail::units_in_formulas())),
         begin, begin + word.size());
  }

  std::size_t find_variable(std::string_view name) const {
    const auto it =
        std::ranges::find(rules_.variables, name, &FormulaVariable::name);
    return it == rules_.variables.end()
               ? FormulaRules::none
               : static_cast<std::size_t>(it - rules_.variables.begin());
  }
  static const Function* find_function(std::string_view name) {
    const auto it = std::ranges::find(detail::functions, name, &Function::name);
    return it == detail::functions.end() ? nullptr : &*it;
  }

  Part named() {
    Part part;
    part.begin = at();
    const std::string_view name = token();
    const std::size_t variable = find_variable(name);
    if (variable != FormulaRules::none) {
      move_to(at() + name.size());
      part.end = at();
      part.powers = rules_.variables[variable].powers;
      part.reference = part.has_reference = variable == rules_.reference;
      part.steps.push_back({Code::variable, 0, variable});
      return part;
    }
    if (const Function* function = find_function(name)) return call(*function);
    if (name == "pi") {
      move_to(at() + name.size());
      part.end = at();
      part.steps.push_back({Code::constant, unit::pi});
      return part;
    }
    const std::string_view unit = unit_name();
    if (const auto* known = detail::find_unit(unit)) {
      move_to(at() + unit.size());
      part.end = at();
      part.powers = powers_of(known->dimension);
      part.steps.push_back({Code::constant, known->factor});
      return part;
    }
    unknown(name);
  }

  [[noreturn]] void unknown(std::string_view name) const {
    std::vector<std::string> known;
    for (const FormulaVariable& v : rules_.variables) known.push_back(v.name);
    for (const Function& f : detail::functions) known.emplace_back(f.name);
    known.emplace_back("pi");
    std::vector<std::string> candidates = known;
    for (std::string& u : detail::units_in_formulas())
      candidates.push_back(std::move(u));
    const auto near = nearest(name, candidates);
    fail(fmt::format("unknown name {}", in_quotes(name)),
         near ? fmt::format("did you mean {}?", in_quotes(*near))
              : fmt::format("known: {}, and units", joined(known)),
         at(), at() + name.size());
  }

  Part call(const Function& function) {
    const std::size_t begin = at();
    move_to(at() + function.name.size());
    if (!take("("))
      fail(fmt::format("the brackets of {} are missing",
                       in_quotes(function.name)),
           fmt::format("write {}(...)", function.name), begin,
           begin + function.name.size());
    enter(begin);
    in_call_ += function.n_arguments > 1;
    Part part = sum();
    for (int i = 1; i < function.n_arguments; ++i) {
      skip_spaces();
      const std::size_t comma = at();
      if (!take(","))
        fail(fmt::format("{} takes {} values", in_quotes(function.name),
                         function.n_arguments),
             fmt::format("write {}(a, b)", function.name), begin, at());
      Part next = sum();
      if (next.powers != part.powers)
        fail(fmt::format("{} of {} and {}", function.name, name_of(part.powers),
                         name_of(next.powers)),
             "", comma, comma + 1);
      const Powers powers = part.powers;
      part = detail::joined_by(std::move(part), std::move(next), function.code,
                               powers);
    }
    in_call_ -= function.n_arguments > 1;
    if (!take(")")) not_closed(begin + function.name.size());
    --depth_;
    detail::check_argument(function, part);
    if (function.n_arguments == 1) part.steps.push_back({function.code});
    if (function.code == Code::sqrt) part.powers = 0.5 * part.powers;
    if (function.argument != Function::Argument::any) part.powers = {};
    part.begin = begin;
    part.end = at();
    part.percent = part.reference = false;
    return part;
  }

  const FormulaRules& rules_;
  int depth_ = 0;
  int in_call_ = 0;  ///< depth of functions whose values commas separate
};

}  // namespace

Parsed<Formula> parse_formula(std::string_view text,
                              const FormulaRules& rules) {
  Parsed<Formula> result;
  try {
    Part whole = Parser(text, rules).parse();
    result.value.steps_ = std::move(whole.steps);
    result.value.text_ = trimmed(text);
  } catch (const detail::FormulaFault& fault) {
    result.problem = fault.problem;
    result.suggestion = fault.suggestion;
    result.offset = std::min(fault.begin, text.size());
    result.length = fault.end - fault.begin;
  }
  return result;
}

}  // namespace gttf
