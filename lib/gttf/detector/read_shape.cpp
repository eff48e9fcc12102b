// SPDX-License-Identifier: Apache-2.0
// Reads cylinder, disk and plane of a layer.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "gttf/config/text.hpp"
#include "gttf/detector/read_layer.hpp"

namespace gttf::detail {
namespace {

constexpr std::array<std::string_view, 3> axis_names = {"x", "y", "z"};

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
                      axis_names[*fixed], axis_names[i]),
          fmt::format("write {}: [-10 cm, 10 cm]", axis_names[i]));
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
  constexpr std::array<std::pair<std::string_view, Reader>, 3> shapes = {{
      {"cylinder", read_cylinder},
      {"disk", read_disk},
      {"plane", read_plane},
  }};
  ShapeSpec spec;
  std::string_view found;
  for (const auto& [name, read] : shapes) {
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
