// SPDX-License-Identifier: Apache-2.0
// Heat maps: cells of colour with contour lines.
#include "gttf/output/plot/svg_plot.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

#include "gttf/output/plot/label_layout.hpp"
#include "gttf/output/plot/svg_text.hpp"
#include "gttf/output/plot/theme.hpp"

namespace gttf {
namespace {

double fraction_of(const HeatMap& map, double value) {
  if (map.scale == AxisScale::linear)
    return (value - map.lower) / (map.upper - map.lower);
  return std::log(value / map.lower) / std::log(map.upper / map.lower);
}

// Colours in steps: neighbours of the same colour make one rectangle.
constexpr int colour_steps = 48;

int step_of(const HeatMap& map, double value) {
  const double f = std::clamp(fraction_of(map, value), 0.0, 1.0);
  return static_cast<int>(std::lround(f * (colour_steps - 1)));
}

std::string step_colour(int step) {
  return scale_colour(static_cast<double>(step) / (colour_steps - 1));
}

double middle(const Reals& edges, std::size_t i, const AxisMap& axis) {
  return (axis(edges[i]) + axis(edges[i + 1])) / 2;
}

// One line of cells as rectangles.
void append_line(std::string& out, const HeatMap& map, const PanelFrame& frame,
                 std::size_t j) {
  const std::size_t n = map.x.size() - 1;
  const double top = frame.y(map.y[j + 1]), bottom = frame.y(map.y[j]);
  for (std::size_t i = 0; i < n;) {
    const double value = map.values[j * n + i];
    if (std::isnan(value)) {
      ++i;
      continue;
    }
    const int step = step_of(map, value);
    std::size_t end = i + 1;
    while (end < n && !std::isnan(map.values[j * n + end]) &&
           step_of(map, map.values[j * n + end]) == step)
      ++end;
    out += fmt::format("<path fill=\"{}\" d=\"M{} {}H{}V{}H{}z\"/>",
                       step_colour(step), coordinate(frame.x(map.x[i])),
                       coordinate(top), coordinate(frame.x(map.x[end])),
                       coordinate(bottom), coordinate(frame.x(map.x[i])));
    i = end;
  }
}

// Contours by marching squares over the middles of the cells.
std::vector<LineSegment> trace(const HeatMap& map, const PanelFrame& frame,
                               double level) {
  std::vector<LineSegment> segments;
  const std::size_t n = map.x.size() - 1, m = map.y.size() - 1;
  const double wanted = fraction_of(map, level);
  for (std::size_t j = 0; j + 1 < m; ++j)
    for (std::size_t i = 0; i + 1 < n; ++i) {
      struct Corner {
        double x, y, f;
      };
      std::array<Corner, 5> corners{};
      bool whole = true;
      constexpr std::size_t di[] = {0, 1, 1, 0}, dj[] = {0, 0, 1, 1};
      for (std::size_t k = 0; k < 4; ++k) {
        const double v = map.values[(j + dj[k]) * n + i + di[k]];
        whole = whole && !std::isnan(v);
        corners[k] = {middle(map.x, i + di[k], frame.x),
                      middle(map.y, j + dj[k], frame.y),
                      fraction_of(map, v) - wanted};
      }
      if (!whole) continue;
      corners[4] = corners[0];
      std::array<std::pair<double, double>, 4> cut{};
      std::size_t cuts = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const Corner &a = corners[k], &b = corners[k + 1];
        if ((a.f < 0) == (b.f < 0)) continue;
        const double t = a.f / (a.f - b.f);
        cut[cuts++] = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
      }
      for (std::size_t k = 0; k + 1 < cuts; k += 2)
        segments.push_back(
            {cut[k].first, cut[k].second, cut[k + 1].first, cut[k + 1].second});
    }
  return segments;
}

}  // namespace

std::string svg_heat_map(const HeatMap& map, const PanelFrame& frame) {
  std::string out = "<g class=\"cells\">";
  for (std::size_t j = 0; j + 1 < map.y.size(); ++j)
    append_line(out, map, frame, j);
  out += "</g>";
  SvgPath path;
  for (const double level : map.contours)
    for (const LineSegment& s : trace(map, frame, level))
      path.line(s.x0, s.y0, s.x1, s.y1);
  if (!path.empty())
    out += fmt::format("<path class=\"contour\" d=\"{}\"/>", path.data());
  return out;
}

std::string svg_contour_labels(const HeatMap& map, const PanelFrame& frame) {
  const Box& box = frame.box;
  LabelPlacer placer(
      {box.left + 4, box.top + 4, box.right - 4, box.bottom - 4});
  std::string out;
  bool left_side = true;
  for (const double level : map.contours) {
    const RichText text = tick_label(level, 1e4);
    const double width = text_width(text, tick_size) + 6;
    // near one third and two thirds of the width in turn
    const double wanted =
        box.left + (box.right - box.left) * (left_side ? 0.35 : 0.65);
    std::vector<LineSegment> segments = trace(map, frame, level);
    std::ranges::stable_sort(segments, {}, [wanted](const LineSegment& s) {
      return std::abs((s.x0 + s.x1) / 2 - wanted);
    });
    std::vector<Box> places;
    for (const LineSegment& s : segments) {
      const double x = (s.x0 + s.x1) / 2, y = (s.y0 + s.y1) / 2;
      places.push_back(
          {x - width / 2, y - tick_size / 2, x + width / 2, y + tick_size / 2});
    }
    const auto taken = placer.take(places, false);
    if (!taken) continue;
    left_side = !left_side;
    const Box& at = places[*taken];
    out += svg_text((at.left + at.right) / 2,
                    (at.top + at.bottom) / 2 + 0.36 * tick_size, text,
                    {"tx ink halo", Anchor::middle, tick_size});
  }
  return out;
}

std::string svg_colour_bar(const HeatMap& map, const PanelFrame& frame) {
  constexpr double gap = 14, width = 12;
  const double left = frame.box.right + gap;
  const double height = frame.box.bottom - frame.box.top;
  std::string out = "<g class=\"cells\">";
  for (int k = 0; k < colour_steps; ++k) {
    const double top = frame.box.bottom - height * (k + 1) / colour_steps;
    out += fmt::format(
        "<rect fill=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
        step_colour(k), coordinate(left), coordinate(top), coordinate(width),
        coordinate(height / colour_steps + 0.3));
  }
  out += "</g>";
  FigureAxis axis;
  axis.scale = map.scale;
  axis.lower = map.lower;
  axis.upper = map.upper;
  const AxisMap y(axis, frame.box.bottom, frame.box.top);
  SvgPath ticks;
  for (const AxisTick& tick : axis_ticks(axis, height, label_distance_up)) {
    ticks.line(left + width, y(tick.at), left + width - (tick.major ? 5 : 3),
               y(tick.at));
    if (!tick.label.empty())
      out += svg_text(left + width + 5, y(tick.at) + 4, tick.label,
                      {"tx ink2", Anchor::start, tick_size});
  }
  for (const double level : map.contours) {
    constexpr double reach = 3;
    ticks.line(left - reach, y(level), left, y(level));
  }
  out += fmt::format("<path class=\"tc\" d=\"{}\"/>", ticks.data());
  return out + svg_text(left + width + 48, frame.box.top, map.title,
                        {"tx ink", Anchor::end, title_size, 90});
}

namespace {

constexpr double cell = 58, left_margin = 52, title_margin = 34;

std::string cell_text(double value) {
  if (std::isnan(value)) return "–";
  if (std::abs(value) < 0.005) return "0";
  return (value > 0 ? "+" : "") + fixed_number(value, 2);
}

std::string svg_cell(double x, double y, double value, bool diagonal) {
  constexpr double gap = 0.75;
  const double size = std::isnan(value) ? 0 : std::abs(value);
  // Darker for small correlations than proportional: they are seen, too.
  const double opacity = diagonal ? 1 : 0.85 * std::pow(size, 0.8);
  const char* fill = diagonal ? "hair" : value > 0 ? "pos" : "neg";
  constexpr double dark = 0.62;
  const char* ink = diagonal || size < 0.005 ? "ink3"
                    : size > dark            ? "on-colour"
                                             : "ink";
  return fmt::format(
             "<rect class=\"ar {}\" fill-opacity=\"{}\" x=\"{}\" y=\"{}\" "
             "width=\"{}\" height=\"{}\"/>",
             fill, coordinate(opacity, 2), coordinate(x + gap, 2),
             coordinate(y + gap, 2), coordinate(cell - 2 * gap, 2),
             coordinate(cell - 2 * gap, 2)) +
         svg_text(x + cell / 2, y + cell / 2 + 4.5,
                  diagonal ? "1" : cell_text(value),
                  {fmt::format("tx {}", ink), Anchor::middle, title_size});
}

}  // namespace

SvgContent svg_matrices(const Figure& figure, const MatrixChart& chart) {
  const double n = static_cast<double>(chart.names.size());
  const double side = cell * n;
  const double pitch = std::max(figure.width / 3, left_margin + side + 16);
  std::string out;
  double left = left_margin;
  for (const MatrixChart::Matrix& matrix : chart.matrices) {
    out += svg_text(left, title_margin - 14, matrix.title,
                    {"tx ink2", Anchor::start, title_size});
    for (std::size_t i = 0; i < chart.names.size(); ++i) {
      const double y = title_margin + cell * static_cast<double>(i);
      const double x = left + cell * static_cast<double>(i);
      out += svg_text(left - 9, y + cell / 2 + 4, chart.names[i],
                      {"tx ink", Anchor::end, title_size});
      out += svg_text(x + cell / 2, title_margin + side + 18, chart.names[i],
                      {"tx ink", Anchor::middle, title_size});
      for (std::size_t j = 0; j <= i; ++j)
        out += svg_cell(left + cell * static_cast<double>(j), y,
                        matrix.rows[i][j], i == j);
    }
    left += pitch;
  }
  return {figure.width, title_margin + side + 28, out};
}

}  // namespace gttf
