// SPDX-License-Identifier: Apache-2.0
// The regime plane: 1/xi of every triplet against its tracking scale mu.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gttf/resolution/regime.hpp"
#include "gttf/study/report/report_figures.hpp"
#include "gttf/study/request/axis.hpp"
#include "gttf/study/request/grid_tracks.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf::detail {
namespace {

// The axis is linear in log(sigma_hit/sigma_MS): equal steps of momentum stay
// visible where mu goes to 1.
double ratio_of(double mu) {
  constexpr double largest = 1 - 1e-12;
  mu = std::min(mu, largest);
  return mu / std::sqrt(1 - mu * mu);
}

struct TripletPath {
  std::array<std::size_t, 3> layers{};
  double arms = 1;  // the shorter arm over the longer one
  Reals ratio = {}, inverse_xi = {};
  std::vector<double> momentum = {};
};

FigureAxis mu_axis(double lower, double upper) {
  FigureAxis axis;
  axis.title = "tracking scale *μ*_{φ}";
  axis.name = "sigma_hit/sigma_MS";
  axis.scale = AxisScale::logarithmic;
  axis.lower = lower;
  axis.upper = upper;
  for (const double mu : {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5,
                          0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999}) {
    const bool label = mu != 0.98 && mu != 0.995 && mu != 0.998;
    axis.ticks.push_back(
        {ratio_of(mu), label, label ? fmt::format("{:g}", mu) : ""});
  }
  return axis;
}

// "A – C" of layers that share the beginning of their names.
std::string triplet_name(const ReportSubject& subject, const TripletPath& t) {
  const auto& layers = subject.detector.layers;
  return layers[t.layers[0]].name + ", " + layers[t.layers[1]].name + ", " +
         layers[t.layers[2]].name;
}

// The shorter of the two arms of a triplet over the longer one.
double ratio_of_arms(const TripletRegime& t) {
  const auto [shorter, longer] = std::minmax(t.arms[0], t.arms[1]);
  return shorter / longer;
}

// Layers whose triplets tell something, of those that the fastest track
// crosses: neighbouring rows of a gas detector, and the two sides of a double
// layer, measure no curvature. Sorted.
std::vector<std::size_t> telling_layers(const ReportSubject& subject,
                                        const TrackingGeometry& geometry) {
  const std::vector<std::string> names = entry_names(subject.detector);
  const GridPoint fastest{subject.curves.momentum.values.size() - 1, 0};
  const Resolution r =
      resolve(geometry, grid_track(subject.curves, fastest), subject.model());
  std::vector<CrossingInfo> hits, rows;
  const auto take = [&] {
    constexpr std::size_t few = 6;
    if (rows.size() > few) rows = {rows[0], rows[rows.size() / 2], rows.back()};
    hits.insert(hits.end(), rows.begin(), rows.end());
    rows.clear();
  };
  for (const CrossingInfo& c : r.crossings) {
    if (!c.measured) continue;
    if (!rows.empty() && names[rows.back().layer] != names[c.layer]) take();
    rows.push_back(c);
  }
  take();
  constexpr double nearest = 0.12;  // of the way so far
  std::vector<std::size_t> layers;
  double last = 0;
  for (const CrossingInfo& c : hits) {
    if (!layers.empty() && c.path - last < nearest * c.path) continue;
    layers.push_back(c.layer);
    last = c.path;
  }
  if (layers.size() < 3) layers.clear();  // all then
  std::sort(layers.begin(), layers.end());
  return layers;
}

// Paths of all triplets at the first angle, in order of flight.
std::vector<TripletPath> triplet_paths(const ReportSubject& subject) {
  const TrackingGeometry geometry(subject.detector);
  constexpr std::size_t points = 61;
  StudyRequest request = subject.curves;
  const std::vector<double>& all = subject.curves.momentum.values;
  request.momentum.values =
      spaced(all.front(), all.back(), points, Spacing::logarithmic);
  const std::vector<std::size_t> layers = telling_layers(subject, geometry);
  const GridTracks tracks(request, 0, points);
  const std::vector<std::vector<TripletRegime>> found_at = find_triplets(
      geometry, tracks.views(), subject.model(), layers, {}, subject.threads);
  std::vector<TripletPath> paths;
  for (std::size_t i = 0; i < points; ++i)
    for (const TripletRegime& t : found_at[i]) {
      if (!t.exists() || !(t.mu_phi > 0) || !(t.xi > 0)) continue;
      auto found = std::find_if(
          paths.begin(), paths.end(),
          [&](const TripletPath& p) { return p.layers == t.layers; });
      if (found == paths.end()) {
        paths.push_back({t.layers, ratio_of_arms(t)});
        found = paths.end() - 1;
      }
      found->momentum.push_back(request.momentum.values[i]);
      found->ratio.push_back(ratio_of(t.mu_phi));
      found->inverse_xi.push_back(1 / t.xi);
    }
  return paths;
}

constexpr double highest = 0.98;  // 1/xi; no curvature beyond it

// At most a handful: evenly chosen over the track.
std::vector<TripletPath> shown_paths(std::vector<TripletPath> paths) {
  constexpr std::size_t most = 5;
  std::erase_if(paths, [](const TripletPath& p) {
    return p.ratio.size() < 5 ||
           *std::min_element(p.inverse_xi.begin(), p.inverse_xi.end()) >=
               highest;
  });
  // Two layers of a pair and a third one measure no curvature: they are left
  // out where there are others.
  constexpr double pair = 0.12;
  const auto is_pair = [](const TripletPath& p) { return p.arms < pair; };
  if (!std::all_of(paths.begin(), paths.end(), is_pair))
    std::erase_if(paths, is_pair);
  if (paths.size() <= most) return paths;
  std::vector<TripletPath> few;
  for (std::size_t k = 0; k < most; ++k)
    few.push_back(paths[k * (paths.size() - 1) / (most - 1)]);
  return few;
}

void add_momentum_marks(const ReportSubject& subject, const TripletPath& path,
                        const std::string& id, Paint paint, Panel& panel) {
  Marks rings{.id = id, .x = {}, .y = {}, .paint = paint};
  Marks dots{.id = id, .x = {}, .y = {}, .paint = paint};
  dots.shape = MarkShape::dot;
  dots.size = 4.6;
  for (int e = -4; e <= 5; ++e)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double p = digit * std::pow(10.0, e);
      for (std::size_t i = 0; i + 1 < path.momentum.size(); ++i) {
        if (!(path.momentum[i] <= p && p < path.momentum[i + 1])) continue;
        const double f = std::log(p / path.momentum[i]) /
                         std::log(path.momentum[i + 1] / path.momentum[i]);
        const auto between = [f](double a, double b) {
          return a * std::pow(b / a, f);
        };
        const double x = between(path.ratio[i], path.ratio[i + 1]);
        const double y = between(path.inverse_xi[i], path.inverse_xi[i + 1]);
        Marks& marks = digit == 1 ? rings : dots;
        marks.x.push_back(x);
        marks.y.push_back(y);
        if (digit != 1) continue;
        panel.notes.push_back({.id = id,
                               .places = {{x, y, 8, 14, Anchor::start},
                                          {x, y, 0, 19, Anchor::middle},
                                          {x, y, -8, -6, Anchor::end},
                                          {x, y, 8, 4, Anchor::start},
                                          {x, y, 0, -9, Anchor::middle}},
                               .text = subject.momentum.text(p),
                               .paint = {Tone::second},
                               .must_fit = true});
      }
    }
  panel.marks.push_back(std::move(dots));
  panel.marks.push_back(std::move(rings));
}

void add_words(double split, const FigureAxis& x, Panel& panel) {
  const double top = panel.y.upper;
  const auto note = [&](double at, const char* text) {
    panel.notes.push_back({.places = {{at, top, 10, 20, Anchor::start}},
                           .text = text,
                           .paint = {Tone::second},
                           .bold = true,
                           .must_fit = true});
  };
  if (split > x.lower * 2) note(x.lower, "scattering fit suffices");
  if (split < x.upper / 2)
    note(std::max(split, x.lower), "general fit, *μ*_{φ} > 0.15");
}

}  // namespace

std::optional<Figure> regime_figure(const ReportSubject& subject) {
  const std::vector<TripletPath> paths = shown_paths(triplet_paths(subject));
  if (paths.empty()) return std::nullopt;
  DataRange x_range, y_range;
  for (const TripletPath& path : paths) {
    x_range.add(path.ratio);
    y_range.add(path.inverse_xi);
  }
  y_range.upper = std::min(y_range.upper, highest);
  const RegimeThresholds thresholds;
  const double split = ratio_of(thresholds.mu_small);
  Figure figure = subject.figure(
      "regimes", "Regime plane",
      "triplets of layers, close ones as one, " +
          angle_equation(subject.curves, 0),
      "Inverse significance of the curvature against the tracking scale for "
      "triplets of hits, with marks of momentum.");
  figure.width = 716;
  figure.height = 520;
  Panel panel;
  panel.y = log_axis(y_range);
  panel.y.title = "1/*ξ* = *σ*(*κ*)/*κ*";
  panel.y.name = "1/xi";
  Plot plot;
  plot.grid = false;
  const FigureAxis decades = log_axis(x_range);
  plot.x = mu_axis(decades.lower, decades.upper);
  plot.top = decades;
  plot.top->title = "hit error over scattering, *σ*_{hit}/*σ*_{MS}";
  if (split > plot.x.lower)
    panel.bands.push_back({"",
                           {plot.x.lower, std::min(split, plot.x.upper)},
                           {panel.y.lower, panel.y.lower},
                           {panel.y.upper, panel.y.upper},
                           {Tone::scattering},
                           false,
                           true,
                           ""});
  const double weak = 1 / thresholds.xi_significant;
  const double biased = 1 / thresholds.xi_unbiased;
  const auto on_axis = [&](double v) {
    return v > panel.y.lower && v < panel.y.upper;
  };
  if (on_axis(weak))
    panel.guides.push_back(
        {Guide::Along::y, weak, {"above: curvature", "below 3 *σ*"}});
  if (on_axis(biased))
    panel.guides.push_back(
        {Guide::Along::y, biased, {"above: fit bias", "can exceed 1 %"}});
  Texts names;
  Reals momenta, ratios, inverse;
  for (std::size_t k = 0; k < paths.size(); ++k) {
    const TripletPath& path = paths[k];
    const Paint paint{Tone::series, static_cast<int>(k)};
    const std::string id = fmt::format("t{}", k);
    panel.curves.push_back(
        {.id = id, .x = path.ratio, .y = path.inverse_xi, .paint = paint});
    add_momentum_marks(subject, path, id, paint, panel);
    const std::string name = triplet_name(subject, path);
    figure.legend.push_back({.key = LegendEntry::Key::line,
                             .text = literal_text(name),
                             .paint = paint,
                             .ids = {id}});
    for (std::size_t i = 0; i < path.ratio.size(); ++i) {
      names.push_back(name);
      momenta.push_back(path.momentum[i]);
      ratios.push_back(path.ratio[i]);
      inverse.push_back(path.inverse_xi[i]);
    }
  }
  add_words(split, plot.x, panel);
  figure.data.add("triplet", std::move(names));
  figure.data.add(subject.momentum.name + " [GeV]", std::move(momenta));
  figure.data.add("sigma_hit/sigma_MS", std::move(ratios));
  figure.data.add("1/xi", std::move(inverse));
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  return figure;
}

}  // namespace gttf::detail
