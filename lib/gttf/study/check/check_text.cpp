// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "gttf/core/readable.hpp"
#include "gttf/resolution/acceptance.hpp"
#include "gttf/study/check/check_text.hpp"

namespace gttf::detail {
namespace {

constexpr double in_percent = 100;

const Criterion& criterion_of(const CheckStory& story,
                              const CheckResult& result) {
  return story.file.criteria[result.criterion];
}

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

/// Digits with which value and limits differ if they do.
int digits_of(const CheckedPoint& point) {
  int digits = digits_to_tell(point.lower, point.upper);
  for (const double limit : {point.lower, point.upper})
    if (!std::isnan(limit) && !std::isnan(point.value))
      digits = std::max(digits, digits_to_tell(point.value, limit));
  return digits;
}

std::string share_text(double logarithm) {
  return std::isnan(logarithm)
             ? "?"
             : readable_change(std::expm1(logarithm) * in_percent, 3) + " %";
}

/// Of what the parts of a change are, where it is not the value itself.
std::string attributed(const CheckedQuantity& quantity,
                       const CheckedPoint& point) {
  using Kind = CheckedQuantity::Kind;
  if (quantity.kind == Kind::share) return " of sigma";
  if (quantity.name == "regime" && !point.text.empty()) return " of mu_phi";
  const bool has_value =
      quantity.kind == Kind::number && !std::isnan(point.value);
  return has_value ? "" : " of the hits";
}

std::string place_text(const std::string& file, const Place& place) {
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
    const int digits = digits_to_tell(cause.before, now);
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
      text += ", makes " + share_text(change.share) + of;
    if (change.place.line > 0)
      text += fmt::format(" ({})", place_text(file, change.place));
    facts.emplace_back(i == 0 ? "likely cause" : "also changed",
                       std::move(text));
  }
  constexpr double worth_telling = 0.02;  // of the change
  if (std::abs(cause.remainder) > worth_telling * std::abs(cause.total))
    facts.emplace_back("remainder", share_text(cause.remainder));
  if (cause.failed_before)
    facts.emplace_back("before",
                       "the detector of the baseline does not meet it either");
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
  // a track without field or hits has no value; others may lack one, too
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
  // rounding is no news
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
  if (!is_coverage(criterion) && result.points.size() > 1)
    facts.emplace_back(
        "fails at",
        fmt::format("{} of {} points", result.n_failed, result.points.size()));
  if (!is_coverage(criterion) && !result.failed.empty())
    facts.emplace_back("fails for", failed_text(story, result));
  add_changes(story, index, facts);
  std::string parts;
  for (const LimitedBy& part : cause.limited_by)
    parts += fmt::format("{}{} {:.3g} %", parts.empty() ? "" : ", ", part.what,
                         part.share * in_percent);
  if (!parts.empty())
    facts.emplace_back(criterion.quantity.name == "x_over_x0"
                           ? "most of it"
                           : "largest shares of the variance",
                       parts);
  if (!criterion.note.empty()) facts.emplace_back("note", criterion.note);
  facts.emplace_back("requirement", fmt::format("{}:{}", criterion.place.file,
                                                criterion.place.line));
  return facts;
}

}  // namespace gttf::detail
