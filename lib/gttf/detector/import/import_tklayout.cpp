// SPDX-License-Identifier: Apache-2.0
// Reads tkLayout's list of modules (allCoordinates.csv).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "gttf/config/quantity.hpp"
#include "gttf/config/text.hpp"
#include "gttf/detector/decimal.hpp"
#include "gttf/detector/import/foreign_table.hpp"
#include "gttf/detector/import/ring_joiner.hpp"

namespace gttf::detail {
namespace {

/// Data given by the user for the modules of a section.
struct SectionOfUser {
  double pitch_u = 0, pitch_v = 0;  ///< mm
  double x_over_x0 = 0;             ///< of a module
  int sensors = 1;
  bool used = false;
  ForeignWord name;
};
using Sections = std::map<std::string, SectionOfUser, std::less<>>;

constexpr std::string_view table_advice =
    "the table has the columns section, pitch_u_um, pitch_v_um, x_over_x0 and "
    "optionally sensors (1 or 2)";

Sections read_table(const ForeignFile& file) {
  constexpr std::array<std::string_view, 4> names{"section", "pitch_u_um",
                                                  "pitch_v_um", "x_over_x0"};
  Sections sections;
  const ForeignTable table(file, names, table_advice);
  if (!table.is_good()) return sections;
  const std::size_t sensors = table.find("sensors");
  table.for_each_row([&](const std::vector<ForeignWord>& cells) {
    SectionOfUser s;
    s.name = table.cell(cells, 0);
    const auto u = file.number(table.cell(cells, 1), "pitch along u");
    const auto v = file.number(table.cell(cells, 2), "pitch along v");
    const ForeignWord& material = table.cell(cells, 3);
    const Parsed<double> x0 =
        parse_quantity(material.text, Dimension::fraction);
    if (!x0)
      file.error(material, x0.problem, x0.suggestion);
    else if (x0.value < 0)
      file.error(material, "x/X0 must not be negative");
    for (const std::size_t i : {1u, 2u})
      if (const auto& pitch = i == 1 ? u : v; pitch && !(*pitch > 0))
        file.error(table.cell(cells, i), "the pitch must be positive");
    s.pitch_u = shifted(u.value_or(1), mm_of_um);
    s.pitch_v = shifted(v.value_or(1), mm_of_um);
    s.x_over_x0 = x0 ? x0.value : 0;
    if (sensors != ForeignTable::none) {
      const std::string_view text = cells[sensors].text;
      if (text != "1" && text != "2")
        file.error(cells[sensors], fmt::format("a module has 1 or 2 sensors, "
                                               "got {}",
                                               in_quotes(text)));
      s.sensors = text == "2" ? 2 : 1;
    }
    if (!sections.emplace(std::string(s.name.text), s).second)
      file.error(s.name,
                 fmt::format("the section {} is already defined",
                             in_quotes(s.name.text)),
                 "a section has one row");
    return true;
  });
  return sections;
}

/// Modules that differ only in azimuth.
struct RingKey {
  std::string section, layer, ring;
  double radius, z, tilt, width, length, spacing;
  auto operator<=>(const RingKey&) const = default;
};

struct RingOfList {
  RingKey key;
  FilePosition place;
  std::vector<double> phi;  ///< deg
};

std::vector<RingOfList> read_modules(const ForeignFile& file,
                                     const Sections& sections,
                                     std::size_t& rows) {
  constexpr std::array<std::string_view, 13> names{
      "Section",           "Layer",         "Ring",          "SensorCenter rho",
      "SensorCenter z",    "tiltAngle_deg", "skewAngle_deg", "yawAngle_deg",
      "phi_deg",           "meanWidth_mm",  "length_mm",     "sensorSpacing_mm",
      "sensorThickness_mm"};
  const ForeignTable table(file, names,
                           "allCoordinates.csv of tkLayout has these columns");
  std::vector<RingOfList> rings;
  if (!table.is_good()) return rings;
  std::map<RingKey, std::size_t> index;
  std::set<std::string, std::less<>> unknown;
  table.for_each_row([&](const std::vector<ForeignWord>& cells) {
    if (++rows > max_modules) {
      file.error(cells[0], fmt::format("more than {} modules", max_modules));
      return false;
    }
    const auto text = [&](std::size_t i) {
      return std::string(table.cell(cells, i).text);
    };
    std::array<double, names.size()> value{};
    bool good = true;
    for (std::size_t i = 3; i < names.size(); ++i) {
      const auto number =
          file.number(table.cell(cells, i), fmt::format("{}", names[i]));
      good = good && number;
      value[i] = number.value_or(0);
    }
    if (!good) return true;
    for (const std::size_t i : {6u, 7u})
      if (value[i] != 0) {
        file.error(table.cell(cells, i),
                   fmt::format("{} has no counterpart", names[i]),
                   "modules are tilted about their u axis only");
        good = false;
      }
    for (const std::size_t i : {3u, 9u, 10u})
      if (!(value[i] > 0)) {
        file.error(table.cell(cells, i),
                   fmt::format("{} must be positive", names[i]));
        good = false;
      }
    if (!sections.contains(text(0)) && unknown.insert(text(0)).second)
      file.error(table.cell(cells, 0),
                 fmt::format("the table has no section {}", in_quotes(text(0))),
                 "add a row with its pitches and its x/X0");
    if (!good) return true;
    const RingKey key{text(0),  text(1),  text(2),   value[3], value[4],
                      value[5], value[9], value[10], value[11]};
    const auto [it, is_new] = index.emplace(key, rings.size());
    if (is_new) rings.push_back({key, file.place(cells[0]), {}});
    rings[it->second].phi.push_back(value[8]);
    return true;
  });
  return rings;
}

}  // namespace

ForeignDetector read_tklayout(const ForeignFile& file,
                              const ForeignFile* table) {
  ForeignDetector result;
  if (!table) {
    file.error(
        {file.source.text(), 0},
        "a list of modules has no pitches and no material",
        fmt::format("give them with --table FILE.csv: {}", table_advice));
    return result;
  }
  Sections sections = read_table(*table);
  if (table->diagnostics.has_errors()) return result;
  std::vector<RingOfList> rings = read_modules(file, sections, result.rows);
  if (file.diagnostics.has_errors()) return result;
  for (RingOfList& ring : rings) {
    const RingKey& key = ring.key;
    SectionOfUser& section = sections.find(key.section)->second;
    section.used = true;
    // a module with gaps in azimuth is kept individually
    std::vector<std::pair<double, int>> parts;
    if (stand_around(ring.phi))
      parts.emplace_back(ring.phi.front(), static_cast<int>(ring.phi.size()));
    else
      for (const double phi : ring.phi) parts.emplace_back(phi, 1);
    const double tilt = key.tilt * unit::deg;
    for (const auto& [phi, count] : parts)
      for (int k = 0; k < section.sensors; ++k) {
        DescribedLayer& described = result.description.layers.emplace_back();
        Layer& layer = described.layer;
        layer.name =
            fmt::format("{}_L{}_R{}", key.section, key.layer, key.ring);
        layer.group = key.section;
        layer.place = ring.place;
        layer.surface.shape = Shape::plane;
        layer.surface.normal = Axis::none;
        const double off = section.sensors == 1 ? 0 : (k - 0.5) * key.spacing;
        described.ring = DescribedRing{key.radius + off * std::cos(tilt),
                                       key.z + off * std::sin(tilt),
                                       key.tilt,
                                       phi,
                                       0,
                                       count,
                                       {key.width, key.length}};
        layer.material = material_of(section.x_over_x0 / section.sensors);
        described.pitch = {section.pitch_u, section.pitch_v};
        layer.coordinates = {
            {0, section.pitch_u / std::sqrt(12.0)},
            {90 * unit::deg, section.pitch_v / std::sqrt(12.0)}};
      }
  }
  for (const auto& [name, section] : sections)
    if (!section.used)
      table->warning(section.name, fmt::format("no module is in section {}",
                                               in_quotes(name)));
  return result;
}

}  // namespace gttf::detail
