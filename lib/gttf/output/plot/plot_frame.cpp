// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/plot/plot_frame.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gttf/output/plot/svg_path.hpp"
#include "gttf/output/plot/svg_text.hpp"
#include "gttf/output/plot/text_width.hpp"

namespace gttf {
namespace {

constexpr double bottom_margin = 46, top_margin = 12, side_margin = 16;
constexpr double top_axis_margin = 40, ray_margin = 26;
constexpr double panel_gap = 14;
constexpr double major_tick = 6, minor_tick = 3.2;

double widest(const std::vector<AxisTick>& ticks) {
  double most = 0;
  for (const AxisTick& tick : ticks)
    most = std::max(most, text_width(tick.label, tick_size));
  return most;
}

double right_margin(const Plot& plot) {
  constexpr double other_fonts = 1.14;  // DejaVu Sans is that much wider
  double most = side_margin;
  const auto need = [&](double px) { most = std::max(most, px); };
  for (const Panel& panel : plot.panels) {
    for (const Curve& curve : panel.curves)
      if (!curve.end_label.empty())
        need(16 + other_fonts *
                      text_width(curve.end_label, label_size, Weight::bold));
    for (const Guide& guide : panel.guides)
      if (guide.along == Guide::Along::y)
        for (const RichText& word : guide.words)
          need(14 + other_fonts * text_width(word, tick_size));
    if (!panel.rays.empty()) need(34);
    if (panel.map) need(84);
  }
  // half of the last label of the horizontal axes
  constexpr double some_length = 500;
  for (const FigureAxis* axis : {&plot.x, plot.top ? &*plot.top : &plot.x})
    need(4 + other_fonts * widest(axis_ticks(*axis, some_length)) / 2);
  return most;
}

double margin_above(const Plot& plot) {
  if (plot.top) return top_axis_margin;
  for (const Panel& panel : plot.panels) {
    if (!panel.rays.empty()) return ray_margin;
    for (const Guide& guide : panel.guides)
      if (guide.along == Guide::Along::x) return ray_margin;
  }
  return top_margin;
}

// Says for the labels along x, which may come in any distance, whether there is
// room for the next one.
class RoomForLabels {
 public:
  bool has(double x, const RichText& label) {
    constexpr double gap = 5;
    const double half = text_width(label, tick_size) / 2;
    if (x - half < end_) return false;
    end_ = x + half + gap;
    return true;
  }

 private:
  double end_ = -1e9;
};

}  // namespace

PlotFrame make_frame(const Figure& figure, const Plot& plot) {
  PlotFrame frame;
  frame.width = figure.width;
  const double top = margin_above(plot);
  const double right = figure.width - right_margin(plot);
  // The left margin depends on the labels, whose number depends on the height.
  constexpr double left_guess = 60;
  const Panel& first = plot.panels.front();
  const double scale = (right - left_guess) / (plot.x.upper - plot.x.lower);
  frame.height = figure.height;
  if (frame.height <= 0)
    frame.height = plot.equal_scales
                       ? std::round(top + bottom_margin +
                                    scale * (first.y.upper - first.y.lower))
                       : std::round(figure.width * 2 / 3);

  double shares = 0;
  for (const Panel& panel : plot.panels) shares += panel.share;
  const double room = frame.height - top - bottom_margin -
                      panel_gap * static_cast<double>(plot.panels.size() - 1);
  double at = top, labels = 0;
  for (const Panel& panel : plot.panels) {
    PanelFrame p;
    const double height = room * panel.share / shares;
    p.box = {0, at, right, at + height};
    p.y = AxisMap(panel.y, p.box.bottom, p.box.top);
    p.y_ticks = axis_ticks(
        panel.y, height,
        height < short_axis ? label_distance_short : label_distance_up);
    labels = std::max(labels, widest(p.y_ticks));
    at += height + panel_gap;
    frame.panels.push_back(std::move(p));
  }
  const double left = plot.equal_scales ? left_guess : std::ceil(labels) + 32;
  for (PanelFrame& p : frame.panels) {
    p.box.left = left;
    p.x = AxisMap(plot.x, left, right);
  }
  frame.x_ticks = axis_ticks(plot.x, right - left);
  return frame;
}

std::string svg_grid(const PlotFrame& frame, std::size_t panel) {
  const PanelFrame& p = frame.panels[panel];
  SvgPath path;
  for (const AxisTick& tick : frame.x_ticks) {
    const double x = p.x(tick.at);
    if (tick.major && x > p.box.left + 1 && x < p.box.right - 1)
      path.line(x, p.box.bottom, x, p.box.top);
  }
  for (const AxisTick& tick : p.y_ticks) {
    const double y = p.y(tick.at);
    if (tick.major && y > p.box.top + 1 && y < p.box.bottom - 1)
      path.line(p.box.left, y, p.box.right, y);
  }
  return fmt::format("<path class=\"gr\" d=\"{}\"/>", path.data());
}

std::string svg_axes(const Plot& plot, const PlotFrame& frame,
                     std::size_t panel) {
  const PanelFrame& p = frame.panels[panel];
  const bool bottom = panel + 1 == frame.panels.size();
  SvgPath ticks;
  std::string labels;
  RoomForLabels room;
  for (const AxisTick& tick : frame.x_ticks) {
    const double x = p.x(tick.at), size = tick.major ? major_tick : minor_tick;
    ticks.line(x, p.box.bottom, x, p.box.bottom - size);
    if (!plot.top) ticks.line(x, p.box.top, x, p.box.top + size);
    if (bottom && !tick.label.empty() && room.has(x, tick.label))
      labels += svg_text(x, p.box.bottom + 17, tick.label,
                         {"tx ink2", Anchor::middle, tick_size});
  }
  for (const AxisTick& tick : p.y_ticks) {
    const double y = p.y(tick.at), size = tick.major ? major_tick : minor_tick;
    ticks.line(p.box.left, y, p.box.left + size, y);
    ticks.line(p.box.right, y, p.box.right - size, y);
    if (!tick.label.empty())
      labels += svg_text(p.box.left - 7, y + 4, tick.label,
                         {"tx ink2", Anchor::end, tick_size});
  }
  std::string out = fmt::format(
      "<rect class=\"fr\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
      coordinate(p.box.left), coordinate(p.box.top),
      coordinate(p.box.right - p.box.left),
      coordinate(p.box.bottom - p.box.top));
  out += fmt::format("<path class=\"tc\" d=\"{}\"/><g class=\"tl\">{}</g>",
                     ticks.data(), labels);
  std::string above;
  if (plot.top && panel == 0) {
    SvgPath path;
    RoomForLabels room_above;
    for (const AxisTick& tick :
         axis_ticks(*plot.top, p.box.right - p.box.left)) {
      const double x = p.x(tick.at);
      path.line(x, p.box.top, x,
                p.box.top + (tick.major ? major_tick : minor_tick));
      if (!tick.label.empty() && room_above.has(x, tick.label))
        above += svg_text(x, p.box.top - 7, tick.label,
                          {"tx ink2", Anchor::middle, tick_size});
    }
    above += svg_text(p.box.right, p.box.top - 25, plot.top->title,
                      {"tx ink2", Anchor::end, label_size});
    out += fmt::format("<g class=\"out\"><path class=\"tc\" d=\"{}\"/>{}</g>",
                       path.data(), above);
  }
  if (bottom)
    out += svg_text(p.box.right, frame.height - 9, plot.x.title,
                    {"tx ink", Anchor::end, title_size});
  out += svg_text(title_size, p.box.top, plot.panels[panel].y.title,
                  {"tx ink", Anchor::end, title_size, 90});
  return out;
}

}  // namespace gttf
