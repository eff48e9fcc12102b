// SPDX-License-Identifier: Apache-2.0
// Materials: the built-in table (PDG) and slabs of material in a layer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gttf {

/// A material as the PDG tabulates it.
struct Material {
  std::string name;
  double radiation_length = 0;  ///< X0, mm
  double density = 0;           ///< g/cm3
  double z_over_a = 0;          ///< <Z/A>, mol/g; 0 if unknown
  double mean_excitation = 0;   ///< I, GeV; 0 if unknown
};

/// A thickness of one material; `material` is empty if only x/X0 was given.
struct Slab {
  std::string material;
  double thickness = 0;  ///< mm, 0 if only x/X0 was given
  double x_over_x0 = 0;  ///< at normal incidence
};

/// The built-in materials, sorted by name. Source: [PDG24] atomic and nuclear
/// properties of materials, https://pdg.lbl.gov/2024/AtomicNuclearProperties.
const std::vector<Material>& builtin_materials();

}  // namespace gttf
