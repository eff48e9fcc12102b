// SPDX-License-Identifier: Apache-2.0
// Reads `dead`: the parts of a layer without hits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gttf/config/text.hpp"
#include "gttf/detector/read_layer.hpp"

namespace gttf::detail {
namespace {

constexpr std::string_view region_example = "{ phi: [10 deg, 30 deg] }";

/// An azimuth from `lower` to `upper`; the first is moved into [0, 2 pi).
std::optional<Interval> read_azimuths(const Value& value) {
  const auto ends = read_ends(
      value, "a range of azimuths", Dimension::angle, "deg",
      ", or add 360 deg to the second value for a range across 0 deg");
  if (!ends) return std::nullopt;
  const double width = ends->length();
  constexpr double turn = 2 * unit::pi, rounding = 1e-12;
  if (width >= turn * (1 - rounding)) {
    const std::vector<Value> items = value.items();
    value.error(fmt::format("the range [{}, {}] is a full turn",
                            items[0].node().text(), items[1].node().text()),
                "leave \"phi\" out: a region without it is dead at all "
                "azimuths");
    return std::nullopt;
  }
  const double first = ends->lower - turn * std::floor(ends->lower / turn);
  return Interval{first, first + width};
}

/// `7`, or a list of such; each below `n`.
std::vector<std::size_t> read_indices(const Value& value, std::string_view what,
                                      std::size_t n) {
  std::vector<std::size_t> indices;
  const std::vector<Value> items =
      value.is_list() ? value.items() : std::vector<Value>{value};
  if (items.empty()) value.error("the list is empty", "give at least one");
  for (const Value& item : items) {
    const auto number = item.integer("7");
    if (!number) continue;
    if (*number < 0 || static_cast<std::size_t>(*number) >= n)
      item.error(n == 1
                     ? fmt::format("there is only {} 0, got {}", what, *number)
                     : fmt::format("{}s are numbered 0 to {}, got {}", what,
                                   n - 1, *number));
    else
      indices.push_back(static_cast<std::size_t>(*number));
  }
  return indices;
}

/// The coordinate that is the same everywhere on a surface; empty if none is.
std::string_view constant_coordinate(const Surface& s) {
  constexpr std::array<std::string_view, 3> axes = {"x", "y", "z"};
  if (s.shape == Shape::cylinder) return "r";
  if (s.shape == Shape::disk) return "z";
  if (s.shape == Shape::plane && s.normal != Axis::none)
    return axes[static_cast<std::size_t>(s.normal)];
  return "";
}

DeadEntry read_region(const Value& value, const ShapeSpec& spec) {
  DeadEntry entry;
  MapReader map(value, region_example);
  if (!map) return entry;
  DeadRegion& region = entry.region;
  bool any = false;
  if (const auto phi = map.find("phi")) {
    any = true;
    region.phi = read_azimuths(*phi);
  }
  const std::string_view constant = constant_coordinate(spec.surface);
  using Limits = std::optional<Interval> DeadRegion::*;
  constexpr std::array<std::pair<std::string_view, Limits>, 4> limits{
      {{"r", &DeadRegion::r},
       {"x", &DeadRegion::x},
       {"y", &DeadRegion::y},
       {"z", &DeadRegion::z}}};
  for (const auto& [key, member] : limits) {
    const auto range = map.find(key);
    if (!range) continue;
    any = true;
    if (spec.is_good && key == constant)
      range->error(fmt::format("{} is the same everywhere on this layer", key),
                   "remove it, or limit another coordinate");
    region.*member = read_range(*range);
    if (key == "r" && region.r && region.r->lower < 0)
      range->error("a radius must not be negative");
  }
  const auto module = map.find("module"), ring = map.find("ring");
  any = any || module || ring;
  for (const auto& [index, name] :
       {std::pair{module, "module"}, std::pair{ring, "ring"}})
    if (index && spec.is_good && spec.rings.empty())
      index->error(fmt::format("only a ring has {}s", name),
                   "limit phi, r, x, y or z instead");
  if (!spec.rings.empty()) {
    if (module)
      entry.modules =
          read_indices(*module, "module", spec.rings.front().size());
    if (ring) entry.rings = read_indices(*ring, "ring", spec.rings.size());
  }
  map.finish();
  if (!any && value.node().entries().empty())
    value.error("the region has no limits",
                fmt::format("write for example {}", region_example));
  entry.is_good = true;
  return entry;
}

}  // namespace

bool DeadEntry::covers(std::size_t ring, std::size_t module) const {
  const auto has = [](const std::vector<std::size_t>& list, std::size_t i) {
    return list.empty() || std::ranges::find(list, i) != list.end();
  };
  return is_good && has(rings, ring) && has(modules, module);
}

std::vector<DeadEntry> read_dead(const Value& value, const ShapeSpec& spec) {
  std::vector<DeadEntry> list;
  const std::vector<Value> items =
      value.is_list() ? value.items() : std::vector<Value>{value};
  if (items.empty())
    value.error("the list is empty", "remove \"dead\", or give a region");
  for (const Value& item : items) list.push_back(read_region(item, spec));
  return list;
}

}  // namespace gttf::detail
