// SPDX-License-Identifier: Apache-2.0
// Parts of drawings of a detector: layers, tracks, rays.
#include "gttf/study/report/report_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gttf/core/series.hpp"
#include "gttf/detector/ring.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/show/detector_view.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf::detail {
namespace {

// Limit for layers much longer than the drawing: precision of lines.
constexpr double longest = 20 * unit::m;

// If a subsystem has more lines than this, it is drawn as a light area.
constexpr std::ptrdiff_t many_lines = 24;

double clipped(double value) { return std::clamp(value, -longest, longest); }

void add_line(const LayerLine& line, Curve& curve) {
  if (!curve.x.empty()) {
    curve.x.push_back(line.x.front());
    curve.y.push_back(Resolution::none);
  }
  curve.x.insert(curve.x.end(), line.x.begin(), line.x.end());
  curve.y.insert(curve.y.end(), line.y.begin(), line.y.end());
}

}  // namespace

std::vector<LayerLine> lines_in_rz(const Detector& detector) {
  const Rings rings(detector);
  std::vector<LayerLine> lines;
  for (std::size_t i = 0; i < detector.layers.size(); ++i) {
    // the modules of a ring are one line
    if (i > 0 && rings.of(i) && rings.of(i) == rings.of(i - 1)) continue;
    const Surface& s = detector.layers[i].surface;
    if (is_round(s)) {
      const auto [z, r] = meridian(s);
      lines.push_back({i, {clipped(z[0]), clipped(z[1])}, {r[0], r[1]}});
      continue;
    }
    if (s.is_inclined()) {
      // the line between the middles of its edges across v
      const Corners all = corners(s);
      const auto middle = [&all](std::size_t a, std::size_t b) {
        return std::array{0.5 * (all[a][2] + all[b][2]),
                          std::hypot(0.5 * (all[a][0] + all[b][0]),
                                     0.5 * (all[a][1] + all[b][1]))};
      };
      const auto from = middle(0, 1), to = middle(2, 3);
      lines.push_back(
          {i, {clipped(from[0]), clipped(to[0])}, {from[1], to[1]}});
      continue;
    }
    const Interval z = extent(s, Axis::z), r = radii(s);
    if (s.normal == Axis::z)
      lines.push_back({i, {z.lower, z.lower}, {r.lower, r.upper}});
    else
      lines.push_back(
          {i, {clipped(z.lower), clipped(z.upper)}, {r.lower, r.lower}});
  }
  return lines;
}

std::vector<LayerLine> lines_in_xy(const Detector& detector) {
  constexpr int parts = 48;  // of a quarter of a circle
  std::vector<LayerLine> lines;
  for (std::size_t i = 0; i < detector.layers.size(); ++i) {
    const Surface& s = detector.layers[i].surface;
    LayerLine line{i, {}, {}};
    if (s.shape == Shape::cylinder) {
      for (int k = 0; k <= parts; ++k) {
        const double phi = unit::pi / 2 * k / parts;
        line.x.push_back(s.position * std::cos(phi));
        line.y.push_back(s.position * std::sin(phi));
      }
    } else if (s.is_inclined()) {
      // as a disk, it would hide the others
      if (std::abs(s.normal_vector[2]) > std::sqrt(0.5)) continue;
      const Corners all = corners(s);
      const auto shown = [](const auto& corner) {
        return corner[0] > 0 && corner[1] > 0;  // the quadrant that is drawn
      };
      if (std::ranges::none_of(all, shown)) continue;
      for (std::size_t k = 0; k <= all.size(); ++k) {
        line.x.push_back(all[k % all.size()][0]);
        line.y.push_back(all[k % all.size()][1]);
      }
    } else if (!is_round(s) && s.normal != Axis::z) {
      const Interval x = extent(s, Axis::x), y = extent(s, Axis::y);
      line.x = {x.lower, x.upper};
      line.y = {y.lower, y.upper};
    } else {
      continue;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<LayerLine> lines_from_the_side(const Detector& detector,
                                           Axis upwards) {
  std::vector<LayerLine> lines;
  const auto add = [&lines](std::size_t i, const Interval& z,
                            const Interval& up) {
    lines.push_back(
        {i, {clipped(z.lower), clipped(z.upper)}, {up.lower, up.upper}});
  };
  for (std::size_t i = 0; i < detector.layers.size(); ++i) {
    const Surface& s = detector.layers[i].surface;
    if (is_round(s)) {
      const auto [z, r] = meridian(s);
      // below the axis, from the outside inwards
      if (r[0] == r[1])
        add(i, {z[0], z[1]}, {-r[0], -r[1]});
      else
        add(i, {z[1], z[0]}, {-r[1], -r[0]});
      add(i, {z[0], z[1]}, {r[0], r[1]});
      continue;
    }
    if (s.is_inclined()) {
      const Corners all = corners(s);
      LayerLine line{i, {}, {}};
      for (std::size_t k = 0; k <= all.size(); ++k) {
        line.x.push_back(clipped(all[k % all.size()][2]));
        line.y.push_back(
            all[k % all.size()][static_cast<std::size_t>(upwards)]);
      }
      lines.push_back(std::move(line));
      continue;
    }
    const Interval z = extent(s, Axis::z), up = extent(s, upwards);
    if (s.normal == Axis::z || s.normal == upwards) {
      add(i, z, up);
    } else {  // front view: its edges
      add(i, z, {up.lower, up.lower});
      add(i, z, {up.upper, up.upper});
    }
  }
  return lines;
}

bool has_many_rows(const ReportSubject& subject, std::size_t system) {
  std::ptrdiff_t rows = 0;
  for (std::size_t i = 0; i < subject.detector.layers.size(); ++i) {
    const Layer& layer = subject.detector.layers[i];
    rows += subject.groups.of_layer[i] == system && layer.measures() &&
            layer.surface.shape == Shape::cylinder;
  }
  return rows > many_lines;
}

RichText layers_caption(const ReportSubject& subject) {
  bool thin = false;
  for (std::size_t k = 0; k < subject.groups.systems.size(); ++k)
    thin = thin || has_many_rows(subject, k);
  return thin ? "Measuring layers are heavy, rows of wires or pads thin, "
                "passive material is light."
              : "Measuring layers are heavy, passive material is light.";
}

void draw_layers(const ReportSubject& subject,
                 const std::vector<LayerLine>& lines, Panel& panel) {
  for (const bool measures : {false, true}) {
    for (std::size_t k = 0; k < subject.groups.systems.size(); ++k) {
      Curve curve{.id = fmt::format("system{}", k),
                  .paint = subject.groups.systems[k].edge};
      curve.width = measures ? 1.8 : 1;
      curve.opacity = measures ? 1 : 0.65;
      std::ptrdiff_t count = 0;
      for (const LayerLine& line : lines)
        if (subject.groups.of_layer[line.layer] == k &&
            subject.detector.layers[line.layer].measures() == measures) {
          add_line(line, curve);
          ++count;
        }
      if (measures ? has_many_rows(subject, k) : count > many_lines) {
        curve.width = 0.6;
        curve.opacity = 0.45;
      }
      if (!curve.x.empty()) panel.curves.push_back(std::move(curve));
    }
  }
}

DrawnTrack draw_track(const ReportSubject& subject, const Track& track) {
  constexpr int parts = 60;
  const TrackingGeometry geometry(subject.detector);
  const Resolution r = resolve(geometry, track, subject.model());
  DrawnTrack drawn;
  if (r.crossings.empty()) return drawn;
  double last = 0;
  for (const CrossingInfo& c : r.crossings) {
    if (!c.measured) continue;
    last = c.path;
    drawn.hit_x.push_back(c.position.x());
    drawn.hit_y.push_back(c.position.y());
    drawn.hit_z.push_back(c.position.z());
  }
  const auto add = [&drawn](const Vector3& x) {
    drawn.x.push_back(x.x());
    drawn.y.push_back(x.y());
    drawn.z.push_back(x.z());
  };
  if (geometry.has_field() && geometry.bz() == 0) {
    // through the layers: between them the bending is invisible
    add({track.vertex[0], track.vertex[1], track.vertex[2]});
    for (const CrossingInfo& c : r.crossings)
      if (c.path <= last) add(c.position);
    return drawn;
  }
  const double sin_theta = std::sin(track.theta);
  const double curvature =
      sin_theta > 0 ? -track.charge * geometry.bz() / (track.p * sin_theta) : 0;
  for (int i = 0; i <= parts; ++i) {
    const double path = last * i / parts, arc = path * sin_theta;
    const double half_turn = curvature * arc / 2;
    const double chord =
        half_turn == 0 ? arc : arc * std::sin(half_turn) / half_turn;
    add({track.vertex[0] + chord * std::cos(track.phi + half_turn),
         track.vertex[1] + chord * std::sin(track.phi + half_turn),
         track.vertex[2] + path * std::cos(track.theta)});
  }
  return drawn;
}

namespace {

// The part of a line that the frame shows.
struct ShownLine {
  double x0 = 0, x1 = 0, y0 = 0, y1 = 0;
  bool exists() const { return x0 <= x1 && y0 <= y1; }
};

ShownLine shown_part(const LayerLine& line, const FigureAxis& x,
                     const FigureAxis& y) {
  const auto [low, high] = std::minmax(line.y.front(), line.y.back());
  return {std::max(line.x.front(), x.lower), std::min(line.x.back(), x.upper),
          std::max(low, y.lower), std::min(high, y.upper)};
}

void add_places(const ShownLine& s, Note& note) {
  if (s.x1 > s.x0) {  // a barrel: above, below, next to its end
    for (const double f : {0.02, 0.3, 0.6})
      for (const double dy : {-5.0, 15.0})
        note.places.push_back(
            {s.x0 + f * (s.x1 - s.x0), s.y0, 4, dy, Anchor::start});
    note.places.push_back({s.x1, s.y0, -4, -5, Anchor::end});
    for (const double dy : {4.0, -1.0, 9.0})
      note.places.push_back({s.x1, s.y0, 7, dy, Anchor::start});
  } else {  // a disk: next to it, above it
    note.places.push_back({s.x0, s.y1, 0, -6, Anchor::middle});
    note.places.push_back({s.x0, s.y1, 0, -6, Anchor::end});
    for (const double f : {0.85, 0.6, 0.3}) {
      const double at = s.y0 + f * (s.y1 - s.y0);
      note.places.push_back({s.x0, at, 7, 4, Anchor::start});
      note.places.push_back({s.x0, at, -7, 4, Anchor::end});
    }
  }
}

}  // namespace

void name_systems(const ReportSubject& subject,
                  const std::vector<LayerLine>& lines, const FigureAxis& x,
                  const FigureAxis& y, Panel& panel) {
  for (std::size_t k = subject.groups.systems.size(); k-- > 0;) {
    const Subsystem& system = subject.groups.systems[k];
    Note note{.id = fmt::format("system{}", k),
              .places = {},
              .text = literal_text(system.name),
              .paint = system.edge,
              .bold = system.measures};
    note.must_fit = !system.measures;
    for (std::size_t i = lines.size(); i-- > 0;) {
      const LayerLine& line = lines[i];
      if (subject.groups.of_layer[line.layer] != k) continue;
      if (system.measures && !subject.detector.layers[line.layer].measures())
        continue;
      const ShownLine shown = shown_part(line, x, y);
      if (shown.exists()) add_places(shown, note);
    }
    if (!note.places.empty()) panel.notes.push_back(std::move(note));
  }
}

void name_layers(const ReportSubject& subject,
                 const std::vector<LayerLine>& lines, const FigureAxis& x,
                 const FigureAxis& y, Panel& panel) {
  const std::vector<std::string> names = entry_names(subject.detector);
  std::vector<std::string> named;
  for (const LayerLine& line : lines) {
    const std::string& name = names[line.layer];
    const std::size_t system = subject.groups.of_layer[line.layer];
    // a subsystem of one layer has its name already
    if (!subject.detector.layers[line.layer].measures() ||
        name == subject.groups.systems[system].name ||
        std::ranges::find(named, name) != named.end())
      continue;
    const ShownLine shown = shown_part(line, x, y);
    if (!shown.exists()) continue;
    Note note{.id = fmt::format("system{}", system),
              .places = {},
              .text = literal_text(name),
              .paint = subject.groups.systems[system].edge};
    note.must_fit = true;
    add_places(shown, note);
    panel.notes.push_back(std::move(note));
    named.push_back(name);
  }
}

void add_hover(const ReportSubject& subject,
               const std::vector<LayerLine>& lines, Panel& panel) {
  constexpr std::size_t most = 2000;  // a page should stay light
  if (lines.size() > most) return;
  for (const LayerLine& line : lines) {
    const Layer& layer = subject.detector.layers[line.layer];
    const Surface& s = layer.surface;
    const std::size_t system = subject.groups.of_layer[line.layer];
    std::string words;
    if (subject.groups.systems[system].name != layer.name)
      words = subject.groups.systems[system].name + '\n';
    words += std::string(shape_name(s));
    if (!s.is_inclined())
      words += fmt::format(", {} {:.5g} mm", position_name(s), s.position);
    words += fmt::format("\nx/X0 {:.3g} %", 100 * layer.x_over_x0());
    for (const Coordinate& c : layer.coordinates)
      words += fmt::format("\nsigma {} {:.3g} µm", coordinate_name(s, c),
                           c.sigma / unit::um);
    if (!layer.measures()) words += "\npassive";
    panel.hover.push_back({line.x, line.y, layer.name, std::move(words)});
  }
}

void draw_eta_rays(const FigureAxis& x, const FigureAxis& y, Panel& panel) {
  constexpr double step = 0.5;
  constexpr int most = 8;  // steps
  const auto leave = [&](double eta) {
    const double slope = 1 / std::sinh(eta);  // r/z
    const double far = std::abs(eta) < 1e-9 ? 0 : y.upper / slope;
    if (far >= x.lower && far <= x.upper) return std::pair(far, y.upper);
    const double end = eta > 0 ? x.upper : x.lower;
    return std::pair(end, end * slope);
  };
  const bool both_sides = x.lower < 0;
  Curve rays{.id = "eta", .paint = {Tone::third}};
  rays.dash = Dash::dotted;
  rays.width = 0.9;
  rays.behind = true;
  for (int i = both_sides ? -most : 0; i <= most; ++i) {
    const double eta = i * step;
    const auto [end_x, end_y] = leave(eta);
    const bool zero = i == 0;
    // the left side is used by the labels of the axis
    if (end_y >= y.upper || eta > 0)
      panel.rays.push_back(
          {end_x, end_y, zero ? "*η* = 0" : fixed_number(eta, 1)});
    for (const auto& [px, py] : {std::pair(0.0, 0.0), std::pair(end_x, end_y),
                                 std::pair(0.0, Resolution::none)}) {
      rays.x.push_back(px);
      rays.y.push_back(py);
    }
  }
  panel.curves.insert(panel.curves.begin(), std::move(rays));
}

}  // namespace gttf::detail
