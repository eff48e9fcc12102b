// SPDX-License-Identifier: Apache-2.0
// Figures of a report that compare detectors or show toys.
#include "gttf/study/report/report_figures.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "gttf/detector/override.hpp"
#include "gttf/resolution/layer_errors.hpp"
#include "gttf/resolution/missing_hits.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/sensitivity.hpp"
#include "gttf/study/scan/what_if.hpp"

namespace gttf::detail {
namespace {

// Where acceptance ends, ratios may be anything: what all but the last per
// cents reach, and half as much again.
FigureAxis ratio_axis(const std::vector<Reals>& ratios) {
  Reals values;
  for (const Reals& ratio : ratios)
    for (const double r : ratio)
      if (r > 0 && std::isfinite(r)) values.push_back(r);
  double lower = 1, upper = 1;
  if (!values.empty()) {
    std::sort(values.begin(), values.end());
    constexpr double room = 1.5;
    const std::size_t tail = values.size() * 2 / 100;
    lower = std::min(lower, std::max(values.front(), values[tail] / room));
    upper = std::max(upper, std::min(values.back(),
                                     values[values.size() - 1 - tail] * room));
  }
  FigureAxis axis;
  axis.title = "ratio";
  axis.name = "ratio";
  constexpr double wide = 4;  // a larger range needs a logarithmic axis
  if (upper / lower > wide) {
    DataRange range;
    range.add(lower);
    range.add(upper);
    const FigureAxis log = log_axis(range);
    axis.scale = log.scale;
    axis.lower = log.lower;
    axis.upper = log.upper;
    return axis;
  }
  constexpr double steps = 5;  // ends at fifths
  axis.lower = std::floor(lower * steps - 0.2) / steps;
  axis.upper = std::ceil(upper * steps + 0.2) / steps;
  return axis;
}

RichText reference_text(const ReportSubject& first) {
  constexpr std::size_t longest = 14;  // range of the axis
  const std::string& name = first.detector.name;
  return "ratio to " + (name.size() > longest ? "first" : literal_text(name));
}

void add_line(const std::string& name, std::size_t k, Curve curve,
              Figure& figure, Panel& panel) {
  const LineStyle style = category_style(k);
  curve.id = fmt::format("d{}", k);
  curve.paint = style.paint;
  curve.dash = style.dash;
  if (figure.legend.size() <= k)
    figure.legend.push_back({.key = LegendEntry::Key::line,
                             .text = literal_text(name),
                             .paint = style.paint,
                             .dash = style.dash,
                             .ids = {curve.id}});
  panel.curves.push_back(std::move(curve));
}

}  // namespace

std::optional<Figure> compare_figure(
    const std::vector<ComparedDetector>& detectors, const ShownQuantity& q,
    Along along, std::size_t fixed) {
  const ReportSubject& first = detectors.front().subject;
  const MomentumUnit& momentum = first.momentum;
  const bool by_momentum = along == Along::momentum;
  const StudyRequest& grid = by_momentum ? first.curves : first.against_eta;
  const double factor = by_momentum ? momentum.factor : 1;
  Figure figure;
  figure.id = fmt::format("compare-{}{}", by_momentum ? "" : "eta-", q.id);
  if (fixed > 0) figure.id += fmt::format("-{}", fixed + 1);
  figure.title = q.title;
  figure.subtitle = by_momentum
                        ? angle_equation(grid, fixed)
                        : momentum.equation(grid.momentum.values[fixed]);
  figure.conditions = figure.subtitle;
  figure.height = 440;
  Plot plot;
  plot.x =
      by_momentum ? momentum.axis(grid.momentum.values) : eta_figure_axis(grid);
  figure.description = fmt::format(
      "{} of {} detectors against {}, and the ratio to the first one.", q.name,
      detectors.size(), plot.x.name);
  const auto scaled = [factor](Reals x) {
    for (double& v : x) v *= factor;
    return x;
  };
  figure.data.add(
      column_name(plot.x.name, plot.x.unit),
      scaled(by_momentum ? grid.momentum.values : grid.angle.values));
  Panel top, bottom;
  top.share = 2.4;
  std::vector<ErrorCurve> curves;
  for (const ComparedDetector& d : detectors)
    curves.push_back((by_momentum ? d.curves : d.along_eta)[fixed]);
  const DataRange range = range_of(curves, q);
  if (!range.exists()) return std::nullopt;
  const Reals reference = column_of(curves.front().grid, q);
  std::vector<Reals> ratios;
  for (std::size_t k = 0; k < detectors.size(); ++k) {
    const std::string& name = detectors[k].subject.detector.name;
    const Reals values = column_of(curves[k].grid, q);
    Reals ratio_column;
    for (std::size_t i = 0; i < values.size(); ++i)
      ratio_column.push_back(values[i] / reference[i]);
    Curve line{.x = scaled(curves[k].x), .y = column_of(curves[k].path, q)};
    line.column = figure.data.columns.size();
    figure.data.add(column_name(name, q.unit), Reals(values));
    add_line(name, k, std::move(line), figure, top);
    RatioCurve ratio = ratio_curve(detectors[k].subject, curves[k], first,
                                   curves.front(), along, fixed, q);
    ratios.push_back(ratio.y);
    Curve below{.x = scaled(std::move(ratio.x)), .y = std::move(ratio.y)};
    below.column = figure.data.columns.size();
    figure.data.add(name + ", ratio", std::move(ratio_column));
    add_line(name, k, std::move(below), figure, bottom);
  }
  top.y = log_axis(range);
  top.y.title = q.axis_title();
  top.y.name = q.name;
  top.y.unit = q.unit;
  bottom.y = ratio_axis(ratios);
  bottom.y.title = reference_text(first);
  plot.panels.push_back(std::move(top));
  plot.panels.push_back(std::move(bottom));
  figure.content = std::move(plot);
  return figure;
}

std::vector<Figure> compare_profiles(
    const std::vector<ComparedDetector>& detectors) {
  const ReportSubject& first = detectors.front().subject;
  Figure hits, material;
  hits.id = "compare-hits";
  hits.title = "Measurements";
  hits.description = "Measurements of each detector against pseudorapidity.";
  material.id = "compare-material";
  material.title = "Material";
  material.description = "Material of each detector against pseudorapidity.";
  hits.subtitle = "straight tracks from the origin";
  hits.conditions = hits.subtitle;
  material.subtitle = "up to the last measurement";
  material.conditions = material.subtitle;
  for (Figure* figure : {&hits, &material}) {
    figure->height = 330;
    Plot plot;
    plot.x = eta_figure_axis(first.against_eta);
    figure->data.add("eta", Reals(first.against_eta.angle.values));
    Panel panel;
    double most = 0;
    for (std::size_t k = 0; k < detectors.size(); ++k) {
      const Totals totals = total_profile(detectors[k].subject);
      const Reals& y = figure == &hits ? totals.hits : totals.x_over_x0;
      for (const double v : y) most = std::max(most, v);
      // the points that all have, for the read-out
      Reals column;
      const auto& grid = first.against_eta.angle.values;
      for (std::size_t i = 0; i < y.size(); ++i)
        if (column.size() < grid.size() && totals.eta[i] == grid[column.size()])
          column.push_back(y[i]);
      Curve curve{.x = totals.eta, .y = y};
      curve.column = figure->data.columns.size();
      const std::string& name = detectors[k].subject.detector.name;
      figure->data.add(name, std::move(column));
      add_line(name, k, std::move(curve), *figure, panel);
    }
    panel.y.upper = nice_upper(most);
    panel.y.title =
        figure == &hits ? "measurements on the track" : "*x*/*X*_{0} [%]";
    panel.y.name = figure == &hits ? "measurements" : "x/X0";
    if (figure == &material) panel.y.unit = "%";
    plot.panels.push_back(std::move(panel));
    figure->content = std::move(plot);
  }
  return {std::move(hits), std::move(material)};
}

PageTable compare_table(const std::vector<ComparedDetector>& detectors) {
  const ReportSubject& first = detectors.front().subject;
  const std::size_t angles = first.points.angle.values.size();
  PageTable table;
  table.title = "Resolutions";
  if (angles == 1) table.subtitle = angle_equation(first.points, 0);
  table.columns = {{"detector", false}};
  if (angles > 1) table.columns.push_back({"angle", false});
  table.columns.push_back({"measurements"});
  table.columns.push_back({"*x*/*X*_{0} [%]"});
  const std::vector<double>& momenta = first.points.momentum.values;
  const auto shown = std::span(first.shown()).first(3);
  for (const ShownQuantity& q : shown)
    for (const double p : momenta)
      table.columns.push_back({first.momentum.text(p), true, q.axis_title()});
  // numbers below each other have the same number of decimals
  std::vector<Reals> numbers(table.columns.size());
  for (std::size_t j = 0; j < angles; ++j)
    for (const ComparedDetector& d : detectors) {
      const ReportSubject& s = d.subject;
      const TrackingGeometry geometry(s.detector);
      std::vector<PageCell> row{literal_text(s.detector.name)};
      if (angles > 1) row.emplace_back(angle_text(s.points, j));
      std::vector<PerParameter> sigma;
      Resolution last;
      for (std::size_t i = 0; i < momenta.size(); ++i) {
        last = resolve(geometry, grid_track(s.points, {i, j}), s.model());
        sigma.push_back(errors_of(last));
      }
      row.emplace_back(std::to_string(last.n_hits));
      numbers[row.size()].push_back(100 * last.x_over_x0_tracker);
      std::size_t column = row.size() + 1;
      for (const ShownQuantity& q : shown)
        for (const PerParameter& v : sigma)
          numbers[column++].push_back(v[q.parameter] * q.factor);
      table.rows.push_back(std::move(row));
    }
  for (const Reals& column : numbers) {
    const std::vector<RichText> texts = aligned_numbers(column);
    for (std::size_t i = 0; i < texts.size(); ++i)
      table.rows[i].emplace_back(texts[i]);
  }
  table.caption = "Measurements and material of the track of highest momentum.";
  return table;
}

namespace {

constexpr double change = 0.1;  // of each quantity

RichText symbol_of(const SensitivityRow& row) {
  const std::string where = literal_text(row.layer);
  switch (row.quantity) {
    case Quantity::field:
      return "field *B*";
    case Quantity::x_over_x0:
      return "*x*/*X*_{0}, " + where;
    case Quantity::sigma:
      return "*σ*(" + coordinate_symbol(row) + "), " + where;
    case Quantity::position:  // "radius", "z"
      return (row.name.size() == 1 ? "*" + row.name + "*"
                                   : literal_text(row.name)) +
             ", " + where;
    default:
      return literal_text(row.name);
  }
}

}  // namespace

RichText coordinate_symbol(const SensitivityRow& row) {
  constexpr std::string_view degrees = " deg";
  const std::string name = row.name.substr(row.name.find(' ') + 1);
  if (name == "rphi") return "*rφ*";
  if (name.size() == 1) return "*" + name + "*";
  if (name.ends_with(degrees))
    return literal_text(name.substr(0, name.size() - degrees.size())) + "°";
  return literal_text(name);
}

std::optional<Figure> tornado_figure(const ReportSubject& subject) {
  const GridPoint point{subject.middle(), 0};
  const Sensitivities list =
      make_sensitivities(TrackingGeometry(subject.detector),
                         grid_track(subject.points, point), subject.model());
  if (!list.exists()) return std::nullopt;
  const std::vector<SensitivityRow> all =
      sensitivity_rows(subject.grouped(), list, Grouping::group);
  BarChart chart;
  Texts quantity, parameter;
  Reals elasticity;
  constexpr std::size_t most_rows = 10;
  std::vector<std::vector<const SensitivityRow*>> columns;
  std::vector<const ShownQuantity*> quantities;
  for (const ShownQuantity& shown : std::span(subject.shown()).first(2)) {
    const Parameter q = shown.parameter;
    if (!(list.sigma[q] > 0)) continue;
    std::vector<const SensitivityRow*> rows;
    for (const SensitivityRow& row : all) {
      constexpr double visible = 0.02;  // 0.2 % for 10 %
      if (row.quantity != Quantity::angle &&
          std::abs(row.elasticity[q]) >= visible)
        rows.push_back(&row);
      quantity.push_back(plain_text(symbol_of(row)));
      parameter.push_back(shown.name);
      elasticity.push_back(row.elasticity[q]);
    }
    std::stable_sort(rows.begin(), rows.end(), [&](auto* a, auto* b) {
      return std::abs(a->elasticity[q]) > std::abs(b->elasticity[q]);
    });
    if (rows.size() > most_rows) rows.resize(most_rows);
    columns.push_back(std::move(rows));
    quantities.push_back(&shown);
  }
  if (columns.empty()) return std::nullopt;
  // Common list of names: large for either parameter, in order of the larger
  // effect.
  std::vector<const SensitivityRow*> rows;
  const auto effect = [&](const SensitivityRow* row) {
    double most = 0;
    for (const ShownQuantity* q : quantities)
      most = std::max(most, std::abs(row->elasticity[q->parameter]));
    return most;
  };
  for (const auto& column : columns)
    for (const SensitivityRow* row : column)
      if (std::find(rows.begin(), rows.end(), row) == rows.end())
        rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](auto* a, auto* b) { return effect(a) > effect(b); });
  constexpr std::size_t most = 16;
  if (rows.size() > most) rows.resize(most);
  chart.columns = {{"quantity", Anchor::start}};
  for (const ShownQuantity* q : quantities) {
    double largest = 1;
    for (const SensitivityRow* row : rows)
      largest = std::max(
          largest, 100 * change * std::abs(row->elasticity[q->parameter]));
    const double end = std::ceil(largest);
    chart.panels.push_back({.title = "change of " + q->symbol + " [%]",
                            .lower = -end,
                            .upper = end,
                            .diverging = true});
  }
  for (const SensitivityRow* row : rows) {
    ChartRow line;
    line.cells = {symbol_of(*row)};
    line.hint = plain_text(line.cells[0]) + ", +10 %:";
    for (const ShownQuantity* q : quantities) {
      const double step = 100 * change * row->elasticity[q->parameter];
      std::vector<ChartBar> bars;
      constexpr double visible = 0.05;
      if (std::abs(step) >= visible)
        bars = {{-step, {Tone::less}, false}, {step, {Tone::more}, false}};
      line.bars.push_back(std::move(bars));
      line.hint += fmt::format(" {} {:+.2f} %;", q->name, step);
    }
    chart.rows.push_back(std::move(line));
  }
  Figure figure = subject.wide_figure(
      "tornado", "Effect of a 10 % change",
      subject.point_text(point.momentum, point.angle),
      "Change of the errors when each quantity changes by 10 %.");
  figure.caption =
      "One quantity at a time, from exact derivatives; smaller errors are to "
      "the left. Layers of a subsystem change together.";
  figure.conditions = figure.subtitle;
  figure.legend = {{.key = LegendEntry::Key::box,
                    .text = "decreased by 10 %",
                    .paint = {Tone::less}},
                   {.key = LegendEntry::Key::box,
                    .text = "increased by 10 %",
                    .paint = {Tone::more}}};
  figure.data.add("quantity", std::move(quantity));
  figure.data.add("parameter", std::move(parameter));
  figure.data.add("elasticity", std::move(elasticity));
  figure.content = std::move(chart);
  return figure;
}

namespace {

/// The sets that measure, neighbours joined to at most `most` of them: each is
/// a fit of all layers and a line of the figure.
NamedSets joined_neighbours(const Detector& detector, const NamedSets& named,
                            std::size_t most) {
  std::vector<std::size_t> measuring;
  for (std::size_t i = 0; i < named.sets.size(); ++i)
    if (std::ranges::any_of(named.sets[i], [&](std::size_t k) {
          return detector.layers[k].measures();
        }))
      measuring.push_back(i);
  const std::size_t n = std::min(most, measuring.size());
  NamedSets joined;
  for (std::size_t run = 0; run < n; ++run) {
    const std::size_t begin = run * measuring.size() / n;
    const std::size_t end = (run + 1) * measuring.size() / n;
    std::string name = named.names[measuring[begin]];
    if (end > begin + 1) name += " ... " + named.names[measuring[end - 1]];
    joined.names.push_back(std::move(name));
    LayerSet& all = joined.sets.emplace_back();
    for (std::size_t i = begin; i < end; ++i) {
      const LayerSet& set = named.sets[measuring[i]];
      all.insert(all.end(), set.begin(), set.end());
    }
  }
  return joined;
}

}  // namespace

std::optional<Figure> lost_layer_figure(const ReportSubject& subject) {
  const GridPoint point{subject.middle(), 0};
  const Track track = grid_track(subject.points, point);
  const TrackingGeometry geometry(subject.detector);
  TrackingGeometry reduced = geometry;
  const Resolution all = resolve(geometry, track, subject.model());
  NamedSets named = crossed_sets(subject.detector, all, Grouping::large);
  constexpr std::size_t most_layers = 40;
  if (named.names.size() > most_layers)
    named = crossed_sets(subject.detector, all, Grouping::group);
  named = joined_neighbours(subject.detector, named, most_layers);
  std::vector<const ShownQuantity*> quantities;
  const PerParameter full = errors_of(all);
  for (const ShownQuantity& q : std::span(subject.shown()).first(3))
    if (full[q.parameter] > 0) quantities.push_back(&q);
  BarChart chart;
  chart.columns = {{"layer without hits", Anchor::start}};
  Texts layers;
  std::vector<Reals> ratios(quantities.size());
  std::vector<double> most(quantities.size(), 1.02);
  bool several = false;
  for (std::size_t i = 0; i < named.names.size(); ++i) {
    const auto n = std::ranges::count_if(named.sets[i], [&](std::size_t k) {
      return subject.detector.layers[k].measures();
    });
    several = several || n > 1;
    for (const std::size_t k : named.sets[i]) reduced.drop_hit(k);
    const PerParameter s = errors_of(resolve(reduced, track, subject.model()));
    for (const std::size_t k : named.sets[i]) reduced.restore_hit(k, geometry);
    ChartRow row;
    const Paint paint =
        subject.groups.systems[subject.groups.of_layer[named.sets[i].front()]]
            .fill;
    row.swatch = paint;
    row.has_swatch = true;
    row.cells = {literal_text(named.names[i]) +
                 (n > 1 ? fmt::format(" (× {})", n) : "")};
    row.hint = named.names[i] + " lost:";
    layers.push_back(named.names[i]);
    for (std::size_t k = 0; k < quantities.size(); ++k) {
      const Parameter q = quantities[k]->parameter;
      const double ratio = s[q] / full[q];
      ratios[k].push_back(ratio);
      row.hint += fmt::format(" {} x {:.3f};", quantities[k]->name, ratio);
      if (std::isnan(ratio)) {
        row.bars.push_back({});
        row.labels.emplace_back("not measured");
        continue;
      }
      constexpr double longest = 5;
      most[k] = std::max(most[k], std::min(ratio, longest));
      row.bars.push_back({{ratio, paint, false}});
      constexpr double large = 9.995, largest = 1000;
      row.labels.push_back(ratio > largest
                               ? "> 1000"
                               : fixed_number(ratio, ratio < large ? 3 : 1));
    }
    chart.rows.push_back(std::move(row));
  }
  if (chart.rows.empty()) return std::nullopt;
  Figure figure =
      subject.wide_figure("lost-layers", several ? "Lost layers" : "Lost layer",
                          subject.point_text(point.momentum, point.angle),
                          "Errors without each layer, relative to all layers.");
  figure.caption =
      "Errors relative to all layers, if one layer gives no hits and its "
      "material remains.";
  if (several)
    figure.caption += " A number in front means that many layers together.";
  figure.conditions = figure.subtitle;
  figure.data.add("layer", std::move(layers));
  for (std::size_t k = 0; k < quantities.size(); ++k) {
    chart.panels.push_back(
        {.title = quantities[k]->symbol + ", ratio to all layers",
         .lower = 1,
         .upper = 1 + (most[k] - 1) * 1.02});
    figure.data.add(quantities[k]->name + " ratio", std::move(ratios[k]));
  }
  figure.content = std::move(chart);
  return figure;
}

}  // namespace gttf::detail
