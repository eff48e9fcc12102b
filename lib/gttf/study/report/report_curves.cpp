// SPDX-License-Identifier: Apache-2.0
// Resolutions along momentum and along pseudorapidity, and their limits.
#include "gttf/study/report/report_figures.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

#include "gttf/core/parallel.hpp"
#include "gttf/resolution/layer_errors.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/trajectory/crossings.hpp"

namespace gttf::detail {
namespace {

// Hit errors scaled by 1e-4 change variances by less than 1e-8, which is
// invisible in a figure.
constexpr double no_hit_errors = 1e-4;

PerParameter nothing() {
  PerParameter none;
  none.values.fill(Resolution::none);
  return none;
}

LimitedSigmas gap() {
  return {nothing(), nothing(),        nothing(), nothing(),
          nothing(), Resolution::none, 0};
}

// Tracks along one axis of a request, the other one fixed.
class Follower {
 public:
  Follower(const ReportSubject& subject, Along along, std::size_t fixed)
      : request_(along == Along::momentum ? subject.curves
                                          : subject.against_eta),
        along_(along),
        model_(subject.model()),
        exact_model_(model_),
        geometry_(subject.detector),
        exact_geometry_(without_hit_errors(subject.detector)) {
    if (along_ == Along::momentum)
      request_.angle.values = {request_.angle.values[fixed]};
    else
      request_.momentum.values = {request_.momentum.values[fixed]};
    if (exact_model_.beam_spot) remove_errors(*exact_model_.beam_spot);
  }

  PerParameter sigmas_at(double x) {
    return errors_of(resolve(geometry_, track(x), model_));
  }

  // Limits along momentum only.
  LimitedSigmas at(double x) {
    const Track t = track(x);
    LimitedSigmas s = gap();
    const Resolution all = resolve(geometry_, t, model_);
    s.n_hits = all.n_hits;
    s.all = errors_of(all);
    if (along_ != Along::momentum) return s;
    Model hits = model_;
    hits.scattering = Scattering::off;
    s.hits = errors_of(resolve(geometry_, t, hits));
    if (model_.scattering != Scattering::off)
      s.scattering = errors_of(resolve(exact_geometry_, t, exact_model_));
    return s;
  }

  // The surfaces crossed up to the last measuring one.
  std::vector<unsigned> pattern(double x) {
    const Crossings<double> c =
        find_crossings(geometry_, track(x), Scattering::off);
    std::vector<unsigned> surfaces;
    for (int i = 0; i <= c.last; ++i)
      surfaces.push_back(c.list[static_cast<std::size_t>(i)].surface);
    return surfaces;
  }

  double between(double a, double b) const {
    return along_ == Along::momentum ? std::sqrt(a * b) : (a + b) / 2;
  }

 private:
  Track track(double x) {
    (along_ == Along::momentum ? request_.momentum.values
                               : request_.angle.values) = {x};
    return grid_track(request_, {0, 0});
  }

  StudyRequest request_;
  Along along_;
  Model model_, exact_model_;
  TrackingGeometry geometry_, exact_geometry_;
};

// Smaller changes of an error at a change of layers do not break the curve.
constexpr double visible_jump = 0.015;

bool jumps(const ReportSubject& subject, const PerParameter& a,
           const PerParameter& b) {
  for (const ShownQuantity& q : subject.shown()) {
    const double x = a[q.parameter], y = b[q.parameter];
    if (std::isnan(x) != std::isnan(y)) return true;
    if (std::abs(std::log(x / y)) > visible_jump) return true;
  }
  return false;
}

void add_point(ErrorCurve& curve, double x, const LimitedSigmas& s) {
  curve.x.push_back(x);
  curve.path.push_back(s);
}

// The changes of pattern between two points, as breaks of the path.
void add_changes(const ReportSubject& subject, Follower& follower,
                 ErrorCurve& curve, double from, double to) {
  constexpr int most_changes = 2, halvings = 18;
  auto left = follower.pattern(from);
  const auto right = follower.pattern(to);
  for (int k = 0; k < most_changes && left != right; ++k) {
    double lower = from, upper = to;
    for (int i = 0; i < halvings; ++i) {
      const double middle = follower.between(lower, upper);
      (follower.pattern(middle) == left ? lower : upper) = middle;
    }
    if (jumps(subject, follower.sigmas_at(lower), follower.sigmas_at(upper))) {
      add_point(curve, lower, follower.at(lower));
      add_point(curve, (lower + upper) / 2, gap());
      add_point(curve, upper, follower.at(upper));
      curve.broken = true;
    }
    from = upper;
    left = follower.pattern(upper);
  }
}

ErrorCurve follow(const ReportSubject& subject, Along along,
                  std::size_t fixed) {
  Follower follower(subject, along, fixed);
  ErrorCurve curve;
  const std::vector<double>& points = along == Along::momentum
                                          ? subject.curves.momentum.values
                                          : subject.against_eta.angle.values;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0) add_changes(subject, follower, curve, points[i - 1], points[i]);
    curve.grid.push_back(follower.at(points[i]));
    add_point(curve, points[i], curve.grid.back());
  }
  return curve;
}

std::vector<ErrorCurve> follow_all(const ReportSubject& subject, Along along,
                                   std::size_t n) {
  std::vector<ErrorCurve> curves(n);
  parallel_workers(n, thread_count(subject.threads), [&](const auto& next) {
    while (const auto i = next()) curves[*i] = follow(subject, along, *i);
  });
  return curves;
}

// The errors of a path at the momenta or angles `x`, which include those of the
// path. Additional tracks are resolved where the path is not interrupted.
Reals at_points(const ReportSubject& subject, const ErrorCurve& curve,
                Along along, std::size_t fixed, const ShownQuantity& q,
                const std::vector<double>& x) {
  Follower follower(subject, along, fixed);
  Reals values;
  std::size_t k = 0;
  for (const double at : x) {
    while (k < curve.x.size() && curve.x[k] < at) ++k;
    if (k < curve.x.size() && curve.x[k] == at)
      values.push_back(curve.path[k].all[q.parameter]);
    else
      values.push_back(follower.sigmas_at(at)[q.parameter]);
  }
  return values;
}

}  // namespace

Detector without_hit_errors(Detector detector) {
  for (Layer& layer : detector.layers)
    for (Coordinate& c : layer.coordinates) c.sigma *= no_hit_errors;
  return detector;
}

void remove_errors(BeamSpot& spot) {
  for (double* sigma : {&spot.x, &spot.y, &spot.z}) *sigma *= no_hit_errors;
}

std::vector<ErrorCurve> momentum_curves(const ReportSubject& subject) {
  if (subject.request.average) return average_curves(subject, Along::momentum);
  return follow_all(subject, Along::momentum,
                    subject.curves.angle.values.size());
}

std::vector<ErrorCurve> eta_curves(const ReportSubject& subject) {
  if (subject.request.average) return average_curves(subject, Along::eta);
  return follow_all(subject, Along::eta,
                    subject.against_eta.momentum.values.size());
}

RatioCurve ratio_curve(const ReportSubject& subject, const ErrorCurve& curve,
                       const ReportSubject& reference,
                       const ErrorCurve& reference_curve, Along along,
                       std::size_t fixed, const ShownQuantity& q) {
  std::vector<double> x = curve.x;
  x.insert(x.end(), reference_curve.x.begin(), reference_curve.x.end());
  std::sort(x.begin(), x.end());
  x.erase(std::unique(x.begin(), x.end()), x.end());
  const Reals own = at_points(subject, curve, along, fixed, q, x);
  const Reals other = at_points(reference, reference_curve, along, fixed, q, x);
  RatioCurve ratio{Reals(x), {}};
  for (std::size_t i = 0; i < x.size(); ++i)
    ratio.y.push_back(own[i] / other[i]);
  return ratio;
}

std::vector<PerParameter> sigmas_on_grid(const ReportSubject& subject,
                                         const StudyRequest& request) {
  if (subject.request.average) return average_sigmas(subject, request);
  const std::size_t n = n_grid_points(request);
  const TrackingGeometry geometry(subject.detector);
  if (!request.at)
    return sigmas(geometry, GridTracks(request, 0, n).views(), subject.model(),
                  subject.threads);
  // batches do not support a layer
  std::vector<PerParameter> errors(n);
  const Model model = subject.model();
  parallel_workers(n, thread_count(subject.threads), [&](const auto& next) {
    while (const auto i = next())
      errors[*i] = errors_of(resolve(
          geometry, grid_track(request, grid_point(request, *i)), model));
  });
  return errors;
}

Reals column_of(const std::vector<LimitedSigmas>& list, const ShownQuantity& q,
                Limit limit) {
  Reals column;
  column.reserve(list.size());
  for (const LimitedSigmas& s : list) {
    const PerParameter& of = limit == Limit::all          ? s.all
                             : limit == Limit::hits       ? s.hits
                             : limit == Limit::scattering ? s.scattering
                             : limit == Limit::low        ? s.low
                                                          : s.high;
    column.push_back(of[q.parameter] * q.factor);
  }
  return column;
}

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

// The inaccessible region at the first angle: areas below the limit from each
// single cause, the larger one on top.
void add_limit_areas(const Reals& x, const Reals& hits, const Reals& scattering,
                     Panel& panel) {
  const double floor = panel.y.lower;
  Band by_hits{"limits",     x,     {},   {},
               {Tone::hits}, false, true, "hit-error limit"};
  Band by_scattering{"limits",           x,     {},   {},
                     {Tone::scattering}, false, true, "scattering limit"};
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

void add_limits(const ReportSubject& subject, const ErrorCurve& curve,
                const ShownQuantity& q, bool first, Panel& panel,
                const LineStyle& style) {
  const Reals x = scaled(curve.x, subject.momentum.factor);
  const Reals hits = column_of(curve.path, q, Limit::hits);
  const Reals scattering = column_of(curve.path, q, Limit::scattering);
  const Paint paint = style.paint;
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

void add_published(const ReportSubject& subject, const ShownQuantity& q,
                   const std::vector<Published>& published, Figure& figure,
                   Panel& panel) {
  Marks rings{.id = "published", .paint = {Tone::ink}};
  for (const Published& p : published) {
    if (p.parameter != q.parameter || p.eta != 0) continue;
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

void add_legend(const ReportSubject& subject, const Panel& panel,
                bool other_limits, Figure& figure) {
  const Reals& angles = subject.curves.angle.values;
  const std::vector<LineStyle> styles = ordered_styles(angles);
  for (const std::size_t i : in_order(angles)) {
    // tracks of some angles do not reach the layer of --at, for example
    if (std::ranges::find(panel.curves, angle_id(i), &Curve::id) ==
        panel.curves.end())
      continue;
    const LineStyle style = styles[i];
    figure.legend.push_back({.key = LegendEntry::Key::line,
                             .text = angle_equation(subject.curves, i),
                             .paint = style.paint,
                             .dash = style.dash,
                             .ids = {angle_id(i)}});
  }
  figure.legend.push_back(
      {.key = LegendEntry::Key::two_lines,
       .text = "hits only, scattering only, " + angle_text(subject.curves, 0),
       .paint = styles.front().paint,
       .ids = {"limits"}});
  if (other_limits && angles.size() > 1)
    figure.legend.push_back({.key = LegendEntry::Key::two_lines,
                             .text = "other angles",
                             .paint = {Tone::third},
                             .ids = {"other-limits"},
                             .on = false});
}

}  // namespace

// The range of the errors, with the limits and the worst errors only as far as
// the curves keep enough space: the limit from hit errors may be far below, and
// errors at the edge of the acceptance far above.
DataRange range_of(const std::vector<ErrorCurve>& curves,
                   const ShownQuantity& q, bool with_limits) {
  DataRange all, limits;
  Reals values;
  for (const ErrorCurve& curve : curves)
    for (const double v : column_of(curve.path, q))
      if (v > 0 && std::isfinite(v)) values.push_back(v);
  if (values.empty()) return all;
  std::sort(values.begin(), values.end());
  all.add(values.front());
  constexpr double below = 2;   // the smallest error
  constexpr double above = 10;  // what 95 % of the curves do not exceed
  all.add(std::min(values.back(), above * values[values.size() * 95 / 100]));
  if (!all.exists()) all.upper = all.lower * below;  // a constant
  if (!with_limits) return all;
  limits.add(column_of(curves.front().path, q, Limit::hits));
  limits.add(column_of(curves.front().path, q, Limit::scattering));
  if (limits.lower > 0 && limits.lower < all.lower)
    all.lower = std::max(limits.lower, all.lower / below);
  return all;
}

FigureAxis eta_figure_axis(const StudyRequest& request) {
  FigureAxis axis;
  axis.title = "*η*";
  axis.name = "eta";
  axis.lower = request.angle.values.front();
  axis.upper = request.angle.values.back();
  return axis;
}

std::optional<Figure> sigma_figure(const ReportSubject& subject,
                                   const std::vector<ErrorCurve>& curves,
                                   const ShownQuantity& q, bool large,
                                   const std::vector<Published>& published) {
  const DataRange range = range_of(curves, q, true);
  if (!range.exists()) return std::nullopt;
  Figure figure = subject.figure(
      fmt::format("sigma-{}", q.id), q.title,
      (subject.request.average ? "averages, with 68 % of the tracks, against "
                               : "against ") +
          subject.momentum.symbol,
      fmt::format("{} against {} for {} angle{}, with the limits from hit "
                  "errors only and scattering only at the first angle.",
                  q.name, subject.momentum.name, curves.size(),
                  curves.size() == 1 ? "" : "s"));
  figure.width = large ? 716 : 548;
  figure.height = large ? 500 : 352;
  figure.conditions = angle_list(subject.curves);
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
  const std::vector<LineStyle> styles =
      ordered_styles(subject.curves.angle.values);
  for (std::size_t i = curves.size(); i-- > 0;)
    if (i == 0 || large)
      add_limits(subject, curves[i], q, i == 0, panel, styles[i]);
  for (std::size_t i = curves.size(); subject.request.average && i-- > 0;)
    panel.bands.push_back({.id = angle_id(i),
                           .x = scaled(curves[i].x, subject.momentum.factor),
                           .lower = column_of(curves[i].path, q, Limit::low),
                           .upper = column_of(curves[i].path, q, Limit::high),
                           .paint = styles[i].paint});
  for (std::size_t i = curves.size(); i-- > 0;) {
    const LineStyle style = styles[i];
    Curve curve{.id = angle_id(i),
                .x = scaled(curves[i].x, subject.momentum.factor),
                .y = column_of(curves[i].path, q),
                .paint = style.paint,
                .dash = style.dash};
    if (!any_value(curve.y)) continue;
    curve.end_label = angle_text(subject.curves, i);
    panel.curves.push_back(joints(curve));
    panel.curves.push_back(std::move(curve));
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    for (Curve& curve : panel.curves)
      if (curve.id == angle_id(i) && !curve.end_label.empty())
        curve.column = figure.data.columns.size();
    const RichText angle = angle_equation(subject.curves, i);
    figure.data.add(column_name(angle, q.unit), column_of(curves[i].grid, q));
    if (!subject.request.average) continue;
    figure.data.add(column_name(angle + ", 16 % below", q.unit),
                    column_of(curves[i].grid, q, Limit::low));
    figure.data.add(column_name(angle + ", 84 % below", q.unit),
                    column_of(curves[i].grid, q, Limit::high));
  }
  const std::string first = plain_text(angle_text(subject.curves, 0));
  for (const auto& [name, limit] :
       {std::pair("hits only, ", Limit::hits),
        std::pair("scattering only, ", Limit::scattering)}) {
    const Dash dash = limit == Limit::hits ? Dash::dashed : Dash::dotted;
    for (Curve& curve : panel.curves)
      if (curve.id == "limits" && curve.dash == dash)
        curve.column = figure.data.columns.size();
    figure.data.add(column_name(name + first, q.unit),
                    column_of(curves[0].grid, q, limit));
  }
  add_legend(subject, panel, large, figure);
  add_published(subject, q, published, figure, panel);
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  return figure;
}

std::optional<PageTable> parametrisation_table(
    const ReportSubject& subject, const std::vector<ErrorCurve>& curves) {
  const ShownQuantity& q = subject.shown().front();
  PageTable table;
  table.title = "Parametrisation";
  table.columns = {{"angle", false},
                   {"*a* [10^{−5}/" + subject.momentum.unit + "]"},
                   {"*b* [%]"},
                   {"largest deviation [%]"}};
  double from = 0, to = 0;
  std::vector<std::size_t> angles;
  Reals slopes, constants;
  Texts deviations;
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
    angles.push_back(i);
    slopes.push_back(std::sqrt(a2) / subject.momentum.factor * 1e5);
    constants.push_back(std::sqrt(b2) * 100);
    deviations.push_back(fixed_number(100 * worst, 1));
  }
  const auto a = aligned_numbers(slopes), b = aligned_numbers(constants);
  for (std::size_t k = 0; k < angles.size(); ++k)
    table.rows.push_back(
        {angle_text(subject.curves, angles[k]), a[k], b[k], deviations[k]});
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
  table.subtitle = "no vertex constraint";
  if (subject.request.beam_spot)
    table.subtitle = "with the beam spot as an additional measurement";
  if (subject.request.at) table.subtitle = place_text(subject.request);
  if (subject.request.average)
    table.subtitle += ", averages over " + to_string(*subject.request.average);
  table.columns = {{"", false}};
  const TrackingGeometry geometry(subject.detector);
  std::vector<PerParameter> sigma;
  for (const GridPoint point : grid_points(subject.points)) {
    table.columns.push_back(
        {subject.momentum.text(subject.points.momentum.values[point.momentum]),
         true, angle_equation(subject.points, point.angle)});
    if (!subject.request.average)
      sigma.push_back(errors_of(resolve(
          geometry, grid_track(subject.points, point), subject.model())));
  }
  if (subject.request.average) sigma = average_sigmas(subject, subject.points);
  for (const ShownQuantity& q : subject.shown()) {
    // no row for quantities that no track has, such as p without field
    if (std::ranges::none_of(
            sigma, [&q](const PerParameter& s) { return s[q.parameter] > 0; }))
      continue;
    std::vector<PageCell> row{q.axis_title()};
    Reals values;
    for (const PerParameter& s : sigma)
      values.push_back(s[q.parameter] * q.factor);
    for (RichText& text : aligned_numbers(values))
      row.emplace_back(std::move(text));
    table.rows.push_back(std::move(row));
  }
  return table;
}

namespace {

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

constexpr std::array<CorrelatedParameter, 5> on_layer{{{"*u*", "u"},
                                                       {"*v*", "v"},
                                                       {"*t*_{u}", "tu"},
                                                       {"*t*_{v}", "tv"},
                                                       {"*q*/*p*", "qop"}}};

// Whether d0, phi0, q/p are correlated with z0, theta, as by stereo layers.
bool couples_planes(const Matrix5& c) {
  constexpr double visible = 0.005;  // two digits are printed
  for (const int i : {0, 2, 4})
    for (const int j : {1, 3})
      if (std::abs(c(i, j)) > visible * std::sqrt(c(i, i) * c(j, j)))
        return true;
  return false;
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
                                       const std::vector<ErrorCurve>& curves,
                                       const ShownQuantity& q) {
  const StudyRequest& grid = subject.against_eta;
  Figure figure =
      subject.figure(fmt::format("eta-{}", q.id), q.title,
                     "against *η* at fixed " + subject.momentum.symbol,
                     q.name + " against pseudorapidity at a few momenta.");
  figure.height = 330;
  figure.conditions = momentum_list(subject.momentum, grid.momentum.values);
  Plot plot;
  plot.x = eta_figure_axis(grid);
  figure.data.add("eta", Reals(grid.angle.values));
  Panel panel;
  const std::vector<LineStyle> styles = ordered_styles(grid.momentum.values);
  for (const std::size_t i : in_order(grid.momentum.values)) {
    const LineStyle style = styles[i];
    const std::string id = fmt::format("p{}", i);
    Curve curve{.id = id,
                .x = Reals(curves[i].x),
                .y = column_of(curves[i].path, q),
                .paint = style.paint,
                .dash = style.dash};
    curve.end_label = subject.momentum.text(grid.momentum.values[i]);
    curve.column = figure.data.columns.size();
    panel.curves.push_back(joints(curve));
    panel.curves.push_back(std::move(curve));
    const RichText name = subject.momentum.equation(grid.momentum.values[i]);
    figure.data.add(column_name(name, q.unit), column_of(curves[i].grid, q));
    figure.legend.push_back({.key = LegendEntry::Key::line,
                             .text = name,
                             .paint = style.paint,
                             .dash = style.dash,
                             .ids = {id}});
  }
  const DataRange range = range_of(curves, q);
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
  // Colours cover the best 98 %: extreme corners would use up the scale.
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
  const auto decade = [](double value) {
    return static_cast<int>(std::floor(std::log10(value)));
  };
  for (int n = decade(map.lower); n <= decade(map.upper); ++n)
    for (const double digit : {1.0, 2.0, 5.0})
      if (const double level = digit * std::pow(10.0, n);
          level > map.lower && level < map.upper)
        map.contours.push_back(level);
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
  const bool at_layer = subject.place == Place::layer;
  const StudyRequest& points = subject.points;
  const TrackingGeometry geometry(subject.detector);
  const std::array<CorrelatedParameter, 5>& all = at_layer ? on_layer
                                                  : subject.along_beam
                                                      ? on_start_plane
                                                      : at_perigee;
  struct CorrelatedTrack {
    RichText title;
    Matrix5 covariance;
    bool across;  // at 90 deg
  };
  std::vector<CorrelatedTrack> tracks;
  const std::size_t last_angle = points.angle.values.size() - 1;
  const std::size_t last = points.momentum.values.size() - 1;
  std::vector<GridPoint> shown;
  for (const GridPoint point : {GridPoint{0, 0}, GridPoint{last, 0},
                                GridPoint{subject.middle(), last_angle}})
    if (std::ranges::none_of(shown, [&point](const GridPoint& other) {
          return other.momentum == point.momentum && other.angle == point.angle;
        }))
      shown.push_back(point);
  std::ranges::sort(shown, {}, [](const GridPoint& point) {
    return std::pair(point.angle, point.momentum);
  });
  for (const GridPoint point : shown) {
    const Track track = grid_track(points, point);
    const Resolution r = resolve(geometry, track, subject.model());
    const Matrix5& c = at_layer && r.at     ? r.at->slopes
                       : subject.along_beam ? r.start_plane
                                            : r.perigee;
    if (c(0, 0) > 0)
      tracks.push_back({subject.point_text(point.momentum, point.angle), c,
                        std::abs(track.theta - unit::pi / 2) < 1e-9});
  }
  // Without field there is no q/p.
  std::vector<int> measured;
  for (int i = 0; i < 5; ++i)
    if (std::ranges::any_of(tracks, [i](const CorrelatedTrack& t) {
          return t.covariance(i, i) > 0;
        }))
      measured.push_back(i);
  if (measured.size() < 2) return std::nullopt;
  MatrixChart chart;
  for (const int i : measured)
    chart.names.push_back(all[static_cast<std::size_t>(i)].symbol);
  Texts track, first, second;
  Reals correlation;
  for (const CorrelatedTrack& item : tracks) {
    MatrixChart::Matrix matrix;
    matrix.title = item.title;
    const Matrix5& c = item.covariance;
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
      at_layer             ? "Correlations at the layer"
      : subject.along_beam ? "Correlations at the start"
                           : "Correlations at the perigee",
      "lower triangles", "Correlation matrices of the track parameters.");
  figure.width = page_width;
  const bool is_perigee = subject.place == Place::perigee;
  if (is_perigee)
    figure.caption = "Sign of *d*_{0}: *x* = *x*_{r} − *d*_{0} sin *φ*_{0}.";
  if (is_perigee && subject.detector.field.kind == FieldKind::solenoid &&
      std::ranges::any_of(tracks, &CorrelatedTrack::across) &&
      std::ranges::none_of(tracks, [](const CorrelatedTrack& t) {
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
