// SPDX-License-Identifier: Apache-2.0
// Reads the field of a detector.
#include "gttf/detector/read_field.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "gttf/config/text.hpp"
#include "gttf/detector/field_grid_file.hpp"
#include "gttf/detector/field_map.hpp"
#include "gttf/detector/named_file.hpp"
#include "gttf/detector/surface_outline.hpp"

namespace gttf::detail {
namespace {

/// Above the strongest detector magnets; a larger value indicates a wrong unit.
constexpr double strongest_field = 20 * unit::T;

Field read_solenoid(const Value& value) {
  Field field;
  const double bz = read_field_strength(value).value_or(0);
  if (bz != 0) {
    field.kind = FieldKind::solenoid;
    field.bz = bz;
  }
  return field;
}

std::optional<MirrorSymmetry> read_symmetry(const Value& value, bool around_z) {
  if (value.is("solenoid")) return MirrorSymmetry{Axis::z};
  if (value.is("dipole x") && !around_z) return MirrorSymmetry{Axis::x};
  if (value.is("dipole y") && !around_z) return MirrorSymmetry{Axis::y};
  if (value.is("none")) return std::nullopt;
  value.expected(around_z ? "\"solenoid\" or \"none\""
                          : "\"solenoid\", \"dipole x\", \"dipole y\" or "
                            "\"none\"",
                 "the polar axis must be the axis of the main field");
  return std::nullopt;
}

std::optional<Vector3> read_offset(const Value& value) {
  const auto items = value.items();
  if (items.size() != 3) {
    value.expected("three lengths [x, y, z]", "write [0 mm, 0 mm, 10 cm]");
    return std::nullopt;
  }
  Vector3 offset;
  for (int i = 0; i < 3; ++i) {
    const auto length =
        items[static_cast<std::size_t>(i)].quantity(Dimension::length);
    if (!length) return std::nullopt;
    offset[i] = *length;
  }
  return offset;
}

/// Whether faces of the grid lie in planes of symmetry.
bool any_mirrored(const FieldMap& map) {
  for (std::size_t i = map.around_z() ? 1 : 0; i < map.grid().size(); ++i)
    if (map.mirrored(i)) return true;
  return false;
}

/// Spacing of the nodes of the map along the normal of a surface.
double spacing_across(const FieldMap& map, const Surface& s) {
  const auto& grid = map.grid();
  const std::optional<Axis> normal = flat_normal(s);
  if (map.around_z()) return grid[normal == Axis::z ? 1 : 0].spacing;
  return normal ? grid[static_cast<std::size_t>(*normal)].spacing
                : std::max(grid[0].spacing, grid[1].spacing);
}

/// Warns of a map that is coarser than even the widest gap between layers.
void check_spacing(const Value& value, const FieldMap& map,
                   const std::vector<Layer>& layers) {
  std::vector<const Surface*> sorted;
  for (const Layer& layer : layers)
    if (layer.measures()) sorted.push_back(&layer.surface);
  const auto key = [](const Surface* s) {
    const std::optional<Axis> normal = flat_normal(*s);
    return std::pair(normal ? static_cast<int>(*normal) : 3, s->position);
  };
  std::ranges::sort(sorted, {}, key);
  for (std::size_t begin = 0; begin < sorted.size();) {
    const Surface& first = *sorted[begin];
    double gap = 0;
    std::size_t i = begin + 1;
    for (; i < sorted.size() && key(sorted[i]).first == key(&first).first; ++i)
      gap = std::max(gap, sorted[i]->position - sorted[i - 1]->position);
    begin = i;
    const double spacing = spacing_across(map, first);
    if (!(gap > 0 && spacing > gap)) continue;
    value.warning(
        fmt::format(
            "the nodes of the map are {:.4g} mm apart, the {} at most "
            "{:.4g} mm: the map is coarser than the gaps between layers",
            spacing, flat_normal(first) ? "planes" : "cylinders", gap),
        "use a finer map");
    return;
  }
}

/// Extreme points of a surface, moved inwards by a rounding error.
std::vector<Vector3> far_points(const Surface& s) {
  constexpr double within = 1 - 1e-9;
  std::vector<Vector3> points;
  if (is_round(s)) {
    const Meridian m = meridian(s);
    for (std::size_t end = 0; end < 2; ++end) {
      const double r = m.r[end];
      for (const auto& [x, y] : {std::pair(r, 0.0), std::pair(-r, 0.0),
                                 std::pair(0.0, r), std::pair(0.0, -r)})
        points.push_back(within * Vector3(x, y, m.z[end]));
    }
    return points;
  }
  if (s.is_inclined()) {
    for (const std::array<double, 3>& x : corners(s))
      points.push_back(within * Vector3(x[0], x[1], x[2]));
    return points;
  }
  const int normal = static_cast<int>(s.normal);
  for (const double v : {s.v.lower, s.v.upper})
    for (const double u : {s.u.lower, s.u.upper}) {
      Vector3 x = Vector3::Zero();
      x[normal] = s.position;
      x[(normal + 1) % 3] = u;
      x[(normal + 2) % 3] = v;
      points.push_back(within * x);
    }
  return points;
}

/// Warns of layers that tracks may reach only outside the map.
void check_extent(const Value& value, const FieldMap& map,
                  const std::vector<Layer>& layers) {
  std::size_t measuring = 0, beyond = 0;
  std::string first;
  for (const Layer& layer : layers) {
    if (!layer.measures()) continue;
    ++measuring;
    if (std::ranges::all_of(far_points(layer.surface),
                            [&](const Vector3& x) { return map.covers(x); }))
      continue;
    if (++beyond == 1) first = layer.name;
  }
  if (beyond > 0)
    value.warning(
        fmt::format("{} of {} measuring layers reach{} beyond the map{} {}: "
                    "tracks end at the edge of the map",
                    beyond, measuring, beyond == 1 ? "es" : "",
                    beyond == 1 ? "," : ", first", in_quotes(first)),
        "use a larger map");
}

void check_divergence(const Value& value, const FieldMap& map) {
  constexpr double of_derivatives = 0.1, of_field = 1e-3;
  const FieldMap::Divergence d = map.divergence();
  if (d.of_derivatives > of_derivatives && d.of_field > of_field)
    value.warning(
        fmt::format("div B is not 0: it is {:.2g} of the derivatives of B "
                    "(rms), {:.2g} of |B| per spacing",
                    d.of_derivatives, d.of_field),
        "check the columns, their signs and units and the symmetry, or use a "
        "finer map");
}

/// Warns of nodes too far apart to interpolate the field.
void check_interpolation(const Value& value, const FieldMap& map,
                         const InterpolationError& error) {
  constexpr double tolerable = 0.005;
  if (error.largest <= tolerable) return;
  const std::string_view axes = map.around_z() ? "rz" : "xyz";
  value.warning(
      fmt::format("the map is too coarse along {}: between nodes {:.4g} mm "
                  "apart the field is known to {:.2g} % of its largest value "
                  "only (estimated on half the grid)",
                  axes[error.axis], map.grid()[error.axis].spacing,
                  error.largest / unit::percent),
      "use a finer map");
}

Field read_map(MapReader& reader, const Value& value,
               const std::vector<Layer>& layers, const std::string& file) {
  FieldMap::Placement placement;
  const auto scale = reader.find("scale");
  const auto offset = reader.find("offset");
  const auto symmetry = reader.find("symmetry");
  if (scale) {
    const auto parsed = scale->quantity(Dimension::number);
    if (parsed) placement.scale = *parsed;
    if (parsed && *parsed == 0)
      scale->error("a scale of 0 leaves no field",
                   "write \"field: none\" for that");
  }
  if (offset) placement.offset = read_offset(*offset).value_or(Vector3::Zero());
  const auto name = value.text("the file of the map");
  if (!name) return {};
  const std::string path = path_of_named(value, *name, file);
  Diagnostics errors;
  auto grid = read_field_grid(path, errors);
  if (!grid) {
    report_named(value, path, errors);
    return {};
  }
  if (symmetry) placement.symmetry = read_symmetry(*symmetry, grid->around_z);
  const InterpolationError error = interpolation_error(*grid);
  Field field;
  field.map =
      std::make_shared<const FieldMap>(std::move(*grid), placement, path);
  const FieldMap& map = *field.map;
  if (placement.symmetry && !any_mirrored(map))
    symmetry->error("no side of the map lies in a plane of symmetry",
                    "a map of an octant begins at x = 0, y = 0 and z = 0");
  if (!(map.largest() > 0) && placement.scale != 0)
    value.error("the field of the map is 0 everywhere",
                "write \"field: none\" for that");
  if (!(map.largest() > 0)) return {};
  if (map.largest() > strongest_field)
    value.warning(
        fmt::format("the field of the map reaches {:.4g} T, more than "
                    "the magnets of detectors do",
                    map.largest() / unit::T),
        "check the unit of the columns and \"scale\"");
  check_extent(value, map, layers);
  check_spacing(value, map, layers);
  check_divergence(value, map);
  check_interpolation(value, map, error);
  field.kind = FieldKind::map;
  return field;
}

}  // namespace

std::optional<double> read_field_strength(const Value& value) {
  const auto field = value.quantity(Dimension::field);
  if (field && std::abs(*field) > strongest_field)
    value.warning(fmt::format("{} is more than the magnets of detectors reach",
                              describe(value.node())),
                  "1 T is 10 kG or 1000 mT");
  return field;
}

Field read_field(const Value& value, const std::vector<Layer>& layers,
                 bool all_read, const std::string& file) {
  if (value.is("none")) return {};
  if (value.is_scalar() &&
      parse_quantity(value.node().text(), Dimension::field)) {
    value.error(fmt::format("the kind of the field is missing in {}",
                            describe(value.node())),
                fmt::format("write {{ solenoid: {} }}", value.node().text()));
    return {};
  }
  MapReader map(value,
                "a field: { solenoid: 2 T }, { dipole: ... }, { map: "
                "FILE } or none");
  if (!map) return {};
  const auto solenoid = map.find("solenoid");
  const auto dipole = map.find("dipole");
  const auto grid = map.find("map");
  Field field;
  if (grid)
    for (const char* key : {"scale", "offset", "symmetry"}) map.find(key);
  const int kinds = (solenoid ? 1 : 0) + (dipole ? 1 : 0) + (grid ? 1 : 0);
  if (kinds > 1)
    value.error("more than one kind of field is given",
                "keep one of solenoid, dipole and map; a map can hold several "
                "magnets");
  else if (solenoid)
    field = read_solenoid(*solenoid);
  else if (dipole)
    field = read_dipoles(*dipole, layers, all_read);
  else if (grid)
    field = read_map(map, *grid, layers, file);
  else
    value.error("the kind of the field is missing",
                "write for example { solenoid: 2 T }");
  map.finish();
  set_reference(field);
  return field;
}

namespace {

const std::vector<std::string>& normal_names() {
  static const std::vector<std::string> names{"x", "y", "z"};
  return names;
}

std::string_view name_of(Axis axis) {
  return normal_names()[static_cast<std::size_t>(axis)];
}

std::optional<Axis> read_axis(const Value& value, std::string_view what) {
  const auto index = value.choice(what, normal_names());
  if (!index) return std::nullopt;
  return static_cast<Axis>(*index);
}

/// A gap and the location for errors that involve other gaps.
struct GapEntry {
  DipoleGap gap;
  Value place;
};

class DipoleReader {
 public:
  DipoleReader(const std::vector<Layer>& layers, bool all_read)
      : layers_(layers), all_read_(all_read) {}

  Field read(const Value& value) {
    if (value.is_list())
      for (const Value& item : value.items()) read_gap(item);
    else
      read_gap(value);
    if (value.is_list() && value.node().items().empty())
      value.error("no dipoles", "write none for a detector without field");
    check_gaps();
    Field field;
    if (std::ranges::all_of(gaps_,
                            [](const auto& e) { return e.gap.field == 0; }))
      return field;
    // a gap that is switched off remains in the list: keys count its items
    field.kind = FieldKind::dipole;
    for (const GapEntry& entry : gaps_) field.dipoles.push_back(entry.gap);
    return field;
  }

 private:
  void read_gap(const Value& value) {
    MapReader map(value,
                  "a dipole: { between: [A, B], field: 1 T, direction: "
                  "y }");
    if (!map) return;
    GapEntry entry{{}, value};
    DipoleGap& gap = entry.gap;
    const auto between = map.find("between");
    const auto entrance = map.find("entrance");
    const auto exit = map.find("exit");
    const auto normal = map.find("normal");
    const auto strength = map.require("field", "1 T");
    const auto direction = map.require("direction", "y");
    map.finish();
    bool good = true;
    if (between && (entrance || exit)) {
      between->error(
          fmt::format("\"between\" and \"{}\" cannot be used together",
                      entrance ? "entrance" : "exit"),
          "remove one of the two");
      good = false;
    } else if (between) {
      good = read_between(*between, gap);
      if (normal)
        normal->error(
            "\"normal\" is already given by the layers in \"between\"",
            "remove it");
    } else if (entrance && exit) {
      good = read_faces(*entrance, *exit, gap);
      gap.normal = Axis::z;
      if (normal) {
        const auto axis = read_axis(*normal, "normal");
        good = good && axis;
        gap.normal = axis.value_or(Axis::z);
      }
    } else {
      value.error("the position of the dipole is missing",
                  "add \"between: [LAYER, LAYER]\", or \"entrance\" and "
                  "\"exit\"");
      good = false;
    }
    if (!strength || !direction) return;
    const auto field = read_field_strength(*strength);
    const auto axis = read_axis(*direction, "direction");
    if (!field || !axis || !good) return;
    gap.field = *field;
    gap.direction = *axis;
    if (gap.direction == gap.normal) {
      direction->error(
          fmt::format("the field points along {0}, the normal of the faces of "
                      "the gap, which no magnet can produce",
                      name_of(gap.normal)),
          "give a direction across the normal, or use a map");
      return;
    }
    gaps_.push_back(std::move(entry));
  }

  static bool read_faces(const Value& entrance, const Value& exit,
                         DipoleGap& gap) {
    const auto lower = entrance.quantity(Dimension::length, "cm");
    const auto upper = exit.quantity(Dimension::length, "cm");
    if (!lower || !upper) return false;
    gap.extent = {*lower, *upper};
    if (*lower < *upper) return true;
    exit.error(fmt::format("the exit must lie after the entrance, got {} and "
                           "{}",
                           describe(entrance.node()), describe(exit.node())),
               "exchange the two");
    return false;
  }

  bool read_between(const Value& value, DipoleGap& gap) {
    const auto items = value.items();
    if (!value.is_list()) {
      value.expected("a list of two layers", "write [LAYER, LAYER]");
      return false;
    }
    if (items.size() != 2) {
      value.error(fmt::format("two layers are needed, {} given", items.size()),
                  "write [LAYER, LAYER]");
      return false;
    }
    std::array<const Layer*, 2> layer{};
    for (std::size_t i = 0; i < 2; ++i) layer[i] = find_layer(items[i]);
    if (!layer[0] || !layer[1]) return false;
    std::array<Axis, 2> normal{};
    for (std::size_t i = 0; i < 2; ++i) {
      const Surface& s = layer[i]->surface;
      const std::optional<Axis> axis = flat_normal(s);
      if (!axis) {
        items[i].error(
            fmt::format("{} is a {}, the faces of a dipole are planes",
                        in_quotes(layer[i]->name), shape_name(s)),
            "name a plane or a disk, or give \"entrance\" and \"exit\"");
        return false;
      }
      normal[i] = *axis;
    }
    if (normal[0] != normal[1]) {
      value.error(fmt::format("{} is normal to {}, {} to {}",
                              in_quotes(layer[0]->name), name_of(normal[0]),
                              in_quotes(layer[1]->name), name_of(normal[1])),
                  "name two parallel layers");
      return false;
    }
    gap.normal = normal[0];
    const auto [lower, upper] =
        std::minmax(layer[0]->surface.position, layer[1]->surface.position);
    gap.extent = {lower, upper};
    if (lower < upper) return true;
    value.error("the two layers are at the same place",
                "name the layers before and after the magnet");
    return false;
  }

  const Layer* find_layer(const Value& value) const {
    const auto name = value.text("the name of a layer");
    if (!name) return nullptr;
    for (const Layer& layer : layers_)
      if (layer.name == *name) return &layer;
    if (!all_read_) return nullptr;
    std::vector<std::string> names;
    for (const Layer& layer : layers_) names.push_back(layer.name);
    const auto near = nearest(*name, names);
    value.error(fmt::format("no layer is called {}", in_quotes(*name)),
                near ? fmt::format("did you mean {}?", in_quotes(*near))
                     : fmt::format("the layers are {}", joined(names)));
    return nullptr;
  }

  void check_gaps() const {
    for (std::size_t j = 1; j < gaps_.size(); ++j)
      for (std::size_t i = 0; i < j; ++i) {
        const DipoleGap &a = gaps_[i].gap, &b = gaps_[j].gap;
        if (a.normal != b.normal) {
          gaps_[j].place.error(
              fmt::format("the gaps {} and {} are normal to {} and {}, and so "
                          "cross each other",
                          i, j, name_of(a.normal), name_of(b.normal)),
              "use a map for magnets at an angle");
          return;
        }
        const Interval both{std::max(a.extent.lower, b.extent.lower),
                            std::min(a.extent.upper, b.extent.upper)};
        if (both.length() <= 0) continue;
        gaps_[j].place.error(
            fmt::format("the gaps {} and {} overlap from {} = {:.6g} to {:.6g} "
                        "mm",
                        i, j, name_of(a.normal), both.lower, both.upper),
            "shorten one of the two");
        return;
      }
  }

  const std::vector<Layer>& layers_;
  bool all_read_;
  std::vector<GapEntry> gaps_;
};

}  // namespace

Field read_dipoles(const Value& value, const std::vector<Layer>& layers,
                   bool all_read) {
  return DipoleReader(layers, all_read).read(value);
}

}  // namespace gttf::detail
