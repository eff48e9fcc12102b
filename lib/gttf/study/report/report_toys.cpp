// SPDX-License-Identifier: Apache-2.0
// The part of a report that simulates: pulls, biases, chi2.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "gttf/study/report/report_figures.hpp"
#include "gttf/study/request/axis.hpp"
#include "gttf/study/toys/toy_study.hpp"

namespace gttf::detail {
namespace {

struct PullName {
  const char* id;
  RichText symbol;
};
const std::array<PullName, n_toy_parameters>& pull_names() {
  static const std::array<PullName, n_toy_parameters> names{
      {{"d0", "*d*_{0}"},
       {"z0", "*z*_{0}"},
       {"phi0", "*φ*_{0}"},
       {"theta", "*θ*"},
       {"kappa", "*κ*"}}};
  return names;
}

/// Without field there is no curvature.
bool has_pulls(const FitStatistics& fit, std::size_t k) {
  return fit.pulls[k].histogram.total() > 0;
}

std::vector<LegendEntry> pull_legend(const FitStatistics& fit) {
  std::vector<LegendEntry> entries;
  for (std::size_t k = 0; k < n_toy_parameters; ++k) {
    if (!has_pulls(fit, k)) continue;
    entries.push_back({.key = LegendEntry::Key::line,
                       .text = pull_names()[k].symbol,
                       .paint = category_style(k).paint,
                       .dash = category_style(k).dash,
                       .ids = {pull_names()[k].id}});
  }
  return entries;
}

// Density of a histogram per unit, in steps of `merge` bins.
void add_density(const Histogram& h, std::size_t merge, Reals& x, Reals& y) {
  const double width = (h.upper - h.lower) /
                       static_cast<double>(h.bins.size()) *
                       static_cast<double>(merge);
  const double total = static_cast<double>(h.total());
  for (std::size_t i = 0; (i + 1) * merge <= h.bins.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < merge; ++k)
      sum += static_cast<double>(h.bins[i * merge + k]);
    const double left = h.lower + width * static_cast<double>(i);
    x.insert(x.end(), {left, left + width});
    y.insert(y.end(), 2, sum / total / width);
  }
}

Figure pull_figure(const ReportSubject& subject, const FitStatistics& fit,
                   const RichText& where) {
  Figure figure =
      subject.figure("toy-pulls", "Pulls", where,
                     "Distributions of the pulls of the track parameters.");
  figure.legend = pull_legend(fit);
  figure.conditions = where;
  Plot plot;
  plot.x.title = "(fitted − true)/error of the fit";
  plot.x.name = "pull";
  plot.x.lower = -5;
  plot.x.upper = 5;
  Panel panel;
  constexpr int parts = 100;
  Reals normal_x, normal_y;
  for (int i = 0; i <= parts; ++i) {
    const double x = -5 + 10.0 * i / parts;
    normal_x.push_back(x);
    normal_y.push_back(std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi));
  }
  const Histogram& first = fit.pulls.front().histogram;
  const double width =
      (first.upper - first.lower) / static_cast<double>(first.bins.size());
  constexpr std::size_t merge = 2;
  Reals centres;
  for (std::size_t i = 0; i + merge <= first.bins.size(); i += merge)
    centres.push_back(first.lower + width * (static_cast<double>(i) + 1));
  figure.data.add("pull", std::move(centres));
  double most = 0.42;
  for (std::size_t k = 0; k < n_toy_parameters; ++k) {
    if (!has_pulls(fit, k)) continue;
    const Histogram& h = fit.pulls[k].histogram;
    Curve curve{.id = pull_names()[k].id,
                .paint = category_style(k).paint,
                .dash = category_style(k).dash};
    add_density(h, merge, curve.x, curve.y);
    curve.width = 1.2;
    most = std::max(most,
                    1.05 * *std::max_element(curve.y.begin(), curve.y.end()));
    curve.column = figure.data.columns.size();
    Reals density;
    for (std::size_t i = 0; i < curve.y.size(); i += 2)
      density.push_back(curve.y[i]);
    figure.data.add(std::string("pull of ") + pull_names()[k].id,
                    std::move(density));
    panel.curves.push_back(std::move(curve));
  }
  Curve normal{.id = "normal", .x = normal_x, .y = normal_y};
  normal.dash = Dash::dashed;
  panel.curves.push_back(std::move(normal));
  figure.legend.push_back({.key = LegendEntry::Key::line,
                           .text = "normal distribution",
                           .paint = {Tone::ink},
                           .dash = Dash::dashed,
                           .ids = {"normal"}});
  panel.y.title = "density";
  panel.y.name = "density";
  panel.y.upper = most;
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  return figure;
}

Figure chi2_figure(const ReportSubject& subject, const FitStatistics& fit,
                   const RichText& where) {
  Figure figure =
      subject.figure("toy-chi2", "Probability of *χ*²", where,
                     "Distribution of the chi2 probability, flat if right.");
  figure.conditions = where;
  Plot plot;
  plot.x.title = "probability of a larger *χ*²";
  plot.x.name = "probability";
  Panel panel;
  Curve curve{.id = "chi2", .paint = {Tone::series, 0}};
  constexpr std::size_t merge = 4;
  add_density(fit.probability, merge, curve.x, curve.y);
  double most = 2;
  Reals centres, density;
  for (std::size_t i = 0; i < curve.y.size(); i += 2) {
    centres.push_back((curve.x[i] + curve.x[i + 1]) / 2);
    density.push_back(curve.y[i]);
    most = std::max(most, 1.1 * curve.y[i]);
  }
  curve.column = 1;
  figure.data.add("probability", std::move(centres));
  figure.data.add("density", std::move(density));
  panel.curves.push_back(std::move(curve));
  panel.guides.push_back({Guide::Along::y, 1, {}});
  panel.y.title = "density";
  panel.y.name = "density";
  panel.y.upper = most;
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  figure.caption = "Flat at 1 if the errors are right.";
  return figure;
}

// Means and widths of pulls against momentum, with their standard errors.
/// `fit`: of a point that tells which parameters there are.
Figure moments_figure(const ReportSubject& subject, const StudyRequest& request,
                      const ToyState& state, const FitStatistics& fit) {
  Figure figure = subject.wide_figure(
      "toy-moments", "Biases and widths of the pulls",
      angle_equation(request, 0),
      "Mean and width of the pulls of the track parameters against momentum.");
  figure.height = 420;
  figure.legend = pull_legend(fit);
  figure.conditions = figure.subtitle;
  figure.caption =
      "Bars are standard errors. A right fit with right errors has mean 0 and "
      "width 1";
  figure.caption +=
      has_pulls(fit, n_toy_parameters - 1)
          ? "; a mean of the pull of *κ* above 0 is too much curvature."
          : ".";
  Plot plot;
  plot.x = subject.momentum.axis(request.momentum.values);
  // room for the points at the ends
  constexpr double room = 0.03;
  if (plot.x.scale == AxisScale::logarithmic) {
    const double factor = std::pow(plot.x.upper / plot.x.lower, room);
    plot.x.lower /= factor;
    plot.x.upper *= factor;
  } else {
    const double length = room * (plot.x.upper - plot.x.lower);
    plot.x.lower -= length;
    plot.x.upper += length;
  }
  Reals x;
  for (const double p : request.momentum.values)
    x.push_back(p * subject.momentum.factor);
  figure.data.add(column_name(plot.x.name, plot.x.unit), Reals(x));
  Panel means, widths;
  double mean_most = 0.02, width_most = 0.02;
  const bool log = plot.x.scale == AxisScale::logarithmic;
  for (std::size_t k = 0; k < n_toy_parameters; ++k) {
    if (!has_pulls(fit, k)) continue;
    const Paint paint = category_style(k).paint;
    const std::string id = pull_names()[k].id;
    const auto add = [&](Panel& panel, const std::string& what, double centre,
                         double& most, auto value, auto error) {
      Curve bars{.id = id, .paint = paint};
      Marks dots{.id = id, .x = {}, .y = {}, .paint = paint};
      // the fifth has the hue of the first and is hollow
      const bool again = k >= static_cast<std::size_t>(n_series_paints);
      dots.shape = again ? MarkShape::ring : MarkShape::dot;
      dots.size = again ? 6.5 : 5.5;
      Reals column;
      for (std::size_t i = 0; i < state.points.size(); ++i) {
        const bool any = state.points[i].has_toys;
        const ExactMoments empty;
        const ExactMoments& m =
            any ? state.points[i].statistics.fits.front().pulls[k].moments
                : empty;
        const double v = value(m), e = error(m);
        column.push_back(v);
        // side by side, so that bars do not hide each other
        const double shift = (static_cast<double>(k) - 2) * 0.006;
        const double at = log ? x[i] * std::pow(x.back() / x.front(), shift)
                              : x[i] + shift * (x.back() - x.front());
        bars.x.insert(bars.x.end(), {at, at, at});
        bars.y.insert(bars.y.end(), {v - e, v + e, Resolution::none});
        if (std::isnan(v)) continue;
        dots.x.push_back(at);
        dots.y.push_back(v);
        most = std::max(most, std::abs(v - centre) + e);
      }
      bars.column = figure.data.columns.size();
      figure.data.add(what + id, std::move(column));
      panel.curves.push_back(std::move(bars));
      panel.marks.push_back(std::move(dots));
    };
    add(
        means, "mean pull of ", 0, mean_most,
        [](const ExactMoments& m) { return m.mean(); },
        [](const ExactMoments& m) { return m.mean_error(); });
    add(
        widths, "width of pull of ", 1, width_most,
        [](const ExactMoments& m) { return m.width(); },
        [](const ExactMoments& m) { return m.width_error(); });
  }
  means.y.title = "mean pull";
  means.y.name = "mean";
  means.y.lower = -1.15 * mean_most;
  means.y.upper = 1.15 * mean_most;
  means.guides.push_back({Guide::Along::y, 0, {}});
  widths.y.title = "width of pulls";
  widths.y.name = "width";
  widths.y.lower = 1 - 1.15 * width_most;
  widths.y.upper = 1 + 1.15 * width_most;
  widths.guides.push_back({Guide::Along::y, 1, {}});
  plot.panels = {std::move(means), std::move(widths)};
  figure.content = std::move(plot);
  return figure;
}

}  // namespace

PageSection toy_section(const ReportSubject& subject, std::uint64_t toys,
                        std::uint64_t seed) {
  constexpr std::size_t momenta = 8;
  StudyRequest request = subject.curves;
  const std::vector<double>& all = subject.curves.momentum.values;
  const bool linear = subject.momentum.axis(all).scale == AxisScale::linear;
  request.momentum.values =
      spaced(all.front(), all.back(), momenta,
             linear ? Spacing::linear : Spacing::logarithmic);
  for (double& p : request.momentum.values) {  // two digits are easier to read
    const double digit = std::pow(10.0, std::floor(std::log10(p)) - 1);
    p = std::clamp(std::round(p / digit) * digit, all.front(), all.back());
  }
  request.angle.values.resize(1);
  request.toys = {toys, seed, {FitChoice{}}};
  const Detector detectors[] = {subject.detector};
  ToyState state = plan_toys(request, detectors, {});
  ToyRunOptions options;
  options.threads = subject.threads;
  run_toys(request, detectors, options, state);

  PageSection section{subject.id("toys"),
                      "Simulated tracks",
                      {},
                      subject.suffix.empty() ? "Simulation" : ""};
  const auto fitted = [&](std::size_t i) {
    return state.points[i].has_toys &&
           state.points[i].statistics.fits.front().fitted > 1;
  };
  std::size_t middle = momenta / 2;
  while (middle < momenta && !fitted(middle)) ++middle;
  if (middle == momenta) {
    section.rows.push_back(
        {PageRow::Split::full,
         {Paragraph{"No track of this study could be simulated and fitted."}}});
    return section;
  }
  const FitStatistics& fit = state.points[middle].statistics.fits.front();
  const RichText where =
      subject.momentum.equation(request.momentum.values[middle]) + ", " +
      angle_equation(request, 0) + fmt::format(", {} tracks", fit.fitted);
  section.rows.push_back(
      {PageRow::Split::halves,
       {pull_figure(subject, fit, where), chi2_figure(subject, fit, where)}});
  section.rows.push_back(
      {PageRow::Split::full, {moments_figure(subject, request, state, fit)}});
  return section;
}

}  // namespace gttf::detail
