// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/material.hpp"

#include <algorithm>
#include <array>

#include "gttf/config/text.hpp"
#include "gttf/core/units.hpp"

namespace gttf {
namespace {

// One row as the PDG prints it. `x0` is in g/cm2, `excitation` is I in eV.
struct Row {
  std::string_view name;
  std::string_view aliases;  ///< separated by commas
  double z_over_a;
  double x0;
  double density;  ///< g/cm3
  double excitation;
  std::string_view source = "";  ///< empty: [PDG24]
};

// Mixtures that the PDG does not list: 1/X0 = sum of w_i / X0_i over the mass
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
    Row{"air", "dry air", 0.49919, 36.62, 1.205e-3, 85.7},
    Row{"AlBeMet", "AlBeMet162,AM162", 0.45827, 39.47, 2.071, 93.4, albemet},
    Row{"alumina", "Al2O3,sapphire,aluminium oxide,aluminum oxide", 0.49038,
        27.94, 3.970, 145.2},
    Row{"aluminium", "Al,aluminum", 0.48181, 24.01, 2.699, 166.0},
    Row{"argon", "Ar", 0.45059, 19.55, 1.662e-3, 188.0},
    Row{"beryllium", "Be", 0.44384, 65.19, 1.848, 63.7},
    Row{"borosilicate glass", "pyrex,glass", 0.49707, 28.17, 2.230, 134.0},
    Row{"carbon", "C,graphite", 0.49955, 42.70, 2.210, 78.0},
    Row{"carbon fibre", "carbon fiber,CFRP,CFK", 0.51008, 42.40, 1.60, 75.5,
        carbon_fibre},
    Row{"CO2", "carbon dioxide", 0.49989, 36.20, 1.842e-3, 85.0},
    Row{"copper", "Cu", 0.45636, 12.86, 8.960, 322.0},
    Row{"diamond", "CVD diamond", 0.49955, 42.70, 3.520, 78.0},
    Row{"epoxy", "epoxy resin,DGEBA", 0.53464, 41.72, 1.20, 70.2, epoxy},
    Row{"ethane", "C2H6", 0.59861, 45.66, 1.263e-3, 45.4},
    Row{"G10", "FR4,GFK,glass fibre,glass fiber", 0.51344, 33.0, 1.70, 104.7,
        older},
    Row{"GaAs", "gallium arsenide", 0.44247, 12.19, 5.310, 384.9},
    Row{"germanium", "Ge", 0.44053, 12.25, 5.323, 350.0},
    Row{"gold", "Au", 0.40108, 6.46, 19.320, 790.0},
    Row{"helium", "He", 0.49967, 94.32, 1.663e-4, 41.8},
    Row{"iron", "Fe", 0.46557, 13.84, 7.874, 286.0},
    Row{"isobutane", "iC4H10,C4H10", 0.58497, 45.23, 2.49e-3, 48.3, gas_table},
    Row{"Kapton", "polyimide,polyimide film", 0.51264, 40.58, 1.420, 79.6},
    Row{"lead", "Pb", 0.39575, 6.37, 11.350, 823.0},
    Row{"methane", "CH4", 0.62334, 46.47, 6.672e-4, 41.7},
    Row{"Mylar", "PET,polyester", 0.52037, 39.95, 1.400, 78.7},
    Row{"neon", "Ne", 0.49555, 28.93, 8.385e-4, 137.0},
    Row{"nickel", "Ni", 0.47708, 12.68, 8.902, 311.0},
    Row{"nitrogen", "N2,N", 0.49976, 37.99, 1.165e-3, 82.0},
    Row{"oxygen", "O2,O", 0.50002, 34.24, 1.332e-3, 95.0},
    Row{"paraffin", "wax", 0.57275, 44.85, 0.930, 55.9},
    Row{"PMMA", "acrylic,plexiglas,lucite", 0.53937, 40.55, 1.190, 74.0},
    Row{"polycarbonate", "lexan,makrolon", 0.52697, 41.50, 1.200, 73.1},
    Row{"polyethylene", "PE", 0.57034, 44.77, 0.890, 57.4},
    Row{"polystyrene", "PS,scintillating fibre,scintillating fiber", 0.53768,
        43.79, 1.060, 68.7},
    Row{"quartz", "SiO2,fused quartz,fused silica,silica", 0.49930, 27.05,
        2.200, 139.2},
    Row{"scintillator", "polyvinyltoluene,plastic scintillator,PVT", 0.54141,
        43.90, 1.032, 64.7},
    Row{"silicon", "Si", 0.49848, 21.82, 2.329, 173.0},
    Row{"silver", "Ag", 0.43572, 8.97, 10.500, 470.0},
    Row{"stainless steel", "steel,AISI 304", 0.46577, 13.92, 8.00, 282.6,
        steel},
    Row{"Teflon", "PTFE", 0.47992, 34.84, 2.200, 99.1},
    Row{"tetrafluoromethane", "CF4", 0.47725, 33.99, 3.78e-3, 115.0,
        cf4_source},
    Row{"tin", "Sn", 0.42119, 8.82, 7.310, 488.0},
    Row{"titanium", "Ti", 0.45961, 16.16, 4.540, 233.0},
    Row{"tungsten", "W", 0.40252, 6.76, 19.300, 727.0},
    Row{"water", "H2O", 0.55509, 36.08, 1.000, 79.7},
    Row{"xenon", "Xe", 0.41129, 8.48, 5.483e-3, 482.0},
};

/// The form in which names are compared.
std::string canonical(std::string_view name) {
  std::string result = lower_case(name);
  std::erase_if(result,
                [](char c) { return c == ' ' || c == '-' || c == '_'; });
  return result;
}

template <class Visitor>
void for_each_name(const Row& row, Visitor visit) {
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
    for (const Row& row : rows)
      list.push_back({std::string(row.name), row.x0 / row.density * unit::cm,
                      row.density * unit::g_per_cm3, row.z_over_a,
                      row.excitation * unit::eV,
                      std::string(row.source.empty() ? "[PDG24]" : row.source),
                      tabulated_density_effect(row.name)});
    return list;
  }();
  return materials;
}

const Material* find_material(std::string_view name,
                              std::span<const Material> own) {
  const std::string wanted = canonical(name);
  for (const Material& material : own)
    if (canonical(material.name) == wanted) return &material;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    bool found = false;
    for_each_name(rows[i], [&](std::string_view known) {
      found = found || canonical(known) == wanted;
    });
    if (found) return &builtin_materials()[i];
  }
  return nullptr;
}

std::vector<std::string> material_names() {
  std::vector<std::string> names;
  for (const Row& row : rows)
    for_each_name(row,
                  [&](std::string_view name) { names.emplace_back(name); });
  return names;
}

}  // namespace gttf
