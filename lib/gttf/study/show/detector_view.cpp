// SPDX-License-Identifier: Apache-2.0

#include "gttf/study/show/detector_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gttf/core/readable.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/field_map.hpp"
#include "gttf/detector/hit_error.hpp"
#include "gttf/detector/material_map.hpp"
#include "gttf/detector/read_model.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::string length_text(double length) {
  const double micrometres = length / unit::um;
  return std::abs(micrometres) < 1000
             ? fmt::format("{:.4g} um", micrometres)
             : fmt::format("{:.4g} mm", length / unit::mm);
}

// "rphi 5 um, z 5 um"; a coordinate not along an axis by its angle.
std::string measures_text(const Layer& layer) {
  std::string text;
  for (const Coordinate& c : layer.coordinates) {
    if (!text.empty()) text += ", ";
    text += coordinate_name(layer.surface, c);
    text += ' ' + (c.error ? c.error->text() : length_text(c.sigma));
  }
  return text;
}

std::size_t measuring(const Detector& detector) {
  return static_cast<std::size_t>(
      std::count_if(detector.layers.begin(), detector.layers.end(),
                    [](const Layer& layer) { return layer.measures(); }));
}

// Equal except for the position.
bool same_kind(const Layer& a, const Layer& b) {
  const auto same = [](const Interval& i, const Interval& j) {
    return i.lower == j.lower && i.upper == j.upper;
  };
  return are_parallel(a.surface, b.surface) && same(a.surface.u, b.surface.u) &&
         same(a.surface.v, b.surface.v) && a.group == b.group &&
         a.x_over_x0() == b.x_over_x0() && same_maps(a, b) &&
         a.efficiency == b.efficiency && measures_text(a) == measures_text(b);
}

// Whether they differ only in azimuth, up to rounding.
bool in_one_ring(const Layer& a, const Layer& b) {
  const Surface &s = a.surface, &t = b.surface;
  const auto same = [](double x, double y) { return std::abs(x - y) < 1e-9; };
  const auto alike = [&](const Interval& i, const Interval& j) {
    return same(i.lower, j.lower) && same(i.upper, j.upper);
  };
  return s.is_inclined() && t.is_inclined() && same(s.position, t.position) &&
         same(s.normal_vector[2], t.normal_vector[2]) && alike(s.u, t.u) &&
         alike(s.v, t.v) && a.group == b.group &&
         a.x_over_x0() == b.x_over_x0() && same_maps(a, b) &&
         a.efficiency == b.efficiency && measures_text(a) == measures_text(b);
}

// Number of layers from `first` that can share a row: modules of a ring, at
// least four equal layers with even spacing, or one.
std::size_t run_length(const std::vector<Layer>& layers, std::size_t first) {
  constexpr std::size_t shortest = 4;
  std::size_t n = 1;
  while (first + n < layers.size() &&
         in_one_ring(layers[first], layers[first + n]))
    ++n;
  if (n > 1) return n;
  while (first + n < layers.size() &&
         same_kind(layers[first], layers[first + n])) {
    const auto position = [&](std::size_t i) {
      return layers[first + i].surface.position;
    };
    const double step = position(1) - position(0);
    if (std::abs(position(n) - position(n - 1) - step) > 1e-9 * std::abs(step))
      break;
    ++n;
  }
  return n >= shortest ? n : 1;
}

/// Dead regions of layers that share a row: of a ring, how many modules have
/// some or are dead altogether.
std::string dead_text(std::span<const Layer> layers) {
  const auto has_some = [](const Layer& l) { return !l.dead.empty(); };
  const auto with_some = std::ranges::count_if(layers, has_some);
  if (with_some == 0) return "";
  const std::string first =
      to_string(std::ranges::find_if(layers, has_some)->dead);
  const bool alike = std::ranges::all_of(layers, [&](const Layer& l) {
    return l.dead.empty() || to_string(l.dead) == first;
  });
  const std::string what = alike ? first : "different parts";
  const auto n = static_cast<std::ptrdiff_t>(layers.size());
  if (with_some == n) return what;
  return fmt::format("{} of {}: {}", with_some, n, what);
}

/// The maps of the material of a layer: "services.csv, 26 z x 12 phi".
std::string maps_text(const Layer& layer) {
  std::string text;
  for (const Slab& slab : layer.material) {
    if (!slab.map) continue;
    std::string bins;
    for (const MaterialMap::Bins& axis : slab.map->axes()) {
      const std::string_view column = column_name(axis.coordinate);
      bins +=
          fmt::format("{}{} {}", bins.empty() ? "" : " x ", axis.centres.size(),
                      column.substr(0, column.find('_')));
    }
    const std::string& path = slab.map->path();
    text += fmt::format("{}{}, {}", text.empty() ? "" : "; ",
                        path.substr(path.rfind('/') + 1), bins);
  }
  return text;
}

double to_3_decimals(double value) { return std::round(value * 1e3) / 1e3; }

Table layers_for_reading(const Detector& detector) {
  Texts name, shape, maps, measures, efficiency, dead, group;
  Integers count;
  Reals position, last, u_min, u_max, v_min, v_max, material, eta_min, eta_max;
  bool any_run = false, any_plane = false, any_group = false, any_map = false,
       any_inefficient = false, any_dead = false;
  const std::vector<Layer>& layers = detector.layers;
  for (std::size_t i = 0; i < layers.size();) {
    const std::size_t n = run_length(layers, i);
    const Layer& layer = layers[i];
    const Layer& end = layers[i + n - 1];
    const Surface& s = layer.surface;
    const bool plane = !is_round(s);
    name.push_back(n == 1 ? layer.name : layer.name + " .. " + end.name);
    shape.push_back(n > 1 && s.is_inclined() ? "ring of planes"
                                             : shape_text(s));
    count.push_back(static_cast<std::int64_t>(n));
    position.push_back(s.position);
    last.push_back(n == 1 || s.is_inclined() ? none : end.surface.position);
    u_min.push_back(plane ? s.u.lower : none);
    u_max.push_back(plane ? s.u.upper : none);
    v_min.push_back(s.v.lower);
    v_max.push_back(s.v.upper);
    material.push_back(layer.x_over_x0());
    maps.push_back(maps_text(layer));
    measures.push_back(measures_text(layer));
    // The widest angular range of the run: of its first and its last layer.
    const PolarRange a = polar_range(s), b = polar_range(end.surface);
    eta_min.push_back(to_3_decimals(std::min(a.eta_min(), b.eta_min())));
    eta_max.push_back(to_3_decimals(std::max(a.eta_max(), b.eta_max())));
    efficiency.push_back(
        layer.efficiency == 1
            ? ""
            : fmt::format("{:.6g} %", layer.efficiency / unit::percent));
    dead.push_back(
        dead_text({layers.begin() + static_cast<std::ptrdiff_t>(i), n}));
    any_map = any_map || !maps.back().empty();
    any_inefficient = any_inefficient || layer.efficiency != 1;
    any_dead = any_dead || !dead.back().empty();
    group.push_back(layer.group);
    any_run = any_run || n > 1;
    any_plane = any_plane || plane;
    any_group = any_group || !layer.group.empty();
    i += n;
  }
  Table table;
  table.add("layer", std::move(name));
  table.add("shape", std::move(shape));
  if (any_run) table.add("n_layers", std::move(count));
  table.add("at_mm", std::move(position));
  if (any_run) table.add("last_mm", std::move(last));
  if (any_plane) {
    table.add("u_from_mm", std::move(u_min));
    table.add("u_to_mm", std::move(u_max));
  }
  table.add(any_plane ? "v_from_mm" : "from_mm", std::move(v_min));
  table.add(any_plane ? "v_to_mm" : "to_mm", std::move(v_max));
  table.add("x_over_x0", std::move(material));
  if (any_map) table.add("map", std::move(maps));
  table.add("measures", std::move(measures));
  table.add("eta_min", std::move(eta_min));
  table.add("eta_max", std::move(eta_max));
  if (any_inefficient) table.add("efficiency", std::move(efficiency));
  if (any_dead) table.add("dead", std::move(dead));
  if (any_group) table.add("group", std::move(group));
  return table;
}

Document interval_document(const Interval& i) {
  return Document::List{i.lower, i.upper};
}

/// x/X0 of a slab runs from the smallest to the largest value of its bins.
Document map_document(const Slab& slab) {
  const MaterialMap& map = *slab.map;
  const double scale = map.mean() > 0 ? slab.x_over_x0 / map.mean() : 0;
  Document::List bins;
  for (const MaterialMap::Bins& axis : map.axes())
    bins.push_back(
        Document()
            .set("coordinate", std::string(column_name(axis.coordinate)))
            .set("n", static_cast<std::int64_t>(axis.centres.size())));
  return Document()
      .set("file", map.path())
      .set("bins", std::move(bins))
      .set("x_over_x0_min", map.smallest() * scale)
      .set("x_over_x0_max", map.largest() * scale);
}

Document layer_document(const Layer& layer) {
  const Surface& s = layer.surface;
  Document d;
  d.set("name", layer.name);
  if (!layer.group.empty()) d.set("group", layer.group);
  d.set("shape", shape_text(s));
  d.set("position_mm", s.position);
  if (s.is_inclined()) {
    const auto list = [](const std::array<double, 3>& a) {
      return Document::List{a[0], a[1], a[2]};
    };
    d.set("normal", list(s.normal_vector)).set("u", list(s.u_vector));
  }
  if (!is_round(s)) d.set("u_mm", interval_document(s.u));
  const std::string_view v = is_round(s) ? axis_names(s)[1] : "v";
  if (s.shape == Shape::cone)
    d.set("z_mm", interval_document(s.v)).set("slope", s.slope);
  else
    d.set(fmt::format("{}_mm", v), interval_document(s.v));
  Document::List slabs;
  for (const Slab& slab : layer.material) {
    Document part;
    if (!slab.material.empty())
      part.set("of", slab.material).set("thickness_mm", slab.thickness);
    part.set("x_over_x0", slab.x_over_x0);
    if (slab.map) part.set("map", map_document(slab));
    slabs.push_back(std::move(part));
  }
  d.set("material", std::move(slabs));
  d.set("x_over_x0", layer.x_over_x0());
  Document::List coordinates;
  for (const Coordinate& c : layer.coordinates) {
    Document coordinate;
    coordinate.set("angle_rad", c.angle).set("sigma_mm", c.sigma);
    if (c.error) coordinate.set("sigma", c.error->text());
    coordinates.push_back(std::move(coordinate));
  }
  d.set("coordinates", std::move(coordinates));
  if (layer.efficiency != 1) d.set("efficiency", layer.efficiency);
  if (!layer.dead.empty()) d.set("dead", to_string(layer.dead));
  const PolarRange range = polar_range(s);
  d.set("theta_deg", Document::List{in_degrees(range.theta_min),
                                    in_degrees(range.theta_max)});
  d.set("eta", Document::List{range.eta_min(), range.eta_max()});
  if (!layer.note.empty()) d.set("note", layer.note);
  return d;
}

}  // namespace

std::string layer_count_text(const Detector& detector) {
  const std::size_t n = detector.layers.size();
  return fmt::format("{} layer{}, {} measuring", n, n == 1 ? "" : "s",
                     measuring(detector));
}

Table layer_table(const Detector& detector) {
  Texts name, group, shape, maps, measures, dead, note;
  Reals position, u_min, u_max, v_min, v_max, material, theta_min, theta_max,
      eta_min, eta_max, efficiency;
  for (const Layer& layer : detector.layers) {
    const Surface& s = layer.surface;
    const bool plane = !is_round(s);
    const PolarRange range = polar_range(s);
    name.push_back(layer.name);
    group.push_back(layer.group);
    shape.push_back(shape_text(s));
    position.push_back(s.position);
    u_min.push_back(plane ? s.u.lower : none);
    u_max.push_back(plane ? s.u.upper : none);
    v_min.push_back(s.v.lower);
    v_max.push_back(s.v.upper);
    material.push_back(layer.x_over_x0());
    maps.push_back(maps_text(layer));
    measures.push_back(measures_text(layer));
    theta_min.push_back(in_degrees(range.theta_min));
    theta_max.push_back(in_degrees(range.theta_max));
    eta_min.push_back(range.eta_min());
    eta_max.push_back(range.eta_max());
    efficiency.push_back(layer.efficiency);
    dead.push_back(to_string(layer.dead));
    note.push_back(layer.note);
  }
  Table table;
  table.add("layer", std::move(name));
  table.add("group", std::move(group));
  table.add("shape", std::move(shape));
  table.add("position_mm", std::move(position));
  table.add("u_min_mm", std::move(u_min));
  table.add("u_max_mm", std::move(u_max));
  table.add("v_min_mm", std::move(v_min));
  table.add("v_max_mm", std::move(v_max));
  table.add("x_over_x0", std::move(material));
  table.add("map", std::move(maps));
  table.add("measures", std::move(measures));
  table.add("theta_min_deg", std::move(theta_min));
  table.add("theta_max_deg", std::move(theta_max));
  table.add("eta_min", std::move(eta_min));
  table.add("eta_max", std::move(eta_max));
  table.add("efficiency", std::move(efficiency));
  table.add("dead", std::move(dead));
  table.add("note", std::move(note));
  return table;
}

namespace {

/// Models chosen in the file; empty if none.
Document model_document(const PhysicsModel& model) {
  Document d;
  if (model.scattering) d.set("scattering", to_string(*model.scattering));
  if (model.energy_loss) d.set("energy_loss", to_string(*model.energy_loss));
  return d;
}

}  // namespace

Document detector_document(const Detector& detector, double phi) {
  Document d;
  d.set("name", detector.name);
  d.set("file", detector.file);
  d.set("sha256", detector.sha256);
  d.set("source",
        Document::List(detector.source.begin(), detector.source.end()));
  d.set("field", field_document(detector.field));
  if (detector.model.scattering || detector.model.energy_loss)
    d.set("model", model_document(detector.model));
  d.set("n_layers", static_cast<std::int64_t>(detector.layers.size()));
  d.set("n_measuring", static_cast<std::int64_t>(measuring(detector)));
  Document::List layers;
  for (const Layer& layer : detector.layers)
    layers.push_back(layer_document(layer));
  d.set("layers", std::move(layers));
  d.set("groups", rows_of(group_table(detector, phi)));
  d.set("material_profile", rows_of(material_profile(detector, phi)));
  return d;
}

Summary detector_summary(const Detector& detector, double phi) {
  constexpr int geometry_digits = 6;  // positions are given, not estimated
  Summary summary;
  summary.title = detector.name;
  Section head;
  for (const std::string& source : detector.source)
    head.facts.emplace_back("source", source);
  for (auto& fact : field_facts(detector.field))
    head.facts.push_back(std::move(fact));
  if (detector.model.scattering)
    head.facts.emplace_back("scattering",
                            to_string(*detector.model.scattering));
  if (detector.model.energy_loss)
    head.facts.emplace_back("energy loss",
                            to_string(*detector.model.energy_loss));
  head.facts.emplace_back("layers", layer_count_text(detector));
  if (const std::string material = material_text(detector, phi);
      !material.empty())
    head.facts.emplace_back("x/X0", material + ", up to the last hit");
  summary.sections.push_back(std::move(head));
  summary.sections.push_back(
      {"Layers", {}, layers_for_reading(detector), geometry_digits});
  Table groups = group_table(detector, phi);
  if (groups.rows() > 0)
    summary.sections.push_back(
        {"Groups (x/X0 along straight tracks)", {}, std::move(groups), 4});
  summary.sections.push_back(
      {fmt::format("Straight tracks from the origin at phi = {:.4g} deg",
                   in_degrees(phi)),
       {},
       material_profile(detector, phi),
       4});
  return summary;
}

namespace {

std::string_view name_of(Axis axis) {
  constexpr std::array<std::string_view, 3> names{"x", "y", "z"};
  return names[static_cast<std::size_t>(axis)];
}

std::string_view name_of(const FieldMap& map, std::size_t axis) {
  constexpr std::array<std::string_view, 2> around{"r", "z"};
  return map.around_z() ? around[axis] : name_of(static_cast<Axis>(axis));
}

/// Position of a grid axis in the detector; r is not shifted.
double offset_of(const FieldMap& map, std::size_t axis) {
  if (!map.around_z()) return map.offset()[static_cast<int>(axis)];
  return axis == 0 ? 0 : map.offset().z();
}

std::string kind_of(const Field& field) {
  switch (field.kind) {
    case FieldKind::none:
      return "none";
    case FieldKind::solenoid:
      return "solenoid";
    case FieldKind::dipole:
      return "dipole";
    case FieldKind::map:
      break;
  }
  return "map";
}

std::string dipole_text(const DipoleGap& gap) {
  return fmt::format("dipole {:.6g} T along {}, {} = {:.6g} to {:.6g} mm",
                     gap.field / unit::T, name_of(gap.direction),
                     name_of(gap.normal), gap.extent.lower, gap.extent.upper);
}

std::string grid_text(const FieldMap& map) {
  std::string text;
  for (std::size_t i = 0; i < map.grid().size(); ++i) {
    const GridAxis& axis = map.grid()[i];
    const double offset = offset_of(map, i);
    text += fmt::format("{}{} = {:.6g} to {:.6g} mm in steps of {:.6g} mm{}",
                        i > 0 ? ", " : "", name_of(map, i), axis.first + offset,
                        axis.last() + offset, axis.spacing,
                        map.mirrored(i) && !(map.around_z() && i == 0)
                            ? " and its mirror image"
                            : "");
  }
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> field_facts(
    const Field& field) {
  switch (field.kind) {
    case FieldKind::none:
      return {{"field", "none"}};
    case FieldKind::solenoid:
      return {{"field", fmt::format("solenoid {:.6g} T", field.bz / unit::T)}};
    case FieldKind::dipole:
    case FieldKind::map:
      break;
  }
  std::vector<std::pair<std::string, std::string>> facts;
  if (field.kind == FieldKind::dipole) {
    for (const DipoleGap& gap : field.dipoles)
      facts.emplace_back("field", dipole_text(gap));
  } else {
    const FieldMap& map = *field.map;
    facts.emplace_back("field",
                       fmt::format("map {}, up to {:.6g} T", map.path(),
                                   map.largest() / unit::T));
    facts.emplace_back("grid", grid_text(map));
  }
  facts.emplace_back(
      "polar axis",
      fmt::format("{}, the main direction of the field, unless a track starts "
                  "within 20 deg of it",
                  name_of(field.axis)));
  return facts;
}

Document field_document(const Field& field) {
  Document d;
  d.set("kind", kind_of(field));
  switch (field.kind) {
    case FieldKind::none:
    case FieldKind::solenoid:
      d.set("bz_T", field.bz / unit::T);
      return d;
    case FieldKind::dipole: {
      Document::List gaps;
      for (const DipoleGap& gap : field.dipoles)
        gaps.push_back(
            Document()
                .set("normal", std::string(name_of(gap.normal)))
                .set("extent_mm",
                     Document::List{gap.extent.lower, gap.extent.upper})
                .set("direction", std::string(name_of(gap.direction)))
                .set("field_T", gap.field / unit::T));
      d.set("dipoles", std::move(gaps));
      break;
    }
    case FieldKind::map: {
      const FieldMap& map = *field.map;
      d.set("file", map.path());
      Document::List axes;
      for (std::size_t i = 0; i < map.grid().size(); ++i) {
        const GridAxis& axis = map.grid()[i];
        const double offset = offset_of(map, i);
        axes.push_back(
            Document()
                .set("axis", std::string(name_of(map, i)))
                .set("extent_mm",
                     Document::List{axis.first + offset, axis.last() + offset})
                .set("n_nodes", static_cast<std::int64_t>(axis.nodes))
                .set("mirrored", map.mirrored(i)));
      }
      d.set("grid", std::move(axes));
      d.set("scale", map.scale());
      d.set("largest_T", map.largest() / unit::T);
      break;
    }
  }
  d.set("reference_T", field.reference / unit::T);
  d.set("axis", std::string(name_of(field.axis)));
  return d;
}

namespace {

PolarRange seen(const Interval& rho, const Interval& z) {
  // The far corner in z has the smallest angle for the smallest rho if z is
  // positive there, and for the largest rho if it is negative.
  const double theta_min =
      std::atan2(z.upper > 0 ? rho.lower : rho.upper, z.upper);
  const double theta_max =
      std::atan2(z.lower < 0 ? rho.lower : rho.upper, z.lower);
  return {theta_min, theta_max};
}

// The eta range that measuring layers cover, as multiples of the step.
struct Grid {
  double first = 0;
  double step = 0.25;
  int points = 0;
};

Grid eta_grid(const Detector& detector) {
  constexpr double largest = 4;
  double lower = largest, upper = -largest;
  for (const Layer& layer : detector.layers) {
    if (!layer.measures()) continue;
    const PolarRange range = polar_range(layer.surface);
    lower = std::min(lower, std::max(range.eta_min(), -largest));
    upper = std::max(upper, std::min(range.eta_max(), largest));
  }
  if (lower > upper) return {};
  const bool symmetric = std::abs(lower + upper) < 1e-9;  // rounding
  if (symmetric) lower = 0;
  Grid grid;
  grid.step = upper - lower > 3 ? 0.5 : 0.25;
  const double first = std::floor(lower / grid.step);
  grid.first = first * grid.step;
  grid.points = static_cast<int>(std::ceil(upper / grid.step) - first) + 1;
  return grid;
}

}  // namespace

double PolarRange::eta_min() const { return eta_of(theta_max); }
double PolarRange::eta_max() const { return eta_of(theta_min); }

PolarRange polar_range(const Surface& s) {
  if (!is_round(s)) return seen(radii(s), extent(s, Axis::z));
  const Meridian m = meridian(s);
  const double a = std::atan2(m.r[0], m.z[0]), b = std::atan2(m.r[1], m.z[1]);
  return {std::min(a, b), std::max(a, b)};
}

namespace {

class StraightTracks {
 public:
  StraightTracks(const Detector& detector, double phi)
      : geometry_(without_field(detector)), phi_(phi) {}

  Resolution at(double theta) const {
    Track track;
    track.theta = theta;
    track.phi = phi_;
    return resolve(geometry_, track, {Scattering::off});
  }

 private:
  static Detector without_field(Detector detector) {
    detector.field = {};
    return detector;
  }

  TrackingGeometry geometry_;
  double phi_;
};

/// Material up to and including the first measuring layer.
double inner_material(const Resolution& r) {
  double sum = 0;
  for (const CrossingInfo& crossing : r.crossings) {
    sum += crossing.x_over_x0;
    if (crossing.measured) return sum;
  }
  return Resolution::none;
}

/// A region of the detector, and the track that represents it.
struct Region {
  std::string name;  ///< "at eta 1", "along z"
  Resolution track;

  /// "x_over_x0_eta_1", "x_over_x0_along_z".
  std::string column() const {
    std::string text = name.starts_with("at ") ? name.substr(3) : name;
    std::ranges::replace(text, ' ', '_');
    return "x_over_x0_" + text;
  }
};

/// Integer values of eta, and the z axis, with three hits; if there are none,
/// with one hit.
std::vector<Region> regions(const Detector& detector, double phi) {
  std::vector<Region> list;
  const StraightTracks tracks(detector, phi);
  const auto add = [&](std::string name, double theta) {
    Resolution track = tracks.at(theta);
    if (track.n_hits > 0) list.push_back({std::move(name), std::move(track)});
  };
  const Grid grid = eta_grid(detector);
  for (int i = 0; i < grid.points; ++i) {
    const double eta = grid.first + i * grid.step;
    if (eta == std::round(eta))
      add(fmt::format("at eta {:.0f}", eta), theta_at_eta(eta));
  }
  add("along z", 0);
  const auto is_short = [](const Region& r) { return r.track.n_hits < 3; };
  if (!std::ranges::all_of(list, is_short)) std::erase_if(list, is_short);
  return list;
}

}  // namespace

Table material_profile(const Detector& detector, double phi) {
  Reals eta, theta_deg, x_over_x0, tracker, inner;
  Integers n_hits, n_layers;
  const StraightTracks tracks(detector, phi);
  const Grid grid = eta_grid(detector);
  for (int i = 0; i < grid.points; ++i) {
    eta.push_back(grid.first + i * grid.step);
    const double theta = theta_at_eta(eta.back());
    const Resolution r = tracks.at(theta);
    theta_deg.push_back(in_degrees(theta));
    n_hits.push_back(r.n_hits);
    n_layers.push_back(static_cast<std::int64_t>(r.crossings.size()));
    x_over_x0.push_back(r.x_over_x0);
    tracker.push_back(r.x_over_x0_tracker);
    inner.push_back(inner_material(r));
  }
  Table table;
  table.add("eta", std::move(eta));
  table.add("theta_deg", std::move(theta_deg));
  table.add("n_hits", std::move(n_hits));
  table.add("n_layers", std::move(n_layers));
  table.add("x_over_x0", std::move(x_over_x0));
  table.add("x_over_x0_tracker", std::move(tracker));
  table.add("x_over_x0_inner", std::move(inner));
  return table;
}

Table group_table(const Detector& detector, double phi) {
  Texts groups;
  Integers layers, hits;
  std::vector<std::size_t> group_of;  // by layer
  for (const Layer& layer : detector.layers) {
    const auto found = std::ranges::find(groups, layer.group);
    const auto i = static_cast<std::size_t>(found - groups.begin());
    group_of.push_back(i);
    if (found == groups.end()) {
      groups.push_back(layer.group);
      layers.push_back(0);
      hits.push_back(0);
    }
    ++layers[i];
    hits[i] += layer.measures();
  }
  std::vector<std::pair<std::string, Reals>> sums;
  for (const Region& region : regions(detector, phi)) {
    Reals& sum =
        sums.emplace_back(region.column(), Reals(groups.size())).second;
    for (const CrossingInfo& c : region.track.crossings)
      sum[group_of[c.layer]] += c.x_over_x0;
  }
  // layers without a group have no row
  const auto named = [&](auto cells) {
    const auto none = std::ranges::find(groups, "");
    if (none != groups.end())
      cells.erase(cells.begin() + (none - groups.begin()));
    return cells;
  };
  Table table;
  table.add("group", named(groups));
  table.add("n_layers", named(layers));
  table.add("n_measuring", named(hits));
  for (auto& [name, sum] : sums) table.add(name, named(std::move(sum)));
  return table;
}

std::string material_text(const Detector& detector, double phi) {
  std::string text;
  for (const Region& region : regions(detector, phi))
    text +=
        fmt::format("{}{} % {}", text.empty() ? "" : ", ",
                    readable(region.track.x_over_x0_tracker / unit::percent, 3),
                    region.name);
  return text;
}

}  // namespace gttf
