// SPDX-License-Identifier: Apache-2.0
// Labels in and around the frame of a plot.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gttf/output/plot/svg_path.hpp"
#include "gttf/output/plot/svg_plot.hpp"
#include "gttf/output/plot/svg_text.hpp"
#include "gttf/output/plot/text_width.hpp"
#include "gttf/output/plot/theme.hpp"

namespace gttf {
namespace {

constexpr double ascent = 0.76, descent = 0.24;  // of the font size
constexpr double end_label_gap = 14;

Box text_box(double x, double y, double width, double size, Anchor anchor) {
  const double left = anchor == Anchor::start    ? x
                      : anchor == Anchor::middle ? x - width / 2
                                                 : x - width;
  return {left, y - ascent * size, left + width, y + descent * size};
}

// Labels at the ends of curves, right of the frame, joined to them by leaders.
std::string end_labels(const Panel& panel, const PanelFrame& frame) {
  std::vector<const Curve*> curves;
  std::vector<double> wanted;
  for (const Curve& curve : panel.curves) {
    if (curve.end_label.empty()) continue;
    for (std::size_t i = curve.y.size(); i-- > 0;) {
      if (std::isnan(curve.y[i])) continue;
      const double y = frame.y(curve.y[i]);
      const double x = frame.x(curve.x[i]);
      constexpr double near = 12;  // the curve must reach the frame
      if (x < frame.box.right - near) break;
      if (y < frame.box.top || y > frame.box.bottom) break;
      curves.push_back(&curve);
      wanted.push_back(y);
      break;
    }
  }
  const std::vector<double> placed = spread_apart(
      wanted, end_label_gap, frame.box.top + 4, frame.box.bottom - 2);
  std::string out;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    SvgPath leader;
    leader.line(frame.box.right + 2, wanted[i], frame.box.right + 9, placed[i]);
    const std::string classes = fmt::format(
        "{}{}", text_class(curves[i]->paint), curves[i]->hidden ? " off" : "");
    out += fmt::format("<path class=\"lead {}\" data-s=\"{}\" d=\"{}\"/>",
                       classes, escaped(curves[i]->id), leader.data());
    out += svg_text(
        frame.box.right + 12, placed[i] + 4, curves[i]->end_label,
        {"tx b " + classes, Anchor::start, label_size, 0, curves[i]->id});
  }
  return out;
}

// A band is named where it is fattest, if its name fits into it.
std::string band_labels(const Panel& panel, const PanelFrame& frame,
                        LabelPlacer& placer) {
  std::string out;
  for (const Band& band : panel.bands) {
    if (band.label.empty()) continue;
    constexpr double padding = 5;
    const double width =
        text_width(band.label, tick_size, Weight::bold) + 2 * padding;
    std::vector<double> x, upper, lower;
    for (std::size_t i = 0; i < band.x.size(); ++i) {
      const auto pixel = [&](double value) {
        return std::isnan(value) ? value
                                 : std::clamp(frame.y(value), frame.box.top,
                                              frame.box.bottom);
      };
      x.push_back(frame.x(band.x[i]));
      upper.push_back(pixel(band.upper[i]));
      lower.push_back(pixel(band.lower[i]));
    }
    const auto place = place_in_band(x, upper, lower, width, tick_size + 4,
                                     frame.box.left + 6, frame.box.right - 6);
    if (!place) continue;
    const double base = place->y + 0.36 * tick_size;
    placer.add_obstacle(
        text_box(place->x, base, width, tick_size, Anchor::middle));
    out += svg_text(place->x, base, band.label,
                    {band.behind    ? "tx ink2"
                     : band.hatched ? "tx ink b halo"
                                    : "tx ink b",
                     Anchor::middle, tick_size, 0, band.id});
  }
  return out;
}

void add_obstacles(const Panel& panel, const PanelFrame& frame,
                   LabelPlacer& placer) {
  for (const Curve& curve : panel.curves) {
    if (curve.hidden || curve.behind) continue;
    for (std::size_t i = 1; i < curve.x.size(); ++i)
      if (!std::isnan(curve.y[i - 1]) && !std::isnan(curve.y[i]))
        placer.add_obstacle(
            LineSegment{frame.x(curve.x[i - 1]), frame.y(curve.y[i - 1]),
                        frame.x(curve.x[i]), frame.y(curve.y[i]),
                        curve.width * curve.opacity});
  }
  for (const Marks& marks : panel.marks)
    for (std::size_t i = 0; i < marks.x.size(); ++i) {
      const double x = frame.x(marks.x[i]), y = frame.y(marks.y[i]);
      const double half = marks.size / 2;
      placer.add_obstacle(LineSegment{x - half, y, x + half, y, marks.size});
    }
}

std::string svg_note(const Note& note, const PanelFrame& frame,
                     LabelPlacer& placer) {
  const Weight weight = note.bold ? Weight::bold : Weight::regular;
  const double width = text_width(note.text, tick_size, weight);
  std::vector<Box> boxes;
  std::vector<NotePlace> places;
  for (const NotePlace& place : note.places) {
    const double x = frame.x(place.x) + place.dx;
    const double y = frame.y(place.y) + place.dy;
    boxes.push_back(text_box(x, y, width, tick_size, place.anchor));
    places.push_back({x, y, 0, 0, place.anchor});
  }
  std::size_t chosen = 0;
  if (note.rotation == 0) {
    const auto taken = placer.take(boxes, note.must_fit);
    if (!taken) return "";
    chosen = *taken;
  }
  return svg_text(places[chosen].x, places[chosen].y, note.text,
                  {fmt::format("tx halo {}{}", text_class(note.paint),
                               note.bold ? " b" : ""),
                   places[chosen].anchor, tick_size, note.rotation, note.id});
}

std::string guide_words(const Guide& guide, const PanelFrame& frame) {
  constexpr double line_height = 14;
  std::string out;
  double shift = 0;
  for (const RichText& word : guide.words) {
    out += guide.along == Guide::Along::y
               ? svg_text(frame.box.right + 8, frame.y(guide.at) + 4 + shift,
                          word, {"tx ink2", Anchor::start, tick_size})
               : svg_text(frame.x(guide.at), frame.box.top - 7 - shift, word,
                          {"tx ink2", Anchor::middle, tick_size});
    shift += line_height;
  }
  return out;
}

// Rays leave through the top or the right side of the frame.
std::string ray_labels(const Panel& panel, const PanelFrame& frame) {
  std::string out;
  double last_x = -1e9, last_y = 1e9;
  for (const RayLabel& ray : panel.rays) {
    const double x = frame.x(ray.x), y = frame.y(ray.y);
    if (y < frame.box.top + 1) {
      const double half = text_width(ray.text, tick_size) / 2;
      if (x - half < last_x) continue;
      last_x = x + half + 6;
      out += svg_text(x, frame.box.top - 7, ray.text,
                      {"tx ink3", Anchor::middle, tick_size});
    } else {
      constexpr double line_height = 13;
      if (last_y < 1e8 && std::abs(y - last_y) < line_height) continue;
      last_y = y;
      out += svg_text(frame.box.right + 6, y + 4, ray.text,
                      {"tx ink3", Anchor::start, tick_size});
    }
  }
  return out;
}

}  // namespace

std::string panel_labels(const Panel& panel, const PanelFrame& frame) {
  LabelPlacer placer(Box{frame.box.left + 4, frame.box.top + 3,
                         frame.box.right - 4, frame.box.bottom - 4});
  std::string out = band_labels(panel, frame, placer);
  add_obstacles(panel, frame, placer);
  for (const Note& note : panel.notes) out += svg_note(note, frame, placer);
  out += end_labels(panel, frame) + ray_labels(panel, frame);
  for (const Guide& guide : panel.guides) out += guide_words(guide, frame);
  return out;
}

}  // namespace gttf
