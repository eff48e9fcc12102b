// SPDX-License-Identifier: Apache-2.0
// Figures of the limits of a resolution: shares, layers, changes, losses.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "gttf/core/parallel.hpp"
#include "gttf/resolution/budget.hpp"
#include "gttf/resolution/regime.hpp"
#include "gttf/study/report/report_figures.hpp"
#include "gttf/study/request/axis.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/budget.hpp"
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

// Shares of all subsystems by one cause; the beam spot is treated as a hit of
// the innermost one.
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
  figure.conditions = angle_equation(subject.curves, 0);
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
                           .text = "solid: scattering",
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
  const std::size_t ends = crossings_to_last_hit(budget.resolution);
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
      "errors. Passive layers in grey. Material beyond the last measurement "
      "has no effect.";
  figure.conditions = figure.subtitle;
  BarChart chart;
  const bool by_radius = has_barrel(subject.detector);
  chart.columns = {{"layer, along the track", Anchor::start},
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
    const bool barrel = position_name(layer.surface) == "radius";
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
      constexpr double labelled = 0.5;
      row.labels.push_back(s + h >= labelled ? fixed_number(s + h, 1) : "");
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

namespace {

// The axis is linear in log(sigma_hit/sigma_MS): equal steps of momentum remain
// visible where mu approaches 1.
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

// Layers with informative triplets among those crossed by the fastest track:
// neighbouring rows of a gas detector, and the two sides of a double layer, do
// not measure curvature. Sorted.
std::vector<std::size_t> informative_layers(const ReportSubject& subject,
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
  constexpr double nearest = 0.12;  // of the path so far
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
  const std::vector<std::size_t> layers = informative_layers(subject, geometry);
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

constexpr double highest = 0.98;  // 1/xi; no significant curvature beyond it

// A few triplets, evenly distributed along the track.
std::vector<TripletPath> shown_paths(std::vector<TripletPath> paths) {
  constexpr std::size_t most = 5;
  std::erase_if(paths, [](const TripletPath& p) {
    return p.ratio.size() < 5 ||
           *std::min_element(p.inverse_xi.begin(), p.inverse_xi.end()) >=
               highest;
  });
  // Two layers of a pair and a third one do not measure curvature: they are
  // left out if there are others.
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
      "triplets of hits, with marks at certain momenta.");
  figure.width = 716;
  figure.height = 520;
  figure.conditions = angle_equation(subject.curves, 0);
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
    // from the inside outwards
    const LineStyle style = ordered_style(k, paths.size());
    const Paint paint = style.paint;
    const std::string id = fmt::format("t{}", k);
    panel.curves.push_back({.id = id,
                            .x = path.ratio,
                            .y = path.inverse_xi,
                            .paint = paint,
                            .dash = style.dash});
    add_momentum_marks(subject, path, id, paint, panel);
    const std::string name = triplet_name(subject, path);
    figure.legend.push_back({.key = LegendEntry::Key::line,
                             .text = literal_text(name),
                             .paint = paint,
                             .dash = style.dash,
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
