// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/plot/svg_plot.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>

#include "gttf/output/plot/svg_text.hpp"
#include "gttf/output/plot/theme.hpp"

namespace gttf {
namespace {

constexpr double tolerance = 1e-9;  // of ends of axes, relative

bool is_labelled(int digit, double pixels_per_decade) {
  // 8 and 9 are closest: a twentieth of a decade apart
  constexpr double all_digits = 480, one_two_five = 75, one_three = 48;
  if (pixels_per_decade > all_digits) return true;
  if (pixels_per_decade > one_two_five)
    return digit == 1 || digit == 2 || digit == 5;
  return digit == 1 || (digit == 3 && pixels_per_decade > one_three);
}

std::vector<AxisTick> log_ticks(const FigureAxis& axis, double length) {
  const double decades = std::log10(axis.upper / axis.lower);
  const double room = length / decades;
  // Many decades: a label at every second, third, ... decade.
  constexpr double label_height = 20;
  const int every = std::max(1, static_cast<int>(label_height / room) + 1);
  std::vector<AxisTick> ticks;
  const int last = static_cast<int>(std::ceil(std::log10(axis.upper)));
  for (int e = static_cast<int>(std::floor(std::log10(axis.lower))); e <= last;
       ++e) {
    for (int digit = 1; digit < 10; ++digit) {
      const double at = digit * std::pow(10.0, e);
      if (at < axis.lower * (1 - tolerance) ||
          at > axis.upper * (1 + tolerance))
        continue;
      const bool label =
          is_labelled(digit, room) && (digit > 1 || e % every == 0);
      ticks.push_back(
          {at, digit == 1, label ? tick_label(at, 1e4) : RichText()});
    }
  }
  return ticks;
}

// Number of multiples of a step on an axis.
double multiples(const FigureAxis& axis, double step) {
  const double slack = tolerance * (axis.upper - axis.lower);
  return std::floor((axis.upper + slack) / step) -
         std::ceil((axis.lower - slack) / step) + 1;
}

double chosen_step(const FigureAxis& axis, double labels) {
  const double raw = (axis.upper - axis.lower) / std::max(1.0, labels);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 0;
  for (const double factor : {0.5, 1.0, 2.0, 5.0, 10.0}) {
    // A single label does not define the scale, so the spacing is reduced.
    if (step > 0 && multiples(axis, factor * power) < 2) break;
    step = factor * power;
    if (step >= raw * (1 - tolerance)) break;
  }
  return step;
}

std::vector<AxisTick> linear_ticks(const FigureAxis& axis, double labels) {
  const double range = axis.upper - axis.lower;
  const double step = axis.step > 0 ? axis.step : chosen_step(axis, labels);
  const double mantissa =
      step / std::pow(10.0, std::floor(std::log10(step) + tolerance));
  const int parts = std::lround(mantissa) == 2 ? 4 : 5;
  std::vector<AxisTick> ticks;
  const double fine = step / parts;
  const double slack = tolerance * range;
  for (auto k = static_cast<long>(std::ceil((axis.lower - slack) / fine));
       static_cast<double>(k) * fine <= axis.upper + slack; ++k) {
    const bool major = k % parts == 0;
    const double at = static_cast<double>(k) * fine;
    ticks.push_back({at, major, major ? tick_label(at, 1e5) : RichText()});
  }
  return ticks;
}

}  // namespace

AxisMap::AxisMap(const FigureAxis& axis, double first, double last)
    : log_(axis.scale == AxisScale::logarithmic),
      lower_(axis.lower),
      upper_(axis.upper),
      first_(first),
      last_(last),
      offset_(log_ ? std::log(lower_) : lower_),
      slope_((last - first) / ((log_ ? std::log(upper_) : upper_) - offset_)) {}

double AxisMap::operator()(double value) const {
  return first_ + slope_ * ((log_ ? std::log(value) : value) - offset_);
}

std::vector<AxisTick> axis_ticks(const FigureAxis& axis, double length,
                                 double distance) {
  if (!axis.ticks.empty()) {
    std::vector<AxisTick> ticks;
    for (const AxisTick& tick : axis.ticks)
      if (tick.at >= axis.lower * (1 - tolerance) &&
          tick.at <= axis.upper * (1 + tolerance))
        ticks.push_back(tick);
    return ticks;
  }
  // For an axis within a decade, 1-2-5 labels are too far apart.
  const bool log = axis.scale == AxisScale::logarithmic;
  if (log && axis.upper / axis.lower > 8) return log_ticks(axis, length);
  constexpr double uneven = 1.5;  // labels crowd at the upper end
  return linear_ticks(axis, length / distance / (log ? uneven : 1));
}

RichText tick_label(double value, double power_from) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  // steps are short decimals: ten digits remove rounding errors
  if (size >= 1e-3 * (1 - tolerance) && size < power_from) {
    const std::string text = fmt::format("{:.10g}", size);
    return (value < 0 ? "−" : "") + text;
  }
  const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  const double mantissa = size / std::pow(10.0, exponent);
  const std::string front =
      std::abs(mantissa - 1) < 1e-6 ? "" : fmt::format("{:.4g}×", mantissa);
  return (value < 0 ? "−" : "") + front + "10^{" + (exponent < 0 ? "−" : "") +
         std::to_string(std::abs(exponent)) + "}";
}

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
  double most = side_margin;
  const auto need = [&](double px) { most = std::max(most, px); };
  for (const Panel& panel : plot.panels) {
    for (const Curve& curve : panel.curves)
      if (!curve.end_label.empty())
        need(16 + text_width(curve.end_label, label_size, Weight::bold));
    for (const Guide& guide : panel.guides)
      if (guide.along == Guide::Along::y)
        for (const RichText& word : guide.words)
          need(14 + text_width(word, tick_size));
    if (!panel.rays.empty()) need(34);
    if (panel.map) need(84);
  }
  // half of the last label of the horizontal axes
  constexpr double some_length = 500;
  for (const FigureAxis* axis : {&plot.x, plot.top ? &*plot.top : &plot.x})
    need(4 + widest(axis_ticks(*axis, some_length)) / 2);
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

// Decides whether the next label along x fits, for labels at any
// distance.
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

// @param margin  right of the frames
PlotFrame frame_with(const Figure& figure, const Plot& plot, double margin) {
  PlotFrame frame;
  frame.width = figure.width;
  const double top = margin_above(plot);
  const double right = figure.width - margin;
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

}  // namespace

PlotFrame make_frame(const Figure& figure, const Plot& plot) {
  double margin = right_margin(plot);
  PlotFrame frame = frame_with(figure, plot, margin);
  // Names of bands that are too flat are written next to their ends; a narrower
  // frame may have no space for others.
  constexpr int most_tries = 4;
  for (int i = 0; i < most_tries; ++i) {
    double wanted = margin;
    for (std::size_t k = 0; k < plot.panels.size(); ++k)
      for (const Band* band :
           bands_named_beside(plot.panels[k], frame.panels[k]))
        wanted = std::max(wanted, 16 + text_width(band->label, tick_size));
    if (wanted <= margin) break;
    margin = wanted;
    frame = frame_with(figure, plot, margin);
  }
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

namespace {

std::string switch_of(const std::string& id) {
  return id.empty() ? "" : fmt::format(" data-s=\"{}\"", escaped(id));
}

}  // namespace

std::string_view dash_class(Dash dash) {
  switch (dash) {
    case Dash::solid:
      return "";
    case Dash::dashed:
      return " dash";
    case Dash::dotted:
      return " dot";
    case Dash::long_dashed:
      return " long";
    case Dash::dash_dotted:
      return " dashdot";
    case Dash::dash_dot_dotted:
      return " dashdots";
  }
  return "";
}

namespace {

std::string svg_curve(const Curve& curve, const PanelFrame& frame) {
  SvgPath path;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const double y = frame.y(curve.y[i]);
    if (std::isnan(curve.y[i]) || std::isinf(y))
      path.lift();
    else
      path.to(frame.x(curve.x[i]), y);
  }
  std::string style;
  if (curve.width != Curve{}.width)
    style +=
        fmt::format(" style=\"stroke-width:{}\"", coordinate(curve.width, 2));
  if (curve.opacity < 1)
    style +=
        fmt::format(" stroke-opacity=\"{}\"", coordinate(curve.opacity, 2));
  return fmt::format("<path class=\"ln {}{}{}\"{}{} d=\"{}\"/>",
                     paint_class(curve.paint), dash_class(curve.dash),
                     curve.hidden ? " off" : "", switch_of(curve.id), style,
                     path.data());
}

std::string svg_band(const Figure& figure, const Band& band,
                     const PanelFrame& frame) {
  SvgPath path;
  const std::size_t n = band.x.size();
  const double floor = frame.box.bottom;
  const auto pixel = [&](double value) {
    return std::min(frame.y(value), floor);  // log of 0: use the frame
  };
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin;
    while (end < n && !std::isnan(band.lower[end]) &&
           !std::isnan(band.upper[end]))
      ++end;
    for (std::size_t i = begin; i < end; ++i)
      path.to(frame.x(band.x[i]), pixel(band.upper[i]));
    for (std::size_t i = end; i-- > begin;)
      path.to(frame.x(band.x[i]), pixel(band.lower[i]));
    path.close();
    begin = end + 1;
  }
  const std::string fill = band.hatched
                               ? fmt::format(" style=\"fill:url(#{})\"",
                                             hatch_id(figure, band.paint))
                               : "";
  return fmt::format("<path class=\"ar {}{}\"{}{} d=\"{}\"/>",
                     paint_class(band.paint), band.behind ? "" : " over",
                     switch_of(band.id), fill, path.data());
}

std::string svg_marks(const Marks& marks, const PanelFrame& frame) {
  SvgPath path;
  for (std::size_t i = 0; i < marks.x.size(); ++i) {
    const double x = frame.x(marks.x[i]), y = frame.y(marks.y[i]);
    if (x >= frame.box.left - 0.5 && x <= frame.box.right + 0.5 &&
        y >= frame.box.top - 0.5 && y <= frame.box.bottom + 0.5)
      path.dot(x, y);
  }
  if (path.empty()) return "";
  std::string out = fmt::format(
      "<path class=\"mk {}\" stroke-width=\"{}\" d=\"{}\"/>",
      paint_class(marks.paint), coordinate(marks.size), path.data());
  constexpr double ring = 3;
  if (marks.shape == MarkShape::ring)
    out +=
        fmt::format("<path class=\"mk paper\" stroke-width=\"{}\" d=\"{}\"/>",
                    coordinate(marks.size - ring), path.data());
  out = fmt::format("<g{}>{}</g>", switch_of(marks.id), out);
  if (!marks.owner.empty())
    out = fmt::format("<g{}>{}</g>", switch_of(marks.owner), out);
  return out;
}

std::string svg_clip(const std::string& id, const Box& box, double margin) {
  return fmt::format(
      "<clipPath id=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" "
      "height=\"{}\"/></clipPath>",
      id, coordinate(box.left - margin), coordinate(box.top - margin),
      coordinate(box.right - box.left + 2 * margin),
      coordinate(box.bottom - box.top + 2 * margin));
}

std::string band_hatches(const Figure& figure, const Plot& plot) {
  std::set<std::string> done;
  std::string out;
  for (const Panel& panel : plot.panels)
    for (const Band& band : panel.bands) {
      const std::string id = hatch_id(figure, band.paint);
      if (band.hatched && done.insert(id).second)
        out += svg_hatch(id, band.paint);
    }
  return out.empty() ? out : "<defs>" + out + "</defs>";
}

}  // namespace

std::string hatch_id(const Figure& figure, Paint paint) {
  const bool pale = paint.tone == Tone::pale_group;
  return fmt::format("{}-h{}{}", figure.id, paint.index % n_group_paints,
                     pale ? "p" : "");
}

std::string svg_hatch(const std::string& id, Paint paint) {
  return fmt::format(
      "<pattern id=\"{}\" width=\"6\" height=\"6\" "
      "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
      "<rect class=\"ar {}\" width=\"6\" height=\"6\"/>"
      "<path class=\"hatch paper\" d=\"M0 0v6\"/></pattern>",
      escaped(id), paint_class(paint));
}

PanelShapes panel_shapes(const Figure& figure, const Panel& panel,
                         const PanelFrame& frame) {
  PanelShapes shapes;
  if (panel.map) shapes.behind += svg_heat_map(*panel.map, frame);
  for (const Band& band : panel.bands)
    (band.behind ? shapes.behind : shapes.front) +=
        svg_band(figure, band, frame);
  for (const Guide& guide : panel.guides) {
    SvgPath path;
    const bool level = guide.along == Guide::Along::y;
    const double at = level ? frame.y(guide.at) : frame.x(guide.at);
    if (level)
      path.line(frame.box.left, at, frame.box.right, at);
    else
      path.line(at, frame.box.bottom, at, frame.box.top);
    shapes.front +=
        fmt::format("<path class=\"guide\" d=\"{}\"/>", path.data());
  }
  for (const Curve& curve : panel.curves)
    (curve.behind ? shapes.behind : shapes.front) += svg_curve(curve, frame);
  for (const Marks& marks : panel.marks)
    shapes.marks += svg_marks(marks, frame);
  return shapes;
}

SvgContent svg_plot(const Figure& figure, const Plot& plot) {
  const PlotFrame frame = make_frame(figure, plot);
  std::string out = band_hatches(figure, plot);
  for (std::size_t i = 0; i < plot.panels.size(); ++i) {
    const PanelFrame& p = frame.panels[i];
    const std::string clip = fmt::format("{}-c{}", figure.id, i);
    const PanelShapes shapes = panel_shapes(figure, plot.panels[i], p);
    const auto clipped = [&](const std::string& what, const char* by = "") {
      return fmt::format(
          "<g clip-path=\"url(#{}{})\"><g class=\"zm\">{}</g></g>", clip, by,
          what);
    };
    constexpr const char* marks = "m";
    constexpr double half_mark = 4.5;  // a point on the frame is fully visible
    out += "<g class=\"panel\">" + svg_clip(clip, p.box, 0);
    if (!shapes.marks.empty()) out += svg_clip(clip + marks, p.box, half_mark);
    if (!shapes.behind.empty()) out += clipped(shapes.behind);
    if (plot.grid) out += svg_grid(frame, i);
    out += clipped(shapes.front) + svg_axes(plot, frame, i);
    if (!shapes.marks.empty()) out += clipped(shapes.marks, marks);
    if (plot.panels[i].map) out += svg_colour_bar(*plot.panels[i].map, p);
    std::string labels = panel_labels(plot.panels[i], p);
    if (plot.panels[i].map)
      labels += svg_contour_labels(*plot.panels[i].map, p);
    out += "<g class=\"out\">" + labels + "</g></g>";
  }
  return {frame.width, frame.height, out};
}

}  // namespace gttf
