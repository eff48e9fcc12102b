// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/plot/figure_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "gttf/config/quantity.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/rich_text.hpp"

namespace gttf {
namespace {

// The lower end of an axis that changes from a logarithmic to a linear scale,
// or vice versa.
void set_scale(AxisScale scale, const std::string& name, FigureAxis& axis) {
  if (axis.scale == scale) return;
  if (!axis.ticks.empty())
    throw FigureError("the scale of the " + name +
                      " axis is part of the figure");
  axis.scale = scale;
  axis.step = 0;
  if (scale == AxisScale::linear) {
    if (name == "vertical") axis.lower = 0;
    return;
  }
  constexpr double decades = 1e-3;
  if (axis.upper <= 0)
    throw FigureError("the " + name + " axis has no positive values");
  if (axis.lower <= 0) axis.lower = axis.upper * decades;
}

void set_ends(const AxisEnds& ends, const std::string& name, FigureAxis& axis) {
  if (axis.scale == AxisScale::logarithmic && !(ends.first > 0))
    throw FigureError(fmt::format(
        "a logarithmic axis cannot begin at {:g}: the {} axis needs a positive "
        "value, or --log without it",
        ends.first, name));
  axis.lower = ends.first;
  axis.upper = ends.second;
  axis.step = 0;
}

double parse_end(std::string_view text, const FigureAxis& axis) {
  // "µm" as it is printed
  std::string unit = axis.unit;
  if (unit.starts_with("µ")) unit = "u" + unit.substr(std::string("µ").size());
  const detail::KnownUnit* known =
      unit.empty() ? nullptr : detail::find_unit(unit);
  const Dimension dimension =
      known == nullptr ? Dimension::number : known->dimension;
  const Parsed<double> plain = parse_quantity(text, Dimension::number);
  if (plain) return plain.value;
  const Parsed<double> value = parse_quantity(text, dimension, unit);
  if (!value)
    throw FigureError(
        in_quotes(text) + ": " + value.problem +
        (value.suggestion.empty() ? "" : "; " + value.suggestion));
  return value.value / (known == nullptr ? 1 : known->factor);
}

}  // namespace

AxisEnds parse_ends(const std::string& text, const FigureAxis& axis) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos)
    throw FigureError(in_quotes(text) + ": give both ends, as in 1:50" +
                      axis.unit);
  const AxisEnds ends{
      parse_end(std::string_view(text).substr(0, colon), axis),
      parse_end(std::string_view(text).substr(colon + 1), axis)};
  if (!(ends.first < ends.second))
    throw FigureError(in_quotes(text) +
                      ": the first end must be the smaller one");
  return ends;
}

void apply(const FigureChange& change, Figure& figure) {
  if (change.width > 0) figure.width = change.width;
  if (change.height > 0) figure.height = change.height;
  if (!change.x && !change.y && !change.x_scale && !change.y_scale) return;
  auto* plot = std::get_if<Plot>(&figure.content);
  if (plot == nullptr)
    throw FigureError("the figure " + figure.id + " has no axes to be changed");
  FigureAxis& y = plot->panels.front().y;
  if (change.x_scale) {
    set_scale(*change.x_scale, "horizontal", plot->x);
    if (plot->top) plot->top->scale = plot->x.scale;
  }
  if (change.y_scale) set_scale(*change.y_scale, "vertical", y);
  if (change.x) {
    set_ends(*change.x, "horizontal", plot->x);
    if (plot->top) set_ends(*change.x, "horizontal", *plot->top);
  }
  if (change.y) set_ends(*change.y, "vertical", y);
  // the inaccessible area extends down to the axis
  for (Band& band : plot->panels.front().bands)
    if (band.behind)
      for (double& lower : band.lower) lower = std::max(lower, y.lower);
  if (change.x || change.y) plot->equal_scales = false;
}

}  // namespace gttf
