// SPDX-License-Identifier: Apache-2.0
// Reads the limits of a requirement: max, min, is, relative_to_baseline.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "gttf/config/text.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/check/read_criterion.hpp"

namespace gttf::detail {
namespace {

constexpr std::string_view baseline_name = "baseline";

/// A formula in the dimension of the quantity.
std::optional<Formula> read_formula(const Value& value,
                                    const CheckedQuantity& quantity) {
  if (!value.is_scalar()) {
    value.expected("a value or a formula");
    return std::nullopt;
  }
  const FormulaRules rules{limit_variables(quantity), quantity.powers,
                           baseline_variable};
  const std::string& text = value.node().text();
  Parsed<Formula> parsed = parse_formula(text, rules);
  if (parsed) return std::move(parsed.value);
  value.part(parsed.offset, parsed.length)
      .error(parsed.problem, parsed.suggestion);
  return std::nullopt;
}

void no_baseline(const Value& value) {
  value.error("there is no baseline",
              "add \"baseline: FILE\" at the top of the file, written by "
              "'gttf-design baseline'");
}

/// "0.1 %" of the limit, or a value in the dimension of the quantity.
Tolerance read_tolerance(const Value& value, const CheckedQuantity& quantity) {
  Tolerance tolerance;
  if (!value.is_scalar()) {
    value.expected("a tolerance", "write for example \"0.1 %\"");
    return tolerance;
  }
  const std::string_view text = trimmed(value.node().text());
  if (text.ends_with('%')) {
    tolerance.relative = value.quantity(Dimension::fraction).value_or(0);
  } else {
    const Parsed<Formula> parsed =
        parse_formula(text, {{}, quantity.powers, FormulaRules::none});
    if (parsed)
      tolerance.absolute = parsed.value({});
    else
      value.part(parsed.offset, parsed.length)
          .error(parsed.problem, parsed.suggestion);
  }
  if (tolerance.relative < 0 || tolerance.absolute < 0 ||
      !std::isfinite(tolerance.absolute)) {
    value.error(fmt::format("a tolerance must not be negative, got {}",
                            in_quotes(text)));
    tolerance = {};
  }
  return tolerance;
}

std::vector<std::string> known_texts(const std::string& column) {
  std::vector<std::string> texts;
  if (column == "regime")
    for (const Regime r :
         {Regime::scattering, Regime::mixed, Regime::hits, Regime::weak})
      texts.emplace_back(to_string(r));
  if (column == "status")
    for (const Status s :
         {Status::ok, Status::no_field, Status::too_few_hits, Status::curls_up,
          Status::stops, Status::outside_map, Status::not_determined})
      texts.emplace_back(to_string(s));
  if (column == "track_end")
    for (const TrackEnd e : {TrackEnd::leaves, TrackEnd::curls_up})
      texts.emplace_back(to_string(e));
  return texts;  // empty: names that the user chose
}

void read_text(const Value& value, bool has_baseline, Criterion& criterion) {
  const std::vector<Value> items =
      value.is_list() ? value.items() : std::vector<Value>{value};
  if (items.empty()) value.error("the list is empty", "give at least one text");
  const std::vector<std::string> known = known_texts(criterion.quantity.name);
  for (const Value& item : items) {
    if (item.is(baseline_name)) {
      criterion.text_of_baseline = true;
      if (!has_baseline) no_baseline(item);
      continue;
    }
    if (known.empty()) {
      if (const auto text = item.text()) criterion.texts.push_back(*text);
    } else if (const auto i = item.choice(criterion.quantity.name, known)) {
      criterion.texts.push_back(known[*i]);
    }
  }
}

/// A share of 5 is a slip: 5 % is meant, not 500 %.
bool is_slip(const Value& value, const CheckedQuantity& quantity) {
  if (quantity.shown_unit != unit::percent || !value.is_scalar()) return false;
  const std::string& text = value.node().text();
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end && number > 1;
}

class LimitReader {
 public:
  LimitReader(const LimitKeys& keys, bool has_baseline, Criterion& criterion)
      : keys_(keys), has_baseline_(has_baseline), criterion_(criterion) {}

  void read_numbers() {
    Tolerance tolerance;
    if (keys_.tolerance)
      tolerance = read_tolerance(*keys_.tolerance, criterion_.quantity);
    criterion_.max = limit(keys_.max, tolerance);
    criterion_.min = limit(keys_.min, tolerance);
    criterion_.equal = limit(keys_.is, tolerance);
    if (keys_.relative_to_baseline) read_relative(*keys_.relative_to_baseline);
  }

 private:
  std::optional<Limit> limit(const std::optional<Value>& value,
                             const Tolerance& tolerance) {
    if (!value) return std::nullopt;
    if (is_slip(*value, criterion_.quantity)) {
      value->error(fmt::format("the unit is missing in {}",
                               in_quotes(value->node().text())),
                   fmt::format("write {} %, or a fraction below 1",
                               value->node().text()));
      return std::nullopt;
    }
    auto formula = read_formula(*value, criterion_.quantity);
    if (!formula) return std::nullopt;
    if (formula->uses(baseline_variable) && !has_baseline_) no_baseline(*value);
    return Limit{std::move(*formula), tolerance, diagnostic_at(value->node())};
  }

  /// Within the tolerance on both sides of the baseline.
  void read_relative(const Value& value) {
    if (!has_baseline_) no_baseline(value);
    Tolerance tolerance;
    if (value.is_map()) {
      MapReader map(value);
      if (const auto item = map.require("tolerance", "0.1 %"))
        tolerance = read_tolerance(*item, criterion_.quantity);
      map.finish();
    } else {
      tolerance = read_tolerance(value, criterion_.quantity);
    }
    const Parsed<Formula> same = parse_formula(
        baseline_name, {limit_variables(criterion_.quantity),
                        criterion_.quantity.powers, baseline_variable});
    criterion_.equal =
        Limit{same.value, tolerance, diagnostic_at(value.node())};
  }

  const LimitKeys& keys_;
  bool has_baseline_;
  Criterion& criterion_;
};

}  // namespace

LimitKeys find_limits(MapReader& map) {
  // in braces the order of evaluation, and so of messages, is fixed
  return {map.find("min"), map.find("max"), map.find("is"),
          map.find("relative_to_baseline"), map.find("tolerance")};
}

void read_limits(const Value& entry, const LimitKeys& keys, bool has_baseline,
                 Criterion& criterion) {
  if (!keys.min && !keys.max && !keys.is && !keys.relative_to_baseline) {
    entry.error("the requirement has no limit",
                "add \"max\", \"min\", \"is\" or \"relative_to_baseline\"");
    return;
  }
  for (const auto& [name, value] :
       {std::pair{"is", &keys.is},
        std::pair{"relative_to_baseline", &keys.relative_to_baseline}}) {
    const bool others =
        keys.min || keys.max ||
        (value == &keys.is ? keys.relative_to_baseline : keys.is).has_value();
    if (!*value || !others) continue;
    (*value)->error(fmt::format("{} excludes other limits", in_quotes(name)),
                    "make two requirements of it");
    return;
  }
  if (keys.relative_to_baseline && keys.tolerance) {
    keys.tolerance->error(
        "the tolerance belongs to relative_to_baseline",
        "write \"relative_to_baseline: { tolerance: 0.1 % }\"");
    return;
  }
  if (!criterion.quantity.is_text()) {
    LimitReader(keys, has_baseline, criterion).read_numbers();
    return;
  }
  for (const auto* value :
       {&keys.min, &keys.max, &keys.relative_to_baseline, &keys.tolerance})
    if (*value)
      (*value)->error(
          fmt::format("{} is a text", in_quotes(criterion.quantity.name)),
          "limit it by \"is\": a text, a list, or baseline");
  if (keys.is) read_text(*keys.is, has_baseline, criterion);
}

}  // namespace gttf::detail

namespace gttf {

double Tolerance::of(double limit) const {
  return absolute + relative * std::abs(limit);
}

std::vector<FormulaVariable> limit_variables(const CheckedQuantity& quantity) {
  const Powers momentum{.energy = 1}, angle{.angle = 1};
  return {{"p", momentum},
          {"pT", momentum},
          {"pt", momentum},
          {"theta", angle},
          {"eta", {}},
          {"beta", {}},
          {"baseline", quantity.powers}};
}

bool Criterion::needs_baseline() const {
  if (text_of_baseline) return true;
  for (const auto* limit : {&min, &max, &equal})
    if (*limit && (*limit)->formula.uses(baseline_variable)) return true;
  return false;
}

}  // namespace gttf
