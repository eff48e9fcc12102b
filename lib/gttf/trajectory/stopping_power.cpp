// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/stopping_power.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gttf/core/units.hpp"

namespace gttf {
namespace {

using std::numbers::ln10;
using std::numbers::ln2;

/// [Sternheimer71] with the bounds as [PDG24] quotes them.
DensityEffect estimated_density_effect(double excitation, double plasma_energy,
                                       bool gas) {
  DensityEffect e;
  e.c_bar = 1 + 2 * std::log(excitation / plasma_energy);
  e.k = 3;
  if (!gas) {
    const bool light = excitation < 100 * unit::eV;
    e.x1 = light ? 2.0 : 3.0;
    const double bound = light ? 3.681 : 5.215;
    e.x0 = e.c_bar < bound ? 0.2 : 0.326 * e.c_bar - (light ? 1.0 : 1.5);
  } else if (e.c_bar < 13.804) {
    constexpr double bounds[] = {10.0, 10.5, 11.0, 11.5, 12.25};
    const auto above = std::ranges::upper_bound(bounds, e.c_bar);
    const auto step = std::min<std::ptrdiff_t>(above - bounds, 4);
    e.x0 = 1.6 + 0.1 * static_cast<double>(step);
    e.x1 = above == std::ranges::end(bounds) ? 5.0 : 4.0;
  } else {
    e.x0 = 0.326 * e.c_bar - 2.5;
    e.x1 = 5.0;
  }
  e.a = (e.c_bar - 2 * ln10 * e.x0) / std::pow(e.x1 - e.x0, 3);
  return e;
}

/// The bracket of the mean loss of electrons without its logarithm and delta.
double electron_terms(bool positron, double gamma, double beta2) {
  if (positron) {
    const double g = 1 / (gamma + 1);
    return 2 * ln2 - beta2 / 12 * (23 + g * (14 + g * (10 + g * 4)));
  }
  const double g = (gamma - 1) / gamma;
  return 1 - beta2 - (2 * gamma - 1) / (gamma * gamma) * ln2 + g * g / 8;
}

}  // namespace

bool has_stopping_data(const Material& m) {
  return m.z_over_a > 0 && m.mean_excitation > 0 && m.density > 0;
}

StoppingMedium stopping_medium(const Material& m, double density) {
  if (density <= 0) density = m.density;
  StoppingMedium medium{m.z_over_a, m.mean_excitation, m.density_effect};
  if (medium.density_effect.is_known()) {
    const double r = std::log(density / m.density);
    medium.density_effect.c_bar -= r;
    medium.density_effect.x0 -= 0.5 * r / ln10;
    medium.density_effect.x1 -= 0.5 * r / ln10;
    return medium;
  }
  constexpr double densest_gas = 0.05;  // g/cm3
  const double plasma_energy =
      28.816 * unit::eV * std::sqrt(density * m.z_over_a);
  medium.density_effect = estimated_density_effect(
      m.mean_excitation, plasma_energy, density < densest_gas);
  return medium;
}

double density_correction(const DensityEffect& e, double beta_gamma) {
  const double x = std::log10(beta_gamma);
  if (x < e.x0)
    return e.delta0 > 0 ? e.delta0 * std::pow(10, 2 * (x - e.x0)) : 0;
  const double asymptote = 2 * ln10 * x - e.c_bar;
  return x < e.x1 ? asymptote + e.a * std::pow(e.x1 - x, e.k) : asymptote;
}

double maximum_transfer(const Projectile& particle, double kinetic) {
  if (particle.is_electron())
    return particle.charge < 0 ? 0.5 * kinetic : kinetic;
  const double tau = kinetic / particle.mass;
  const double ratio = electron_mass / particle.mass;
  return 2 * electron_mass * tau * (tau + 2) /
         (1 + 2 * (1 + tau) * ratio + ratio * ratio);
}

double collision_stopping_power(const StoppingMedium& medium,
                                const Projectile& particle, double kinetic) {
  constexpr double least = 0.05;  // beta gamma
  const double tau =
      std::max(kinetic / particle.rest_energy(),
               least * least / (1 + std::sqrt(1 + least * least)));
  const double bg2 = tau * (tau + 2), gamma = 1 + tau;
  const double beta2 = bg2 / (gamma * gamma);
  const double delta =
      density_correction(medium.density_effect, std::sqrt(bg2));
  const double w_max = maximum_transfer(particle, tau * particle.rest_energy());
  const double i2 = medium.mean_excitation * medium.mean_excitation;
  const double z2 = particle.charge * particle.charge;
  const double scale = bethe_constant * z2 * medium.z_over_a / beta2;
  // for electrons the logarithm has half of the kinetic energy for both signs
  if (particle.is_electron()) {
    const double w = 0.5 * tau * electron_mass;
    return 0.5 * scale *
           (std::log(electron_mass * bg2 * w / i2) - delta +
            electron_terms(particle.charge > 0, gamma, beta2));
  }
  return scale * (0.5 * std::log(2 * electron_mass * bg2 * w_max / i2) - beta2 -
                  0.5 * delta);
}

}  // namespace gttf
