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

std::string switch_of(const std::string& id) {
  return id.empty() ? "" : fmt::format(" data-s=\"{}\"", escaped(id));
}

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
  }
  return "";
}

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
    return std::min(frame.y(value), floor);  // log of nothing: the frame
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
    constexpr double half_mark = 4.5;  // one on the frame is seen whole
    out += "<g class=\"panel\">" + svg_clip(clip, p.box, 0);
    if (!shapes.marks.empty()) out += svg_clip(clip + marks, p.box, half_mark);
    if (!shapes.behind.empty()) out += clipped(shapes.behind);
    if (plot.grid) out += svg_grid(frame, i);
    out += clipped(shapes.front) + svg_axes(plot, frame, i);
    if (!shapes.marks.empty()) out += clipped(shapes.marks, marks);
    if (plot.panels[i].map) out += svg_colour_bar(*plot.panels[i].map, p);
    out += "<g class=\"out\">" + panel_labels(plot.panels[i], p) + "</g></g>";
  }
  return {frame.width, frame.height, out};
}

}  // namespace gttf
