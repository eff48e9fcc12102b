// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/check/check_view.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "gttf/core/readable.hpp"
#include "gttf/resolution/acceptance.hpp"
#include "gttf/study/check/checked_quantity.hpp"
#include "gttf/study/compare/comparison.hpp"
#include "gttf/study/scan/budget.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf {
namespace {

constexpr std::size_t most_parts = 3;  // causes shown for a value

/// The parameter whose sigma a column contains or depends on.
std::optional<Parameter> parameter_of(const CheckedQuantity& quantity) {
  if (quantity.kind != CheckedQuantity::Kind::number) return std::nullopt;
  for (const Parameter q : all_parameters)
    if (quantity.name == sigma_column(q)) return q;
  if (quantity.name == "sigma_qop_per_GeV" || quantity.name == "xi")
    return Parameter::p;
  return std::nullopt;
}

/// One track of one requirement, and the data that determine its value.
class Finder {
 public:
  Finder(const RequirementFile& file, const CheckResult& result,
         const DetectorInput& detector)
      : file_(file),
        criterion_(file.criteria[result.criterion]),
        point_(result.worst_point()),
        input_(detector),
        grid_(grid_of(file, result)),
        track_(grid_track(grid_, point_.point)),
        model_(model_of(grid_, input_.detector)),
        models_(models_of(grid_, input_.detector)),
        // the parameters of the track, also where columns are at a layer
        at_start_({[this](const Detector& d) {
          Model model = models_(d);
          model.at.reset();
          return model;
        }}) {}

  FailureCause find() const {
    FailureCause cause;
    const BaselineDetector* before =
        file_.baseline ? file_.baseline->find(input_.detector) : nullptr;
    if (before != nullptr) compare(before->input.detector, cause);
    if (cause.changes.empty() || cause.failed_before) explain(cause);
    return cause;
  }

 private:
  /// A column of scan at this point.
  Measure measure_of(const std::string& column) const {
    return [this, column](const Resolution& r) {
      const double value = detail::number_at(
          scan_row(input_.detector, grid_, point_.point, r), column, 0);
      return value > 0 ? value : Resolution::none;
    };
  }

  /// The most informative number for the track: the value, or the number of
  /// hits if there is none.
  Attribution attribution(const Detector& before) const {
    const CheckedQuantity& quantity = criterion_.quantity;
    const auto parameter = parameter_of(quantity);
    if (quantity.name != "xi" && parameter && !std::isnan(point_.value))
      return attribute(before, input_.detector, track_, at_start_, *parameter);
    const bool number = quantity.kind == CheckedQuantity::Kind::number;
    if (number && !std::isnan(point_.value))
      return attribute(before, input_.detector, track_, models_,
                       measure_of(quantity.name));
    if (quantity.name == "regime" && !point_.text.empty())
      return attribute(before, input_.detector, track_, models_,
                       measure_of("mu_phi"));
    if (quantity.kind == CheckedQuantity::Kind::material &&
        !std::isnan(point_.value)) {
      // a layer that ends the sum is identified by its index
      if (!quantity.layer.empty() &&
          before.layers.size() != input_.detector.layers.size())
        return {};
      return attribute(before, input_.detector, track_, models_,
                       [&](const Resolution& r) {
                         const double value =
                             detail::material_of(input_.detector, quantity, r);
                         return value > 0 ? value : Resolution::none;
                       });
    }
    if (quantity.kind == CheckedQuantity::Kind::share)
      return attribute(before, input_.detector, track_, models_,
                       quantity.parameter);
    return attribute(before, input_.detector, track_, models_,
                     measure_of("n_hits"));
  }

  void compare(const Detector& before, FailureCause& cause) const {
    Attribution a = attribution(before);
    cause.total = a.total;
    cause.remainder = a.remainder;
    cause.changes = std::move(a.changes);
    if (cause.changes.empty())
      cause.changes = differing_keys(before, input_.detector);
    drop_idle(cause.changes, a.total);
    std::stable_partition(
        cause.changes.begin(), cause.changes.end(),
        [&](const KeyChange& c) { return c.share * a.total > 0; });
    locate(cause.changes, input_);
    if (criterion_.quantity.kind != CheckedQuantity::Kind::number) return;
    const Resolution r =
        resolve(TrackingGeometry(before), track_, models_(before));
    cause.before = detail::number_at(scan_row(before, grid_, point_.point, r),
                                     criterion_.quantity.name, 0) *
                   criterion_.quantity.unit;
    cause.failed_before = is_beyond(point_, cause.before);
  }

  /// A change without effect is not a cause, unless it has an effect only in
  /// combination with others.
  static void drop_idle(std::vector<KeyChange>& changes, double total) {
    const auto is_idle = [](double x) { return std::abs(x) <= limit_rounding; };
    const auto idle = [&](const KeyChange& c) { return is_idle(c.share); };
    if (is_idle(total) || !std::ranges::all_of(changes, idle))
      std::erase_if(changes, idle);
  }

  /// The largest parts of a variance or of the material.
  void explain(FailureCause& cause) const {
    if (std::isnan(point_.value)) return;
    if (criterion_.quantity.is_material())
      add_material(cause.limited_by);
    else if (const auto parameter = parameter_of(criterion_.quantity))
      add_budget(cause.limited_by, *parameter);
    std::ranges::stable_sort(cause.limited_by,
                             [](const LimitedBy& a, const LimitedBy& b) {
                               return a.share > b.share;
                             });
    if (cause.limited_by.size() > most_parts)
      cause.limited_by.resize(most_parts);
  }

  void add_budget(std::vector<LimitedBy>& parts, Parameter parameter) const {
    const Budget budget = make_budget(TrackingGeometry(input_.detector), track_,
                                      at_start_(input_.detector));
    for (const BudgetRow& row :
         budget_rows(input_.detector, budget, Grouping::layer)) {
      if (row.cause == "total") continue;
      std::string what = row.layer.empty() ? "" : row.layer + ' ';
      what += row.cause;
      if (!row.coordinate.empty()) what += ' ' + row.coordinate;
      parts.push_back({std::move(what), row.share[parameter]});
    }
  }

  void add_material(std::vector<LimitedBy>& parts) const {
    const Resolution r =
        resolve(TrackingGeometry(input_.detector), track_, model_);
    const auto counted =
        detail::counted_crossings(input_.detector, criterion_.quantity, r);
    if (!counted) return;
    const std::vector<std::string> names =
        names_by(input_.detector, Grouping::layer);
    for (const std::size_t k : *counted) {
      const CrossingInfo& c = r.crossings[k];
      const auto same =
          std::ranges::find(parts, names[c.layer], &LimitedBy::what);
      if (same == parts.end())
        parts.push_back({names[c.layer], c.x_over_x0 / point_.value});
      else
        same->share += c.x_over_x0 / point_.value;
    }
  }

  const RequirementFile& file_;
  const Criterion& criterion_;
  const CheckedPoint& point_;
  const DetectorInput& input_;
  StudyRequest grid_;
  Track track_;
  Model model_;
  ModelOf models_, at_start_;
};

}  // namespace

const KeyChange* FailureCause::placed() const {
  const auto it = std::ranges::find_if(
      changes, [](const KeyChange& c) { return c.place.line > 0; });
  return it == changes.end() ? nullptr : &*it;
}

FailureCause find_cause(const RequirementFile& file, const CheckResult& result,
                        std::span<const DetectorInput> detectors) {
  // the cause of a bad average is not in a single track
  if (file.request.average) return {};
  return Finder(file, result, detectors[result.detector]).find();
}

namespace {

const char* verdict(bool passed) { return passed ? "pass" : "FAIL"; }

/// The unit of numbers in the table, from the name of the column.
std::string unit_of(const CheckedQuantity& quantity) {
  return quantity.unit == 1 && quantity.symbol == "%" ? "1" : quantity.symbol;
}

std::string title_of(const CheckStory& story) {
  const std::size_t n = story.outcome.results.size();
  const std::string name =
      story.file.name.empty() ? story.file.request.file : story.file.name;
  return fmt::format("{}: {} of {} requirement{} met", name,
                     n - story.outcome.n_failed(), n, n == 1 ? "" : "s");
}

/// Requirement, worst point, value, limit, margin, verdict: all as text.
Table overview(const CheckStory& story) {
  Texts requirement, detector, where, value, limit, margin, met;
  for (const CheckResult& result : story.outcome.results) {
    requirement.push_back(story.file.criteria[result.criterion].name);
    detector.push_back(story.detectors[result.detector].detector.name);
    where.push_back(detail::where_text(story, result));
    value.push_back(detail::value_text(story, result));
    limit.push_back(detail::limit_text(story, result));
    margin.push_back(detail::margin_text(result.worst_point()));
    met.emplace_back(verdict(result.passed()));
  }
  Table table;
  table.add("verdict", std::move(met));
  table.add("requirement", std::move(requirement));
  if (story.detectors.size() > 1) table.add("detector", std::move(detector));
  table.add("worst_point", std::move(where));
  table.add("value", std::move(value));
  table.add("limit", std::move(limit));
  table.add("margin", std::move(margin));
  return table;
}

/// The columns of check_table() for the terminal, for one result.
Table points_of(const CheckStory& story, const CheckResult& result) {
  Texts where, value, limit, margin, met;
  CheckResult one = result;
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    one.worst = i;
    where.push_back(detail::where_text(story, one));
    value.push_back(detail::value_text(story, one));
    limit.push_back(detail::limit_text(story, one));
    margin.push_back(detail::margin_text(result.points[i]));
    met.emplace_back(verdict(result.points[i].passed));
  }
  Table table;
  table.add("verdict", std::move(met));
  table.add("point", std::move(where));
  table.add("value", std::move(value));
  table.add("limit", std::move(limit));
  table.add("margin", std::move(margin));
  return table;
}

std::string name_of(const CheckStory& story, const CheckResult& result) {
  std::string name = story.file.criteria[result.criterion].name;
  if (story.detectors.size() > 1)
    name += ", " + story.detectors[result.detector].detector.name;
  return name;
}

Document cause_document(const FailureCause& cause) {
  Document::List changes, parts;
  for (const KeyChange& change : cause.changes)
    changes.push_back(Document()
                          .set("key", change.key)
                          .set("before", change.before)
                          .set("after", change.after)
                          .set("ln_share", change.share)
                          .set("line", change.place.line)
                          .set("column", change.place.column));
  for (const LimitedBy& part : cause.limited_by)
    parts.push_back(Document().set("what", part.what).set("share", part.share));
  return Document()
      .set("ln_total", cause.total)
      .set("ln_remainder", cause.remainder)
      .set("changes", std::move(changes))
      .set("limited_by", std::move(parts));
}

}  // namespace

CheckStory make_story(const RequirementFile& file,
                      std::span<const DetectorInput> detectors,
                      const CheckOutcome& outcome) {
  CheckStory story{file, detectors, outcome, {}};
  for (const CheckResult& result : outcome.results)
    story.causes.push_back(
        result.passed() ? FailureCause{} : find_cause(file, result, detectors));
  return story;
}

namespace {

/// Collects rows of check_table().
class CheckRows {
 public:
  CheckRows(const RequirementFile& file,
            std::span<const DetectorInput> detectors)
      : file_(file), detectors_(detectors) {}

  void add(const CheckResult& result, CheckDetail detail) {
    const Criterion& criterion = file_.criteria[result.criterion];
    const StudyRequest grid = grid_of(file_, result);
    const double column = criterion.quantity.unit;
    for (std::size_t i = 0; i < result.points.size(); ++i) {
      if (detail == CheckDetail::worst && i != result.worst) continue;
      const CheckedPoint& p = result.points[i];
      requirement_.push_back(criterion.name);
      line_.push_back(criterion.place.line);
      point_.add(detectors_[result.detector].detector, grid, p.point);
      quantity_.push_back(describe(criterion.quantity));
      unit_.push_back(unit_of(criterion.quantity));
      value_.push_back(p.value / column);
      text_.push_back(p.text);
      lower_.push_back(p.lower / column);
      upper_.push_back(p.upper / column);
      std::string list;
      for (const std::string& one : p.texts)
        list += (list.empty() ? "" : "|") + one;
      allowed_.push_back(std::move(list));
      baseline_.push_back(p.baseline / column);
      margin_.push_back(p.margin);
      met_.emplace_back(verdict(p.passed));
      worst_.emplace_back(i == result.worst ? "true" : "false");
      status_.push_back(p.status);
    }
  }

  Table take() && {
    Table table;
    table.add("requirement", std::move(requirement_));
    table.add("line", std::move(line_));
    std::move(point_).move_to(table);
    table.add("quantity", std::move(quantity_));
    table.add("unit", std::move(unit_));
    table.add("value", std::move(value_));
    table.add("text", std::move(text_));
    table.add("lower", std::move(lower_));
    table.add("upper", std::move(upper_));
    table.add("allowed", std::move(allowed_));
    table.add("baseline", std::move(baseline_));
    table.add("margin_rel", std::move(margin_));
    table.add("verdict", std::move(met_));
    table.add("worst", std::move(worst_));
    table.add("status", std::move(status_));
    return table;
  }

 private:
  const RequirementFile& file_;
  std::span<const DetectorInput> detectors_;
  PointColumns point_;
  Texts requirement_, quantity_, text_, unit_, allowed_, met_, worst_, status_;
  Integers line_;
  Reals value_, lower_, upper_, baseline_, margin_;
};

}  // namespace

Table check_table(const CheckStory& story, CheckDetail detail) {
  CheckRows rows(story.file, story.detectors);
  for (const CheckResult& result : story.outcome.results)
    rows.add(result, detail);
  return std::move(rows).take();
}

Table check_table(const RequirementFile& file,
                  std::span<const DetectorInput> detectors,
                  const CheckResult& result, CheckDetail detail) {
  CheckRows rows(file, detectors);
  rows.add(result, detail);
  return std::move(rows).take();
}

Document check_document(const CheckStory& story, CheckDetail detail) {
  const Table worst = check_table(story, CheckDetail::worst);
  Document::List list;
  for (std::size_t i = 0; i < story.outcome.results.size(); ++i) {
    const CheckResult& result = story.outcome.results[i];
    Document entry =
        Document()
            .set("requirement", story.file.criteria[result.criterion].name)
            .set("passed", result.passed())
            .set("n_points", static_cast<std::int64_t>(result.n_checked))
            .set("n_failed", static_cast<std::int64_t>(result.n_failed))
            .set("worst_point", row_of(worst, i));
    if (!result.passed()) {
      entry.set("message", detail::failure_line(story, result));
      entry.set("cause", cause_document(story.causes[i]));
    }
    list.push_back(std::move(entry));
  }
  Document document;
  document.set("name", story.file.name)
      .set("passed", story.outcome.passed())
      .set("requirements", std::move(list));
  if (detail == CheckDetail::all)
    document.set("points", rows_of(check_table(story, detail)));
  return document;
}

Summary check_summary(const CheckStory& story, CheckDetail detail) {
  Summary summary;
  summary.title = title_of(story);
  summary.sections.push_back({"", {}, overview(story)});
  for (std::size_t i = 0; i < story.outcome.results.size(); ++i) {
    const CheckResult& result = story.outcome.results[i];
    if (result.passed()) continue;
    Section section;
    section.title = "FAIL: " + name_of(story, result);
    section.facts = detail::failure_facts(story, i);
    section.facts.insert(section.facts.begin(),
                         {"why", detail::failure_line(story, result)});
    summary.sections.push_back(std::move(section));
  }
  if (detail == CheckDetail::all)
    for (const CheckResult& result : story.outcome.results)
      summary.sections.push_back({"All points: " + name_of(story, result),
                                  {},
                                  points_of(story, result)});
  return summary;
}

TestReport check_report(const CheckStory& story) {
  TestReport report;
  report.name =
      story.file.name.empty() ? story.file.request.file : story.file.name;
  for (std::size_t d = 0; d < story.detectors.size(); ++d) {
    const Detector& detector = story.detectors[d].detector;
    for (std::size_t i = 0; i < story.outcome.results.size(); ++i) {
      const CheckResult& result = story.outcome.results[i];
      if (result.detector != d) continue;
      const Criterion& criterion = story.file.criteria[result.criterion];
      TestCase test;
      test.suite = detector.name;
      test.name = criterion.name;
      test.passed = result.passed();
      test.file = criterion.place.file;
      test.line = criterion.place.line;
      test.column = criterion.place.column;
      if (!test.passed) {
        test.message = detail::failure_line(story, result);
        for (const auto& [name, value] : detail::failure_facts(story, i))
          test.details += name + ": " + value + '\n';
        if (const KeyChange* change = story.causes[i].placed()) {
          test.file = detector.file;
          test.line = change->place.line;
          test.column = change->place.column;
        }
      }
      report.cases.push_back(std::move(test));
    }
  }
  return report;
}

}  // namespace gttf

namespace gttf::detail {
namespace {

constexpr double in_percent = 100;

bool is_coverage(const Criterion& criterion) {
  return criterion.quantity.kind == CheckedQuantity::Kind::coverage;
}

std::string point_text(const CheckStory& story, const CheckResult& result) {
  const Criterion& c = criterion_of(story, result);
  const GridPoint point = result.worst_point().point;
  const bool by_pt = c.momentum.variable == MomentumAxis::Variable::pt;
  const bool by_eta = c.angle.variable == AngleAxis::Variable::eta;
  const double angle = result.angle.values[point.angle];
  return fmt::format("{} = {:.6g} GeV, {} = {}", by_pt ? "pt" : "p",
                     c.momentum.values[point.momentum],
                     by_eta ? "eta" : "theta",
                     by_eta ? fmt::format("{:.6g}", angle)
                            : fmt::format("{:.6g} deg", in_degrees(angle)));
}

/// Number of digits with which value and limits differ.
int digits_of(const CheckedPoint& point) {
  int digits = distinct_digits(point.lower, point.upper);
  for (const double limit : {point.lower, point.upper})
    if (!std::isnan(limit) && !std::isnan(point.value))
      digits = std::max(digits, distinct_digits(point.value, limit));
  return digits;
}

std::string share_text(double logarithm) {
  return std::isnan(logarithm)
             ? "?"
             : readable_change(std::expm1(logarithm) * in_percent, 3) + " %";
}

/// The quantity of the parts of a change, if it is not the value itself.
std::string attributed(const CheckedQuantity& quantity,
                       const CheckedPoint& point) {
  using Kind = CheckedQuantity::Kind;
  if (quantity.kind == Kind::share) return " of sigma";
  if (quantity.name == "regime" && !point.text.empty()) return " of mu_phi";
  const bool has_value =
      (quantity.kind == Kind::number || quantity.kind == Kind::material) &&
      !std::isnan(point.value);
  return has_value ? "" : " of the hits";
}

std::string place_text(const std::string& file, const FilePosition& place) {
  return fmt::format("{}:{}:{}", file, place.line, place.column);
}

void add_changes(const CheckStory& story, std::size_t index, Facts& facts) {
  const CheckResult& result = story.outcome.results[index];
  const FailureCause& cause = story.causes[index];
  const Criterion& criterion = criterion_of(story, result);
  const CheckedQuantity& quantity = criterion.quantity;
  const std::string of = attributed(quantity, result.worst_point());
  if (!std::isnan(cause.before)) {
    const double now = result.worst_point().value;
    const int digits = distinct_digits(cause.before, now);
    std::string text =
        fmt::format("{} -> {}", shown(quantity, cause.before, digits),
                    std::isnan(now) ? value_text(story, result)
                                    : shown(quantity, now, digits));
    if (!std::isnan(cause.total))
      text += fmt::format(" ({}{})", share_text(cause.total), of);
    facts.emplace_back("since the baseline", std::move(text));
  }
  constexpr std::size_t most_changes = 5;
  const std::string& file = story.detectors[result.detector].detector.file;
  for (std::size_t i = 0; i < cause.changes.size(); ++i) {
    if (i == most_changes) {
      facts.emplace_back(
          "and", fmt::format("{} more change{}", cause.changes.size() - i,
                             cause.changes.size() - i == 1 ? "" : "s"));
      break;
    }
    const KeyChange& change = cause.changes[i];
    std::string text = change_text(change);
    if (!std::isnan(change.share))
      text += ", effect " + share_text(change.share) + of;
    if (change.place.line > 0)
      text += fmt::format(" ({})", place_text(file, change.place));
    facts.emplace_back(i == 0 ? "likely cause" : "also changed",
                       std::move(text));
  }
  constexpr double smallest_listed = 0.02;  // of the change
  if (std::abs(cause.remainder) > smallest_listed * std::abs(cause.total))
    facts.emplace_back("remainder", share_text(cause.remainder));
  if (cause.failed_before)
    facts.emplace_back("before",
                       "the baseline detector does not meet it either");
}

}  // namespace

std::string where_text(const CheckStory& story, const CheckResult& result) {
  const Criterion& criterion = criterion_of(story, result);
  if (!is_coverage(criterion)) return point_text(story, result);
  if (!result.failed.empty()) return failed_text(story, result);
  std::string text =
      fmt::format("{} of {} points", result.n_covered, result.n_points);
  if (result.n_covered < result.n_points)
    text += ", not at " + point_text(story, result);
  return text;
}

std::string failed_text(const CheckStory& story, const CheckResult& result) {
  constexpr std::size_t most = 3;
  const Criterion& c = criterion_of(story, result);
  const bool by_pt = c.momentum.variable == MomentumAxis::Variable::pt;
  const bool by_eta = c.angle.variable == AngleAxis::Variable::eta;
  const bool one_momentum = c.momentum.values.size() == 1;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, result.failed.size()); ++i) {
    const FailedInterval& f = result.failed[i];
    if (i > 0) text += "; ";
    if (!one_momentum)
      text += fmt::format("{} = {:.6g} GeV, ", by_pt ? "pt" : "p",
                          c.momentum.values[f.momentum]);
    const auto shown = [by_eta](double angle) {
      return by_eta ? angle : in_degrees(angle);
    };
    text += by_eta ? "eta " : "theta ";
    // the two sides of an edge are one angle
    text += std::abs(f.to - f.from) <= 2 * AcceptanceEdge::width
                ? fmt::format("{:.5g}", shown(f.from))
                : fmt::format("{:.5g} to {:.5g}", shown(f.from), shown(f.to));
    if (!by_eta) text += " deg";
    text += fmt::format(": {} hit{}", f.n_hits, f.n_hits == 1 ? "" : "s");
  }
  if (result.failed.size() > most)
    text += fmt::format("; and {} more", result.failed.size() - most);
  return text;
}

std::string value_text(const CheckStory& story, const CheckResult& result) {
  const CheckedPoint& point = result.worst_point();
  const CheckedQuantity& quantity = criterion_of(story, result).quantity;
  if (quantity.is_text() && !point.text.empty()) return point.text;
  if (!quantity.is_text() && !std::isnan(point.value))
    return shown(quantity, point.value, digits_of(point));
  // a track without field or hits has no value; others may have none as well
  return point.status == "ok" ? "no value" : point.status;
}

std::string limit_text(const CheckStory& story, const CheckResult& result) {
  const CheckedPoint& point = result.worst_point();
  const CheckedQuantity& quantity = criterion_of(story, result).quantity;
  if (quantity.is_text()) {
    std::string text;
    for (const std::string& allowed : point.texts)
      text += (text.empty() ? "" : " or ") + allowed;
    return text;
  }
  const int digits = digits_of(point);
  const std::string lower = shown(quantity, point.lower, digits);
  const std::string upper = shown(quantity, point.upper, digits);
  if (std::isnan(point.lower)) return "<= " + upper;
  if (std::isnan(point.upper)) return ">= " + lower;
  if (point.lower == point.upper) return "= " + lower;
  return lower + " to " + upper;
}

std::string margin_text(const CheckedPoint& point) {
  if (std::isnan(point.margin)) return "-";
  // do not report differences at rounding level
  const double margin =
      std::abs(point.margin) < limit_rounding ? 0 : point.margin;
  return readable_change(margin * in_percent, 3) + " %";
}

std::string failure_line(const CheckStory& story, const CheckResult& result) {
  const CheckedPoint& point = result.worst_point();
  const CheckedQuantity& quantity = criterion_of(story, result).quantity;
  const bool exists =
      quantity.is_text() ? !point.text.empty() : !std::isnan(point.value);
  return fmt::format(
      "{} {}{} {}; required {}", describe(quantity),
      exists ? "is " + value_text(story, result)
             : fmt::format("does not exist ({})", value_text(story, result)),
      is_coverage(criterion_of(story, result)) ? ":" : " at",
      where_text(story, result), limit_text(story, result));
}

std::string change_text(const KeyChange& change) {
  const auto side = [](const std::string& text) {
    return text.empty() ? std::string("absent") : text;
  };
  return fmt::format("{}: {} -> {}", change.key, side(change.before),
                     side(change.after));
}

Facts failure_facts(const CheckStory& story, std::size_t index) {
  const CheckResult& result = story.outcome.results[index];
  const FailureCause& cause = story.causes[index];
  const Criterion& criterion = criterion_of(story, result);
  Facts facts;
  if (!is_coverage(criterion) && result.n_checked > 1)
    facts.emplace_back(
        "fails at",
        fmt::format("{} of {} points", result.n_failed, result.n_checked));
  if (!is_coverage(criterion) && !result.failed.empty())
    facts.emplace_back("fails for", failed_text(story, result));
  add_changes(story, index, facts);
  std::string parts;
  for (const LimitedBy& part : cause.limited_by)
    parts += fmt::format("{}{} {:.3g} %", parts.empty() ? "" : ", ", part.what,
                         part.share * in_percent);
  if (!parts.empty())
    facts.emplace_back(criterion.quantity.is_material()
                           ? "most of it"
                           : "largest shares of the variance",
                       parts);
  if (!criterion.note.empty()) facts.emplace_back("note", criterion.note);
  facts.emplace_back("requirement", fmt::format("{}:{}", criterion.place.file,
                                                criterion.place.line));
  return facts;
}

}  // namespace gttf::detail
