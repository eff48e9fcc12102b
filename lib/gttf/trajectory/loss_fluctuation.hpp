// SPDX-License-Identifier: Apache-2.0
// Fluctuations of the energy loss of a charged particle, by collisions with
// electrons and by radiation, for any scalar.
#pragma once

#include <cmath>
#include <numbers>
#include <type_traits>

#include "gttf/core/scalar.hpp"
#include "gttf/detector/physics_model.hpp"

namespace gttf {

/// m_e, GeV [CODATA22].
inline constexpr double electron_mass = 0.51099895069e-3;
/// K = 4 pi N_A r_e^2 m_e, GeV cm2/mol [PDG24] Table 34.1.
inline constexpr double bethe_constant = 0.307075e-3;

/// Properties of a particle for the energy loss. Below a mass of 1 MeV it is
/// treated as an electron (charge < 0) or a positron, with the electron mass.
struct Projectile {
  double mass = 0;  ///< GeV
  double charge = -1;

  bool is_electron() const { return mass < 1e-3; }
  double rest_energy() const { return is_electron() ? electron_mass : mass; }
};

/// Maximum energy transfer in a collision with an electron, GeV:
///
///   W_max = 2 m_e (beta gamma)^2/(1 + 2 gamma m_e/M + (m_e/M)^2)
///
/// electrons: half of the kinetic energy, positrons: all of it.
/// @param kinetic  kinetic energy, GeV
/// Source  [PDG24] Eq. (34.4)
template <class S>
S maximum_transfer(const Projectile& particle, const S& kinetic) {
  static_assert(!std::is_integral_v<S>);
  if (particle.is_electron()) return S(particle.charge < 0 ? 0.5 : 1) * kinetic;
  const double ratio = electron_mass / particle.mass;
  const S tau = kinetic * S(1 / particle.mass);
  return S(2 * electron_mass) * tau * (tau + S(2)) /
         (S(1 + ratio * ratio) + S(2 * ratio) * (S(1) + tau));
}

/// Half the width of the central 68.27 % of the energy loss divided by xi, from
/// thin to thick layers,
///
///   (s_L^-n + s_G^-n)^(-1/n),  s_L = 4.0485,  s_G = sqrt((1 -
///   beta^2/2)/kappa), n = 2.8 - 0.85 beta^2
///
/// with the quantiles of the Landau distribution, -0.7204 and 7.3767, for kappa
/// -> 0 and the variance xi W_max (1 - beta^2/2) for kappa -> inf. In between
/// it agrees within 5 % with the width of the Vavilov distribution.
/// @param kappa  xi/W_max > 0
/// Source  [Landau44], [Vavilov57]; the interpolation is our own
template <class S>
S straggling_width(const S& kappa, const S& beta2) {
  using std::exp, std::log, std::sqrt;
  constexpr double landau = 4.0485;
  const S gauss = sqrt((S(1) - S(0.5) * beta2) / kappa);
  const S n = S(2.8) - S(0.85) * beta2;
  const auto thick = gauss < S(landau);
  const S small = select(thick, gauss, S(landau)),
          large = select(thick, S(landau), gauss);
  const S power = exp(n * log(small / large));
  return small * exp(-log(S(1) + power) / n);
}

}  // namespace gttf

namespace gttf::detail {

/// beta^2 of a kinetic energy.
template <class S>
S beta_squared(const S& kinetic, const S& rest_energy) {
  const S tau = kinetic / rest_energy, gamma = S(1) + tau;
  return tau * (tau + S(2)) / (gamma * gamma);
}

/// Variance of the energy from collisions in a part of a stretch, GeV^2, see
/// straggling().
/// @param model    one that straggles()
/// @param xi       of the stretch, GeV
/// @param at_rest  xi of the part times beta^2, GeV
/// @param kinetic  in the part, GeV
template <class S>
S collision_variance(const Projectile& particle, EnergyLoss model, const S& xi,
                     const S& at_rest, const S& kinetic) {
  const S beta2 = beta_squared(kinetic, S(particle.rest_energy()));
  const S most = maximum_transfer(particle, kinetic);
  S per_xi;
  if (model == EnergyLoss::straggling_variance) {
    per_xi = most * (S(1) - S(0.5) * beta2);
  } else {
    const S width = straggling_width(S(xi / most), beta2);
    per_xi = xi * (width * width);
  }
  return per_xi * at_rest / beta2;
}

/// Variance of the energy of an electron from radiation in a part of its path,
/// GeV^2, see straggling().
/// @param energy  in the part, GeV
/// @param t       x/X0 of the part
/// @param depth   x/X0 before it
template <class S>
S radiation_variance(const S& energy, const S& t, const S& depth) {
  using std::exp;
  // 2 - ln3/ln2
  constexpr double rate = 2 - 1.0986122886681098 / std::numbers::ln2;
  return S(rate) * energy * energy * t * exp(S(rate) * depth);
}

}  // namespace gttf::detail
