// SPDX-License-Identifier: Apache-2.0
// Reads vertex and beam spot of a study.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "gttf/study/request/read_start.hpp"

namespace gttf::detail {

namespace {

constexpr std::array<std::string_view, 3> axes = {"x", "y", "z"};

/// The three values of a list, or nothing and a diagnostic.
std::vector<Value> three_items(const Value& value, std::string_view what) {
  std::vector<Value> items = value.items();
  if (items.size() == axes.size()) return items;
  value.error(fmt::format("{} has 3 coordinates, got {}", what, items.size()),
              "write x, y and z");
  return {};
}

}  // namespace

std::array<double, 3> read_vertex(const Value& value) {
  std::array<double, 3> vertex{};
  if (value.is_list()) {
    const std::vector<Value> items = three_items(value, "a vertex");
    for (std::size_t i = 0; i < items.size(); ++i)
      vertex[i] = items[i].quantity(Dimension::length).value_or(0);
    return vertex;
  }
  MapReader map(value, "{ x: 0 mm, y: 0 mm, z: 0 mm }");
  if (!map) return vertex;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (const auto coordinate = map.find(axes[i]))
      vertex[i] = coordinate->quantity(Dimension::length).value_or(0);
  map.finish();
  return vertex;
}

std::optional<BeamSpot> read_beam_spot(const Value& value) {
  if (value.is("off")) return std::nullopt;
  std::array<double, 3> sigma{1, 1, 1};
  const auto read = [&sigma](std::size_t i, const Value& item) {
    const auto length = item.quantity(Dimension::length, "um");
    if (!length) return;
    if (*length > 0)
      sigma[i] = *length;
    else
      item.error("the size of a beam spot must be positive",
                 "write for example \"10 um\", or beam_spot: off");
  };
  if (value.is_list()) {
    const std::vector<Value> items = three_items(value, "a beam spot");
    for (std::size_t i = 0; i < items.size(); ++i) read(i, items[i]);
  } else {
    MapReader map(value, "{ x: 10 um, y: 5 um, z: 30 mm }");
    if (!map) return std::nullopt;
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (const auto item = map.require(axes[i], i == 2 ? "30 mm" : "10 um"))
        read(i, *item);
    map.finish();
  }
  return BeamSpot{sigma[0], sigma[1], sigma[2]};
}

}  // namespace gttf::detail
