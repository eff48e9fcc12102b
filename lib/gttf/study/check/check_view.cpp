// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/check/check_view.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "gttf/study/check/check_text.hpp"
#include "gttf/study/scan/row.hpp"

namespace gttf {
namespace {

const char* verdict(bool passed) { return passed ? "pass" : "FAIL"; }

/// The unit that numbers of the table have, as the column's name says it.
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

/// The columns of check_table() that people read, of one result.
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

Table check_table(const CheckStory& story, CheckDetail detail) {
  PointColumns point;
  Texts requirement, quantity, text, unit, allowed, met, worst, status;
  Integers line;
  Reals value, lower, upper, baseline, margin;
  for (const CheckResult& result : story.outcome.results) {
    const Criterion& criterion = story.file.criteria[result.criterion];
    const StudyRequest grid = grid_of(story.file, result);
    const double column = criterion.quantity.unit;
    for (std::size_t i = 0; i < result.points.size(); ++i) {
      if (detail == CheckDetail::worst && i != result.worst) continue;
      const CheckedPoint& p = result.points[i];
      requirement.push_back(criterion.name);
      line.push_back(criterion.place.line);
      point.add(story.detectors[result.detector].detector, grid, p.point);
      quantity.push_back(describe(criterion.quantity));
      unit.push_back(unit_of(criterion.quantity));
      value.push_back(p.value / column);
      text.push_back(p.text);
      lower.push_back(p.lower / column);
      upper.push_back(p.upper / column);
      std::string list;
      for (const std::string& one : p.texts)
        list += (list.empty() ? "" : "|") + one;
      allowed.push_back(std::move(list));
      baseline.push_back(p.baseline / column);
      margin.push_back(p.margin);
      met.emplace_back(verdict(p.passed));
      worst.emplace_back(i == result.worst ? "true" : "false");
      status.push_back(p.status);
    }
  }
  Table table;
  table.add("requirement", std::move(requirement));
  table.add("line", std::move(line));
  std::move(point).move_to(table);
  table.add("quantity", std::move(quantity));
  table.add("unit", std::move(unit));
  table.add("value", std::move(value));
  table.add("text", std::move(text));
  table.add("lower", std::move(lower));
  table.add("upper", std::move(upper));
  table.add("allowed", std::move(allowed));
  table.add("baseline", std::move(baseline));
  table.add("margin_rel", std::move(margin));
  table.add("verdict", std::move(met));
  table.add("worst", std::move(worst));
  table.add("status", std::move(status));
  return table;
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
            .set("n_points", static_cast<std::int64_t>(result.points.size()))
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
