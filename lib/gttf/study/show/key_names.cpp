// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/show/key_names.hpp"

#include <fmt/format.h>

#include <array>

#include "gttf/study/show/layer_names.hpp"

namespace gttf {

std::string_view shape_name(const Surface& s) {
  constexpr std::array<std::string_view, 3> names{"cylinder", "disk", "plane"};
  return names[static_cast<std::size_t>(s.shape)];
}

std::string_view position_name(const Surface& s) {
  constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};
  if (s.shape == Shape::cylinder) return "radius";
  return s.shape == Shape::disk ? "z"
                                : axes[static_cast<std::size_t>(s.normal)];
}

std::string name_in_file(const std::string& name) {
  for (const std::string_view side : {" (+z)", " (-z)"})
    if (name.ends_with(side)) return name.substr(0, name.size() - side.size());
  return name;
}

std::string layer_key(const std::string& entry, std::string_view tail) {
  return fmt::format("layers[{}]{}{}", entry, tail.empty() ? "" : ".", tail);
}

std::string position_tail(const Surface& s) {
  return fmt::format("{}.{}", shape_name(s), position_name(s));
}

std::string extent_tail(const Surface& s, std::size_t axis,
                        const Interval& extent) {
  constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};
  switch (s.shape) {
    case Shape::cylinder:
      return extent.lower == -extent.upper ? "cylinder.half_length"
                                           : "cylinder.z";
    case Shape::disk:
      return "disk.radius";
    case Shape::plane:
      break;
  }
  // (u, v) are the next two axes in the order x, y, z, x, y
  const std::size_t next = static_cast<std::size_t>(s.normal) + 1 + axis;
  return fmt::format("plane.{}", axes[next % axes.size()]);
}

std::string sigma_tail(const Layer& layer, std::size_t coordinate) {
  const std::string name =
      coordinate_name(layer.surface, layer.coordinates[coordinate]);
  return name.find(' ') == name.npos
             ? "measures." + name
             : fmt::format("measures[{}].sigma", coordinate);
}

std::string angle_tail(std::size_t coordinate) {
  return fmt::format("measures[{}].angle", coordinate);
}

}  // namespace gttf
