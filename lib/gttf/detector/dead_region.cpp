// SPDX-License-Identifier: Apache-2.0
// Dead regions as text.
#include "gttf/detector/detector.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace gttf {

std::string to_string(const DeadRegion& region) {
  if (region.is_whole()) return "all";
  std::string text;
  const auto add = [&text](std::string_view name,
                           const std::optional<Interval>& limits, double in,
                           std::string_view unit) {
    if (!limits) return;
    text += fmt::format("{}{} = {:.6g} to {:.6g} {}", text.empty() ? "" : ", ",
                        name, limits->lower / in, limits->upper / in, unit);
  };
  add("phi", region.phi, unit::deg, "deg");
  add("r", region.r, unit::mm, "mm");
  add("x", region.x, unit::mm, "mm");
  add("y", region.y, unit::mm, "mm");
  add("z", region.z, unit::mm, "mm");
  return text;
}

std::string to_string(std::span<const DeadRegion> regions) {
  std::string text;
  for (const DeadRegion& region : regions)
    text += (text.empty() ? "" : "; ") + to_string(region);
  return text;
}

}  // namespace gttf
