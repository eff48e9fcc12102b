// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/pareto_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gttf {
namespace {

/// An axis slightly wider than the values.
FigureAxis axis_around(const std::string& name, const std::string& unit,
                       const Reals& values) {
  FigureAxis axis;
  axis.name = name;
  axis.unit = unit == "1" ? "" : unit;
  axis.title = literal_text(name) +
               (axis.unit.empty() ? "" : " [" + literal_text(axis.unit) + "]");
  const auto [low, high] = std::ranges::minmax(values);
  const double margin = std::max(0.06 * (high - low), 1e-3 * std::abs(high));
  axis.lower = std::max(low - margin, low > 0 ? 0.0 : low - margin);
  axis.upper = high + margin;
  return axis;
}

/// Two of the objectives: along x and y.
Figure pair_figure(const ParetoFront& front, std::size_t along,
                   std::size_t across) {
  Figure figure;
  const bool is_all = front.names.size() == 2;
  const std::string &of_x = front.names[along], &of_y = front.names[across];
  figure.id =
      is_all ? "pareto" : fmt::format("pareto-{}{}", along + 1, across + 1);
  figure.title = literal_text(of_y) + " against " + literal_text(of_x);
  figure.caption =
      is_all ? "No design is better than these points in both objectives."
             : "No design is better than these points in all objectives. Only "
               "two of them are shown: points above the others are better in "
               "the third.";
  figure.description = "Front of the objectives and the present detector.";
  Reals x, y;
  for (const ParetoPoint& p : front.points) {
    x.push_back(p.values[along]);
    y.push_back(p.values[across]);
  }
  figure.data.add(of_x, x);
  figure.data.add(of_y, y);
  Reals all_x = x, all_y = y;
  const bool has_present = std::isfinite(front.present[along]);
  if (has_present) {
    all_x.push_back(front.present[along]);
    all_y.push_back(front.present[across]);
  }
  if (all_x.empty()) return figure;
  Plot plot;
  plot.x = axis_around(of_x, front.units[along], all_x);
  Panel panel;
  panel.y = axis_around(of_y, front.units[across], all_y);
  // a front is a step at a jump; points are joined by straight lines
  if (is_all) panel.curves.push_back({"front", x, y, {Tone::series, 0}});
  Marks points{"front-points", "front", x, y, {Tone::series, 0}};
  points.shape = MarkShape::dot;
  points.size = 5;
  panel.marks.push_back(std::move(points));
  figure.legend.push_back(
      {is_all ? LegendEntry::Key::line : LegendEntry::Key::ring,
       "found",
       {Tone::series, 0}});
  if (has_present) {
    panel.marks.push_back({"present",
                           "",
                           {front.present[along]},
                           {front.present[across]},
                           {Tone::series, 1}});
    figure.legend.push_back({LegendEntry::Key::ring,
                             front.present_is_feasible
                                 ? "present detector"
                                 : "present detector (misses limits)",
                             {Tone::series, 1}});
  }
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  return figure;
}

}  // namespace

Table pareto_table(const ParetoFront& front) {
  Table table;
  for (std::size_t i = 0; i < front.names.size(); ++i) {
    Reals values;
    for (const ParetoPoint& p : front.points) values.push_back(p.values[i]);
    const std::string& unit = front.units[i];
    const bool named =
        unit.empty() || unit == "1" || front.names[i].ends_with('_' + unit);
    table.add(front.names[i] + (named ? "" : '_' + unit), std::move(values));
  }
  for (std::size_t v = 0; v < front.variables.size(); ++v) {
    const DesignVariable& variable = front.variables[v];
    Reals values;
    for (const ParetoPoint& p : front.points)
      values.push_back(p.x[v] / variable.unit_value);
    table.add(variable.unit.empty()
                  ? variable.name
                  : fmt::format("{} [{}]", variable.name, variable.unit),
              std::move(values));
  }
  for (std::size_t c = 0; c < front.choices.size(); ++c) {
    Texts chosen;
    for (const ParetoPoint& p : front.points) chosen.push_back(p.chosen[c]);
    table.add(front.choices[c], std::move(chosen));
  }
  Texts kind;
  for (const ParetoPoint& p : front.points)
    kind.emplace_back(to_string(p.certificate.kind));
  table.add("certificate", std::move(kind));
  return table;
}

std::vector<Figure> pareto_figures(const ParetoFront& front) {
  std::vector<Figure> figures;
  for (std::size_t across = 1; across < front.names.size(); ++across)
    for (std::size_t along = 0; along < across; ++along)
      figures.push_back(pair_figure(front, along, across));
  return figures;
}

}  // namespace gttf
