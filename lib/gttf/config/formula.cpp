// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/formula.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "gttf/config/quantity.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/read_decimal.hpp"
#include "gttf/core/units.hpp"

namespace gttf {

bool Formula::uses(std::size_t variable) const {
  return std::ranges::any_of(steps_, [variable](const Step& step) {
    return step.code == Code::variable && step.variable == variable;
  });
}

}  // namespace gttf

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
        "a percentage of an unknown quantity",
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
  return Formula::evaluate<double>(part.steps, {});
}

void check_argument(const Function& function, const Part& part) {
  const Powers angle{.angle = 1};
  if (function.argument == Function::Argument::angle && part.powers != angle)
    FormulaText::fail(fmt::format("{} takes an angle, got {}", function.name,
                                  name_of(part.powers)),
                      is_number(part.powers)
                          ? "write for example sin(theta), or multiply "
                            "by rad"
                          : "",
                      part.begin, part.end);
  if (function.argument == Function::Argument::number &&
      !is_number(part.powers))
    FormulaText::fail(fmt::format("{} takes a number, got {}", function.name,
                                  name_of(part.powers)),
                      "divide by a unit", part.begin, part.end);
}

void check_result(const Part& whole, std::string_view text,
                  const FormulaRules& rules) {
  if (rules.any_powers || whole.powers == rules.powers) return;
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

namespace {

/// Length in bytes of a character allowed in a name (0: not allowed): letters
/// and all non-ASCII characters (e.g. the micro sign) except the circled plus.
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
  throw FormulaError{std::move(problem), std::move(suggestion), begin,
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
      read_decimal(first, text_.data() + text_.size(), value);
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

namespace gttf {
namespace {

using Code = Formula::Code;
using detail::Function;
using detail::Part;

constexpr int deepest = 64;  // nested brackets and signs

/// A unit in formulas: the units of quantities, and squares of lengths.
struct FormulaUnit {
  double factor;
  Powers powers;
};
std::optional<FormulaUnit> find_formula_unit(std::string_view name) {
  if (const auto* unit = detail::find_unit(name))
    return FormulaUnit{unit->factor, powers_of(unit->dimension)};
  if (!name.ends_with('2')) return std::nullopt;
  name.remove_suffix(1);
  const auto* unit = detail::find_unit(name);
  if (unit == nullptr || unit->dimension != Dimension::length)
    return std::nullopt;
  return FormulaUnit{unit->factor * unit->factor, {.length = 2}};
}

class Parser : private detail::FormulaText {
 public:
  Parser(std::string_view text, const FormulaRules& rules)
      : FormulaText(text), rules_(rules) {}

  Part parse() {
    Part whole = sum();
    if (!at_end()) {
      const std::string_view rest = text().substr(at());
      if (rest[0] == ')')
        fail("closing bracket without an opening one", "", at(), at() + 1);
      if (rest[0] == ',')
        fail("a comma is not allowed here", "use a decimal point", at(),
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
        fail("a quadratic and a plain sum are mixed", "use brackets", sign,
             at());
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
      fail("brackets are nested too deeply", "", begin, begin + 1);
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
      fail("a comma is not allowed here", "use a decimal point", at(),
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
      fail("a decimal comma", "use a decimal point", part.begin, at() + 1);
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

  /// The factor of the unit after a number.
  double unit_of_number(Part& part) {
    const std::size_t begin = at();
    const std::string_view name = unit_name();
    if (const auto unit = find_formula_unit(name)) {
      move_to(begin + name.size());
      part.powers = unit->powers;
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

  /// The word at this position, or the variable of the rules that starts here.
  std::string_view name_here() const {
    const std::string_view word = token();
    std::size_t longest = word.size();
    for (const FormulaVariable& v : rules_.variables)
      if (v.name.size() > longest && rest().starts_with(v.name))
        longest = v.name.size();
    return rest().substr(0, longest);
  }

  Part named() {
    Part part;
    part.begin = at();
    const std::string_view name = name_here();
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
    if (const auto known = find_formula_unit(unit)) {
      move_to(at() + unit.size());
      part.end = at();
      part.powers = known->powers;
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
    result.value.powers_ = whole.powers;
    result.value.steps_ = std::move(whole.steps);
    result.value.text_ = trimmed(text);
  } catch (const detail::FormulaError& error) {
    result.problem = error.problem;
    result.suggestion = error.suggestion;
    result.offset = std::min(error.begin, text.size());
    result.length = error.end - error.begin;
  }
  return result;
}

}  // namespace gttf
