// SPDX-License-Identifier: Apache-2.0
// Writes a detector as the text of a YAML file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

#include "gttf/config/text.hpp"
#include "gttf/detector/decimal.hpp"
#include "gttf/detector/import/foreign_text.hpp"
#include "gttf/detector/surface_outline.hpp"

namespace gttf::detail {
namespace {

bool alike(const Layer& a, const Layer& b) {
  const auto same_slab = [](const Slab& x, const Slab& y) {
    return x.material == y.material && x.thickness == y.thickness &&
           x.x_over_x0 == y.x_over_x0;
  };
  const auto same_coordinate = [](const Coordinate& x, const Coordinate& y) {
    return x.angle == y.angle && x.sigma == y.sigma;
  };
  return a.name == b.name && a.surface.v.lower == b.surface.v.lower &&
         a.surface.v.upper == b.surface.v.upper &&
         a.efficiency == b.efficiency &&
         std::ranges::equal(a.material, b.material, same_slab) &&
         std::ranges::equal(a.coordinates, b.coordinates, same_coordinate);
}

/// Whether a character is never written as it is.
bool is_hidden(const Character& c) { return c.valid && is_invisible(c.code); }

template <class Work>
void for_each_character(std::string_view text, const Work& work) {
  for (std::size_t i = 0; i < text.size();) {
    const Character c = character_at(text, i);
    work(c, text.substr(i, c.bytes));
    i += c.bytes;
  }
}

/// A single-line comment for any text: names come from other files.
std::string comment_line(std::string_view text) {
  std::string line = "# ";
  for_each_character(text, [&](const Character& c, std::string_view bytes) {
    line += is_hidden(c) ? " " : bytes;
  });
  return line;
}

/// Text in YAML: plain if unambiguous, quoted
/// otherwise.
std::string scalar(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto is_plain = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
  };
  const std::set<std::string, std::less<>> taken = {
      "true", "false", "yes", "no", "on", "off", "null", "y", "n"};
  if (!text.empty() && is_letter(text[0]) &&
      std::ranges::all_of(text, is_plain) && !taken.contains(lower_case(text)))
    return std::string(text);
  std::string quoted = "\"";
  for_each_character(text, [&](const Character& c, std::string_view bytes) {
    if (is_hidden(c))
      quoted += fmt::format(c.code < 0x10000 ? fmt::runtime("\\u{:04x}")
                                             : fmt::runtime("\\U{:08x}"),
                            static_cast<std::uint32_t>(c.code));
    else if (bytes == "\"" || bytes == "\\")
      quoted.append("\\").append(bytes);
    else
      quoted += bytes;
  });
  return quoted + '"';
}

/// In mm, or in m from 10 m on.
std::string mm(double length) {
  return std::abs(length) < 10 * unit::m ? shifted_text(length, 0) + " mm"
                                         : shifted_text(length, -3) + " m";
}

/// Small lengths in um, others in mm.
std::string thin(double length) {
  return length < 1 ? shifted_text(length, 3) + " um" : mm(length);
}

std::string text_of(const Surface& surface) {
  const Interval& v = surface.v;
  if (surface.is_inclined()) {
    const auto& n = surface.normal_vector;
    const auto& u = surface.u_vector;
    const Corners all = corners(surface);
    const auto list = [](const std::array<double, 3>& x, const auto& text) {
      return fmt::format("[{}, {}, {}]", text(x[0]), text(x[1]), text(x[2]));
    };
    std::array<double, 3> centre{};
    for (std::size_t i = 0; i < 3; ++i)
      centre[i] = 0.5 * (all[0][i] + all[2][i]);
    const auto length = [](double x) { return computed_text(x) + " mm"; };
    const auto number = [](double x) { return fmt::format("{}", x); };
    return fmt::format(
        "plane: {{ center: {}, normal: {}, u: {}, size: [{}, "
        "{}] }}",
        list(centre, length), list(n, number), list(u, number),
        length(surface.u.length()), length(v.length()));
  }
  if (surface.shape == Shape::plane)
    return fmt::format("plane: {{ x: [{}, {}], y: [{}, {}], z: {} }}",
                       computed_text(surface.u.lower) + " mm",
                       computed_text(surface.u.upper) + " mm",
                       computed_text(v.lower) + " mm",
                       computed_text(v.upper) + " mm",
                       computed_text(surface.position) + " mm");
  if (surface.shape == Shape::disk)
    return fmt::format("disk: {{ z: {}, radius: [{}, {}] }}",
                       mm(surface.position), mm(v.lower), mm(v.upper));
  if (surface.shape == Shape::cone) {
    const Meridian line = meridian(surface);
    return fmt::format("cone: {{ z: [{}, {}], radius: [{}, {}] }}",
                       mm(line.z[0]), mm(line.z[1]), mm(line.r[0]),
                       mm(line.r[1]));
  }
  if (v.lower == -v.upper)
    return fmt::format("cylinder: {{ radius: {}, half_length: {} }}",
                       mm(surface.position), mm(v.upper));
  return fmt::format("cylinder: {{ radius: {}, z: [{}, {}] }}",
                     mm(surface.position), mm(v.lower), mm(v.upper));
}

std::string text_of(const DescribedRing& ring) {
  const auto length = [](double x) { return computed_text(x) + " mm"; };
  const std::string turn =
      ring.turn == 0 ? ""
                     : fmt::format("turn: {} deg, ", computed_text(ring.turn));
  return fmt::format(
      "ring: {{ radius: {}, z: {}, count: {}, size: [{}, {}], tilt: {} deg, "
      "{}phi: {} deg }}",
      length(ring.radius), length(ring.z), ring.count, length(ring.size[0]),
      length(ring.size[1]), computed_text(ring.tilt), turn,
      computed_text(ring.phi));
}

std::string material_text(const Layer& layer) {
  if (layer.material.empty()) return "0";
  const Slab& slab = layer.material[0];
  if (slab.material.empty()) return shifted_text(slab.x_over_x0, 2) + " %";
  return fmt::format("{{ of: {}, thickness: {} }}", scalar(slab.material),
                     thin(slab.thickness));
}

std::string measures_text(const Layer& layer) {
  const auto [u, v] = axis_names(layer.surface);
  std::string named, general;
  bool by_name = true;
  for (const Coordinate& c : layer.coordinates) {
    by_name = by_name && (c.angle == 0 || c.angle == 90 * unit::deg);
    named += fmt::format("{}{}: {}", named.empty() ? "" : ", ",
                         c.angle == 0 ? u : v, thin(c.sigma));
    general += fmt::format(
        "{}{{ angle: {}, sigma: {} }}", general.empty() ? "" : ", ",
        c.angle == 90 * unit::deg ? "90 deg"
                                  : shifted_text(c.angle, 3) + " mrad",
        thin(c.sigma));
  }
  const std::size_t n = layer.coordinates.size();
  // two coordinates in the same direction have no separate names
  if (n == 2 && layer.coordinates[0].angle == layer.coordinates[1].angle)
    by_name = false;
  return by_name ? "{ " + named + " }" : "[" + general + "]";
}

std::string layer_text(const DescribedLayer& described) {
  const Layer& layer = described.layer;
  std::string text = "  - { name: " + scalar(layer.name);
  if (!layer.group.empty()) text += ", group: " + scalar(layer.group);
  text += ", " +
          (described.ring ? text_of(*described.ring) : text_of(layer.surface));
  if (described.mirror) text += ", mirror: true";
  text += ", material: " + material_text(layer);
  if (described.pitch) {
    const auto [u, v] = axis_names(layer.surface);
    text += fmt::format(", pitch: {{ {}: {}, {}: {} }}", u,
                        thin((*described.pitch)[0]), v,
                        thin((*described.pitch)[1]));
  } else if (layer.measures()) {
    text += ", measures: " + measures_text(layer);
  }
  if (layer.efficiency != 1)
    text += ", efficiency: " + shifted_text(layer.efficiency, 0);
  return text + " }";
}

}  // namespace

void pair_mirror_images(std::vector<DescribedLayer>& layers) {
  std::multimap<double, std::size_t> waiting;  // by z
  std::vector<bool> is_image(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i].layer;
    if (layer.surface.shape != Shape::disk || layer.surface.position == 0)
      continue;
    auto [it, end] = waiting.equal_range(-layer.surface.position);
    while (it != end && !alike(layers[it->second].layer, layer)) ++it;
    if (it == end) {
      waiting.emplace(layer.surface.position, i);
      continue;
    }
    DescribedLayer& first = layers[it->second];
    first.mirror = true;
    first.layer.surface.position = std::abs(layer.surface.position);
    is_image[i] = true;
    waiting.erase(it);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (is_image[i]) continue;
    if (kept != i) layers[kept] = std::move(layers[i]);
    ++kept;
  }
  layers.resize(kept);
}

void name_layers(std::vector<DescribedLayer>& layers) {
  std::map<std::string, int> uses, number;
  for (const DescribedLayer& d : layers) ++uses[d.layer.name];
  std::set<std::string> taken;
  for (const auto& [name, n] : uses)
    if (n == 1) taken.insert(name);
  for (DescribedLayer& d : layers) {
    const std::string label = d.layer.name;
    if (d.layer.group.empty()) d.layer.group = label;
    if (uses[label] == 1) continue;
    // three layers "L1" become L1_1, L1_2, L1_3, not L11
    const bool ends_in_digit = label.back() >= '0' && label.back() <= '9';
    do
      d.layer.name = fmt::format("{}{}{}", label, ends_in_digit ? "_" : "",
                                 ++number[label]);
    while (!taken.insert(d.layer.name).second);
  }
}

DescriptionText to_yaml(const Description& description) {
  DescriptionText out;
  const auto line = [&out](const std::string& text, int layer = -1) {
    out.text += text + "\n";
    out.layer_of_line.push_back(layer);
  };
  for (const std::string& comment : description.comments)
    line(comment_line(comment));
  line("gttf-detector: 1");
  line("name: " + scalar(description.name));
  if (!description.source.empty()) {
    line("source:");
    for (const std::string& source : description.source)
      line("  - " + scalar(source));
  }
  line(description.tesla == 0 ? "field: none"
                              : fmt::format("field: {{ solenoid: {} T }}",
                                            computed_text(description.tesla)));
  if (!description.materials.empty()) {
    line("");
    line("materials:");
    for (const Material& material : description.materials)
      line(fmt::format("  {}: {{ radiation_length: {} }}",
                       scalar(material.name), mm(material.radiation_length)));
  }
  line("");
  line("layers:");
  for (std::size_t i = 0; i < description.layers.size(); ++i)
    line(layer_text(description.layers[i]), static_cast<int>(i));
  return out;
}

}  // namespace gttf::detail
