// SPDX-License-Identifier: Apache-2.0
// Sentences that summarise the figures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "gttf/resolution/budget.hpp"
#include "gttf/resolution/layer_errors.hpp"
#include "gttf/resolution/missing_hits.hpp"
#include "gttf/resolution/regime.hpp"
#include "gttf/study/report/report_figures.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/sensitivity.hpp"
#include "gttf/study/scan/what_if.hpp"

namespace gttf::detail {
namespace {

constexpr double half = 0.5;

// Best and worst value of an error on the grid of curves.
RichText extremes(const ReportSubject& subject,
                  const std::vector<ErrorCurve>& curves,
                  const ShownQuantity& q) {
  struct Extreme {
    double value = Resolution::none;
    GridPoint at;
  } best, worst;
  for (std::size_t j = 0; j < curves.size(); ++j)
    for (std::size_t i = 0; i < curves[j].grid.size(); ++i) {
      const double v = curves[j].grid[i].all[q.parameter];
      if (std::isnan(v)) continue;
      if (!(v >= best.value)) best = {v, {i, j}};
      if (!(v <= worst.value)) worst = {v, {i, j}};
    }
  if (std::isnan(best.value)) return "";
  const auto described = [&](const Extreme& e) {
    return rich_number(e.value * q.factor) + " " + q.unit + " at " +
           subject.momentum.rounded(
               subject.curves.momentum.values[e.at.momentum]) +
           ", " + angle_text(subject.curves, e.at.angle);
  };
  constexpr double visible = 1e-3;
  if (worst.value < best.value * (1 + visible))
    return q.symbol + " is " + rich_number(best.value * q.factor) + " " +
           q.unit + " at all momenta and angles of the study.";
  return q.symbol + " is " + described(best) + " at best and " +
         described(worst) + " at worst.";
}

// The point where hit errors reach half of the variance.
RichText turning_point(const ReportSubject& subject,
                       const std::vector<Budget>& budgets,
                       const ShownQuantity& q) {
  const std::vector<double> share = hit_shares(budgets, q);
  const std::vector<double>& p = subject.curves.momentum.values;
  std::size_t first = 0;
  while (first < share.size() && std::isnan(share[first])) ++first;
  if (first == share.size()) return "";
  std::size_t at = first;
  while (at < share.size() && share[at] < half) ++at;
  const RichText where = "At " + angle_text(subject.curves, 0);
  if (at == first)
    return where + " hit errors contribute more than half of the variance of " +
           q.symbol + " from the lowest momentum on.";
  if (at == share.size())
    return where +
           " scattering contributes more than half of the variance of " +
           q.symbol + " at all momenta of the study.";
  return where + " scattering contributes more than half of the variance of " +
         q.symbol + " up to " +
         rich_number(p[at] * subject.momentum.factor, 2) + " " +
         subject.momentum.unit + ", hit errors above.";
}

// The subsystem with the largest share at the selected momentum.
RichText largest_share(const ReportSubject& subject, const ShownQuantity& q) {
  const Budget budget = make_budget(
      TrackingGeometry(subject.detector),
      grid_track(subject.points, {subject.middle(), 0}), subject.model());
  if (!budget.exists() || !(budget.total[q.parameter] > 0)) return "";
  std::map<std::pair<std::size_t, bool>, double> sums;
  for (const BudgetPart& part : budget.parts)
    if (part.cause != Cause::beam_spot)
      sums[{subject.groups.of_layer[part.layer], part.cause != Cause::hit}] +=
          budget.share(part)[q.parameter];
  if (sums.empty()) return "";
  const auto most = std::max_element(
      sums.begin(), sums.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto [system, scattering] = most->first;
  return fmt::format(
      "The largest contribution at {} is {} in {} ({} % of the variance).",
      subject.momentum.text(subject.points.momentum.values[subject.middle()]),
      scattering ? "scattering" : "hit errors",
      literal_text(subject.groups.systems[system].name),
      fixed_number(100 * most->second, 0));
}

// Regimes of the tracks in the study.
RichText regimes(const ReportSubject& subject) {
  const TrackingGeometry geometry(subject.detector);
  std::map<Regime, std::size_t> count;
  std::size_t measured = 0, total = 0;
  for (const GridPoint point : grid_points(subject.request)) {
    const Resolution r =
        resolve(geometry, grid_track(subject.request, point), subject.model());
    ++total;
    measured += !std::isnan(r.perigee(0, 0));
    ++count[r.regime];
  }
  RichText text;
  const auto add_count = [&](Regime regime, const char* words,
                             const char* first) {
    if (count[regime] == 0) return;
    const std::string number = std::to_string(count[regime]);
    text += text.empty() ? number + first + words : ", " + number + words;
  };
  const char* limited = " are limited";
  add_count(Regime::scattering, " by scattering (*μ*_{φ} ≤ 0.15)", limited);
  add_count(Regime::mixed,
            " by scattering and hit errors and need the general fit", limited);
  add_count(Regime::hits, " by hit errors", limited);
  add_count(Regime::weak, " have a curvature below 3 *σ*", "");
  if (!text.empty())
    text = fmt::format("Of the {} tracks in this study, {}.", total, text);
  if (measured < total)
    text += fmt::format(
        " {} of {} have no resolution: they curl up or meet "
        "too few layers.",
        total - measured, total);
  return text;
}

// The layer whose loss has the largest effect.
RichText weakest_point(const ReportSubject& subject, const ShownQuantity& q) {
  const WhatIf what{subject.detector, subject.points, {subject.middle(), 0}};
  const Resolution all =
      resolve(TrackingGeometry(subject.detector), what.track(), what.model());
  const double full = errors_of(all)[q.parameter];
  const NamedSets named = crossed_sets(subject.detector, all, Grouping::large);
  constexpr std::size_t most_layers = 60;
  if (!(full > 0) || named.names.size() > most_layers) return "";
  double worst = 1;
  RichText name;
  bool several = false;
  for (std::size_t i = 0; i < named.names.size(); ++i) {
    const double ratio =
        errors_of(resolve_without(subject.detector, what.track(), what.model(),
                                  named.sets[i],
                                  DroppedMaterial::kept))[q.parameter] /
        full;
    const std::size_t n = named.sets[i].size();
    if (std::isnan(ratio))
      return (n == 1 ? "Without layer "
                     : fmt::format("Without the {} layers ", n)) +
             literal_text(named.names[i]) + " the track is not measured.";
    if (ratio > worst) {
      worst = ratio;
      name = literal_text(named.names[i]);
      several = n > 1;
      if (several) name = fmt::format("the {} layers ", n) + name;
    }
  }
  constexpr double worth_telling = 1.02;
  if (worst < worth_telling) return "";
  return "The most important " +
         RichText(several ? "hits for " : "single hit for ") + q.symbol +
         (several ? " are the hits of " : " is the hit of ") + name +
         (several ? ": without them" : ": without it") + " the error is " +
         rich_number(worst, worst < 1.1 ? 4 : 3) + " times as large.";
}

// The gain from a change of one per cent.
RichText best_change(const ReportSubject& subject, const ShownQuantity& q) {
  const Sensitivities list = make_sensitivities(
      TrackingGeometry(subject.detector),
      grid_track(subject.points, {subject.middle(), 0}), subject.model());
  if (!list.exists() || !(list.sigma[q.parameter] > 0)) return "";
  const std::vector<SensitivityRow> rows =
      sensitivity_rows(subject.grouped(), list, Grouping::group);
  const SensitivityRow* best = nullptr;
  for (const SensitivityRow& row : rows) {
    const bool designable =
        row.quantity == Quantity::x_over_x0 || row.quantity == Quantity::sigma;
    if (designable &&
        (best == nullptr || std::abs(row.elasticity[q.parameter]) >
                                std::abs(best->elasticity[q.parameter])))
      best = &row;
  }
  if (best == nullptr) return "";
  constexpr double step = 10;  // per cent
  return fmt::format("{} % less {} ({}) would lower {} by {} %.", step,
                     best->quantity == Quantity::x_over_x0
                         ? RichText("material")
                         : "hit error in " + coordinate_symbol(*best),
                     literal_text(best->layer), q.symbol,
                     fixed_number(step * best->elasticity[q.parameter], 1));
}

}  // namespace

std::vector<RichText> summary_sentences(const ReportSubject& subject,
                                        const std::vector<ErrorCurve>& curves,
                                        const std::vector<Budget>& budgets) {
  std::vector<RichText> paragraphs;
  for (const ShownQuantity& q : std::span(subject.shown()).first(2)) {
    RichText text;
    for (const RichText& sentence :
         {extremes(subject, curves, q), turning_point(subject, budgets, q),
          largest_share(subject, q), best_change(subject, q),
          weakest_point(subject, q)})
      if (!sentence.empty()) text += (text.empty() ? "" : " ") + sentence;
    if (!text.empty()) paragraphs.push_back(std::move(text));
  }
  if (const RichText text = regimes(subject); !text.empty())
    paragraphs.push_back(text);
  return paragraphs;
}

}  // namespace gttf::detail
