// SPDX-License-Identifier: Apache-2.0
// Reads one requirement: the quantity, its limits and the points.
#include "gttf/study/check/requirement_file.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "gttf/config/text.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/scan/scan_columns.hpp"

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
              "add \"baseline: FILE\" at the top of the file, written with "
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
    for (const Status s : {Status::ok, Status::no_field, Status::too_few_hits,
                           Status::curls_up, Status::stops, Status::outside_map,
                           Status::not_determined, Status::no_hit_error})
      texts.emplace_back(to_string(s));
  if (column == "track_end")
    for (const TrackEnd e : {TrackEnd::leaves, TrackEnd::curls_up})
      texts.emplace_back(to_string(e));
  return texts;  // empty: names chosen by the user
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

/// A share of 5 is a mistake: 5 % is intended, not 500 %.
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
  // braces fix the order of evaluation, and therefore of messages
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
                    "split it into two requirements");
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
          "limit it with \"is\": a text, a list, or baseline");
  if (keys.is) read_text(*keys.is, has_baseline, criterion);
}

namespace {

/// The bounds of a range are included if a value differs only by rounding.
constexpr double rounding = 1e-12;

/// A closed range of p, pt, theta or eta.
struct Range {
  std::string_view key;
  Dimension dimension;
  std::string_view example;
  double (*of)(const StudyRequest&, GridPoint);
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();

  bool contains(const StudyRequest& grid, GridPoint point) const {
    const double x = of(grid, point),
                 slack = rounding * std::max(1.0, std::abs(x));
    return x >= from - slack && x <= to + slack;
  }
};

const std::array<Range, 4> ranges{{
    {"p", Dimension::energy, "1 GeV",
     [](const StudyRequest& grid, GridPoint i) {
       return grid_track(grid, i).p;
     }},
    {"pt", Dimension::energy, "1 GeV", pt_of},
    {"theta", Dimension::angle, "90 deg",
     [](const StudyRequest& grid, GridPoint i) {
       return theta_of(grid.angle, i.angle);
     }},
    {"eta", Dimension::number, "0", eta_of},
}};

std::optional<Range> read_range(MapReader& within, const Range& plain) {
  const auto value = within.find(plain.key);
  if (!value) return std::nullopt;
  Range range = plain;
  MapReader map(*value, fmt::format("{{ from: {}, to: ... }}", plain.example));
  if (!map) return std::nullopt;
  const auto from = map.find("from"), to = map.find("to");
  const std::string_view unit =
      plain.dimension == Dimension::energy ? "GeV" : "";
  if (from) range.from = from->quantity(plain.dimension, unit).value_or(0);
  if (to) range.to = to->quantity(plain.dimension, unit).value_or(0);
  if (!from && !to)
    value->error("the range has no bound", "write \"from\", \"to\" or both");
  else if (from && to && range.from > range.to)
    to->error("the range is inverted", "exchange the two");
  map.finish();
  return range;
}

/// Whether the column exists only in studies with a layer.
bool is_at_layer(const CheckedQuantity& column) {
  constexpr std::string_view mark = "at_";
  return column.name.find(mark) != std::string::npos &&
         !empty_scan_table(false).find(column.name);
}

std::vector<CheckedQuantity> read_what(const Value& value,
                                       const StudyRequest& request) {
  std::vector<CheckedQuantity> quantities;
  const std::vector<Value> items =
      value.is_list() ? value.items() : std::vector<Value>{value};
  if (items.empty())
    value.error("the list is empty", "give at least one column");
  for (const Value& item : items) {
    const auto name = item.text("a column of scan");
    if (!name) continue;
    if (*name == "coverage") {
      quantities.push_back(coverage_quantity(0));
      continue;
    }
    const bool average = request.average.has_value();
    if (auto column = find_column(*name, average)) {
      if (is_at_layer(*column) && !request.at)
        item.error(
            fmt::format(
                "{} describes the track at a layer, but no layer is given",
                in_quotes(*name)),
            "add its name to the file or its study, for example "
            "\"at: dut\"");
      quantities.push_back(std::move(*column));
      continue;
    }
    if (find_column(*name, !average)) {
      item.error(
          in_quotes(*name) +
              (average
                   ? " is defined for single tracks, but averages are requested"
                   : " is defined for averages, but none is requested"),
          average
              ? "remove \"average\" from the file or its study, or take "
                "another column"
              : "add for example \"average: phi\" to the file or its study");
      continue;
    }
    std::vector<std::string> known = column_names(average);
    known.emplace_back("coverage");
    std::vector<std::string> candidates = known;
    for (std::string& other : short_column_names(average))
      candidates.push_back(std::move(other));
    const auto near = nearest(*name, candidates);
    item.error(fmt::format("unknown column {}", in_quotes(*name)),
               *name == "budget"
                   ? "write \"budget: { of: pt, layer: L0 }\" instead of "
                     "\"what\""
               : near ? fmt::format("did you mean {}?", in_quotes(*near))
                      : fmt::format("known: {}", joined(known)));
  }
  return quantities;
}

std::vector<CheckedQuantity> read_coverage(const Value& value) {
  MapReader map(value, "{ hits: 4 }");
  std::int64_t hits = 0;
  if (const auto item = map.require("hits", "4")) {
    hits = item->integer("4").value_or(1);
    if (hits < 1 || hits > 1000000) {
      item->error("the number of hits must be positive");
      hits = 1;
    }
  }
  map.finish();
  return {coverage_quantity(static_cast<int>(hits))};
}

std::vector<CheckedQuantity> read_budget(const Value& value) {
  MapReader map(value, "{ of: pt, layer: L0, kind: scattering }");
  if (!map) return {};
  std::vector<std::string> names;
  for (const Parameter q : all_parameters) names.emplace_back(to_string(q));
  std::size_t parameter = 0;
  if (const auto of = map.require("of", "pt"))
    parameter = of->choice("parameter", names).value_or(0);
  const auto layer = map.find("layer"), group = map.find("group");
  if (layer && group)
    group->error("\"layer\" and \"group\" cannot be used together",
                 "remove one of the two");
  std::optional<Cause> cause;
  if (const auto kind = map.find("kind")) {
    constexpr std::array causes{Cause::scattering, Cause::straggling,
                                Cause::hit, Cause::beam_spot};
    std::vector<std::string> kinds;
    for (const Cause c : causes) kinds.emplace_back(to_string(c));
    kinds.emplace_back("all");
    const auto chosen = kind->choice("kind of error", kinds);
    if (chosen && *chosen < causes.size()) cause = causes[*chosen];
    if (cause == Cause::beam_spot && (layer || group))
      kind->error("a beam spot belongs to no layer", "remove the layer");
  }
  if (!layer && !group && !cause)
    value.error("the share of everything is 100 %",
                "add \"layer\", \"group\" or \"kind\"");
  std::string name;
  if (layer) name = layer->text("the name of a layer").value_or("");
  if (group) name = group->text("the name of a group").value_or("");
  map.finish();
  return {share_quantity(all_parameters[parameter], std::move(name),
                         group.has_value(), cause)};
}

/// `L6`, `{ group: vertex }` or `{ r: 120 cm, z: 2 m }`.
MaterialEnd read_material_end(const Value& value) {
  MaterialEnd end;
  if (value.is_scalar()) {
    end.layer = value.text("the name of a layer").value_or("");
    return end;
  }
  MapReader map(value, "the name of a layer, or { r: 120 cm, z: 2 m }");
  if (!map) return end;
  const auto group = map.find("group"), r = map.find("r"), z = map.find("z");
  map.finish();
  if (group) {
    end.layer = group->text("the name of a group").value_or("");
    end.is_group = true;
  }
  const auto read = [](const std::optional<Value>& given, double& to) {
    if (!given) return;
    if (const auto length = given->quantity(Dimension::length)) to = *length;
    if (!(to > 0))
      given->error(fmt::format("the length must be positive, got {}",
                               in_quotes(given->node().text())));
  };
  read(r, end.r);
  read(z, end.z);
  if (group && (r || z))
    group->error("\"group\" excludes \"r\" and \"z\"", "remove one of them");
  if (!group && !r && !z)
    value.error("\"up_to\" does not name a limit",
                "write for example \"up_to: L6\" or \"up_to: { r: 120 cm }\"");
  return end;
}

/// Effect of `up_to` on "what: x_over_x0".
void read_up_to(const Value& value, std::vector<CheckedQuantity>& quantities) {
  const MaterialEnd end = read_material_end(value);
  for (CheckedQuantity& quantity : quantities) {
    if (quantity.name == "x_over_x0")
      quantity = material_quantity(end);
    else
      value.error(fmt::format("\"up_to\" is for x_over_x0, not for {}",
                              in_quotes(describe(quantity))),
                  "remove \"up_to\"");
  }
}

/// Location of the quantity in an entry; for a share, of its layer.
Diagnostic place_of_quantity(const Node& entry) {
  for (const char* key : {"up_to", "what", "coverage", "budget"}) {
    const Node* value = entry.find(key);
    if (value == nullptr) continue;
    for (const char* part : {"layer", "group"})
      if (const Node* name = value->find(part)) return diagnostic_at(*name);
    return diagnostic_at(*value);
  }
  return diagnostic_at(entry);
}

/// "mixed", "mixed or hits".
std::string words_of(const Value& value) {
  if (value.is_scalar()) return value.node().text();
  std::string words;
  for (const Value& item : value.items())
    words += (words.empty() ? "" : " or ") + item.node().text();
  return words;
}

std::string default_name(const CheckedQuantity& quantity,
                         const LimitKeys& keys) {
  std::string name = describe(quantity);
  for (const auto& [sign, value] :
       {std::pair{" >= ", &keys.min}, std::pair{" <= ", &keys.max},
        std::pair{" is ", &keys.is}})
    if (*value) name += sign + words_of(**value);
  if (keys.relative_to_baseline) name += " as in the baseline";
  return name;
}

}  // namespace

std::vector<CheckedQuantity> read_quantities(MapReader& map,
                                             const RequirementHead& head) {
  const auto what = map.find("what"), coverage = map.find("coverage"),
             budget = map.find("budget");
  const int n = what.has_value() + coverage.has_value() + budget.has_value();
  if (n != 1) {
    const Value& place = coverage && what ? *coverage
                         : budget         ? *budget
                                          : map.value();
    place.error(
        n == 0
            ? "the requirement does not name a quantity"
            : "\"what\", \"coverage\" and \"budget\" cannot be used together",
        n == 0 ? "add for example \"what: sigma_pt_rel\""
               : "split it into two requirements");
    return {};
  }
  std::vector<CheckedQuantity> quantities =
      what       ? read_what(*what, head.request)
      : coverage ? read_coverage(*coverage)
                 : read_budget(*budget);
  if (const auto up_to = map.find("up_to")) read_up_to(*up_to, quantities);
  return quantities;
}

void read_points(MapReader& map, const RequirementHead& head,
                 Criterion& criterion) {
  GivenAxes axes = head.grid;
  const auto at = map.find("at");
  if (at) {
    MapReader points(*at, "{ pt: 1 GeV, theta: 90 deg }");
    if (!points) return;
    GivenAxes own = read_axes(points);
    points.finish();
    if (own.has_momentum) axes.momentum = std::move(own.momentum);
    if (own.has_angle) axes.angle = std::move(own.angle);
    axes.has_momentum = axes.has_momentum || own.has_momentum;
    axes.has_angle = axes.has_angle || own.has_angle;
  }
  std::vector<Range> chosen;
  const Diagnostics& diagnostics = map.value().diagnostics();
  const std::size_t errors_before = diagnostics.count(Severity::error);
  const auto within = map.find("within");
  if (within) {
    MapReader bounds(*within, "{ eta: { from: 0, to: 1.5 } }");
    for (const Range& plain : ranges)
      if (auto range = read_range(bounds, plain)) chosen.push_back(*range);
    bounds.finish();
  }
  if (!axes.has_momentum) {
    (at ? *at : map.value())
        .error("the requirement has no momentum",
               "add for example \"at: { pt: 1 GeV, theta: 90 deg }\"");
    return;
  }
  if (!axes.has_angle) axes.angle.values = {90 * unit::deg};
  criterion.momentum = std::move(axes.momentum);
  criterion.angle = std::move(axes.angle);
  if (criterion.momentum.values.empty() || criterion.angle.values.empty())
    return;  // reported
  StudyRequest grid = head.request;
  grid.momentum = criterion.momentum;
  grid.angle = criterion.angle;
  for (const GridPoint point : grid_points(grid)) {
    const auto contains = [&](const Range& range) {
      return range.contains(grid, point);
    };
    if (std::ranges::all_of(chosen, contains))
      criterion.points.push_back(point);
  }
  const bool readable = diagnostics.count(Severity::error) == errors_before;
  if (criterion.points.empty() && readable)
    within->error("the requirement matches no point",
                  "widen the range, or give points with \"at\"");
}

std::vector<Criterion> read_criteria(const Value& entry,
                                     const RequirementHead& head) {
  MapReader map(entry, "a requirement (a map)");
  if (!map) return {};
  Criterion plain;
  plain.place = diagnostic_at(entry.node());
  plain.quantity_place = place_of_quantity(entry.node());
  const auto name = map.find("name"), note = map.find("note");
  if (name) plain.name = name->text("a name").value_or("");
  if (note) plain.note = note->text().value_or("");
  const std::vector<CheckedQuantity> quantities = read_quantities(map, head);
  const LimitKeys keys = find_limits(map);
  read_points(map, head, plain);
  map.finish();
  std::vector<Criterion> criteria;
  for (const CheckedQuantity& quantity : quantities) {
    Criterion criterion = plain;
    criterion.quantity = quantity;
    if (criterion.name.empty())
      criterion.name = default_name(quantity, keys);
    else if (quantities.size() > 1)
      criterion.name += ": " + describe(quantity);
    read_limits(entry, keys, head.has_baseline, criterion);
    criteria.push_back(std::move(criterion));
  }
  return criteria;
}

}  // namespace gttf::detail
