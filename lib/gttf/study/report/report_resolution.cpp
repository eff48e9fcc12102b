// SPDX-License-Identifier: Apache-2.0
// Figures of resolutions against momentum.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gttf/study/report/report_figures.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf::detail {
namespace {

std::string angle_id(std::size_t i) { return fmt::format("a{}", i); }

Reals scaled(const std::vector<double>& values, double factor) {
  Reals out;
  for (const double v : values) out.push_back(v * factor);
  return out;
}

bool any_value(const Reals& values) {
  return std::any_of(values.begin(), values.end(),
                     [](double v) { return !std::isnan(v); });
}

// Hairlines that join the ends of a curve where layers change.
Curve joints(const Curve& curve) {
  Curve lines = curve;
  lines.x.clear();
  lines.y.clear();
  for (std::size_t i = 1; i + 1 < curve.x.size(); ++i) {
    if (!std::isnan(curve.y[i]) || std::isnan(curve.y[i - 1]) ||
        std::isnan(curve.y[i + 1]))
      continue;
    for (const std::size_t k : {i - 1, i + 1, i}) {
      lines.x.push_back(curve.x[k]);
      lines.y.push_back(curve.y[k]);
    }
  }
  lines.width = 0.8;
  lines.opacity = 0.5;
  lines.end_label.clear();
  lines.column = no_column;
  return lines;
}

// What the first angle cannot reach: areas below the limits from one cause
// alone, the larger one on top.
void add_limit_areas(const Reals& x, const Reals& hits, const Reals& scattering,
                     Panel& panel) {
  const double floor = panel.y.lower;
  Band by_hits{"limits",     x,     {},   {},
               {Tone::hits}, false, true, "closed by hit errors"};
  Band by_scattering{"limits",           x,     {},   {},
                     {Tone::scattering}, false, true, "closed by scattering"};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool exists = !std::isnan(hits[i]) && !std::isnan(scattering[i]);
    const double h = exists ? std::max(hits[i], floor) : Resolution::none;
    const double s = exists ? std::max(scattering[i], floor) : h;
    by_hits.lower.push_back(exists ? floor : h);
    by_hits.upper.push_back(h);
    by_scattering.lower.push_back(std::min(h, s));
    by_scattering.upper.push_back(s);
    if (exists && s > h) continue;
    by_scattering.lower.back() = h;  // nothing left of it
    by_scattering.upper.back() = h;
  }
  panel.bands.push_back(std::move(by_scattering));
  panel.bands.push_back(std::move(by_hits));
}

Curve limit_curve(const Reals& x, Reals y, Paint paint, Dash dash) {
  Curve curve{.id = "limits", .x = x, .y = std::move(y), .paint = paint};
  curve.dash = dash;
  curve.width = dash == Dash::dashed ? 1.2 : 1.5;
  return curve;
}

void add_limits(const ReportSubject& subject, const MomentumCurve& curve,
                const ShownQuantity& q, bool first, Panel& panel,
                std::size_t angle) {
  const Reals x = scaled(curve.x, subject.momentum.factor);
  const Reals hits = column_of(curve.path, q, Limit::hits);
  const Reals scattering = column_of(curve.path, q, Limit::scattering);
  const Paint paint{Tone::series, static_cast<int>(angle)};
  if (first) add_limit_areas(x, hits, scattering, panel);
  for (const Dash dash : {Dash::dashed, Dash::dotted}) {
    Curve line =
        limit_curve(x, dash == Dash::dashed ? hits : scattering, paint, dash);
    if (!first) {
      line.id = "other-limits";
      line.hidden = true;
      line.opacity = 0.8;
    }
    panel.curves.push_back(std::move(line));
  }
}

// Only what the limits reach of the axis: hit errors alone may be far below.
DataRange range_of(const std::vector<MomentumCurve>& curves,
                   const ShownQuantity& q) {
  DataRange all, limits;
  for (const MomentumCurve& curve : curves) all.add(column_of(curve.path, q));
  if (!all.exists()) return all;
  limits.add(column_of(curves.front().path, q, Limit::hits));
  limits.add(column_of(curves.front().path, q, Limit::scattering));
  constexpr double below = 8;  // of the smallest error
  if (limits.lower > 0 && limits.lower < all.lower)
    all.lower = std::max(limits.lower, all.lower / below);
  return all;
}

void add_published(const ReportSubject& subject, const ShownQuantity& q,
                   const std::vector<Published>& published, Figure& figure,
                   Panel& panel) {
  Marks rings{.id = "published", .paint = {Tone::ink}};
  for (const Published& p : published) {
    if (p.parameter != q.parameter) continue;
    rings.x.push_back(p.momentum * subject.momentum.factor);
    rings.y.push_back(p.sigma * q.factor);
  }
  if (rings.x.empty()) return;
  figure.legend.push_back({.key = LegendEntry::Key::ring,
                           .text = "published, 90°",
                           .paint = {Tone::ink},
                           .ids = {"published"}});
  panel.marks.push_back(std::move(rings));
}

void add_legend(const ReportSubject& subject, bool other_limits,
                Figure& figure) {
  const std::size_t n = subject.curves.angle.values.size();
  for (std::size_t i = 0; i < n; ++i)
    figure.legend.push_back({.key = LegendEntry::Key::line,
                             .text = angle_equation(subject.curves, i),
                             .paint = {Tone::series, static_cast<int>(i)},
                             .ids = {angle_id(i)}});
  figure.legend.push_back(
      {.key = LegendEntry::Key::two_lines,
       .text = "hits alone, scattering alone, " + angle_text(subject.curves, 0),
       .paint = {Tone::series, 0},
       .ids = {"limits"}});
  if (other_limits && n > 1)
    figure.legend.push_back({.key = LegendEntry::Key::two_lines,
                             .text = "other angles",
                             .paint = {Tone::third},
                             .ids = {"other-limits"},
                             .on = false});
}

}  // namespace

std::optional<Figure> sigma_figure(const ReportSubject& subject,
                                   const std::vector<MomentumCurve>& curves,
                                   const ShownQuantity& q, bool large,
                                   const std::vector<Published>& published) {
  const DataRange range = range_of(curves, q);
  if (!range.exists()) return std::nullopt;
  Figure figure = subject.figure(
      fmt::format("sigma-{}", q.id), q.title,
      "against " + subject.momentum.symbol,
      fmt::format(
          "{} against {} for {} angle{}, with the limits from hit errors "
          "alone and from scattering alone at the first angle.",
          q.name, subject.momentum.name, curves.size(),
          curves.size() == 1 ? "" : "s"));
  figure.width = large ? 716 : 548;
  figure.height = large ? 500 : 352;
  Panel panel;
  panel.y = log_axis(range);
  panel.y.title = q.axis_title();
  panel.y.name = q.name;
  panel.y.unit = q.unit;
  Plot plot;
  plot.x = subject.momentum.axis(subject.curves.momentum.values);

  figure.data.add(
      column_name(plot.x.name, plot.x.unit),
      scaled(subject.curves.momentum.values, subject.momentum.factor));
  for (std::size_t i = curves.size(); i-- > 0;)
    if (i == 0 || large) add_limits(subject, curves[i], q, i == 0, panel, i);
  for (std::size_t i = curves.size(); i-- > 0;) {
    Curve curve{.id = angle_id(i),
                .x = scaled(curves[i].x, subject.momentum.factor),
                .y = column_of(curves[i].path, q),
                .paint = {Tone::series, static_cast<int>(i)}};
    if (!any_value(curve.y)) continue;
    curve.end_label = angle_text(subject.curves, i);
    panel.curves.push_back(joints(curve));
    panel.curves.push_back(std::move(curve));
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    for (Curve& curve : panel.curves)
      if (curve.id == angle_id(i) && !curve.end_label.empty())
        curve.column = figure.data.columns.size();
    figure.data.add(column_name(angle_equation(subject.curves, i), q.unit),
                    column_of(curves[i].grid, q));
  }
  const std::string first = plain_text(angle_text(subject.curves, 0));
  for (const auto& [name, limit] :
       {std::pair("hits alone, ", Limit::hits),
        std::pair("scattering alone, ", Limit::scattering)}) {
    const Dash dash = limit == Limit::hits ? Dash::dashed : Dash::dotted;
    for (Curve& curve : panel.curves)
      if (curve.id == "limits" && curve.dash == dash)
        curve.column = figure.data.columns.size();
    figure.data.add(column_name(name + first, q.unit),
                    column_of(curves[0].grid, q, limit));
  }
  add_legend(subject, large, figure);
  add_published(subject, q, published, figure, panel);
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  return figure;
}

std::optional<PageTable> parametrisation_table(
    const ReportSubject& subject, const std::vector<MomentumCurve>& curves) {
  const ShownQuantity& q = subject.shown().front();
  PageTable table;
  table.title = "Parametrisation";
  table.columns = {{"angle", false},
                   {"*a* [10^{−5}/" + subject.momentum.unit + "]"},
                   {"*b* [%]"},
                   {"largest deviation [%]"}};
  double from = 0, to = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::vector<double>& p = subject.curves.momentum.values;
    to = p.back();
    from = std::max(p.front(), std::min(1 * unit::GeV, to / 10));
    // sigma^2 = (a p)^2 + b^2 by least squares on squares, relative weights
    double s0 = 0, s1 = 0, s2 = 0, t0 = 0, t1 = 0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double v = std::pow(curves[i].grid[k].all[q.parameter], 2);
      if (p[k] < from || std::isnan(v)) continue;
      const double x = p[k] * p[k], w = 1 / (v * v);
      s0 += w;
      s1 += w * x;
      s2 += w * x * x;
      t0 += w * v;
      t1 += w * x * v;
    }
    const double det = s0 * s2 - s1 * s1;
    if (!(det > 0)) continue;
    const double a2 = std::max(0.0, (s0 * t1 - s1 * t0) / det);
    const double b2 = std::max(0.0, (t0 - a2 * s1) / s0);
    double worst = 0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double v = curves[i].grid[k].all[q.parameter];
      if (p[k] < from || std::isnan(v)) continue;
      worst =
          std::max(worst, std::abs(std::sqrt(a2 * p[k] * p[k] + b2) / v - 1));
    }
    table.rows.push_back(
        {angle_text(subject.curves, i),
         rich_number(std::sqrt(a2) / subject.momentum.factor * 1e5),
         rich_number(std::sqrt(b2) * 100), fixed_number(100 * worst, 1)});
  }
  if (table.rows.empty()) return std::nullopt;
  table.subtitle =
      subject.momentum.text(from) + " – " + subject.momentum.text(to);
  table.caption = q.symbol + " = *a* " + subject.momentum.symbol +
                  " ⊕ *b*, where the study has a resolution.";
  return table;
}

PageTable benchmark_table(const ReportSubject& subject) {
  PageTable table;
  table.title = "Resolutions";
  table.subtitle = "as asked, without any constraint of the vertex";
  if (subject.request.beam_spot)
    table.subtitle = "with the beam spot as one more measurement";
  table.columns = {{"", false}};
  const TrackingGeometry geometry(subject.detector);
  std::vector<PerParameter> sigma;
  for (const GridPoint point : grid_points(subject.points)) {
    table.columns.push_back(
        {subject.momentum.text(subject.points.momentum.values[point.momentum]),
         true, angle_equation(subject.points, point.angle)});
    sigma.push_back(sigmas(
        resolve(geometry, grid_track(subject.points, point), subject.model())));
  }
  for (const ShownQuantity& q : subject.shown()) {
    // what no track has, as p without field, needs no row
    if (std::ranges::none_of(
            sigma, [&q](const PerParameter& s) { return s[q.parameter] > 0; }))
      continue;
    std::vector<PageCell> row{q.axis_title()};
    for (const PerParameter& s : sigma)
      row.emplace_back(rich_number(s[q.parameter] * q.factor));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace gttf::detail
