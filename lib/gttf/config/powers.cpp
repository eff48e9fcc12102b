// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/powers.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace gttf {

Powers powers_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::length:
      return {.length = 1};
    case Dimension::energy:
      return {.energy = 1};
    case Dimension::field:
      return {.field = 1};
    case Dimension::angle:
      return {.angle = 1};
    case Dimension::density:
    case Dimension::fraction:
    case Dimension::number:
      break;
  }
  return {};
}

std::string example_unit(const Powers& powers) {
  const std::array<std::pair<std::string_view, double>, 4> units{
      {{"um", powers.length},
       {"GeV", powers.energy},
       {"T", powers.field},
       {"mrad", powers.angle}}};
  std::string above, below;
  for (const auto& [name, power] : units) {
    if (power == 0) continue;
    std::string& side = power > 0 ? above : below;
    side += power > 0 && side.empty() ? "" : (power > 0 ? "*" : "/");
    side += name;
    if (std::abs(power) != 1) side += fmt::format("^{:g}", std::abs(power));
  }
  if (above.empty() && !below.empty()) above = "1";
  return above + below;
}

std::string name_of(const Powers& powers) {
  if (is_number(powers)) return "a number";
  for (const Dimension d : {Dimension::length, Dimension::energy,
                            Dimension::field, Dimension::angle})
    if (powers == powers_of(d)) return std::string(name_of(d));
  return "a value in " + example_unit(powers);
}

}  // namespace gttf
