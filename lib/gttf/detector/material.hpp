// SPDX-License-Identifier: Apache-2.0
// Materials: the built-in table (PDG) and slabs of material in a layer.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gttf {

class MaterialMap;  // material_map.hpp

/// Parameters of the density correction to the energy loss: with x =
/// log10(beta gamma), delta = 2 ln(10) x - c_bar + a (x1 - x)^k between x0 and
/// x1, without the last term above, delta0 10^(2(x - x0)) below.
/// Source: [Sternheimer84]
struct DensityEffect {
  double c_bar = 0;  ///< 0: not tabulated
  double x0 = 0, x1 = 0, a = 0, k = 3;
  double delta0 = 0;  ///< of conductors, else 0

  bool is_known() const { return c_bar > 0; }
};

/// A material as the PDG tabulates it.
struct Material {
  std::string name;
  double radiation_length = 0;  ///< X0, mm
  double density = 0;           ///< g/cm3, 0 if unknown
  double z_over_a = 0;          ///< <Z/A>, mol/g; 0 if unknown
  double mean_excitation = 0;   ///< I, GeV; 0 if unknown
  std::string source;           ///< where the numbers come from
  DensityEffect density_effect{};
};

/// A thickness of one material; `material` is empty if only x/X0 was given.
struct Slab {
  std::string material;
  double thickness = 0;  ///< mm, 0 if only x/X0 was given
  double x_over_x0 = 0;  ///< at normal incidence; with a map its mean
  double density = 0;    ///< g/cm3, 0: that of the material
  /// Mean energy loss at normal incidence as given by the user, GeV.
  std::optional<double> mean_loss{};
  /// Where thickness and x/X0 are larger or smaller than the mean; null: they
  /// are the same everywhere.
  std::shared_ptr<const MaterialMap> map{};
};

/// The built-in materials, sorted by name. Gases at 20 C and 1 atm.
/// Source: [PDG24] atomic and nuclear properties of materials,
/// https://pdg.lbl.gov/2024/AtomicNuclearProperties, except where
/// Material::source says otherwise.
const std::vector<Material>& builtin_materials();

/// The density effect of a built-in material by its name in the table; not
/// known for mixtures and what is not tabulated.
DensityEffect tabulated_density_effect(std::string_view name);

/// The material of that name in `own`, then in the built-in table, or nullptr.
/// Upper and lower case, spaces, `-` and `_` make no difference; chemical
/// symbols and common other names (Si, Kapton, GFK) are known.
const Material* find_material(std::string_view name,
                              std::span<const Material> own = {});

/// All names that find_material knows in the built-in table, for suggestions.
std::vector<std::string> material_names();

}  // namespace gttf
