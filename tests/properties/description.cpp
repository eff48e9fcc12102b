// SPDX-License-Identifier: Apache-2.0
// Writes descriptions as YAML and changes them exactly.
#include "properties/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gttf::test {
namespace {

std::string um(long value) { return fmt::format("{} um", value); }

std::string range(long from, long to) {
  return fmt::format("[{}, {}]", um(from), um(to));
}

std::string surface(const LayerText& l) {
  const std::string place =
      l.repeat > 1 ? range(l.position, l.last) : um(l.position);
  switch (l.shape) {
    case Shape::cylinder:
      if (l.a_from == -l.a_to)
        return fmt::format("cylinder: {{ radius: {}, half_length: {} }}", place,
                           um(l.a_to));
      return fmt::format("cylinder: {{ radius: {}, z: {} }}", place,
                         range(l.a_from, l.a_to));
    case Shape::disk:
      return fmt::format("disk: {{ z: {}, radius: {} }}", place,
                         range(l.a_from, l.a_to));
    case Shape::plane_x:
      return fmt::format("plane: {{ x: {}, y: {}, z: {} }}", place,
                         range(l.a_from, l.a_to), range(l.b_from, l.b_to));
    case Shape::plane_z:
      break;
  }
  return fmt::format("plane: {{ z: {}, x: {}, y: {} }}", place,
                     range(l.a_from, l.a_to), range(l.b_from, l.b_to));
}

std::string material(const LayerText& l) {
  std::vector<std::string> slabs;
  for (const SlabText& s : l.material)
    slabs.push_back(
        s.own ? fmt::format("{{ of: Stuff, thickness: {} }}", um(s.amount))
              : fmt::format("0.{:06}", s.amount));
  return slabs.size() == 1 ? slabs.front()
                           : fmt::format("[{}]", fmt::join(slabs, ", "));
}

std::string measures(const LayerText& l) {
  const bool along_axes = std::ranges::all_of(l.measures, [](const auto& c) {
    return c.angle == 0 || c.angle == right_angle;
  });
  std::vector<std::string> parts;
  for (const CoordinateText& c : l.measures) {
    if (!along_axes) {
      const std::string angle =
          c.angle == right_angle ? "90 deg" : fmt::format("{} mrad", c.angle);
      parts.push_back(
          fmt::format("{{ angle: {}, sigma: {} nm }}", angle, c.sigma));
      continue;
    }
    const bool u = c.angle == 0;
    const char* name = l.shape == Shape::cylinder ? (u ? "rphi" : "z")
                       : l.shape == Shape::disk   ? (u ? "rphi" : "r")
                                                  : (u ? "u" : "v");
    parts.push_back(fmt::format("{}: {} nm", name, c.sigma));
  }
  const std::string all = fmt::format("{}", fmt::join(parts, ", "));
  if (!along_axes) return fmt::format("measures: [{}]", all);
  return fmt::format("{}: {{ {} }}", l.pitch ? "pitch" : "measures", all);
}

std::string field(const Description& d) {
  if (d.millitesla != 0)
    return fmt::format("{{ solenoid: {} mT }}", d.millitesla);
  if (d.has_map()) return fmt::format("{{ map: {} }}", d.map_file());
  if (d.magnets.empty()) return "none";
  std::vector<std::string> all;
  for (const MagnetText& m : d.magnets)
    all.push_back(
        fmt::format("{{ entrance: {}, exit: {}, field: {} mT, direction: {} }}",
                    um(m.entrance), um(m.exit), m.millitesla, m.direction));
  if (all.size() == 1) return fmt::format("{{ dipole: {} }}", all.front());
  return fmt::format("{{ dipole: [{}] }}", fmt::join(all, ", "));
}

}  // namespace

std::string Description::map_file() const {
  return fmt::format("map{}.csv", seed);
}

std::string Description::map_csv() const {
  std::string text = "r[um],z[um],Br[mT],Bz[mT]\n";
  const double strength = static_cast<double>(map.millitesla);
  const double bulge = static_cast<double>(map.percent) / 100;
  for (long i = 0; i < map.nodes_r; ++i)
    for (long k = 0; k < map.nodes_z; ++k) {
      const long r = map.last_r * i / (map.nodes_r - 1);
      const long z = map.last_z * 2 * k / (map.nodes_z - 1) - map.last_z;
      const double x = static_cast<double>(r) / static_cast<double>(map.last_z);
      const double y = static_cast<double>(z) / static_cast<double>(map.last_z);
      text += fmt::format("{},{},{},{}\n", r, z, -strength * bulge * x * y,
                          strength * (1 + bulge * (y * y - x * x / 2)));
    }
  return text;
}

std::string Description::yaml() const {
  std::string text = fmt::format(
      "gttf-detector: 1\nname: {}\nfield: {}\nmaterials:\n"
      "  Stuff: {{ radiation_length: {}, density: 1 g/cm3 }}\nlayers:\n",
      name, field(*this), um(radiation_length));
  for (const LayerText& l : layers) {
    text += fmt::format("  - name: {}\n    {}\n    material: {}\n", l.name,
                        surface(l), material(l));
    if (!l.measures.empty()) text += fmt::format("    {}\n", measures(l));
    if (l.repeat > 1) text += fmt::format("    repeat: {}\n", l.repeat);
    if (l.mirror) text += "    mirror: true\n";
  }
  return text;
}

void enlarge(Description& d, long factor) {
  d.radiation_length *= factor;
  for (MagnetText& m : d.magnets) m.entrance *= factor, m.exit *= factor;
  d.map.last_r *= factor;
  d.map.last_z *= factor;
  for (LayerText& l : d.layers) {
    for (long* length :
         {&l.position, &l.last, &l.a_from, &l.a_to, &l.b_from, &l.b_to})
      *length *= factor;
    for (SlabText& s : l.material)
      if (s.own) s.amount *= factor;
    for (CoordinateText& c : l.measures) c.sigma *= factor;
  }
}

void scale_field(Description& d, long numerator, long denominator) {
  d.millitesla = d.millitesla * numerator / denominator;
  d.map.millitesla = d.map.millitesla * numerator / denominator;
  for (MagnetText& m : d.magnets)
    m.millitesla = m.millitesla * numerator / denominator;
}

namespace {

void turn_strips(LayerText& l) {
  for (CoordinateText& c : l.measures)
    if (c.angle != right_angle) c.angle = -c.angle;
}

void turn(long& from, long& to) {
  from = -from;
  to = -to;
  std::swap(from, to);
}

}  // namespace

void mirror_z(Description& d) {
  for (LayerText& l : d.layers) {
    switch (l.shape) {
      case Shape::cylinder:
        turn(l.a_from, l.a_to);
        turn_strips(l);
        break;
      case Shape::plane_x:
        turn(l.b_from, l.b_to);
        turn_strips(l);
        break;
      case Shape::disk:
      case Shape::plane_z:
        l.position = -l.position;
        l.last = -l.last;
        break;
    }
  }
}

void mirror_y(Description& d) {
  for (LayerText& l : d.layers) {
    if (l.shape == Shape::plane_x) turn(l.a_from, l.a_to);
    if (l.shape == Shape::plane_z) turn(l.b_from, l.b_to);
    turn_strips(l);
  }
}

}  // namespace gttf::test
