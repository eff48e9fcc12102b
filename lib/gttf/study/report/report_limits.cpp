// SPDX-License-Identifier: Apache-2.0
// Figures of what limits a resolution: shares, layers, changes, losses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gttf/core/parallel.hpp"
#include "gttf/resolution/budget.hpp"
#include "gttf/study/report/report_figures.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf::detail {
namespace {

double share_of(const Budget& budget, const BudgetPart& part, Parameter q) {
  return part.variance[q] / budget.total[q];
}

bool has(const Budget& budget, Parameter q) {
  return budget.exists() && budget.total[q] > 0;
}

// Shares of all subsystems by one cause; the beam spot counts as a hit of the
// innermost.
std::vector<Reals> shares_by_system(const ReportSubject& subject,
                                    const std::vector<Budget>& budgets,
                                    Parameter q, bool hits) {
  std::vector<Reals> shares(subject.groups.systems.size(),
                            Reals(budgets.size()));
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    if (!has(budgets[i], q)) {
      for (Reals& of_system : shares) of_system[i] = Resolution::none;
      continue;
    }
    for (const BudgetPart& part : budgets[i].parts) {
      const bool of_hits =
          part.cause == Cause::hit || part.cause == Cause::beam_spot;
      if (of_hits != hits) continue;
      const std::size_t k = part.cause == Cause::beam_spot
                                ? 0
                                : subject.groups.of_layer[part.layer];
      shares[k][i] += 100 * share_of(budgets[i], part, q);
    }
  }
  return shares;
}

}  // namespace

std::vector<Budget> budgets_along(const ReportSubject& subject) {
  const TrackingGeometry geometry(subject.detector);
  std::vector<Budget> budgets(subject.curves.momentum.values.size());
  parallel_workers(
      budgets.size(), thread_count(subject.threads), [&](const auto& next) {
        while (const auto i = next())
          budgets[*i] = make_budget(
              geometry, grid_track(subject.curves, {*i, 0}), subject.model());
      });
  return budgets;
}

std::vector<double> hit_shares(const std::vector<Budget>& budgets,
                               const ShownQuantity& q) {
  std::vector<double> sums;
  sums.reserve(budgets.size());
  for (const Budget& budget : budgets) {
    double sum = has(budget, q.parameter) ? 0 : Resolution::none;
    for (const BudgetPart& part : budget.parts)
      if (part.cause == Cause::hit || part.cause == Cause::beam_spot)
        sum += share_of(budget, part, q.parameter);
    sums.push_back(sum);
  }
  return sums;
}

std::optional<Figure> share_figure(const ReportSubject& subject,
                                   const std::vector<Budget>& budgets,
                                   const ShownQuantity& q) {
  if (std::none_of(budgets.begin(), budgets.end(),
                   [&](const Budget& b) { return has(b, q.parameter); }))
    return std::nullopt;
  Figure figure = subject.figure(
      fmt::format("share-{}", q.id), q.symbol,
      "share of the variance, " + angle_equation(subject.curves, 0),
      fmt::format("Share of every subsystem's scattering and hit errors in the "
                  "variance of {} against {}.",
                  q.name, subject.momentum.name));
  Plot plot;
  plot.grid = false;
  plot.x = subject.momentum.axis(subject.curves.momentum.values);
  Reals x;
  for (const double p : subject.curves.momentum.values)
    x.push_back(p * subject.momentum.factor);
  figure.data.add(column_name(plot.x.name, plot.x.unit), Reals(x));
  Panel panel;
  panel.y.title = "share of *σ*² [%]";
  panel.y.name = "share";
  panel.y.unit = "%";
  panel.y.upper = 100;
  panel.y.step = 20;
  Reals sum(x.size());
  std::vector<bool> seen(subject.groups.systems.size());
  for (const bool hits : {false, true}) {
    const auto shares = shares_by_system(subject, budgets, q.parameter, hits);
    for (std::size_t k = 0; k < shares.size(); ++k) {
      const Subsystem& system = subject.groups.systems[k];
      const Reals below = sum;
      bool any = false;
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] = below[i] + shares[k][i];
        any = any || shares[k][i] > 0;
        constexpr double visible = 0.5;  // per cent
        seen[k] = seen[k] || shares[k][i] > visible;
      }
      if (!any) continue;
      const std::string name = (hits ? "hits, " : "scattering, ") + system.name;
      Band band{.id = fmt::format("{}{}", hits ? "h" : "s", k),
                .x = x,
                .lower = below,
                .upper = sum,
                .paint = system.fill,
                .hatched = hits,
                .label = literal_text(name)};
      band.column = figure.data.columns.size();
      figure.data.add(name + " [%]", Reals(shares[k]));
      panel.bands.push_back(std::move(band));
    }
  }
  const std::vector<LegendEntry> entries = subject.groups.legend();
  for (std::size_t k = 0; k < entries.size(); ++k)
    if (seen[k]) figure.legend.push_back(entries[k]);
  figure.legend.push_back({.key = LegendEntry::Key::box,
                           .text = "plain: scattering",
                           .paint = {Tone::group, 1}});
  figure.legend.push_back({.key = LegendEntry::Key::hatched_box,
                           .text = "hatched: hit errors",
                           .paint = {Tone::group, 1}});
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  return figure;
}

namespace {

// A line of the budget by layer: all surfaces of an entry together.
struct LayerLineItem {
  std::string name;
  std::size_t layer = 0, count = 0;
  double x_over_x0 = 0;
  PerParameter scattering, hits;
  bool measures = false;
};

std::vector<LayerLineItem> layer_items(const ReportSubject& subject,
                                       const Budget& budget) {
  constexpr std::size_t most_lines = 45;
  std::vector<std::string> names = entry_names(subject.detector);
  std::vector<LayerLineItem> items;
  const auto item_of = [&](std::size_t layer) -> LayerLineItem& {
    const auto found = std::find_if(
        items.begin(), items.end(),
        [&](const LayerLineItem& i) { return i.name == names[layer]; });
    if (found != items.end()) return *found;
    items.push_back({names[layer], layer, 0, 0, {}, {}, false});
    return items.back();
  };
  // What comes behind the last measurement is not seen.
  const auto& crossings = budget.resolution.crossings;
  std::size_t ends = crossings.size();
  while (ends > 0 && !crossings[ends - 1].measured) --ends;
  const auto collect = [&] {
    items.clear();
    for (std::size_t i = 0; i < ends; ++i) {
      const CrossingInfo& c = budget.resolution.crossings[i];
      LayerLineItem& item = item_of(c.layer);
      ++item.count;
      item.x_over_x0 += c.x_over_x0;
      item.measures = item.measures || c.measured;
    }
  };
  collect();
  if (items.size() > most_lines) {  // too many for a page: subsystems instead
    for (std::size_t i = 0; i < names.size(); ++i)
      names[i] = subject.groups.systems[subject.groups.of_layer[i]].name;
    collect();
  }
  for (const BudgetPart& part : budget.parts) {
    if (part.cause == Cause::beam_spot) {
      if (items.front().name != "beam spot")
        items.insert(items.begin(), {"beam spot", 0, 0, 0, {}, {}, true});
      for (const Parameter q : all_parameters)
        items.front().hits[q] += budget.share(part)[q];
      continue;
    }
    if (part.crossing >= ends) continue;
    LayerLineItem& item = item_of(part.layer);
    PerParameter& sum = part.cause == Cause::hit ? item.hits : item.scattering;
    for (const Parameter q : all_parameters) sum[q] += budget.share(part)[q];
  }
  return items;
}

double nice_bar_end(double percent) {
  for (const double end : {5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 80.0})
    if (percent <= end) return end;
  return 100;
}

}  // namespace

std::optional<Figure> layer_budget_figure(const ReportSubject& subject) {
  const GridPoint point{subject.middle(), 0};
  const Budget budget =
      make_budget(TrackingGeometry(subject.detector),
                  grid_track(subject.points, point), subject.model());
  if (!budget.exists()) return std::nullopt;
  const std::vector<LayerLineItem> items = layer_items(subject, budget);
  std::vector<const ShownQuantity*> quantities;
  for (const ShownQuantity& q : std::span(subject.shown()).first(3))
    if (has(budget, q.parameter)) quantities.push_back(&q);

  Figure figure = subject.wide_figure(
      "budget-layers", "Budget by layer",
      subject.point_text(point.momentum, point.angle),
      "Share of every layer's scattering and hit errors in the variances.");
  figure.caption =
      "Shares are exact and add up to 100 %. Plain: scattering, hatched: hit "
      "errors. Passive layers in grey. What comes behind the last "
      "measurement costs nothing.";
  BarChart chart;
  const bool by_radius = has_barrel(subject.detector);
  chart.columns = {{"layer, in order of flight", Anchor::start},
                   {by_radius ? "*r* [mm]" : "*z* [mm]", Anchor::end},
                   {"*x*/*X*_{0} [%]", Anchor::end}};
  Texts layers, causes;
  std::vector<Reals> shares(quantities.size());
  std::vector<double> most(quantities.size()), hits(quantities.size());
  int system_before = -1;
  for (const LayerLineItem& item : items) {
    ChartRow row;
    const std::size_t system = subject.groups.of_layer[item.layer];
    row.swatch = subject.groups.systems[system].fill;
    row.has_swatch = true;
    // a subsystem and its supports are one block
    row.new_block = system_before >= 0 && row.swatch.index != system_before;
    system_before = row.swatch.index;
    row.light = !item.measures;
    const Layer& layer = subject.detector.layers[item.layer];
    const bool barrel = layer.surface.shape == Shape::cylinder;
    row.cells = {
        literal_text(item.name) +
            (item.count > 1 ? fmt::format(" (× {})", item.count) : ""),
        barrel == by_radius && item.count == 1
            ? fixed_number(layer.surface.position, 1)
            : RichText(),
        item.count > 0 ? rich_number(100 * item.x_over_x0, 2) : RichText()};
    row.hint = item.name + ":";
    layers.insert(layers.end(), {item.name, item.name});
    causes.insert(causes.end(), {"scattering", "hits"});
    for (std::size_t k = 0; k < quantities.size(); ++k) {
      const Parameter q = quantities[k]->parameter;
      const double s = 100 * item.scattering[q], h = 100 * item.hits[q];
      row.bars.push_back({{s, row.swatch, false}, {h, row.swatch, true}});
      constexpr double told = 0.5;
      row.labels.push_back(s + h >= told ? fixed_number(s + h, 1) : "");
      row.hint += fmt::format(" {} scattering {:.2f} %, hits {:.2f} %;",
                              quantities[k]->name, s, h);
      shares[k].insert(shares[k].end(), {s, h});
      most[k] = std::max(most[k], s + h);
      hits[k] += h;
    }
    chart.rows.push_back(std::move(row));
  }
  chart.foot = {"sum 100 %, of which hit errors", "", ""};
  figure.data.add("layer", std::move(layers));
  figure.data.add("cause", std::move(causes));
  for (std::size_t k = 0; k < quantities.size(); ++k) {
    chart.panels.push_back(
        {.title = "share of *σ*²: " + quantities[k]->symbol + " [%]",
         .upper = nice_bar_end(most[k])});
    chart.foot.push_back(fixed_number(hits[k], 1) + " %");
    figure.data.add(quantities[k]->name + " share [%]", std::move(shares[k]));
  }
  figure.content = std::move(chart);
  return figure;
}

}  // namespace gttf::detail
