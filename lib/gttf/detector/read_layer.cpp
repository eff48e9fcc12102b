// SPDX-License-Identifier: Apache-2.0
// Reads one entry of `layers`.
#include "gttf/detector/read_layer.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gttf/config/text.hpp"
#include "gttf/detector/surface_outline.hpp"

namespace gttf::detail {
namespace {

/// A single-point resolution, or the pitch p of a digital sensor:
/// sigma = p/sqrt(12), the standard deviation of a uniform distribution.
std::optional<double> read_sigma(const Value& value, bool is_pitch) {
  const auto length =
      read_positive(value, is_pitch ? "pitch" : "resolution", "um");
  if (!length) return std::nullopt;
  return is_pitch ? *length / std::sqrt(12.0) : *length;
}

/// The coordinates u and v by name, each at most once.
class NamedCoordinates {
 public:
  explicit NamedCoordinates(const Surface& surface)
      : axes_(axis_names(surface)) {}

  void read(MapReader& map, bool is_pitch) {
    bool any = false;
    for (const auto& names : {axes_, general_axes})
      for (std::size_t i = 0; i < 2; ++i) {
        if (names != axes_ && names[i] == axes_[i]) continue;
        const auto value = map.find(names[i]);
        if (!value) continue;
        any = true;
        const auto sigma = read_sigma(*value, is_pitch);
        if (seen_[i])
          value->error(fmt::format("{} is measured twice", in_quotes(axes_[i])),
                       "remove one of the two");
        seen_[i] = true;
        if (sigma) sigma_[i] = *sigma;
      }
    empty_ = empty_ && !any;
  }

  bool is_empty() const { return empty_; }

  std::vector<Coordinate> coordinates() const {
    std::vector<Coordinate> result;
    if (sigma_[0] > 0) result.push_back({0, sigma_[0]});
    if (sigma_[1] > 0) result.push_back({90 * unit::deg, sigma_[1]});
    return result;
  }

 private:
  std::array<std::string_view, 2> axes_;
  std::array<bool, 2> seen_{};
  std::array<double, 2> sigma_{};
  bool empty_ = true;
};

std::vector<Coordinate> read_general(const std::vector<Value>& items) {
  std::vector<Coordinate> result;
  for (const Value& item : items) {
    MapReader map(item, "{ angle: ..., sigma: ... }");
    if (!map) continue;
    const auto angle = map.require("angle", "0 deg");
    const auto sigma = map.find("sigma");
    const auto pitch = map.find("pitch");
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    const double radians =
        angle ? angle->quantity(Dimension::angle).value_or(unknown) : unknown;
    if (sigma && pitch)
      pitch->error("\"sigma\" and \"pitch\" are given, they exclude each other",
                   "remove one of the two");
    else if (!sigma && !pitch)
      map.require("sigma", "20 um");
    double error = 0;
    if (sigma) error = read_sigma(*sigma, false).value_or(0);
    if (pitch) error = read_sigma(*pitch, true).value_or(0);
    map.finish();
    if (std::isnan(radians) || error <= 0) continue;
    for (const Coordinate& other : result)
      if (std::abs(std::sin(other.angle - radians)) < 1e-9)
        item.warning("this direction is measured twice",
                     "the two hits are taken as independent");
    result.push_back({radians, error});
  }
  return result;
}

/// Number of surfaces, 0 if it is not a good one.
std::size_t read_repeat(const Value& value) {
  const auto number = value.integer();
  if (!number) return 0;
  constexpr auto most = static_cast<std::int64_t>(max_layers);
  if (*number >= 2 && *number <= most) return static_cast<std::size_t>(*number);
  value.error(
      fmt::format("\"repeat\" must be from 2 to {}, got {}", most, *number));
  return 0;
}

std::vector<Layer> expand(const Layer& pattern, const ShapeSpec& spec,
                          std::size_t rows) {
  std::vector<Layer> layers;
  for (std::size_t i = 0; i < rows; ++i) {
    Layer layer = pattern;
    layer.surface.position = position_of_copy(spec.first, spec.last, i, rows);
    if (rows > 1) layer.name = name_of_copy(pattern.name, i);
    layers.push_back(std::move(layer));
  }
  return layers;
}

/// Adds the same surfaces at -z; reports where that has no meaning.
void mirror(std::vector<Layer>& layers, const Value& place) {
  const std::size_t n = layers.size();
  for (std::size_t i = 0; i < n; ++i) {
    Layer copy = layers[i];
    Surface& s = copy.surface;
    const bool is_cone = s.shape == Shape::cone;
    const bool is_barrel = s.shape == Shape::cylinder || is_cone;
    if (s.shape == Shape::plane && s.normal != Axis::z) {
      place.error("only what stands at one side of z = 0 has a mirror image",
                  "write the second plane as a layer of its own");
      return;
    }
    const bool at_centre =
        is_barrel ? s.v.lower < 0 && s.v.upper > 0 : s.position == 0;
    if (at_centre) {
      place.error(is_cone ? "its mirror image at -z would cut through it"
                          : "its mirror image at -z would coincide with it",
                  is_cone ? "make it two layers" : "remove \"mirror\"");
      return;
    }
    const bool behind = is_barrel ? s.v.upper <= 0 : s.position < 0;
    if (is_barrel)
      s.v = {-s.v.upper, -s.v.lower};
    else
      s.position = -s.position;
    if (is_cone) s.slope = -s.slope;
    copy.name += behind ? " (+z)" : " (-z)";
    layers.push_back(std::move(copy));
  }
}

}  // namespace

std::string name_of_copy(const std::string& name, std::size_t index) {
  return fmt::format("{}[{}]", name, index);
}

double position_of_copy(double first, double last, std::size_t index,
                        std::size_t n) {
  if (index == 0) return first;
  if (index + 1 == n) return last;
  return first + (last - first) * static_cast<double>(index) /
                     static_cast<double>(n - 1);
}

std::vector<Coordinate> read_coordinates(MapReader& layer,
                                         const Surface& surface) {
  const auto measures = layer.find("measures");
  const auto pitch = layer.find("pitch");
  NamedCoordinates named(surface);
  if (measures && measures->is_list()) {
    if (pitch)
      pitch->error("a list under \"measures\" says everything already",
                   "write the pitch into the list: { angle: 0 deg, pitch: 50 "
                   "um }");
    if (measures->node().items().empty())
      measures->error("nothing is measured",
                      "remove \"measures\" from a passive layer");
    return read_general(measures->items());
  }
  if (measures && measures->node().find("angle")) {
    measures->error("a coordinate under an angle is not in a list",
                    "write a list: [{ angle: 0 deg, sigma: 20 um }]");
  } else if (measures) {
    MapReader map(*measures, "a map such as { rphi: 5 um, z: 5 um } or a list");
    if (map) {
      named.read(map, false);
      if (const auto inner = map.find("pitch")) {
        MapReader pitches(*inner, "a map such as { rphi: 50 um }");
        named.read(pitches, true);
        pitches.finish();
      }
      map.finish();
    }
  }
  if (pitch) {
    MapReader map(*pitch, "a map such as { rphi: 50 um, z: 50 um }");
    named.read(map, true);
    if (map) map.finish();
  }
  const Value* given = measures ? &*measures : (pitch ? &*pitch : nullptr);
  if (given && given->is_map() && given->node().entries().empty() &&
      named.is_empty())
    given->error("nothing is measured", "remove the key from a passive layer");
  return named.coordinates();
}

LayerEntry read_layer(const Value& value, const std::vector<Material>& own) {
  MapReader map(value, "a layer (a map with name, shape, material, ...)");
  const Diagnostic place = diagnostic_at(value.node());
  LayerEntry entry{value, value, "", place.line, {}};
  if (!map) return entry;
  Layer layer;
  layer.place = {place.line, place.column};
  if (const auto name = map.require("name", "L0")) {
    entry.name = layer.name = name->text("a name").value_or("");
    entry.name_value = *name;
  }

  std::size_t rows = 1;  // 0: could not be read
  const auto repeat_value = map.find("repeat");
  if (repeat_value) rows = read_repeat(*repeat_value);
  const ShapeSpec spec = read_shape(map, repeat_value.has_value(), entry.shape);
  const auto mirror_value = map.find("mirror");
  const bool mirrors = mirror_value && mirror_value->boolean().value_or(false);

  const auto material = map.find("material");
  if (material) layer.material = read_material(*material, own);
  layer.surface = spec.surface;
  if (spec.has_axes) {
    layer.coordinates = read_coordinates(map, spec.surface);
  } else {
    map.find("measures");
    map.find("pitch");
  }
  const bool has_hits =
      value.node().find("measures") || value.node().find("pitch");
  if (!material && has_hits)
    value.warning("the layer has no material",
                  "add \"material: 0\" if that is meant");
  if (!material && !has_hits)
    value.warning("the layer has no material and measures nothing",
                  "add \"material\" or \"measures\", or remove the layer");

  if (const auto efficiency = map.find("efficiency")) {
    const auto number = efficiency->quantity(Dimension::fraction);
    if (number && !(*number > 0 && *number <= 1))
      efficiency->error(
          fmt::format("the efficiency must be above 0 and at most 1, got {}",
                      describe(efficiency->node())));
    else if (number)
      layer.efficiency = *number;
  }
  if (const auto group = map.find("group"))
    layer.group = group->text("a name").value_or("");
  if (const auto note = map.find("note"))
    layer.note = note->text().value_or("");
  map.finish();

  if (!spec.is_good || rows == 0) return entry;
  entry.layers = expand(layer, spec, rows);
  if (mirrors) mirror(entry.layers, *mirror_value);
  return entry;
}

namespace {

constexpr std::array<std::string_view, 3> axis_letters = {"x", "y", "z"};

/// A position, or a range of positions for `repeat`.
bool read_position(const Value& value, ShapeSpec& spec, bool repeats) {
  spec.is_range = value.is_list();
  if (spec.is_range) {
    const auto range = read_range(value);
    if (!range) return false;
    spec.first = range->lower;
    spec.last = range->upper;
    if (!repeats)
      value.error("a range of positions without \"repeat\"",
                  "add \"repeat: N\" to the layer, or give one position");
    return repeats;
  }
  const auto position = value.quantity(Dimension::length);
  if (!position) return false;
  spec.first = spec.last = *position;
  if (repeats)
    value.error(fmt::format("\"repeat\" needs a range of positions, got {}",
                            describe(value.node())),
                "write [FIRST, LAST], both ends included");
  return !repeats;
}

ShapeSpec read_cylinder(MapReader& map, bool repeats) {
  ShapeSpec spec;
  spec.surface.shape = Shape::cylinder;
  spec.has_axes = true;
  bool good = false;
  if (const auto radius = map.require("radius", "22 mm")) {
    good = read_position(*radius, spec, repeats);
    if (good && spec.first <= 0) {
      radius->error(fmt::format(
          "the radius must be positive, got {}",
          radius->is_list() ? in_quotes(radius->node().items()[0].text())
                            : describe(radius->node())));
      good = false;
    }
  }
  const auto half_length = map.find("half_length");
  const auto z = map.find("z");
  if (half_length && z) {
    z->error("\"z\" and \"half_length\" are given, they exclude each other",
             "remove one of the two");
    good = false;
  } else if (half_length) {
    const auto length = read_positive(*half_length, "half length");
    good = good && length;
    if (length) spec.surface.v = {-*length, *length};
  } else if (z) {
    const auto range = read_range(*z);
    good = good && range;
    if (range) spec.surface.v = *range;
  } else {
    map.require("half_length", "400 mm");
    good = false;
  }
  spec.is_good = good;
  return spec;
}

ShapeSpec read_disk(MapReader& map, bool repeats) {
  ShapeSpec spec;
  spec.surface.shape = Shape::disk;
  spec.has_axes = true;
  const auto z = map.require("z", "500 mm");
  bool good = z && read_position(*z, spec, repeats);
  if (const auto radius = map.require("radius", "[40 mm, 160 mm]")) {
    const auto range = read_range(*radius);
    if (range) spec.surface.v = *range;
    good = good && range;
    if (range && range->lower < 0) {
      radius->error(fmt::format("the inner radius must not be negative, got {}",
                                in_quotes(radius->node().items()[0].text())),
                    "a full disk begins at 0 mm");
      good = false;
    }
  }
  spec.is_good = good;
  return spec;
}

/// The radii at both ends of a cone, which may rise or fall.
std::optional<std::array<double, 2>> read_end_radii(const Value& value) {
  const std::vector<Value> items = value.items();
  if (items.size() != 2) {
    value.error(fmt::format("two radii are needed, at both ends of \"z\"; "
                            "{} given",
                            items.size()),
                "write [FIRST, LAST]");
    return std::nullopt;
  }
  const auto first = items[0].quantity(Dimension::length);
  const auto last = items[1].quantity(Dimension::length);
  if (!first || !last) return std::nullopt;
  return std::array{*first, *last};
}

/// Radii at both ends, or the radius halfway between them with the slope dr/dz.
ShapeSpec read_cone(MapReader& map, bool repeats) {
  ShapeSpec spec;
  Surface& s = spec.surface;
  s.shape = Shape::cone;
  spec.has_axes = true;
  bool good = false;
  if (const auto z = map.require("z", "[300 mm, 500 mm]"))
    if (const auto range = read_range(*z)) {
      s.v = *range;
      good = true;
    }
  const auto radius = map.require("radius", "[40 mm, 90 mm]");
  const auto slope = map.find("slope");
  if (!radius) {
    good = false;
  } else if (slope) {
    const auto rise = slope->quantity(Dimension::number);
    if (rise) s.slope = *rise;
    good = read_position(*radius, spec, repeats) && rise && good;
  } else if (!radius->is_list()) {
    radius->error("one radius does not make a cone",
                  "write [FIRST, LAST], the radii at both ends of \"z\", or "
                  "add \"slope\": dr/dz");
    good = false;
  } else if (repeats) {
    radius->error("a cone with \"repeat\" needs its slope",
                  "add \"slope\": dr/dz; \"radius\" is then the range of the "
                  "radii halfway between the ends");
    good = false;
  } else {
    const auto ends = read_end_radii(*radius);
    good = ends && good;
    if (good) {
      s = make_cone(s.v, (*ends)[0], (*ends)[1]);
      spec.first = spec.last = s.position;
    }
  }
  const double rise = 0.5 * std::abs(s.slope) * s.v.length();
  const double least = std::min(spec.first, spec.last) - rise;
  if (good && (least < -same_place || std::min(spec.first, spec.last) <= 0)) {
    radius->error(fmt::format("the radii must not be negative, got {:.6g} mm "
                              "at one end",
                              least),
                  "a full cone ends at 0 mm");
    good = false;
  }
  spec.is_good = good;
  return spec;
}

/// The fixed coordinate of a plane: `normal`, or the only one without range.
std::optional<std::size_t> find_normal(
    MapReader& map, const std::array<std::optional<Value>, 3>& axes) {
  if (const auto normal = map.find("normal"))
    return normal->choice("axis", {"x", "y", "z"});
  std::optional<std::size_t> fixed;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!axes[i] || axes[i]->is_list()) continue;
    if (fixed) {
      axes[i]->error(
          fmt::format("{} and {} are both single values: a plane is fixed in "
                      "one coordinate",
                      axis_letters[*fixed], axis_letters[i]),
          fmt::format("write {}: [-10 cm, 10 cm]", axis_letters[i]));
      return std::nullopt;
    }
    fixed = i;
  }
  if (!fixed)
    map.value().error("x, y and z are all ranges: which one is fixed?",
                      "with \"repeat\" add for example \"normal: z\", else "
                      "give one coordinate as a single value");
  return fixed;
}

ShapeSpec read_plane(MapReader& map, bool repeats) {
  const std::array<std::optional<Value>, 3> axes = {
      map.require("x", "1.2 m"), map.require("y", "[-10 cm, 10 cm]"),
      map.require("z", "[-10 cm, 10 cm]")};
  const bool complete = axes[0] && axes[1] && axes[2];
  const auto normal = find_normal(map, axes);
  ShapeSpec spec;
  spec.surface.shape = Shape::plane;
  if (!normal) return spec;
  spec.surface.normal = static_cast<Axis>(*normal);
  spec.has_axes = true;
  if (!complete) return spec;
  const bool good = read_position(*axes[*normal], spec, repeats);
  // (u, v) are the next two axes in the order x, y, z, x, y
  const auto u = read_range(*axes[(*normal + 1) % 3]);
  const auto v = read_range(*axes[(*normal + 2) % 3]);
  if (!good || !u || !v) return spec;
  spec.surface.u = *u;
  spec.surface.v = *v;
  spec.is_good = true;
  return spec;
}

}  // namespace

std::optional<double> read_positive(const Value& value, std::string_view what,
                                    std::string_view example_unit) {
  const auto number = value.quantity(Dimension::length, example_unit);
  if (!number || *number > 0) return number;
  value.error(fmt::format("the {} must be positive, got {}", what,
                          describe(value.node())));
  return std::nullopt;
}

std::optional<Interval> read_range(const Value& value) {
  if (value.is_scalar()) {
    const bool is_length(
        parse_quantity(value.node().text(), Dimension::length));
    value.expected("a range", is_length ? fmt::format("write [0 mm, {}]",
                                                      value.node().text())
                                        : "write [FROM, TO]");
    return std::nullopt;
  }
  if (!value.is_list()) {
    value.expected("a range", "write [FROM, TO]");
    return std::nullopt;
  }
  const std::vector<Value> items = value.items();
  if (items.size() != 2) {
    value.error(fmt::format("a range has 2 values, got {}", items.size()),
                "write [FROM, TO]");
    return std::nullopt;
  }
  const auto from = items[0].quantity(Dimension::length);
  const auto to = items[1].quantity(Dimension::length);
  if (!from || !to) return std::nullopt;
  if (*from < *to) return Interval{*from, *to};
  const std::string& a = items[0].node().text();
  const std::string& b = items[1].node().text();
  if (*from == *to)
    value.error(fmt::format("the range [{}, {}] is empty", a, b),
                "the second value must be larger");
  else
    value.error(fmt::format("the range [{}, {}] is inverted", a, b),
                fmt::format("write [{}, {}]", b, a));
  return std::nullopt;
}

ShapeSpec read_shape(MapReader& layer, bool repeats, Value& place) {
  using Reader = ShapeSpec (*)(MapReader&, bool);
  constexpr std::array<std::pair<std::string_view, Reader>, 4> readers = {{
      {"cylinder", read_cylinder},
      {"disk", read_disk},
      {"plane", read_plane},
      {"cone", read_cone},
  }};
  ShapeSpec spec;
  std::string_view found;
  for (const auto& [name, read] : readers) {
    const auto value = layer.find(name);
    if (!value) continue;
    if (!found.empty()) {
      value->error(fmt::format("the layer is a {} already", found),
                   "a layer has one shape: make it two layers");
      spec.is_good = false;
      continue;
    }
    found = name;
    place = *value;
    MapReader map(*value, "a map");
    if (!map) continue;
    spec = read(map, repeats);
    map.finish();
  }
  if (found.empty())
    layer.value().error(
        "the layer has no shape",
        "add for example \"cylinder: { radius: 22 mm, half_length: 400 mm }\"");
  return spec;
}

}  // namespace gttf::detail
