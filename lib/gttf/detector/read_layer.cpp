// SPDX-License-Identifier: Apache-2.0
// Reads one entry of `layers`.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "gttf/config/text.hpp"
#include "gttf/detector/read_layer.hpp"

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

/// Names of the local axes u and v.
std::array<std::string_view, 2> axes_of(const Surface& surface) {
  if (surface.shape == Shape::cylinder) return {"rphi", "z"};
  if (surface.shape == Shape::disk) return {"rphi", "r"};
  switch (surface.normal) {
    case Axis::x:
      return {"y", "z"};
    case Axis::y:
      return {"z", "x"};
    case Axis::z:
      break;
  }
  return {"x", "y"};
}

/// The coordinates u and v by name, each at most once.
class NamedCoordinates {
 public:
  explicit NamedCoordinates(const Surface& surface) : axes_(axes_of(surface)) {}

  void read(MapReader& map, bool is_pitch) {
    constexpr std::array<std::string_view, 2> general = {"u", "v"};
    bool any = false;
    for (const auto& names : {axes_, general})
      for (std::size_t i = 0; i < 2; ++i) {
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
    layer.surface.position = spec.first;
    if (i > 0)
      layer.surface.position =
          i + 1 == rows
              ? spec.last
              : spec.first + (spec.last - spec.first) * static_cast<double>(i) /
                                 static_cast<double>(rows - 1);
    if (rows > 1) layer.name = fmt::format("{}[{}]", pattern.name, i);
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
    const bool is_barrel = s.shape == Shape::cylinder;
    if (s.shape == Shape::plane && s.normal != Axis::z) {
      place.error("only what stands at one side of z = 0 has a mirror image",
                  "write the second plane as a layer of its own");
      return;
    }
    const bool at_centre =
        is_barrel ? s.v.lower < 0 && s.v.upper > 0 : s.position == 0;
    if (at_centre) {
      place.error("its mirror image at -z would coincide with it",
                  "remove \"mirror\"");
      return;
    }
    const bool behind = is_barrel ? s.v.upper <= 0 : s.position < 0;
    if (is_barrel)
      s.v = {-s.v.upper, -s.v.lower};
    else
      s.position = -s.position;
    copy.name += behind ? " (+z)" : " (-z)";
    layers.push_back(std::move(copy));
  }
}

}  // namespace

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

}  // namespace gttf::detail
