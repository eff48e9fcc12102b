// SPDX-License-Identifier: Apache-2.0
// Figures of the layout of a detector.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "gttf/detector/ring.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/study/report/report_figures.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/show/detector_view.hpp"
#include "gttf/study/show/layer_names.hpp"
#include "gttf/trajectory/crossings.hpp"

namespace gttf::detail {
namespace {

struct Extent {
  double z_lower = 0, z_upper = 1, r_upper = 1;
};

// Extent of the measuring layers; a quarter view if the two sides are equal.
Extent extent_of(const Detector& detector) {
  Extent e{0, 0, 0};
  for (const LayerLine& line : lines_in_rz(detector)) {
    if (!detector.layers[line.layer].measures()) continue;
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      e.z_lower = std::min(e.z_lower, line.x[i]);
      e.z_upper = std::max(e.z_upper, line.x[i]);
      e.r_upper = std::max(e.r_upper, line.y[i]);
    }
  }
  if (std::abs(e.z_lower + e.z_upper) < 1e-6 * e.z_upper) e.z_lower = 0;
  constexpr double margin = 0.09;
  const double length = e.z_upper - e.z_lower;
  if (e.z_lower < 0) e.z_lower -= margin * length;
  e.z_upper += margin * length;
  e.r_upper *= 1 + margin;
  return e;
}

// Number of measuring layers in a drawing.
std::ptrdiff_t layers_within(const Detector& detector, const Extent& e) {
  const std::vector<LayerLine> lines = lines_in_rz(detector);
  return std::ranges::count_if(lines, [&](const LayerLine& line) {
    const auto [z_lower, z_upper] = std::ranges::minmax(line.x);
    return detector.layers[line.layer].measures() && z_upper >= e.z_lower &&
           z_lower <= e.z_upper && std::ranges::min(line.y) <= e.r_upper;
  });
}

FigureAxis length_axis(const char* letter, double lower, double upper) {
  FigureAxis axis;
  axis.title = fmt::format("*{}* [mm]", letter);
  axis.name = letter;
  axis.unit = "mm";
  axis.lower = lower;
  axis.upper = upper;
  return axis;
}

Curve track_curve(const std::string& id, Reals x, Reals y) {
  Curve curve{.id = id, .x = std::move(x), .y = std::move(y)};
  curve.width = 1.2;
  return curve;
}

Marks hit_marks(const std::string& id, Reals x, Reals y) {
  constexpr std::size_t many = 24;
  const double size = x.size() > many ? 2 : 4.8;
  return {.id = id,
          .owner = "tracks",
          .x = std::move(x),
          .y = std::move(y),
          .paint = {Tone::ink},
          .shape = MarkShape::dot,
          .size = size};
}

// The lowest listed momentum that is measured at this angle.
double shown_momentum(const ReportSubject& subject, std::size_t angle) {
  const TrackingGeometry geometry(subject.detector);
  StudyRequest request = subject.curves;
  request.momentum.values = subject.points.momentum.values;
  for (std::size_t i = 0; i < request.momentum.values.size(); ++i)
    if (resolve(geometry, grid_track(request, {i, angle}), subject.model())
            .status == Status::ok)
      return request.momentum.values[i];
  return request.momentum.values.back();
}

void add_rz_tracks(const ReportSubject& subject, Panel& panel) {
  for (std::size_t j = 0; j < subject.curves.angle.values.size(); ++j) {
    StudyRequest one = subject.curves;
    one.momentum.values = {shown_momentum(subject, j)};
    DrawnTrack t = draw_track(subject, grid_track(one, {0, j}));
    if (t.z.empty()) continue;
    Reals r, hit_r;
    for (std::size_t i = 0; i < t.x.size(); ++i)
      r.push_back(std::hypot(t.x[i], t.y[i]));
    for (std::size_t i = 0; i < t.hit_x.size(); ++i)
      hit_r.push_back(std::hypot(t.hit_x[i], t.hit_y[i]));
    Note note{.id = "tracks", .places = {}, .text = angle_text(one, j)};
    for (const double back : {0.0, 0.08, 0.2, 0.35}) {
      const auto k = static_cast<std::size_t>(
          (1 - back) * static_cast<double>(t.z.size() - 1));
      note.places.push_back({t.z[k], r[k], 6, -6, Anchor::start});
      note.places.push_back({t.z[k], r[k], -6, -6, Anchor::end});
      note.places.push_back({t.z[k], r[k], 6, 14, Anchor::start});
    }
    panel.notes.push_back(std::move(note));
    panel.curves.push_back(track_curve("tracks", std::move(t.z), std::move(r)));
    panel.marks.push_back(
        hit_marks("tracks", std::move(t.hit_z), std::move(hit_r)));
  }
}

/// With one module of each ring, under the name of the ring.
Detector rings_once(const Detector& detector) {
  const Rings rings(detector);
  Detector once = detector;
  once.layers.clear();
  for (std::size_t i = 0; i < detector.layers.size();) {
    std::size_t end = i + 1;
    while (rings.of(i) && end < detector.layers.size() &&
           rings.of(end) == rings.of(i))
      ++end;
    once.layers.push_back(detector.layers[i]);
    if (end > i + 1) once.layers.back().name += fmt::format(" (x {})", end - i);
    i = end;
  }
  return once;
}

Table layer_data(const ReportSubject& subject) {
  const Table all = layer_table(rings_once(subject.detector));
  Table some;
  for (const Column& column : all.columns)
    for (const std::string_view name :
         {"layer", "group", "shape", "position_mm", "u_min_mm", "u_max_mm",
          "v_min_mm", "v_max_mm", "x_over_x0", "measures"})
      if (column.name == name) some.columns.push_back(column);
  return some;
}

Figure rz_figure(const ReportSubject& subject, const std::string& name,
                 const Extent& extent, double width) {
  Figure figure;
  figure.id = subject.id(name);
  figure.width = width;
  figure.height = 0;
  figure.data = layer_data(subject);
  Plot plot;
  plot.grid = false;
  plot.x = length_axis("z", extent.z_lower, extent.z_upper);
  Panel panel;
  panel.y = length_axis("r", 0, extent.r_upper);
  const double ratio = extent.r_upper / (extent.z_upper - extent.z_lower);
  constexpr double flattest = 0.15;
  plot.equal_scales = ratio > flattest;
  if (!plot.equal_scales) figure.height = 340;
  const std::vector<LayerLine> lines = lines_in_rz(subject.detector);
  draw_layers(subject, lines, panel);
  draw_eta_rays(plot.x, panel.y, panel);
  add_rz_tracks(subject, panel);
  name_systems(subject, lines, plot.x, panel.y, panel);
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  return figure;
}

}  // namespace

Figure layout_rz_figure(const ReportSubject& subject) {
  Extent extent = extent_of(subject.detector);
  // A drawing in portrait format would not fit a screen.
  constexpr double highest = 1.0;
  if (extent.r_upper > highest * (extent.z_upper - extent.z_lower))
    extent.z_upper = extent.z_lower + extent.r_upper / highest;
  Figure figure = rz_figure(subject, "layout-rz", extent, 548);
  figure.title = "Layout, *r*–*z*";
  const bool equal = std::get<Plot>(figure.content).equal_scales;
  figure.subtitle =
      fmt::format("{}{}", extent.z_lower < 0 ? "" : "quarter view, ",
                  equal ? "equal scales" : "scales differ");
  figure.caption = layers_caption(subject) +
                   " Curves: tracks at the angles of the study, dots are "
                   "measurements. Dotted: lines of constant *η*.";
  figure.description = "Layers of the detector in the r-z plane with tracks.";
  return figure;
}

std::optional<Figure> layout_closeup_figure(const ReportSubject& subject) {
  const Extent whole = extent_of(subject.detector);
  double inner = whole.r_upper;
  for (const Layer& layer : subject.detector.layers)
    if (layer.measures() && inner_radius(layer) > 0)
      inner = std::min(inner, inner_radius(layer));
  constexpr double worth = 7, aspect = 3.98;
  if (whole.r_upper < worth * inner) return std::nullopt;
  const double r = 0.7 * std::sqrt(inner * whole.r_upper);
  const Extent extent{0, aspect * r, r};
  // Disks may all be further away, or planes all equally close.
  const auto shown = layers_within(subject.detector, extent);
  if (shown == 0 || shown == layers_within(subject.detector, whole))
    return std::nullopt;
  Figure figure = rz_figure(subject, "layout-vertex", extent, page_width);
  figure.title = "Innermost layers, *r*–*z*";
  figure.subtitle = "close-up, equal scales";
  figure.description = "The layers near the beam axis in the r-z plane.";
  return figure;
}

bool has_barrel(const Detector& detector) {
  const std::vector<LayerLine> lines = lines_in_xy(detector);
  return std::ranges::any_of(lines, [&](const LayerLine& line) {
    return detector.layers[line.layer].measures();
  });
}

Figure layout_side_figure(const ReportSubject& subject, Axis upwards) {
  const bool up_is_x = upwards == Axis::x;
  const char* letter = up_is_x ? "x" : "y";
  const std::vector<LayerLine> lines =
      lines_from_the_side(subject.detector, upwards);
  Interval z{subject.request.vertex[2], subject.request.vertex[2]};
  double height = 0;
  for (const LayerLine& line : lines) {
    if (!subject.detector.layers[line.layer].measures()) continue;
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      z.lower = std::min(z.lower, line.x[i]);
      z.upper = std::max(z.upper, line.x[i]);
      height = std::max(height, std::abs(line.y[i]));
    }
  }
  constexpr double margin = 0.09, flattest = 0.3;
  const double length = (1 + 2 * margin) * (z.upper - z.lower);
  height *= 1 + 2 * margin;
  Figure figure;
  figure.id = subject.id(up_is_x ? "layout-zx" : "layout-zy");
  figure.title = fmt::format("Layout, *z*–*{}*", letter);
  figure.data = layer_data(subject);
  figure.description = fmt::format(
      "Layers of the detector in the z-{} plane with tracks.", letter);
  Plot plot;
  plot.grid = false;
  plot.equal_scales = 2 * height > flattest * length;
  figure.height = plot.equal_scales ? 0 : 340;
  figure.subtitle = plot.equal_scales ? "from the side, equal scales"
                                      : "from the side, scales differ";
  plot.x = length_axis("z", z.lower - margin * (z.upper - z.lower),
                       z.upper + margin * (z.upper - z.lower));
  Panel panel;
  panel.y = length_axis(letter, -height, height);
  draw_layers(subject, lines, panel);
  StudyRequest tracks = subject.curves;
  if (!up_is_x) tracks.phi += unit::pi / 2;
  for (std::size_t j = 0; j < tracks.angle.values.size(); ++j) {
    tracks.momentum.values = {shown_momentum(subject, j)};
    DrawnTrack t = draw_track(subject, grid_track(tracks, {0, j}));
    if (t.z.empty()) continue;
    Reals &up = up_is_x ? t.x : t.y, &hits = up_is_x ? t.hit_x : t.hit_y;
    Note note{.id = "tracks", .places = {}, .text = angle_text(tracks, j)};
    note.must_fit = true;
    note.places.push_back({t.z.back(), up.back(), 6, -4, Anchor::start});
    note.places.push_back({t.z.back(), up.back(), 6, 14, Anchor::start});
    note.places.push_back({t.z.back(), up.back(), 6, 4, Anchor::start});
    note.places.push_back({t.z.back(), up.back(), -6, -6, Anchor::end});
    note.places.push_back({t.z.back(), up.back(), -6, 16, Anchor::end});
    panel.notes.push_back(std::move(note));
    panel.curves.push_back(
        track_curve("tracks", std::move(t.z), std::move(up)));
    panel.marks.push_back(
        hit_marks("tracks", std::move(t.hit_z), std::move(hits)));
  }
  name_systems(subject, lines, plot.x, panel.y, panel);
  figure.caption = fmt::format(
      "{} Curves: tracks of {} at the angles of the study and azimuth {}, dots "
      "are measurements.",
      layers_caption(subject),
      subject.momentum.text(tracks.momentum.values.front()),
      fmt::format("{:.4g}°", in_degrees(tracks.phi)));
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  return figure;
}

Figure layout_xy_figure(const ReportSubject& subject) {
  Figure figure = subject.figure(
      "layout-xy", "Layout, *x*–*y*", "barrel, first quadrant",
      "Cylinders of the detector in the x-y plane with tracks of several "
      "momenta.");
  figure.height = 0;
  figure.data = layer_data(subject);
  const double size = extent_of(subject.detector).r_upper;
  Plot plot;
  plot.grid = false;
  plot.equal_scales = true;
  plot.x = length_axis("x", 0, size);
  Panel panel;
  panel.y = length_axis("y", 0, size);
  const std::vector<LayerLine> lines = lines_in_xy(subject.detector);
  draw_layers(subject, lines, panel);

  StudyRequest tracks = subject.curves;
  tracks.momentum.values = subject.points.momentum.values;
  const double lowest = subject.curves.momentum.values.front();
  if (tracks.momentum.values.front() > 1.5 * lowest)
    tracks.momentum.values.insert(tracks.momentum.values.begin(), lowest);
  const bool counter_clockwise =
      subject.request.particle.charge * subject.detector.field.bz < 0;
  for (std::size_t i = 0; i < tracks.momentum.values.size(); ++i) {
    Track track = grid_track(tracks, {i, 0});
    constexpr double first = 5 * unit::deg, step = 19 * unit::deg;
    const double tilt = first + step * static_cast<double>(i);
    track.phi = counter_clockwise ? tilt : unit::pi / 2 - tilt;
    DrawnTrack t = draw_track(subject, track);
    if (t.x.empty()) continue;
    const std::size_t n = t.x.size();
    Note note{.id = "tracks",
              .places = {},
              .text = subject.momentum.text(tracks.momentum.values[i])};
    for (const double f : {0.85, 0.7, 0.95, 0.55, 0.4}) {
      const auto k = static_cast<std::size_t>(f * static_cast<double>(n - 1));
      note.places.push_back({t.x[k], t.y[k], 7, 14, Anchor::start});
      note.places.push_back({t.x[k], t.y[k], -7, -6, Anchor::end});
      note.places.push_back({t.x[k], t.y[k], 7, -6, Anchor::start});
    }
    panel.notes.push_back(std::move(note));
    panel.curves.push_back(
        track_curve("tracks", std::move(t.x), std::move(t.y)));
    panel.marks.push_back(
        hit_marks("tracks", std::move(t.hit_x), std::move(t.hit_y)));
  }
  const std::string& particle = subject.request.particle.name;
  figure.caption = "Tracks of " + literal_text(particle) +
                   (particle == "custom" ? " particles at " : "s at ") +
                   angle_equation(tracks, 0) + ", dots are measurements.";
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  return figure;
}

namespace {

// Layers crossed by straight tracks from the origin, by subsystem.
struct Profile {
  std::vector<double> eta;
  std::vector<Reals> hits, x_over_x0;  // by subsystem
};

Profile make_profile(const ReportSubject& subject) {
  Detector straight = subject.detector;
  straight.field = {};
  const TrackingGeometry geometry(straight);
  Profile profile;
  const std::size_t n = subject.groups.systems.size();
  profile.hits.resize(n);
  profile.x_over_x0.resize(n);
  for (std::size_t j = 0; j < subject.against_eta.angle.values.size(); ++j) {
    Track track = grid_track(subject.against_eta, {0, j});
    track.vertex = {};
    profile.eta.push_back(subject.against_eta.angle.values[j]);
    for (std::size_t k = 0; k < n; ++k) {
      profile.hits[k].push_back(0);
      profile.x_over_x0[k].push_back(0);
    }
    const Crossings<double> c =
        find_crossings(geometry, track, Scattering::off);
    // material behind the last measurement has no effect on the track
    for (int i = 0; i <= c.last; ++i) {
      const auto& x = c.list[static_cast<std::size_t>(i)];
      const std::size_t k = subject.groups.of_layer[x.surface];
      profile.x_over_x0[k].back() += 100 * x.at.x_over_x0;
      if (geometry.surfaces()[x.surface].measures())
        profile.hits[k].back() += 1;
    }
  }
  return profile;
}

// Values as steps: each extends halfway to its neighbours.
std::pair<Reals, Reals> steps(const std::vector<double>& x, const Reals& y) {
  Reals xs, ys;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double left = i > 0 ? (x[i - 1] + x[i]) / 2 : x[i];
    const double right = i + 1 < x.size() ? (x[i] + x[i + 1]) / 2 : x[i];
    xs.insert(xs.end(), {left, right});
    ys.insert(ys.end(), {y[i], y[i]});
  }
  return {xs, ys};
}

double nice_upper(double value) {
  if (!(value > 0)) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double f : {1.2, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.4, 8.0, 10.0})
    if (f * power >= value * 1.04) return f * power;
  return 12 * power;
}

/// Adds the content, in parts of the subsystems.
Figure profile_figure(Figure figure, const ReportSubject& subject,
                      const Profile& profile, const std::vector<Reals>& parts,
                      bool as_steps) {
  figure.height = 330;
  Plot plot;
  plot.x.title = "*η*";
  plot.x.name = "eta";
  plot.x.lower = profile.eta.front();
  plot.x.upper = profile.eta.back();
  figure.data.add("eta", Reals(profile.eta));
  Panel panel;
  Reals sum(profile.eta.size());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Reals below = sum;
    bool any = false;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += parts[k][i];
      any = any || parts[k][i] > 0;
    }
    if (!any) continue;
    const Subsystem& system = subject.groups.systems[k];
    Band band{.id = fmt::format("system{}", k),
              .x = profile.eta,
              .lower = below,
              .upper = sum,
              .paint = system.fill,
              .label = literal_text(system.name)};
    if (as_steps) {
      std::tie(band.x, band.lower) = steps(profile.eta, below);
      band.upper = steps(profile.eta, sum).second;
    }
    band.column = figure.data.columns.size();
    figure.data.add(system.name, Reals(parts[k]));
    panel.bands.push_back(std::move(band));
  }
  Curve total{.id = "total", .x = profile.eta, .y = sum};
  if (as_steps) std::tie(total.x, total.y) = steps(profile.eta, sum);
  total.column = figure.data.columns.size();
  panel.y.upper = nice_upper(*std::max_element(sum.begin(), sum.end()));
  figure.data.add("total", std::move(sum));
  panel.curves.push_back(std::move(total));
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  figure.legend = subject.groups.legend();
  return figure;
}

}  // namespace

Figure hits_figure(const ReportSubject& subject) {
  const Profile profile = make_profile(subject);
  Figure figure = profile_figure(
      subject.figure("hits", "Measurements", "straight tracks from the origin",
                     "Number of measurements against pseudorapidity."),
      subject, profile, profile.hits, true);
  figure.legend.clear();  // the same as for the adjacent material
  FigureAxis& y = std::get<Plot>(figure.content).panels.front().y;
  y.title = "measurements on the track";
  y.name = "measurements";
  return figure;
}

Figure material_figure(const ReportSubject& subject) {
  const Profile profile = make_profile(subject);
  Figure figure = profile_figure(
      subject.figure("material", "Material", "up to the last measurement",
                     "Material against pseudorapidity by subsystem."),
      subject, profile, profile.x_over_x0, false);
  figure.legend.clear();
  FigureAxis& y = std::get<Plot>(figure.content).panels.front().y;
  y.title = "*x*/*X*_{0} [%]";
  y.name = "x/X0";
  y.unit = "%";
  return figure;
}

PageTable layer_page_table(const ReportSubject& subject) {
  const Detector& detector = subject.detector;
  const std::vector<std::string> names = entry_names(detector);
  PageTable table;
  table.folded = true;
  table.title = "Layer table: " + literal_text(layer_count_text(detector));
  table.columns = {{"layer", false},    {"subsystem", false},
                   {"shape", false},    {"at [mm]"},
                   {"from [mm]"},       {"to [mm]"},
                   {"*x*/*X*_{0} [%]"}, {"measures [µm]", false}};
  for (std::size_t i = 0; i < names.size();) {
    std::size_t last = i;
    while (last + 1 < names.size() && names[last + 1] == names[i]) ++last;
    const Layer &a = detector.layers[i], &b = detector.layers[last];
    std::string position = rich_number(a.surface.position, 5);
    std::string name = literal_text(names[i]);
    if (last > i) {
      position += " – " + rich_number(b.surface.position, 5);
      name += fmt::format(" (× {})", last - i + 1);
    }
    std::string measured;
    for (const Coordinate& c : a.coordinates)
      measured += fmt::format("{}{} {}", measured.empty() ? "" : ", ",
                              literal_text(coordinate_name(a.surface, c)),
                              rich_number(c.sigma / unit::um));
    const std::size_t system = subject.groups.of_layer[i];
    table.rows.push_back(
        {name, literal_text(subject.groups.systems[system].name),
         std::string(shape_name(a.surface)), position,
         rich_number(a.surface.v.lower, 5), rich_number(a.surface.v.upper, 5),
         rich_number(100 * a.x_over_x0()),
         measured.empty() ? "passive" : measured});
    i = last + 1;
  }
  return table;
}

}  // namespace gttf::detail
