// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/plot/label_layout.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "gttf/output/plot/svg_plot.hpp"
#include "gttf/output/plot/svg_text.hpp"
#include "gttf/output/plot/theme.hpp"

namespace gttf {

bool crosses(const LineSegment& s, const Box& box) {
  // Clips the segment to the box, one side after the other (Liang, Barsky).
  const double dx = s.x1 - s.x0, dy = s.y1 - s.y0;
  double from = 0, to = 1;
  const auto clip = [&](double direction, double distance) {
    if (direction == 0) return distance >= 0;
    const double at = distance / direction;
    if (direction < 0)
      from = std::max(from, at);
    else
      to = std::min(to, at);
    return from <= to;
  };
  return clip(-dx, s.x0 - box.left) && clip(dx, box.right - s.x0) &&
         clip(-dy, s.y0 - box.top) && clip(dy, box.bottom - s.y0);
}

std::vector<double> spread_apart(std::span<const double> wanted, double gap,
                                 double lowest, double highest) {
  const std::size_t n = wanted.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return wanted[a] < wanted[b]; });
  // After subtracting the gaps the positions must not decrease: neighbours that
  // would are pooled at their mean (isotonic regression).
  struct Pool {
    double sum;
    std::size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (std::size_t k = 0; k < n; ++k) {
    pools.push_back({wanted[order[k]] - gap * static_cast<double>(k), 1});
    while (pools.size() > 1 &&
           pools[pools.size() - 2].mean() > pools.back().mean()) {
      pools[pools.size() - 2].sum += pools.back().sum;
      pools[pools.size() - 2].count += pools.back().count;
      pools.pop_back();
    }
  }
  const double last_gap = n > 0 ? gap * static_cast<double>(n - 1) : 0;
  const double most = std::max(lowest, highest - last_gap);
  std::vector<double> placed(n);
  std::size_t k = 0;
  for (const Pool& pool : pools) {
    const double base = std::clamp(pool.mean(), lowest, most);
    for (std::size_t i = 0; i < pool.count; ++i, ++k)
      placed[order[k]] = base + gap * static_cast<double>(k);
  }
  return placed;
}

std::optional<BandPlace> place_in_band(std::span<const double> x,
                                       std::span<const double> upper,
                                       std::span<const double> lower,
                                       double width, double height, double left,
                                       double right) {
  double most = height;
  std::optional<BandPlace> best;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double begin = std::max(x[i], left), end = begin + width;
    if (end > right) break;
    double top = -std::numeric_limits<double>::infinity();
    double bottom = -top;
    bool whole = false;
    for (std::size_t j = i; j < x.size(); ++j) {
      if (std::isnan(upper[j]) || std::isnan(lower[j])) break;
      top = std::max(top, upper[j]);
      bottom = std::min(bottom, lower[j]);
      if (x[j] >= end) {
        whole = true;
        break;
      }
    }
    if (!whole || !(bottom - top > most)) continue;
    most = bottom - top + 0.5;  // move only for a clear gain
    best = BandPlace{(begin + end) / 2, (top + bottom) / 2};
  }
  return best;
}

namespace {

/// Horizontal space between two texts in one line, px: less reads as one text.
constexpr double word_space = 5;

/// Of the cells in which lines are looked up, px: about two lines of text.
constexpr double cell_size = 32;

std::size_t number_of_cells(double length) {
  return static_cast<std::size_t>(std::max(1.0, std::ceil(length / cell_size)));
}

/// What is outside of the frame belongs to the cell at its edge.
std::size_t cell_at(double place, std::size_t n) {
  const double cell = std::floor(place / cell_size);
  if (!(cell > 0)) return 0;  // or NaN
  return static_cast<std::size_t>(std::min(cell, static_cast<double>(n - 1)));
}

}  // namespace

LabelPlacer::LabelPlacer(Box frame)
    : frame_(frame),
      n_columns_(number_of_cells(frame.right - frame.left)),
      n_rows_(number_of_cells(frame.bottom - frame.top)),
      cells_(n_columns_ * n_rows_) {}

LabelPlacer::CellRange LabelPlacer::columns(double from, double to) const {
  return {cell_at(from - frame_.left, n_columns_),
          cell_at(to - frame_.left, n_columns_) + 1};
}

LabelPlacer::CellRange LabelPlacer::rows(double from, double to) const {
  return {cell_at(from - frame_.top, n_rows_),
          cell_at(to - frame_.top, n_rows_) + 1};
}

void LabelPlacer::add_obstacle(const LineSegment& line) {
  const auto [left, right] = std::minmax(line.x0, line.x1);
  const auto [top, bottom] = std::minmax(line.y0, line.y1);
  const CellRange across = columns(left, right), down = rows(top, bottom);
  for (std::size_t row = down.begin; row < down.end; ++row)
    for (std::size_t column = across.begin; column < across.end; ++column) {
      const double x = frame_.left + static_cast<double>(column) * cell_size;
      const double y = frame_.top + static_cast<double>(row) * cell_size;
      if (crosses(line, {x - 1, y - 1, x + cell_size + 1, y + cell_size + 1}))
        cells_[row * n_columns_ + column].push_back(lines_.size());
    }
  lines_.push_back({line});
}

double LabelPlacer::weight_in(const Box& box, double limit) {
  const CellRange across = columns(box.left, box.right);
  const CellRange down = rows(box.top, box.bottom);
  ++searches_;
  double weight = 0;
  for (std::size_t row = down.begin; row < down.end; ++row)
    for (std::size_t column = across.begin; column < across.end; ++column)
      for (const std::size_t i : cells_[row * n_columns_ + column]) {
        Line& line = lines_[i];
        if (std::exchange(line.last_search, searches_) == searches_) continue;
        if (!crosses(line.segment, box)) continue;
        weight += line.segment.weight;
        if (weight >= limit) return weight;
      }
  return weight;
}

std::optional<std::size_t> LabelPlacer::take(std::span<const Box> candidates,
                                             bool must_fit) {
  std::optional<std::size_t> best;
  double least = std::numeric_limits<double>::infinity();
  if (must_fit) least = std::numeric_limits<double>::min();
  for (std::size_t i = 0; i < candidates.size() && least > 0; ++i) {
    const Box& box = candidates[i];
    const Box with_space{box.left - word_space, box.top, box.right + word_space,
                         box.bottom};
    const bool free =
        box.inside(frame_) &&
        std::none_of(boxes_.begin(), boxes_.end(), [&](const Box& other) {
          return other.overlaps(with_space);
        });
    if (!free) continue;
    const double met = weight_in(box, least);
    if (met < least) {
      least = met;
      best = i;
    }
  }
  if (best) boxes_.push_back(candidates[*best]);
  return best;
}

namespace {

constexpr double key_width = 26, key_height = 11, text_size = 12.5;
constexpr double legend_line = 20, entry_gap = 18, text_gap = 6;

std::string line_key(const std::string& paint, Dash dash, double from,
                     double to) {
  return fmt::format("<path class=\"ln {}{}\" d=\"M{} 5.5H{}\"/>", paint,
                     dash_class(dash), coordinate(from), coordinate(to));
}

// The symbol of an entry in a box of 26 x 11 px.
std::string key_of(const LegendEntry& entry) {
  const std::string paint = paint_class(entry.paint);
  std::string box = fmt::format(
      "<rect class=\"ar {}\" x=\"4\" width=\"18\" height=\"11\"/>", paint);
  switch (entry.key) {
    case LegendEntry::Key::line:
      return line_key(paint, entry.dash, 1, 25);
    case LegendEntry::Key::two_lines:
      return line_key(paint, Dash::dashed, 0, 12) +
             line_key(paint, Dash::dotted, 15, 26);
    case LegendEntry::Key::box:
      return box;
    case LegendEntry::Key::hatched_box:
      return box + "<path class=\"hatch paper\" d=\"M6 11l8-11M12 11l8-11\"/>";
    case LegendEntry::Key::ring:
      return fmt::format(
          "<path class=\"mk {}\" stroke-width=\"7.4\" d=\"M13 5.5h0\"/>"
          "<path class=\"mk paper\" stroke-width=\"4.4\" d=\"M13 5.5h0\"/>",
          paint);
  }
  return box;
}

std::string joined_ids(const std::vector<std::string>& ids) {
  std::string out;
  for (const std::string& id : ids) out += (out.empty() ? "" : " ") + id;
  return out;
}

}  // namespace

SvgLegend svg_legend(const std::vector<LegendEntry>& entries, double width) {
  if (entries.empty()) return {};
  std::vector<std::pair<double, double>> places;  // x, line
  double x = 0, line = 0;
  for (const LegendEntry& entry : entries) {
    const double size =
        key_width + text_gap + text_width(entry.text, text_size);
    if (x > 0 && x + size > width) {
      x = 0;
      ++line;
    }
    places.emplace_back(x, line);
    x += size + entry_gap;
  }
  SvgLegend legend;
  legend.height = (line + 1) * legend_line + 4;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto [left, at] = places[i];
    const double top = at * legend_line + 4 - legend.height;
    legend.elements += fmt::format(
        "<g class=\"entry\" data-t=\"{}\"{}><g transform=\"translate({} "
        "{})\">{}</g>{}</g>",
        escaped(joined_ids(entries[i].ids)),
        entries[i].on ? "" : " display=\"none\"", coordinate(left),
        coordinate(top), key_of(entries[i]),
        svg_text(left + key_width + text_gap, top + key_height - 1,
                 entries[i].text, {"tx ink2", Anchor::start, text_size}));
  }
  return legend;
}

std::string html_legend(const std::vector<LegendEntry>& entries) {
  if (entries.empty()) return "";
  std::string out =
      "<div class=\"lg\" role=\"group\" aria-label=\"Show or hide\">";
  for (const LegendEntry& entry : entries) {
    const std::string inside = fmt::format(
        "<svg viewBox=\"0 0 26 11\" aria-hidden=\"true\">{}</svg><span>{}"
        "</span>",
        key_of(entry), html_runs(entry.text));
    if (entry.ids.empty())
      out += "<span class=\"key\">" + inside + "</span>";
    else
      out += fmt::format(
          "<button type=\"button\" aria-pressed=\"{}\" data-t=\"{}\">{}"
          "</button>",
          entry.on, escaped(joined_ids(entry.ids)), inside);
  }
  return out + "</div>";
}

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

// Where a band is fattest, if its name fits into it.
std::optional<BandPlace> place_of_name(const Band& band,
                                       const PanelFrame& frame) {
  constexpr double padding = 5;
  const double width =
      text_width(band.label, tick_size, Weight::bold) + 2 * padding;
  std::vector<double> x, upper, lower;
  for (std::size_t i = 0; i < band.x.size(); ++i) {
    const auto pixel = [&](double value) {
      return std::isnan(value)
                 ? value
                 : std::clamp(frame.y(value), frame.box.top, frame.box.bottom);
    };
    x.push_back(frame.x(band.x[i]));
    upper.push_back(pixel(band.upper[i]));
    lower.push_back(pixel(band.lower[i]));
  }
  return place_in_band(x, upper, lower, width, tick_size + 4,
                       frame.box.left + 6, frame.box.right - 6);
}

std::string band_labels(const Panel& panel, const PanelFrame& frame,
                        LabelPlacer& placer) {
  std::string out;
  for (const Band& band : panel.bands) {
    if (band.label.empty()) continue;
    const auto place = place_of_name(band, frame);
    if (!place) continue;
    const double base = place->y + 0.36 * tick_size;
    placer.add_obstacle(text_box(
        place->x, base, text_width(band.label, tick_size, Weight::bold),
        tick_size, Anchor::middle));
    out += svg_text(place->x, base, band.label,
                    {band.behind    ? "tx ink2"
                     : band.hatched ? "tx ink b halo"
                                    : "tx ink b",
                     Anchor::middle, tick_size, 0, band.id});
  }
  return out;
}

// The names of flat bands right of the frame, joined to their ends by leaders.
std::string labels_beside(const Panel& panel, const PanelFrame& frame) {
  const std::vector<const Band*> bands = bands_named_beside(panel, frame);
  std::vector<double> wanted;
  for (const Band* band : bands)
    wanted.push_back(
        (frame.y(band->lower.back()) + frame.y(band->upper.back())) / 2);
  const std::vector<double> placed = spread_apart(
      wanted, end_label_gap, frame.box.top + 4, frame.box.bottom - 2);
  std::string out;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    SvgPath leader;
    leader.line(frame.box.right + 2, wanted[i], frame.box.right + 9, placed[i]);
    out += fmt::format("<path class=\"lead ink3\" data-s=\"{}\" d=\"{}\"/>",
                       escaped(bands[i]->id), leader.data());
    out += svg_text(frame.box.right + 12, placed[i] + 4, bands[i]->label,
                    {"tx ink2", Anchor::start, tick_size, 0, bands[i]->id});
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

std::vector<const Band*> bands_named_beside(const Panel& panel,
                                            const PanelFrame& frame) {
  constexpr double visible = 3, near = 2;  // px
  std::vector<const Band*> bands;
  for (const Band& band : panel.bands) {
    if (band.label.empty() || band.behind || band.x.empty()) continue;
    const double height =
        frame.y(band.lower.back()) - frame.y(band.upper.back());
    if (height >= visible && frame.x(band.x.back()) >= frame.box.right - near &&
        !place_of_name(band, frame))
      bands.push_back(&band);
  }
  return bands;
}

std::string panel_labels(const Panel& panel, const PanelFrame& frame) {
  LabelPlacer placer(Box{frame.box.left + 4, frame.box.top + 3,
                         frame.box.right - 4, frame.box.bottom - 4});
  std::string out = band_labels(panel, frame, placer);
  add_obstacles(panel, frame, placer);
  for (const Note& note : panel.notes) out += svg_note(note, frame, placer);
  out += end_labels(panel, frame) + labels_beside(panel, frame) +
         ray_labels(panel, frame);
  for (const Guide& guide : panel.guides) out += guide_words(guide, frame);
  return out;
}

}  // namespace gttf
