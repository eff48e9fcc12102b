// SPDX-License-Identifier: Apache-2.0
// Figures of the layout of a detector.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <optional>

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
  const bool any_map =
      std::ranges::any_of(subject.detector.layers, &Layer::has_map);
  Table some;
  for (const Column& column : all.columns)
    for (const std::string_view name :
         {"layer", "group", "shape", "position_mm", "u_min_mm", "u_max_mm",
          "v_min_mm", "v_max_mm", "x_over_x0", "map", "measures"})
      if (column.name == name && (name != "map" || any_map))
        some.columns.push_back(column);
  return some;
}

Figure rz_figure(const ReportSubject& subject, const std::string& name,
                 const Extent& extent, double width, bool closeup = false) {
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
  if (closeup) name_layers(subject, lines, plot.x, panel.y, panel);
  add_hover(subject, lines, panel);
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  return figure;
}

// A drawing in portrait format would not fit a screen.
Extent not_too_high(Extent extent) {
  constexpr double highest = 1.0;
  if (extent.r_upper > highest * (extent.z_upper - extent.z_lower))
    extent.z_upper = extent.z_lower + extent.r_upper / highest;
  return extent;
}

Figure whole_rz_figure(const ReportSubject& subject, const Extent& extent) {
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

}  // namespace

Figure layout_rz_figure(const ReportSubject& subject) {
  return whole_rz_figure(subject, not_too_high(extent_of(subject.detector)));
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
  Figure figure = rz_figure(subject, "layout-vertex", extent, page_width, true);
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

namespace {

// The extent of the measuring layers and the start, seen from the side.
struct SideExtent {
  Interval z;
  double height = 0;
};

SideExtent side_extent(const ReportSubject& subject, Axis upwards) {
  SideExtent e{{subject.request.vertex[2], subject.request.vertex[2]}, 0};
  for (const LayerLine& line : lines_from_the_side(subject.detector, upwards)) {
    if (!subject.detector.layers[line.layer].measures()) continue;
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      e.z.lower = std::min(e.z.lower, line.x[i]);
      e.z.upper = std::max(e.z.upper, line.x[i]);
      e.height = std::max(e.height, std::abs(line.y[i]));
    }
  }
  return e;
}

Figure side_figure(const ReportSubject& subject, Axis upwards,
                   const SideExtent& extent) {
  const bool up_is_x = upwards == Axis::x;
  const char* letter = up_is_x ? "x" : "y";
  const std::vector<LayerLine> lines =
      lines_from_the_side(subject.detector, upwards);
  const Interval& z = extent.z;
  double height = extent.height;
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
  add_hover(subject, lines, panel);
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

}  // namespace

Figure layout_side_figure(const ReportSubject& subject, Axis upwards) {
  return side_figure(subject, upwards, side_extent(subject, upwards));
}

std::vector<Figure> compare_layouts(
    const std::vector<ComparedDetector>& detectors) {
  const bool barrels = std::ranges::all_of(
      detectors, [](const auto& d) { return has_barrel(d.subject.detector); });
  Extent around = extent_of(detectors.front().subject.detector);
  SideExtent aside = side_extent(detectors.front().subject, Axis::x);
  for (const ComparedDetector& d : detectors) {
    const Extent own = extent_of(d.subject.detector);
    around = {std::min(around.z_lower, own.z_lower),
              std::max(around.z_upper, own.z_upper),
              std::max(around.r_upper, own.r_upper)};
    const SideExtent side = side_extent(d.subject, Axis::x);
    aside = {{std::min(aside.z.lower, side.z.lower),
              std::max(aside.z.upper, side.z.upper)},
             std::max(aside.height, side.height)};
  }
  around = not_too_high(around);
  std::vector<Figure> figures;
  for (const ComparedDetector& d : detectors) {
    figures.push_back(barrels ? whole_rz_figure(d.subject, around)
                              : side_figure(d.subject, Axis::x, aside));
    Figure& figure = figures.back();
    figure.id = "compare-layout" + d.subject.suffix;
    figure.title = literal_text(d.subject.detector.name);
    figure.subtitle = "layout, same scale for all";
    figure.caption.clear();
  }
  return figures;
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
  add_hover(subject, lines, panel);
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

// Makes the profile at the angles of against_eta and on both sides of the edges
// of layers between them.
class Profiler {
 public:
  explicit Profiler(const ReportSubject& subject)
      : subject_(subject), straight_(subject.detector) {
    straight_.field = {};
    geometry_.emplace(straight_);
    profile_.hits.resize(subject.groups.systems.size());
    profile_.x_over_x0.resize(subject.groups.systems.size());
  }

  Profile make() && {
    const std::vector<double>& eta = subject_.against_eta.angle.values;
    for (std::size_t i = 0; i < eta.size(); ++i) {
      if (i > 0) add_edges(eta[i - 1], eta[i]);
      add(eta[i]);
    }
    return std::move(profile_);
  }

 private:
  Crossings<double> crossings(double eta) const {
    StudyRequest one = subject_.against_eta;
    one.angle.values = {eta};
    Track track = grid_track(one, {0, 0});
    track.vertex = {};
    return find_crossings(*geometry_, track, Scattering::off);
  }

  static std::vector<unsigned> pattern(const Crossings<double>& c) {
    std::vector<unsigned> surfaces;
    for (int i = 0; i <= c.last; ++i)
      surfaces.push_back(c.list[static_cast<std::size_t>(i)].surface);
    return surfaces;
  }

  void add_edges(double from, double to) {
    constexpr int most_edges = 4, halvings = 20;
    auto left = pattern(crossings(from));
    const auto right = pattern(crossings(to));
    for (int k = 0; k < most_edges && left != right; ++k) {
      double lower = from, upper = to;
      for (int i = 0; i < halvings; ++i) {
        const double middle = (lower + upper) / 2;
        (pattern(crossings(middle)) == left ? lower : upper) = middle;
      }
      add(lower);
      add(upper);
      from = upper;
      left = pattern(crossings(upper));
    }
  }

  void add(double eta) {
    profile_.eta.push_back(eta);
    for (Reals& hits : profile_.hits) hits.push_back(0);
    for (Reals& material : profile_.x_over_x0) material.push_back(0);
    const Crossings<double> c = crossings(eta);
    // what comes after the last measurement does not matter to the track
    for (int i = 0; i <= c.last; ++i) {
      const auto& x = c.list[static_cast<std::size_t>(i)];
      const std::size_t k = subject_.groups.of_layer[x.surface];
      profile_.x_over_x0[k].back() += 100 * x.at.x_over_x0;
      if (geometry_->surfaces()[x.surface].measures())
        profile_.hits[k].back() += 1;
    }
  }

  const ReportSubject& subject_;
  Detector straight_;
  std::optional<TrackingGeometry> geometry_;
  Profile profile_;
};

Profile make_profile(const ReportSubject& subject) {
  return Profiler(subject).make();
}

}  // namespace

Totals total_profile(const ReportSubject& subject) {
  Profile profile = make_profile(subject);
  Totals totals{std::move(profile.eta), {}, {}};
  for (std::size_t i = 0; i < totals.eta.size(); ++i) {
    double hits = 0, material = 0;
    for (std::size_t k = 0; k < profile.hits.size(); ++k) {
      hits += profile.hits[k][i];
      material += profile.x_over_x0[k][i];
    }
    totals.hits.push_back(hits);
    totals.x_over_x0.push_back(material);
  }
  return totals;
}

double nice_upper(double value) {
  if (!(value > 0)) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double f : {1.2, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.4, 8.0, 10.0})
    if (f * power >= value * 1.04) return f * power;
  return 12 * power;
}

namespace {

/// Adds the content, in parts of the subsystems.
Figure profile_figure(Figure figure, const ReportSubject& subject,
                      const Profile& profile, const std::vector<Reals>& parts) {
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
    band.column = figure.data.columns.size();
    figure.data.add(system.name, Reals(parts[k]));
    panel.bands.push_back(std::move(band));
  }
  Curve total{.id = "total", .x = profile.eta, .y = sum};
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
      subject, profile, profile.hits);
  figure.conditions = figure.subtitle;
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
      subject, profile, profile.x_over_x0);
  figure.conditions = "straight tracks from the origin";
  FigureAxis& y = std::get<Plot>(figure.content).panels.front().y;
  y.title = "*x*/*X*_{0} [%]";
  y.name = "x/X0";
  y.unit = "%";
  return figure;
}

namespace {

// Lengths in one column, all with as many decimals as the finest of them needs,
// at most three.
std::vector<RichText> lengths(const Reals& values) {
  constexpr int most = 3;
  constexpr double rounding = 5e-4;  // mm
  int decimals = 0;
  for (const double v : values)
    while (decimals < most && std::isfinite(v) &&
           std::abs(v - std::stod(fmt::format("{:.{}f}", v, decimals))) >
               rounding)
      ++decimals;
  std::vector<RichText> texts;
  for (const double v : values)
    texts.push_back(std::abs(v) < 1e5 ? fixed_number(v, decimals)
                                      : rich_number(v, 3));
  return texts;
}

}  // namespace

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
  std::vector<std::pair<std::size_t, std::size_t>> entries;  // first, last
  Reals first, last, lower, upper, material;
  for (std::size_t i = 0; i < names.size();) {
    std::size_t end = i;
    while (end + 1 < names.size() && names[end + 1] == names[i]) ++end;
    const Layer& layer = detector.layers[i];
    entries.emplace_back(i, end);
    first.push_back(layer.surface.position);
    last.push_back(detector.layers[end].surface.position);
    lower.push_back(layer.surface.v.lower);
    upper.push_back(layer.surface.v.upper);
    material.push_back(100 * layer.x_over_x0());
    i = end + 1;
  }
  const auto at = lengths(first), to = lengths(last), from = lengths(lower),
             until = lengths(upper), x_over_x0 = aligned_numbers(material);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto [begin, end] = entries[k];
    const Layer& layer = detector.layers[begin];
    const std::size_t count = end - begin + 1;
    std::string measured;
    for (const Coordinate& c : layer.coordinates)
      measured += fmt::format("{}{} {}", measured.empty() ? "" : ", ",
                              literal_text(coordinate_name(layer.surface, c)),
                              rich_number(c.sigma / unit::um));
    table.rows.push_back(
        {literal_text(names[begin]) +
             (count > 1 ? fmt::format(" (× {})", count) : ""),
         literal_text(
             subject.groups.systems[subject.groups.of_layer[begin]].name),
         std::string(shape_name(layer.surface)),
         count > 1 ? at[k] + " – " + to[k] : at[k], from[k], until[k],
         x_over_x0[k], measured.empty() ? "passive" : measured});
  }
  return table;
}

}  // namespace gttf::detail
