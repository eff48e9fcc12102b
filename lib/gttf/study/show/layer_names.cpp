// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/show/layer_names.hpp"

#include <fmt/format.h>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "gttf/detector/ring.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf {
namespace {

/// The name without an index that `repeat` has added: "TPC[3] (+z)" is
/// "TPC (+z)".
std::string without_index(const std::string& name) {
  const std::size_t close = name.rfind(']');
  const std::size_t open = name.rfind('[', close);
  if (close == name.npos || open == name.npos || open + 1 == close) return name;
  for (std::size_t i = open + 1; i < close; ++i)
    if (name[i] < '0' || name[i] > '9') return name;
  return name.substr(0, open) + name.substr(close + 1);
}

}  // namespace

std::string coordinate_name(const Surface& surface, const Coordinate& c) {
  using Names = std::array<std::string_view, 2>;
  const auto [u, v] = is_round(surface) ? axis_names(surface) : Names{"u", "v"};
  if (c.angle == 0) return std::string(u);
  if (std::abs(c.angle - 90 * unit::deg) < 1e-12) return std::string(v);
  // stereo angles are told in mrad
  return std::abs(c.angle) < 0.2
             ? fmt::format("{:.4g} mrad", c.angle / unit::mrad)
             : fmt::format("{:.4g} deg", in_degrees(c.angle));
}

namespace {

/// Names of entries with more than `most` surfaces, and of rings, in place of
/// those of their surfaces.
std::vector<std::string> names_of_large(const Detector& detector,
                                        std::size_t most) {
  using Entry = std::tuple<int, int, std::string>;
  const auto entry = [](const Layer& layer) {
    return Entry{layer.place.line, layer.place.column,
                 without_index(layer.name)};
  };
  const Rings rings(detector);
  std::map<Entry, std::size_t> surfaces;
  for (std::size_t i = 0; i < detector.layers.size(); ++i)
    if (!rings.of(i)) ++surfaces[entry(detector.layers[i])];
  std::vector<std::string> names;
  names.reserve(detector.layers.size());
  for (std::size_t i = 0; i < detector.layers.size(); ++i) {
    const Layer& layer = detector.layers[i];
    if (const Ring* ring = rings.of(i)) {
      names.push_back(ring->entry + ring->side);
      continue;
    }
    const Entry own = entry(layer);
    names.push_back(surfaces[own] > most ? std::get<2>(own) : layer.name);
  }
  return names;
}

}  // namespace

std::optional<Grouping> find_grouping(std::string_view name) {
  if (name == "surface") return Grouping::surface;
  if (name == "layer") return Grouping::layer;
  if (name == "group") return Grouping::group;
  return std::nullopt;
}

std::vector<std::string> entry_names(const Detector& detector) {
  return names_of_large(detector, 1);
}

std::vector<std::string> names_by(const Detector& detector, Grouping grouping) {
  std::vector<std::string> names = names_of_large(
      detector, grouping == Grouping::large ? most_listed_singly : 1);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Layer& layer = detector.layers[i];
    if (grouping == Grouping::surface)
      names[i] = layer.name;
    else if (grouping == Grouping::group && !layer.group.empty())
      names[i] = layer.group;
  }
  return names;
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
  return fmt::format("{}.{}", shape_name(s), extent_name(s, axis, extent));
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

std::string quantity_name(const Layer& layer, Quantity quantity,
                          std::size_t coordinate) {
  const auto along = [&](std::string_view what) {
    return fmt::format(
        "{} {}", what,
        coordinate_name(layer.surface, layer.coordinates[coordinate]));
  };
  switch (quantity) {
    case Quantity::position:
      return std::string(position_name(layer.surface));
    case Quantity::x_over_x0:
      return "material";
    case Quantity::sigma:
      return along("sigma");
    case Quantity::about_u:
    case Quantity::about_v:
    case Quantity::about_normal:
      return "rotation " + std::string(to_string(quantity));
    default:
      return along("angle");
  }
}

std::string quantity_tail(const Layer& layer, Quantity quantity,
                          std::size_t coordinate) {
  switch (quantity) {
    case Quantity::position:
      return position_tail(layer.surface);
    case Quantity::x_over_x0:
      return "material";
    case Quantity::sigma:
      return sigma_tail(layer, coordinate);
    default:
      return angle_tail(coordinate);
  }
}

QuantityUnit unit_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::position:
      return {"mm", unit::mm};
    case Quantity::sigma:
    case Quantity::beam_spot:
      return {"um", unit::um};
    case Quantity::angle:
    case Quantity::about_u:
    case Quantity::about_v:
    case Quantity::about_normal:
      return {"mrad", unit::mrad};
    case Quantity::field:
      return {"T", unit::T};
    case Quantity::x_over_x0:
      return {"%", unit::percent};
    case Quantity::length:
      break;
  }
  return {"", 1};
}

std::string field_key(const Field& field) {
  if (field.kind == FieldKind::solenoid) return "field.solenoid";
  if (field.kind == FieldKind::dipole && field.dipoles.size() == 1)
    return "field.dipole.field";
  return {};
}

}  // namespace gttf
