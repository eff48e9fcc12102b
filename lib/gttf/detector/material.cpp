// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/material.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "gttf/config/text.hpp"
#include "gttf/core/units.hpp"

namespace gttf {
namespace {

// One row of the PDG table. `x0` is in g/cm2, `excitation` is I in eV.
struct MaterialRow {
  std::string_view name;
  std::string_view aliases;  ///< separated by commas
  double z_over_a;
  double x0;
  double density;  ///< g/cm3
  double excitation;
  std::string_view source = "";  ///< empty: [PDG24]
};

// Mixtures not listed by the PDG: 1/X0 = sum of w_i / X0_i over the mass
// fractions w_i, with the X0_i of this table and Z/A likewise [PDG24, passage
// of particles, section 34.4.2]. I by Bragg's rule, ln I = sum of w_i (Z/A)_i
// ln I_i / (Z/A), with those of C, H and O in compounds [PDG24].
constexpr std::string_view carbon_fibre =
    "mixture: 70 % graphite fibre, 30 % epoxy by mass, 1.6 g/cm3";
constexpr std::string_view epoxy = "mixture: C21H24O4 (DGEBA), 1.2 g/cm3";
constexpr std::string_view albemet =
    "mixture: 62 % Be, 38 % Al by mass; density of AlBeMet AM162";
constexpr std::string_view steel =
    "mixture: 74 % Fe, 18 % Cr, 8 % Ni by mass; density of AISI 304";
constexpr std::string_view gas_table =
    "[PDG24] table of gases for detectors (density); C4H10 (other columns)";
constexpr std::string_view cf4_source =
    "[PDG24] table of gases for detectors (density); mixture of C and F";
constexpr std::string_view older =
    "[PDG02] table of materials: NEMA G10 plate; Z/A and I: 60 % quartz, 40 % "
    "epoxy by mass";

constexpr std::array rows = {
    MaterialRow{"air", "dry air", 0.49919, 36.62, 1.205e-3, 85.7},
    MaterialRow{"AlBeMet", "AlBeMet162,AM162", 0.45827, 39.47, 2.071, 93.4,
                albemet},
    MaterialRow{"alumina", "Al2O3,sapphire,aluminium oxide,aluminum oxide",
                0.49038, 27.94, 3.970, 145.2},
    MaterialRow{"aluminium", "Al,aluminum", 0.48181, 24.01, 2.699, 166.0},
    MaterialRow{"argon", "Ar", 0.45059, 19.55, 1.662e-3, 188.0},
    MaterialRow{"beryllium", "Be", 0.44384, 65.19, 1.848, 63.7},
    MaterialRow{"borosilicate glass", "pyrex,glass", 0.49707, 28.17, 2.230,
                134.0},
    MaterialRow{"carbon", "C,graphite", 0.49955, 42.70, 2.210, 78.0},
    MaterialRow{"carbon fibre", "carbon fiber,CFRP,CFK", 0.51008, 42.40, 1.60,
                75.5, carbon_fibre},
    MaterialRow{"CO2", "carbon dioxide", 0.49989, 36.20, 1.842e-3, 85.0},
    MaterialRow{"copper", "Cu", 0.45636, 12.86, 8.960, 322.0},
    MaterialRow{"diamond", "CVD diamond", 0.49955, 42.70, 3.520, 78.0},
    MaterialRow{"epoxy", "epoxy resin,DGEBA", 0.53464, 41.72, 1.20, 70.2,
                epoxy},
    MaterialRow{"ethane", "C2H6", 0.59861, 45.66, 1.263e-3, 45.4},
    MaterialRow{"G10", "FR4,GFK,glass fibre,glass fiber", 0.51344, 33.0, 1.70,
                104.7, older},
    MaterialRow{"GaAs", "gallium arsenide", 0.44247, 12.19, 5.310, 384.9},
    MaterialRow{"germanium", "Ge", 0.44053, 12.25, 5.323, 350.0},
    MaterialRow{"gold", "Au", 0.40108, 6.46, 19.320, 790.0},
    MaterialRow{"helium", "He", 0.49967, 94.32, 1.663e-4, 41.8},
    MaterialRow{"iron", "Fe", 0.46557, 13.84, 7.874, 286.0},
    MaterialRow{"isobutane", "iC4H10,C4H10", 0.58497, 45.23, 2.49e-3, 48.3,
                gas_table},
    MaterialRow{"Kapton", "polyimide,polyimide film", 0.51264, 40.58, 1.420,
                79.6},
    MaterialRow{"lead", "Pb", 0.39575, 6.37, 11.350, 823.0},
    MaterialRow{"methane", "CH4", 0.62334, 46.47, 6.672e-4, 41.7},
    MaterialRow{"Mylar", "PET,polyester", 0.52037, 39.95, 1.400, 78.7},
    MaterialRow{"neon", "Ne", 0.49555, 28.93, 8.385e-4, 137.0},
    MaterialRow{"nickel", "Ni", 0.47708, 12.68, 8.902, 311.0},
    MaterialRow{"nitrogen", "N2,N", 0.49976, 37.99, 1.165e-3, 82.0},
    MaterialRow{"oxygen", "O2,O", 0.50002, 34.24, 1.332e-3, 95.0},
    MaterialRow{"paraffin", "wax", 0.57275, 44.85, 0.930, 55.9},
    MaterialRow{"PMMA", "acrylic,plexiglas,lucite", 0.53937, 40.55, 1.190,
                74.0},
    MaterialRow{"polycarbonate", "lexan,makrolon", 0.52697, 41.50, 1.200, 73.1},
    MaterialRow{"polyethylene", "PE", 0.57034, 44.77, 0.890, 57.4},
    MaterialRow{"polystyrene", "PS,scintillating fibre,scintillating fiber",
                0.53768, 43.79, 1.060, 68.7},
    MaterialRow{"quartz", "SiO2,fused quartz,fused silica,silica", 0.49930,
                27.05, 2.200, 139.2},
    MaterialRow{"scintillator", "polyvinyltoluene,plastic scintillator,PVT",
                0.54141, 43.90, 1.032, 64.7},
    MaterialRow{"silicon", "Si", 0.49848, 21.82, 2.329, 173.0},
    MaterialRow{"silver", "Ag", 0.43572, 8.97, 10.500, 470.0},
    MaterialRow{"stainless steel", "steel,AISI 304", 0.46577, 13.92, 8.00,
                282.6, steel},
    MaterialRow{"Teflon", "PTFE", 0.47992, 34.84, 2.200, 99.1},
    MaterialRow{"tetrafluoromethane", "CF4", 0.47725, 33.99, 3.78e-3, 115.0,
                cf4_source},
    MaterialRow{"tin", "Sn", 0.42119, 8.82, 7.310, 488.0},
    MaterialRow{"titanium", "Ti", 0.45961, 16.16, 4.540, 233.0},
    MaterialRow{"tungsten", "W", 0.40252, 6.76, 19.300, 727.0},
    MaterialRow{"water", "H2O", 0.55509, 36.08, 1.000, 79.7},
    MaterialRow{"xenon", "Xe", 0.41129, 8.48, 5.483e-3, 482.0},
};

/// The form in which names are compared.
std::string canonical(std::string_view name) {
  std::string result = lower_case(name);
  std::erase_if(result,
                [](char c) { return c == ' ' || c == '-' || c == '_'; });
  return result;
}

template <class Visitor>
void for_each_name(const MaterialRow& row, Visitor visit) {
  visit(row.name);
  for (std::string_view rest = row.aliases; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    visit(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
}

}  // namespace

const std::vector<Material>& builtin_materials() {
  static const std::vector<Material> materials = [] {
    std::vector<Material> list;
    for (const MaterialRow& row : rows)
      list.push_back({std::string(row.name), row.x0 / row.density * unit::cm,
                      row.density * unit::g_per_cm3, row.z_over_a,
                      row.excitation * unit::eV,
                      std::string(row.source.empty() ? "[PDG24]" : row.source),
                      tabulated_density_effect(row.name)});
    return list;
  }();
  return materials;
}

namespace {

/// The built-in materials by all their names, in the form of comparisons.
const std::unordered_map<std::string, const Material*>& builtin_by_name() {
  static const std::unordered_map<std::string, const Material*> by_name = [] {
    std::unordered_map<std::string, const Material*> map;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for_each_name(rows[i], [&](std::string_view name) {
        map.emplace(canonical(name), &builtin_materials()[i]);
      });
    return map;
  }();
  return by_name;
}

}  // namespace

const Material* find_material(std::string_view name,
                              std::span<const Material> own) {
  const std::string wanted = canonical(name);
  for (const Material& material : own)
    if (material.name == name || canonical(material.name) == wanted)
      return &material;
  const auto known = builtin_by_name().find(wanted);
  return known == builtin_by_name().end() ? nullptr : known->second;
}

std::vector<std::string> material_names() {
  std::vector<std::string> names;
  for (const MaterialRow& row : rows)
    for_each_name(row,
                  [&](std::string_view name) { names.emplace_back(name); });
  return names;
}

namespace {

struct Entry {
  std::string_view name;  ///< as in the table of materials
  DensityEffect effect;
};

// c_bar, x0, x1, a, k, delta0. Where the density in the table of materials
// differs from [Sternheimer84] (beryllium, carbon), recalculated by the PDG.
constexpr std::array entries = {
    Entry{"air", {10.5961, 1.7418, 4.2759, 0.10914, 3.3994, 0}},
    Entry{"alumina", {3.5682, 0.0402, 2.8665, 0.08500, 3.5458, 0}},
    Entry{"aluminium", {4.2395, 0.1708, 3.0127, 0.08024, 3.6345, 0.12}},
    Entry{"argon", {11.9480, 1.7635, 4.4855, 0.19714, 2.9618, 0}},
    Entry{"beryllium", {2.7847, 0.0592, 1.6922, 0.80392, 2.4339, 0.14}},
    Entry{"borosilicate glass", {3.9708, 0.1479, 2.9933, 0.08270, 3.5224, 0}},
    Entry{"carbon", {2.8926, 0.0090, 2.4817, 0.20762, 2.9532, 0.14}},
    Entry{"CO2", {10.1537, 1.6294, 4.1825, 0.11768, 3.3227, 0}},
    Entry{"copper", {4.4190, -0.0254, 3.2792, 0.14339, 2.9044, 0.08}},
    Entry{"ethane", {9.1043, 1.5107, 3.8743, 0.09627, 3.6095, 0}},
    Entry{"GaAs", {5.3299, 0.1764, 3.6420, 0.07152, 3.3356, 0}},
    Entry{"germanium", {5.1411, 0.3376, 3.6096, 0.07188, 3.3306, 0.14}},
    Entry{"gold", {5.5747, 0.2021, 3.6979, 0.09756, 3.1101, 0.14}},
    Entry{"helium", {11.1393, 2.2017, 3.6122, 0.13443, 5.8347, 0}},
    Entry{"iron", {4.2911, -0.0012, 3.1531, 0.14680, 2.9632, 0.12}},
    Entry{"isobutane", {8.5633, 1.3788, 3.7524, 0.10852, 3.4184, 0}},
    Entry{"Kapton", {3.3497, 0.1509, 2.5631, 0.15972, 3.1921, 0}},
    Entry{"lead", {6.2018, 0.3776, 3.8073, 0.09359, 3.1608, 0.14}},
    Entry{"methane", {9.5243, 1.6263, 3.9716, 0.09253, 3.6257, 0}},
    Entry{"Mylar", {3.3262, 0.1562, 2.6507, 0.12679, 3.3076, 0}},
    Entry{"neon", {11.9041, 2.0735, 4.6421, 0.08064, 3.5771, 0}},
    Entry{"nickel", {4.3115, -0.0566, 3.1851, 0.16496, 2.8430, 0.10}},
    Entry{"nitrogen", {10.5400, 1.7378, 4.1323, 0.15349, 3.2125, 0}},
    Entry{"oxygen", {10.7004, 1.7541, 4.3213, 0.11778, 3.2913, 0}},
    Entry{"paraffin", {2.9551, 0.1289, 2.5084, 0.12087, 3.4288, 0}},
    Entry{"PMMA", {3.3297, 0.1824, 2.6681, 0.11433, 3.3836, 0}},
    Entry{"polycarbonate", {3.3201, 0.1606, 2.6225, 0.12860, 3.3288, 0}},
    Entry{"polyethylene", {3.0016, 0.1370, 2.5177, 0.12108, 3.4292, 0}},
    Entry{"polystyrene", {3.2999, 0.1647, 2.5031, 0.16454, 3.2224, 0}},
    Entry{"quartz", {4.0029, 0.1385, 3.0025, 0.08408, 3.5064, 0}},
    Entry{"scintillator", {3.1997, 0.1464, 2.4855, 0.16101, 3.2393, 0}},
    Entry{"silicon", {4.4355, 0.2015, 2.8716, 0.14921, 3.2546, 0.14}},
    Entry{"silver", {5.0630, 0.0657, 3.1074, 0.24585, 2.6899, 0.14}},
    Entry{"Teflon", {3.4161, 0.1648, 2.7404, 0.10606, 3.4046, 0}},
    Entry{"tin", {5.5340, 0.2879, 3.2959, 0.18689, 2.8576, 0.14}},
    Entry{"titanium", {4.4450, 0.0957, 3.0386, 0.15662, 3.0302, 0.12}},
    Entry{"tungsten", {5.4059, 0.2167, 3.4960, 0.15509, 2.8447, 0.14}},
    Entry{"water", {3.5017, 0.2400, 2.8004, 0.09116, 3.4773, 0}},
    Entry{"xenon", {12.7281, 1.5630, 4.7371, 0.23314, 2.7414, 0}},
};

}  // namespace

DensityEffect tabulated_density_effect(std::string_view name) {
  for (const Entry& row : entries)
    if (row.name == name) return row.effect;
  return {};
}

}  // namespace gttf
