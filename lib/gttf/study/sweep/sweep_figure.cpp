// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/sweep/sweep_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>

#include "gttf/study/report/report_subject.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf {
namespace {

/// Curves that can be told apart: four hues in four line styles.
constexpr std::size_t most_curves = 16;
constexpr auto most_ordered = static_cast<std::size_t>(n_ordered_paints);

/// The quantity that a column holds; nullptr if it is not an error of the
/// track.
const detail::ShownQuantity* quantity_of(const std::string& column) {
  using detail::Place;
  for (const Place place : {Place::perigee, Place::start_plane, Place::layer})
    for (const auto& q : detail::shown_quantities(place))
      if (sigma_column(q.parameter, place == Place::layer) == column) return &q;
  return nullptr;
}

/// Whether the ratios of neighbouring values are equal.
bool is_logarithmic(std::span<const double> values) {
  if (values.size() < 3 || !(values[0] > 0) || !(values[1] > 0)) return false;
  const double ratio = values[1] / values[0];
  constexpr double rounding = 1e-9;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (!(std::abs(values[i] / values[i - 1] / ratio - 1) < rounding))
      return false;
  return true;
}

FigureAxis value_axis(const VariedKey& key) {
  FigureAxis axis;
  std::string unit = key.column.substr(key.key.size());
  if (!unit.empty()) unit.erase(0, 1);
  if (unit == "percent") unit = "%";
  axis.name = key.key;
  axis.unit = unit;
  axis.title = literal_text(key.key + (unit.empty() ? "" : " [" + unit + "]"));
  if (is_logarithmic(key.numbers)) axis.scale = AxisScale::logarithmic;
  const auto [least, largest] = std::ranges::minmax(key.numbers);
  axis.lower = least;
  axis.upper = largest;
  return axis;
}

/// A linear axis with room around the values; logarithmic beyond a decade.
FigureAxis error_axis(const detail::DataRange& range) {
  constexpr double decade = 10, room = 0.06;
  if (range.lower > 0 && range.upper > decade * range.lower)
    return detail::log_axis(range);
  FigureAxis axis;
  const double extra = room * (range.upper - range.lower);
  axis.lower = range.lower - extra;
  axis.upper = range.upper + extra;
  return axis;
}

}  // namespace

SweepFigure::SweepFigure(const StudyRequest& request,
                         std::vector<std::string> detectors,
                         Reduction reduction,
                         const std::vector<std::string>& columns,
                         TableSink& next)
    : request_(request),
      detectors_(std::move(detectors)),
      points_(reduction == Reduction::none ? n_grid_points(request) : 1),
      next_(next) {
  const VariedKey& first = request.vary.front();
  if (first.numbers.size() < 2)
    throw std::invalid_argument("the first key, " + first.key +
                                ", has no range of numbers");
  const auto shown = std::ranges::find_if(
      columns, [](const std::string& name) { return quantity_of(name); });
  if (shown == columns.end())
    throw std::invalid_argument(
        "none of the columns is an error: give --columns sigma_pt_rel, "
        "sigma_d0_um or another one");
  column_ = *shown;
  curves_ = n_combinations(request.vary) / first.values.size() *
            detectors_.size() * points_;
  if (curves_ > most_curves)
    throw std::invalid_argument(fmt::format(
        "{} curves, one for each other value, detector and track; at most {} "
        "can be told apart",
        curves_, most_curves));
}

void SweepFigure::keep(const Table& block) {
  const Column* column = block.find(column_);
  const auto& cells = std::get<Reals>(column->cells);
  values_.insert(values_.end(), cells.begin(), cells.end());
}

void SweepFigure::write(const Table& block) {
  next_.write(block);
  keep(block);
}

void SweepFigure::write_prepared(const Table& block,
                                 const PreparedBlock& text) {
  next_.write_prepared(block, text);
  keep(block);
}

std::string SweepFigure::curve_text(std::size_t curve) const {
  std::vector<std::string> parts;
  const std::size_t point = curve % points_;
  const std::size_t detector = curve / points_ % detectors_.size();
  const std::span<const VariedKey> others = std::span(request_.vary).subspan(1);
  const auto values =
      values_of_combination(others, curve / points_ / detectors_.size());
  for (std::size_t i = 0; i < others.size(); ++i)
    if (others[i].values.size() > 1)
      parts.push_back(others[i].key + " = " + others[i].values[values[i]]);
  if (detectors_.size() > 1) parts.push_back(detectors_[detector]);
  if (points_ > 1) {
    const GridPoint at = grid_point(request_, point);
    if (request_.momentum.values.size() > 1)
      parts.push_back(fmt::format(
          "{} = {} GeV",
          request_.momentum.variable == MomentumAxis::Variable::pt ? "pT" : "p",
          request_.momentum.values[at.momentum]));
    if (request_.angle.values.size() > 1) {
      const double angle = request_.angle.values[at.angle];
      parts.push_back(request_.angle.variable == AngleAxis::Variable::eta
                          ? fmt::format("eta = {}", angle)
                          : fmt::format("theta = {} deg", in_degrees(angle)));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Figure SweepFigure::figure(const std::string& title) const {
  const VariedKey& key = request_.vary.front();
  const detail::ShownQuantity& q = *quantity_of(column_);
  Figure figure;
  figure.id = "sweep";
  figure.title = q.title;
  figure.subtitle = literal_text(title);
  figure.description = q.name + " against " + key.key;
  Plot plot;
  plot.x = value_axis(key);
  figure.data.add(key.column, Reals(key.numbers));
  Panel panel;
  detail::DataRange range;
  const double factor = sigma_unit(q.parameter) * q.factor;
  for (std::size_t i = 0; i < curves_; ++i) {
    Reals y;
    for (std::size_t k = 0; k < key.numbers.size(); ++k)
      y.push_back(values_[k * curves_ + i] * factor);
    range.add(y);
    const std::string text = curve_text(i);
    // one other thing that varies has an order: angles, momenta, values
    const auto [paint, dash] = detectors_.size() == 1 && curves_ <= most_ordered
                                   ? ordered_style(i, curves_)
                                   : category_style(i);
    Curve curve{.id = fmt::format("curve{}", i),
                .x = key.numbers,
                .y = y,
                .paint = paint,
                .dash = dash,
                .column = figure.data.columns.size()};
    if (!text.empty())
      figure.legend.push_back({.key = LegendEntry::Key::line,
                               .text = literal_text(text),
                               .paint = paint,
                               .dash = dash,
                               .ids = {curve.id}});
    figure.data.add(text.empty() ? column_ : text, std::move(y));
    panel.curves.push_back(std::move(curve));
  }
  if (!range.exists())
    throw std::invalid_argument("no design has two different values of " +
                                column_);
  panel.y = error_axis(range);
  panel.y.title = q.axis_title();
  panel.y.name = q.name;
  panel.y.unit = q.unit;
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  return figure;
}

}  // namespace gttf
