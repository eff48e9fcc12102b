// SPDX-License-Identifier: Apache-2.0
// Figures of resolutions against pseudorapidity, maps, correlations.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gttf/study/report/report_figures.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf::detail {
namespace {

// Momenta are black and told apart by dashes: colours are for angles.
constexpr std::array<Dash, 3> momentum_dashes{Dash::dotted, Dash::dashed,
                                              Dash::solid};

struct CorrelatedParameter {
  const char* symbol;
  const char* name;
};
constexpr std::array<CorrelatedParameter, 5> at_perigee{{{"*d*_{0}", "d0"},
                                                         {"*z*_{0}", "z0"},
                                                         {"*φ*_{0}", "phi0"},
                                                         {"*θ*", "theta"},
                                                         {"*q*/*p*", "qop"}}};
constexpr std::array<CorrelatedParameter, 5> on_start_plane{
    {{"*x*", "x"},
     {"*y*", "y"},
     {"*t*_{x}", "tx"},
     {"*t*_{y}", "ty"},
     {"*q*/*p*", "qop"}}};

// Whether d0, phi0, q/p are correlated with z0, theta, as stereo layers do it.
bool couples_planes(const Matrix5& c) {
  constexpr double visible = 0.005;  // two digits are told
  for (const int i : {0, 2, 4})
    for (const int j : {1, 3})
      if (std::abs(c(i, j)) > visible * std::sqrt(c(i, i) * c(j, j)))
        return true;
  return false;
}

FigureAxis eta_figure_axis(const StudyRequest& request) {
  FigureAxis axis;
  axis.title = "*η*";
  axis.name = "eta";
  axis.lower = request.angle.values.front();
  axis.upper = request.angle.values.back();
  return axis;
}

Reals edges_around(const std::vector<double>& values, bool logarithmic) {
  Reals edges;
  const std::size_t n = values.size();
  const auto between = [&](double a, double b) {
    return logarithmic ? std::sqrt(a * b) : (a + b) / 2;
  };
  for (std::size_t i = 0; i <= n; ++i)
    edges.push_back(i == 0   ? values[0]
                    : i == n ? values[n - 1]
                             : between(values[i - 1], values[i]));
  return edges;
}

}  // namespace

std::optional<Figure> sigma_eta_figure(const ReportSubject& subject,
                                       const std::vector<PerParameter>& sigmas,
                                       const ShownQuantity& q) {
  const StudyRequest& grid = subject.against_eta;
  const std::size_t n = grid.momentum.values.size();
  Figure figure =
      subject.figure(fmt::format("eta-{}", q.id), q.title,
                     "against *η* at fixed " + subject.momentum.symbol,
                     q.name + " against pseudorapidity at a few momenta.");
  figure.height = 330;
  Plot plot;
  plot.x = eta_figure_axis(grid);
  figure.data.add("eta", Reals(grid.angle.values));
  Panel panel;
  DataRange range;
  for (std::size_t i = 0; i < n; ++i) {
    Reals y;
    for (std::size_t j = 0; j < grid.angle.values.size(); ++j)
      y.push_back(sigmas[j * n + i][q.parameter] * q.factor);
    range.add(y);
    const std::string id = fmt::format("p{}", i);
    Curve curve{.id = id, .x = grid.angle.values, .y = y};
    curve.dash = momentum_dashes[i % momentum_dashes.size()];
    curve.end_label = subject.momentum.text(grid.momentum.values[i]);
    curve.column = figure.data.columns.size();
    panel.curves.push_back(std::move(curve));
    const RichText name = subject.momentum.equation(grid.momentum.values[i]);
    figure.data.add(column_name(name, q.unit), std::move(y));
    figure.legend.push_back({.key = LegendEntry::Key::line,
                             .text = name,
                             .paint = {Tone::ink},
                             .dash = momentum_dashes[i % 3],
                             .ids = {id}});
  }
  if (!range.exists()) return std::nullopt;
  panel.y = log_axis(range);
  panel.y.title = q.axis_title();
  panel.y.name = q.name;
  panel.y.unit = q.unit;
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  return figure;
}

std::optional<Figure> sigma_map_figure(const ReportSubject& subject,
                                       const std::vector<PerParameter>& sigmas,
                                       const ShownQuantity& q) {
  const StudyRequest& grid = subject.map;
  const std::vector<double>&p = grid.momentum.values, &eta = grid.angle.values;
  Figure figure =
      subject.figure(fmt::format("map-{}", q.id), q.title,
                     "over *η* and " + subject.momentum.symbol,
                     fmt::format("Map of {} over pseudorapidity and {}.",
                                 q.name, subject.momentum.name));
  figure.height = 352;
  Plot plot;
  plot.grid = false;
  plot.x = eta_figure_axis(grid);
  Panel panel;
  panel.y = subject.momentum.axis(p);
  HeatMap map;
  map.x = edges_around(eta, false);
  Reals momenta;
  for (const double v : p) momenta.push_back(v * subject.momentum.factor);
  const bool log = panel.y.scale == AxisScale::logarithmic;
  map.y = edges_around(momenta, log);
  map.title = q.axis_title();
  Reals etas, rows, values;
  DataRange range;
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = 0; j < eta.size(); ++j) {
      etas.push_back(eta[j]);
      rows.push_back(momenta[i]);
      values.push_back(sigmas[j * p.size() + i][q.parameter] * q.factor);
    }
  range.add(values);
  if (!range.exists()) return std::nullopt;
  // The best 98 % are told apart: poor corners would take all the colours.
  Reals sorted;
  for (const double v : values)
    if (v > 0 && std::isfinite(v)) sorted.push_back(v);
  std::sort(sorted.begin(), sorted.end());
  DataRange shown;
  shown.add(sorted.front());
  shown.add(sorted[sorted.size() * 98 / 100]);
  const FigureAxis axis = log_axis(shown);
  map.lower = axis.lower;
  map.upper = axis.upper;
  for (double level = std::pow(10.0, std::floor(std::log10(map.lower)));
       level < map.upper; level *= 10)
    for (const double digit : {1.0, 2.0, 5.0})
      if (digit * level > map.lower && digit * level < map.upper)
        map.contours.push_back(digit * level);
  map.values = values;
  figure.data.add("eta", std::move(etas));
  figure.data.add(column_name(panel.y.name, panel.y.unit), std::move(rows));
  figure.data.add(column_name(q.name, q.unit), std::move(values));
  figure.caption =
      "Lines at 1, 2, 5 times powers of ten. Empty: no resolution.";
  panel.map = std::move(map);
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  return figure;
}

std::optional<Figure> correlation_figure(const ReportSubject& subject) {
  const StudyRequest& points = subject.points;
  const TrackingGeometry geometry(subject.detector);
  const std::array<CorrelatedParameter, 5>& all =
      subject.along_beam ? on_start_plane : at_perigee;
  struct Told {
    RichText title;
    Matrix5 covariance;
    bool across;  // at 90 deg
  };
  std::vector<Told> tracks;
  const std::size_t last_angle = points.angle.values.size() - 1;
  const std::size_t last = points.momentum.values.size() - 1;
  for (const GridPoint point : {GridPoint{0, 0}, GridPoint{last, 0},
                                GridPoint{subject.middle(), last_angle}}) {
    const Track track = grid_track(points, point);
    const Resolution r = resolve(geometry, track, subject.model());
    const Matrix5& c = subject.along_beam ? r.start_plane : r.perigee;
    if (c(0, 0) > 0)
      tracks.push_back({subject.point_text(point.momentum, point.angle), c,
                        std::abs(track.theta - unit::pi / 2) < 1e-9});
  }
  // Without field there is no q/p.
  std::vector<int> measured;
  for (int i = 0; i < 5; ++i)
    if (std::ranges::any_of(
            tracks, [i](const Told& t) { return t.covariance(i, i) > 0; }))
      measured.push_back(i);
  if (measured.size() < 2) return std::nullopt;
  MatrixChart chart;
  for (const int i : measured)
    chart.names.push_back(all[static_cast<std::size_t>(i)].symbol);
  Texts track, first, second;
  Reals correlation;
  for (const Told& told : tracks) {
    MatrixChart::Matrix matrix;
    matrix.title = told.title;
    const Matrix5& c = told.covariance;
    for (const int i : measured) {
      Reals row;
      for (const int j : measured) {
        row.push_back(c(i, j) / std::sqrt(c(i, i) * c(j, j)));
        if (j >= i) continue;
        track.push_back(plain_text(matrix.title));
        first.emplace_back(all[static_cast<std::size_t>(i)].name);
        second.emplace_back(all[static_cast<std::size_t>(j)].name);
        correlation.push_back(row.back());
      }
      matrix.rows.push_back(std::move(row));
    }
    chart.matrices.push_back(std::move(matrix));
  }
  Figure figure = subject.figure(
      "correlations",
      subject.along_beam ? "Correlations at the start"
                         : "Correlations at the perigee",
      "lower triangles", "Correlation matrices of the track parameters.");
  figure.width = page_width;
  if (!subject.along_beam)
    figure.caption = "Sign of *d*_{0}: *x* = *x*_{r} − *d*_{0} sin *φ*_{0}.";
  if (!subject.along_beam &&
      subject.detector.field.kind == FieldKind::solenoid &&
      std::ranges::any_of(tracks, &Told::across) &&
      std::ranges::none_of(tracks, [](const Told& t) {
        return t.across && couples_planes(t.covariance);
      }))
    figure.caption +=
        " The bending plane and the *r*–*z* plane decouple at 90°.";
  figure.data.add("track", std::move(track));
  figure.data.add("first", std::move(first));
  figure.data.add("second", std::move(second));
  figure.data.add("correlation", std::move(correlation));
  figure.content = std::move(chart);
  return figure;
}

}  // namespace gttf::detail
