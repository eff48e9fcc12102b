// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/report/report_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "gttf/study/scan/point_columns.hpp"

namespace gttf::detail {
namespace {

Reals ratios_of(const Reals& values, const Reals& reference) {
  Reals ratio;
  for (std::size_t i = 0; i < values.size(); ++i)
    ratio.push_back(values[i] / reference[i]);
  return ratio;
}

FigureAxis ratio_axis(const std::vector<Reals>& ratios) {
  double lower = 1, upper = 1;
  for (const Reals& ratio : ratios)
    for (const double r : ratio)
      if (std::isfinite(r)) {
        lower = std::min(lower, r);
        upper = std::max(upper, r);
      }
  FigureAxis axis;
  axis.title = "ratio";
  axis.name = "ratio";
  constexpr double wide = 4;  // more than that needs a logarithmic axis
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

}  // namespace

std::optional<Figure> compare_figure(
    const std::vector<ComparedDetector>& detectors, const ShownQuantity& q) {
  const ReportSubject& first = detectors.front().subject;
  const MomentumUnit& momentum = first.momentum;
  Figure figure;
  figure.id = fmt::format("compare-{}", q.id);
  figure.title = q.title;
  figure.subtitle = angle_equation(first.curves, 0);
  figure.height = 440;
  figure.description = fmt::format(
      "{} of {} detectors against {}, and the ratio to the first one.", q.name,
      detectors.size(), momentum.name);
  Plot plot;
  plot.x = momentum.axis(first.curves.momentum.values);
  Reals x;
  for (const double p : first.curves.momentum.values)
    x.push_back(p * momentum.factor);
  figure.data.add(column_name(momentum.name, momentum.unit), Reals(x));
  Panel top, bottom;
  top.share = 2.4;
  DataRange range;
  std::vector<Reals> ratios;
  const Reals reference = column_of(detectors.front().curves.front().grid, q);
  for (std::size_t k = 0; k < detectors.size(); ++k) {
    const MomentumCurve& curve = detectors[k].curves.front();
    const std::string id = fmt::format("d{}", k);
    const std::string& name = detectors[k].subject.detector.name;
    const Paint paint{Tone::series, static_cast<int>(k)};
    const Reals grid = column_of(curve.grid, q);
    range.add(grid);
    Reals path_x;
    for (const double p : curve.x) path_x.push_back(p * momentum.factor);
    Curve line{.id = id,
               .x = std::move(path_x),
               .y = column_of(curve.path, q),
               .paint = paint};
    line.dash = k < n_series_paints ? Dash::solid : Dash::dashed;
    line.column = figure.data.columns.size();
    figure.data.add(column_name(name, q.unit), Reals(grid));
    top.curves.push_back(std::move(line));
    ratios.push_back(ratios_of(grid, reference));
    Curve ratio{.id = id, .x = x, .y = ratios.back(), .paint = paint};
    ratio.column = figure.data.columns.size();
    figure.data.add(name + ", ratio", Reals(ratios.back()));
    bottom.curves.push_back(std::move(ratio));
    figure.legend.push_back({.key = LegendEntry::Key::line,
                             .text = literal_text(name),
                             .paint = paint,
                             .ids = {id}});
  }
  if (!range.exists()) return std::nullopt;
  top.y = log_axis(range);
  top.y.title = q.axis_title();
  top.y.name = q.name;
  top.y.unit = q.unit;
  bottom.y = ratio_axis(ratios);
  constexpr std::size_t longest = 14;  // what the axis has room for
  const std::string& name = first.detector.name;
  bottom.y.title =
      "ratio to " + (name.size() > longest ? "first" : literal_text(name));
  plot.panels.push_back(std::move(top));
  plot.panels.push_back(std::move(bottom));
  figure.content = std::move(plot);
  return figure;
}

PageTable compare_table(const std::vector<ComparedDetector>& detectors) {
  const ReportSubject& first = detectors.front().subject;
  PageTable table;
  table.title = "Resolutions";
  table.subtitle = angle_equation(first.curves, 0);
  table.columns = {{"detector", false}, {"measurements"}, {"*x*/*X*_{0} [%]"}};
  const std::vector<double>& momenta = first.points.momentum.values;
  const auto shown = std::span(first.shown()).first(3);
  for (const ShownQuantity& q : shown)
    for (const double p : momenta)
      table.columns.push_back({first.momentum.text(p), true, q.axis_title()});
  for (const ComparedDetector& d : detectors) {
    const ReportSubject& s = d.subject;
    StudyRequest tracks = s.curves;
    tracks.momentum.values = momenta;
    const TrackingGeometry geometry(s.detector);
    std::vector<PerParameter> sigma;
    Resolution last;
    for (std::size_t i = 0; i < momenta.size(); ++i) {
      last = resolve(geometry, grid_track(tracks, {i, 0}), s.model());
      sigma.push_back(sigmas(last));
    }
    std::vector<PageCell> row{literal_text(s.detector.name),
                              std::to_string(last.n_hits),
                              rich_number(100 * last.x_over_x0)};
    for (const ShownQuantity& q : shown)
      for (const PerParameter& v : sigma)
        row.emplace_back(rich_number(v[q.parameter] * q.factor));
    table.rows.push_back(std::move(row));
  }
  table.caption = "Measurements and material of the track of highest momentum.";
  return table;
}

}  // namespace gttf::detail
