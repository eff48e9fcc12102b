// SPDX-License-Identifier: Apache-2.0
// Stopping power: mean energy loss per mass thickness of a charged particle.
#pragma once

#include "gttf/detector/material.hpp"

namespace gttf {

/// m_e, GeV [CODATA22].
inline constexpr double electron_mass = 0.51099895069e-3;
/// K = 4 pi N_A r_e^2 m_e, GeV cm2/mol [PDG24] Table 34.1.
inline constexpr double bethe_constant = 0.307075e-3;

/// What the loss of energy by collisions depends on in a material.
struct StoppingMedium {
  double z_over_a = 0;         ///< mol/g
  double mean_excitation = 0;  ///< I, GeV
  DensityEffect density_effect;
};

/// What it depends on of a particle. Below a mass of 1 MeV it is an electron
/// (charge < 0) or a positron, with the electron's mass.
struct Projectile {
  double mass = 0;  ///< GeV
  double charge = -1;

  bool is_electron() const { return mass < 1e-3; }
  double rest_energy() const { return is_electron() ? electron_mass : mass; }
};

/// The medium of a material of known Z/A, I and density. Tabulated parameters
/// of the density effect are moved to `density` (x0 and x1 by
/// -log10(r)/2, c_bar by -ln(r)); without them the general recipe holds:
///
///   c_bar = 1 + 2 ln(I/(hbar omega_p)),  k = 3,  x0 and x1 from c_bar and I,
///   a = (c_bar - 2 ln(10) x0)/(x1 - x0)^3
///
/// @param density  g/cm3; 0: that of the material
/// Source  [Sternheimer84], [Sternheimer71]; plasma energy [PDG24] Table 34.1
StoppingMedium stopping_medium(const Material& material, double density = 0);

/// True if stopping_medium() has what it needs.
bool has_stopping_data(const Material& material);

/// The density correction delta(beta gamma).
double density_correction(const DensityEffect& effect, double beta_gamma);

/// Largest energy that a collision with an electron can take, GeV:
///
///   W_max = 2 m_e (beta gamma)^2/(1 + 2 gamma m_e/M + (m_e/M)^2)
///
/// electrons: half of the kinetic energy, positrons: all of it.
/// @param kinetic  kinetic energy, GeV
/// Source  [PDG24] Eq. (34.4)
double maximum_transfer(const Projectile& particle, double kinetic);

/// Mean loss by collisions, GeV cm2/g.
///
/// Heavy particles:
///
///   K z^2 Z/A/beta^2 [ln(2 m_e (beta gamma)^2 W_max/I^2)/2 - beta^2 - delta/2]
///
/// electrons and positrons with their Moller and Bhabha cross sections. Below
/// beta gamma = 0.05, outside of its validity, the value there is used.
/// @param kinetic  kinetic energy, GeV, >= 0
/// Source  [PDG24] Eqs. (34.5), (34.24), (34.25); [ICRU84]
double collision_stopping_power(const StoppingMedium& medium,
                                const Projectile& particle, double kinetic);

}  // namespace gttf
