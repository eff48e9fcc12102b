// SPDX-License-Identifier: Apache-2.0
// Reads `material` of a layer.
#include <fmt/format.h>

#include "gttf/config/text.hpp"
#include "gttf/detector/material_map.hpp"
#include "gttf/detector/named_file.hpp"
#include "gttf/detector/read_layer.hpp"

namespace gttf::detail {
namespace {

/// Above this, a bare x/X0 suggests a missing percent sign.
constexpr double suspicious_x_over_x0 = 0.1;
/// Above this, a layer is a calorimeter rather than part of a tracker.
constexpr double thick_x_over_x0 = 1.0;

/// Adds a slab of x/X0 as written, after a plausibility check.
void add_fraction(const Value& value, std::optional<double> mean_loss,
                  std::vector<Slab>& slabs) {
  const auto x = value.quantity(Dimension::fraction);
  if (!x) return;
  const std::string& text = value.node().text();
  const bool is_percent = text.ends_with('%');
  if (*x < 0) {
    value.error(
        fmt::format("x/X0 must not be negative, got {}", in_quotes(text)));
    return;
  }
  if (*x > suspicious_x_over_x0 && !is_percent)
    value.warning(
        fmt::format("x/X0 = {} is {:g} % of a radiation length", text,
                    *x * 100),
        fmt::format("write \"{} %\" if a percentage is intended", text));
  else if (*x > thick_x_over_x0)
    value.warning(
        fmt::format("{} is more than a radiation length", in_quotes(text)));
  slabs.push_back({.material = "",
                   .thickness = 0,
                   .x_over_x0 = *x,
                   .density = 0,
                   .mean_loss = mean_loss});
}

/// A density or an energy; `zero`: 0 is allowed.
std::optional<double> read_not_negative(const Value& value, Dimension dimension,
                                        std::string_view what,
                                        std::string_view unit, bool zero) {
  const auto number = value.quantity(dimension, unit);
  if (!number || *number > 0 || (zero && *number == 0)) return number;
  value.error(fmt::format("the {} must {}, got {}", what,
                          zero ? "not be negative" : "be positive",
                          describe(value.node())));
  return std::nullopt;
}

const Material* read_material_name(const Value& of,
                                   const std::vector<Material>& own) {
  const auto name = of.text("the name of a material");
  if (!name) return nullptr;
  const Material* material = find_material(*name, own);
  if (material) return material;
  std::vector<std::string> known = material_names();
  for (const Material& m : own) known.push_back(m.name);
  const auto near = nearest(*name, known);
  of.error(fmt::format("unknown material {}", in_quotes(*name)),
           near ? fmt::format("did you mean {}?", in_quotes(*near))
                : "add it under \"materials\", or give x/X0 instead");
  return nullptr;
}

/// Whether a map may be binned in this coordinate of the surface.
bool varies_over(const Surface& s, MapCoordinate coordinate) {
  const bool flat_in_z = s.shape == Shape::disk ||
                         (s.shape == Shape::plane && s.normal == Axis::z);
  switch (coordinate) {
    case MapCoordinate::z:
      return !flat_in_z;
    case MapCoordinate::r:
      return s.shape != Shape::cylinder;
    case MapCoordinate::phi:
      return true;
    case MapCoordinate::u:
    case MapCoordinate::v:
      return s.shape == Shape::plane;
  }
  return true;
}

/// { map: FILE, of: MATERIAL, scale: NUMBER }.
void read_mapped_slab(const Value& value, const LayerContext& context,
                      const Surface* surface, std::vector<Slab>& slabs) {
  MapReader map(value);
  const auto file = map.require("map", "services.csv");
  const auto of = map.find("of");
  const auto scale = map.find("scale");
  map.finish();
  const Material* material =
      of ? read_material_name(*of, context.materials) : nullptr;
  double factor = 1;
  if (scale) {
    factor = scale->quantity(Dimension::number).value_or(1);
    if (!(factor > 0)) {
      scale->error(fmt::format("the scale must be positive, got {}",
                               describe(scale->node())));
      factor = 1;
    }
  }
  const auto name =
      file ? file->text("the file of the map") : std::optional<std::string>();
  if (!name) return;
  std::string path = path_of_named(*file, *name, context.file);
  if (path == "-") path = "./-";  // a file, not standard input
  Diagnostics errors;
  auto read = read_material_map(path, errors);
  if (!read) {
    report_named(*file, path, errors);
    return;
  }
  for (const MaterialMap::Bins& axis : read->axes()) {
    if (surface == nullptr || varies_over(*surface, axis.coordinate)) continue;
    const bool local = axis.coordinate == MapCoordinate::u ||
                       axis.coordinate == MapCoordinate::v;
    file->error(
        fmt::format("the map has bins in {}, {}", column_name(axis.coordinate),
                    local ? "which only planes have"
                          : "which is the same everywhere on this surface"),
        surface->shape == Shape::cylinder
            ? "the bins of a cylinder are in z_mm and phi_deg"
        : local ? "use z_mm or r_mm, and phi_deg"
                : "use r_mm and phi_deg, or on a plane u_mm and v_mm");
    return;
  }
  if (read->largest() * factor > thick_x_over_x0)
    file->warning(
        fmt::format("the map reaches x/X0 = {:g}, more than a radiation length",
                    read->largest() * factor),
        "x_over_x0 is a fraction, not a percentage");
  const double mean = read->mean() * factor;
  slabs.push_back(
      {.material = material ? material->name : "",
       .thickness = material ? mean * material->radiation_length : 0,
       .x_over_x0 = mean,
       .density = 0,
       .mean_loss = std::nullopt,
       .map = std::make_shared<const MaterialMap>(std::move(*read))});
}

/// { of, thickness, density, dE } or { x_over_x0, dE }.
void read_slab_map(const Value& value, const std::vector<Material>& own,
                   std::vector<Slab>& slabs) {
  MapReader map(value);
  const bool by_fraction = value.node().find("x_over_x0") != nullptr;
  const auto of = by_fraction ? map.find("of") : map.require("of", "silicon");
  const auto thickness =
      by_fraction ? map.find("thickness") : map.require("thickness", "0.3 mm");
  const auto density = map.find("density");
  const auto fraction = map.find("x_over_x0");
  const auto loss = map.find("dE");
  map.finish();
  std::optional<double> mean_loss;
  if (loss)
    mean_loss =
        read_not_negative(*loss, Dimension::energy, "energy loss", "MeV", true);
  if (fraction) {
    for (const auto& other : {of, thickness, density})
      if (other)
        other->error("\"x_over_x0\" already gives the amount of material",
                     "remove one of the two");
    add_fraction(*fraction, mean_loss, slabs);
    return;
  }
  const Material* material = of ? read_material_name(*of, own) : nullptr;
  // 0 if it could not be read
  const double length =
      thickness ? read_positive(*thickness, "thickness").value_or(0) : 0;
  double own_density = 0, compression = 1;
  if (density) {
    own_density = read_not_negative(*density, Dimension::density, "density",
                                    "g/cm3", false)
                      .value_or(0);
    if (material && material->density <= 0)
      density->error(
          fmt::format("the density of {} is not known, so that its radiation "
                      "length cannot be scaled",
                      in_quotes(material->name)),
          "add \"density\" to it under \"materials\"");
    else if (material && own_density > 0)
      compression = own_density / material->density;
  }
  if (material && length > 0)
    slabs.push_back(
        {.material = material->name,
         .thickness = length,
         .x_over_x0 = length * compression / material->radiation_length,
         .density = own_density,
         .mean_loss = mean_loss});
}

void read_slab(const Value& value, const LayerContext& context,
               const Surface* surface, std::vector<Slab>& slabs) {
  const std::vector<Material>& own = context.materials;
  if (value.is_map()) {
    if (value.node().find("map"))
      read_mapped_slab(value, context, surface, slabs);
    else
      read_slab_map(value, own, slabs);
    return;
  }
  if (!value.is_scalar()) {
    value.expected("x/X0 or { of: MATERIAL, thickness: LENGTH }");
    return;
  }
  const std::string& text = value.node().text();
  if (parse_quantity(text, Dimension::length)) {
    value.error(
        fmt::format("expected x/X0, got a length ({})", in_quotes(text)),
        fmt::format("write {{ of: silicon, thickness: {} }}", text));
    return;
  }
  if (const Material* material = find_material(text, own)) {
    value.error(
        fmt::format("the material {} has no thickness", in_quotes(text)),
        fmt::format("write {{ of: {}, thickness: 0.3 mm }}", material->name));
    return;
  }
  add_fraction(value, std::nullopt, slabs);
}

}  // namespace

std::vector<Slab> read_material(const Value& value, const LayerContext& context,
                                const Surface* surface) {
  std::vector<Slab> slabs;
  if (!value.is_list()) {
    read_slab(value, context, surface, slabs);
    return slabs;
  }
  if (value.node().items().empty())
    value.error("the list of materials is empty", "write \"material: 0\"");
  for (const Value& item : value.items())
    read_slab(item, context, surface, slabs);
  return slabs;
}

}  // namespace gttf::detail
