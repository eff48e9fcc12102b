// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/report/report_figures.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "gttf/study/check/check_view.hpp"
#include "gttf/study/report/report_subject.hpp"
#include "gttf/study/show/track_view.hpp"

namespace gttf::detail {
namespace {

/// No value to compare with a limit: the track has no resolution there.
bool is_missing(const CheckStory& story, const CheckResult& result) {
  const CheckedPoint& point = result.worst_point();
  return criterion_of(story, result).quantity.is_text()
             ? point.text.empty()
             : std::isnan(point.value);
}

Verdict verdict_of(const CheckStory& story, const CheckResult& result) {
  if (result.passed()) return {Verdict::State::good, "met"};
  if (is_missing(story, result)) return {Verdict::State::unknown, "no value"};
  return {Verdict::State::bad, "failed"};
}

/// "0.3427 %", "≤ 18.7 µm": as in check, with typographical signs.
RichText in_print(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> signs{
      {{" %", "\u00a0%"},
       {" GeV", "\u00a0GeV"},
       {" mrad", "\u00a0mrad"},
       {"<= ", "≤ "},
       {">= ", "≥ "},
       {" um", "\u00a0µm"},
       {" deg", "°"},
       {"-", "−"}}};
  RichText out;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = std::string_view(text).substr(i);
    const auto* sign = std::ranges::find_if(
        signs, [rest](const auto& s) { return rest.starts_with(s.first); });
    out += sign == signs.end() ? literal_text(rest.substr(0, 1)) : sign->second;
    i += sign == signs.end() ? 1 : sign->first.size();
  }
  return out;
}

RichText with_arrows(RichText text) {
  constexpr std::string_view arrow = "->";
  for (std::size_t i = text.find(arrow); i != text.npos; i = text.find(arrow))
    text.replace(i, arrow.size(), "→");
  return text;
}

RichText quantity_text(const CheckedQuantity& quantity) {
  constexpr std::array<std::pair<const char*, const char*>, 10> symbols{{
      {"sigma_p_rel", "*σ*(*p*)/*p*"},
      {"sigma_pt_rel", "*σ*(*p*_{T})/*p*_{T}"},
      {"sigma_d0_um", "*σ*(*d*_{0})"},
      {"sigma_z0_um", "*σ*(*z*_{0})"},
      {"sigma_phi0_mrad", "*σ*(*φ*_{0})"},
      {"sigma_theta_mrad", "*σ*(*θ*)"},
      {"n_hits", "measurements"},
      {"x_over_x0", "*x*/*X*_{0}"},
      {"x_over_x0_tracker", "*x*/*X*_{0} up to the last hit"},
      {"mu_phi", "*μ*_{φ}"},
  }};
  for (const auto& [name, symbol] : symbols)
    if (quantity.name == name) return symbol;
  return literal_text(describe(quantity));
}

/// "1–100 GeV", "30–90°": from the smallest to the largest of `values`.
RichText span_text(double lower, double upper, const char* unit) {
  // no-break spaces keep "100 GeV" on one line
  if (lower == upper) return fmt::format("{:.4g}{}", lower, unit);
  return fmt::format("{:.4g}–{:.4g}{}", lower, upper, unit);
}

RichText signed_span(double lower, double upper) {
  const auto number = [](double v) {
    return v < 0 ? fmt::format("−{:.4g}", -v) : fmt::format("{:.4g}", v);
  };
  return lower == upper ? number(lower)
                        : number(lower) + "\u00a0to\u00a0" + number(upper);
}

RichText momentum_text(const Criterion& c, double lower, double upper) {
  return (c.momentum.variable == MomentumAxis::Variable::pt
              ? RichText("*p*_{T}\u00a0")
              : RichText("*p*\u00a0")) +
         span_text(lower, upper, "\u00a0GeV");
}

RichText angle_span_text(const Criterion& c, double lower, double upper) {
  return c.angle.variable == AngleAxis::Variable::eta
             ? "*η*\u00a0" + signed_span(lower, upper)
             : "*θ*\u00a0" +
                   span_text(in_degrees(lower), in_degrees(upper), "°");
}

/// All points of the requirement: "*p*_{T} 1–100 GeV, *θ* 30–90°".
RichText range_text(const Criterion& c) {
  std::vector<double> momenta, angles;
  for (const GridPoint& i : c.points) {
    momenta.push_back(c.momentum.values[i.momentum]);
    angles.push_back(c.angle.values[i.angle]);
  }
  const auto [p0, p1] = std::ranges::minmax(momenta);
  const auto [a0, a1] = std::ranges::minmax(angles);
  return momentum_text(c, p0, p1) + ", " + angle_span_text(c, a0, a1);
}

RichText tolerance_text(const gttf::Limit& limit,
                        const CheckedQuantity& quantity) {
  if (limit.tolerance.relative > 0)
    return fmt::format("{:.6g} %", limit.tolerance.relative / unit::percent);
  return limit.tolerance.absolute > 0
             ? in_print(shown(quantity, limit.tolerance.absolute))
             : "";
}

RichText bound_text(const char* sign, const gttf::Limit& limit,
                    const CheckedQuantity& quantity) {
  const RichText formula = printed_formula(limit.formula.text());
  const RichText tolerance = tolerance_text(limit, quantity);
  if (tolerance.empty()) return sign + formula;
  return sign + formula +
         (limit.tolerance.absolute > 0 || sign[0] == '=' ? " ± "
                                                         : ", tolerance ") +
         tolerance;
}

RichText limit_formula(const Criterion& c) {
  RichText text;
  const auto add = [&text](const RichText& part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  if (c.min) add(bound_text("≥ ", *c.min, c.quantity));
  if (c.max) add(bound_text("≤ ", *c.max, c.quantity));
  if (c.equal) add(bound_text("= ", *c.equal, c.quantity));
  for (const std::string& allowed : c.texts)
    text += (text.empty() ? "" : " or ") + literal_text(allowed);
  if (c.text_of_baseline)
    text += text.empty() ? "as in the baseline" : " or as in the baseline";
  return text;
}

/// Location of the worst value; for a coverage the first uncovered point.
RichText place_text(const CheckStory& story, const CheckResult& result) {
  const Criterion& c = criterion_of(story, result);
  const GridPoint at = result.worst_point().point;
  const double p = c.momentum.values[at.momentum],
               angle = result.angle.values[at.angle];
  RichText point =
      momentum_text(c, p, p) + ", " + angle_span_text(c, angle, angle);
  if (c.quantity.kind != CheckedQuantity::Kind::coverage) return point;
  if (!result.failed.empty())
    return literal_text("not " + detail::failed_text(story, result));
  const RichText covered =
      fmt::format("{} of {} points", result.n_covered, result.n_points);
  return result.n_covered == result.n_points ? covered
                                             : covered + ", not " + point;
}

PageCell margin_cell(const CheckedPoint& point) {
  if (std::isnan(point.margin)) return RichText();
  // do not report differences at rounding level
  return MarginBar{std::abs(point.margin) < limit_rounding ? 0 : point.margin};
}

std::string name_of(const CheckStory& story, const CheckResult& result) {
  std::string name = criterion_of(story, result).name;
  if (story.detectors.size() > 1)
    name += " (" + story.detectors[result.detector].detector.name + ")";
  return name;
}

/// "pion, Highland scattering ...": the tracks of the requirements.
RichText conditions_of(const CheckStory& story) {
  const StudyRequest& request = story.file.request;
  std::vector<Detector> detectors;
  for (const DetectorInput& input : story.detectors)
    detectors.push_back(input.detector);
  return literal_text(particle_text(request.particle)) +
         literal_text(start_text(request.vertex)) + ", " +
         detail::models_text(request, detectors, ", ") +
         (request.beam_spot ? ", beam spot as a measurement" : "");
}

}  // namespace

RichText requirement_sentence(const CheckStory& story) {
  const std::size_t n = story.outcome.results.size();
  RichText text = fmt::format("{} of {} requirement{} {} met.",
                              n - story.outcome.n_failed(), n,
                              n == 1 ? "" : "s", n == 1 ? "is" : "are");
  std::size_t missing = 0;
  const CheckResult* least = nullptr;
  for (const CheckResult& result : story.outcome.results) {
    missing += !result.passed() && is_missing(story, result);
    // equality requirements have no margin
    if (result.passed() && criterion_of(story, result).equal) continue;
    const double margin = result.worst_point().margin;
    if (!std::isnan(margin) &&
        (least == nullptr || margin < least->worst_point().margin))
      least = &result;
  }
  if (missing > 0)
    text += fmt::format(" {} {} no value at some point.", missing,
                        missing == 1 ? "has" : "have");
  if (least == nullptr) return text;
  return text + fmt::format(
                    " {} “{}”: {} ({}), {} % {} its limit.",
                    least->passed() ? "Smallest margin:" : "Largest violation:",
                    literal_text(name_of(story, *least)),
                    in_print(value_text(story, *least)),
                    place_text(story, *least),
                    rich_number(100 * std::abs(least->worst_point().margin), 2),
                    least->passed() ? "within" : "beyond");
}

PageTable requirement_table(const CheckStory& story) {
  const bool several = story.detectors.size() > 1;
  PageTable table;
  table.title = "Requirements";
  table.subtitle = literal_text(
      story.file.name.empty()
          ? std::filesystem::path(story.file.request.file).filename().string()
          : story.file.name);
  table.columns = {{"verdict", false}, {"requirement", false}};
  if (several) table.columns.push_back({"detector", false});
  for (PageColumn column : std::vector<PageColumn>{{"quantity", false},
                                                   {"range", false},
                                                   {"limit", false},
                                                   {"worst\u00a0value"},
                                                   {"found\u00a0at", false},
                                                   {"margin", false}})
    table.columns.push_back(std::move(column));
  for (const CheckResult& result : story.outcome.results) {
    const Criterion& c = criterion_of(story, result);
    std::vector<PageCell> row{verdict_of(story, result), literal_text(c.name)};
    if (several)
      row.emplace_back(
          literal_text(story.detectors[result.detector].detector.name));
    row.emplace_back(quantity_text(c.quantity));
    row.emplace_back(range_text(c));
    row.emplace_back(limit_formula(c));
    row.emplace_back(in_print(value_text(story, result)));
    row.emplace_back(place_text(story, result));
    row.push_back(margin_cell(result.worst_point()));
    table.rows.push_back(std::move(row));
  }
  table.caption = "Tracks of the requirements: " + conditions_of(story) +
                  ". Margin: distance to the limit, relative to the limit.";
  table.id = "requirements";
  table.data = check_table(story, CheckDetail::worst);
  return table;
}

std::optional<PageTable> failure_table(const CheckStory& story) {
  PageTable table;
  table.title = "Causes of unmet requirements";
  table.columns = {{"requirement", false}, {"", false}, {"", false}};
  for (std::size_t i = 0; i < story.outcome.results.size(); ++i) {
    const CheckResult& result = story.outcome.results[i];
    if (result.passed()) continue;
    table.rows.push_back(
        {literal_text(name_of(story, result)), RichText("found"),
         quantity_text(criterion_of(story, result).quantity) + ": " +
             in_print(value_text(story, result)) + " (" +
             place_text(story, result) + "), required " +
             in_print(limit_text(story, result))});
    for (const auto& [name, value] : failure_facts(story, i))
      table.rows.push_back(
          {RichText(), literal_text(name), with_arrows(literal_text(value))});
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

}  // namespace gttf::detail
