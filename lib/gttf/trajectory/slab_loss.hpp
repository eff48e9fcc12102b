// SPDX-License-Identifier: Apache-2.0
// Steps of a particle that loses energy in a slab.
#pragma once

#include <algorithm>
#include <cmath>

#include "gttf/trajectory/energy_loss.hpp"

namespace gttf::detail {

/// The mean loss of a particle per g/cm2, in a slab.
class StoppingPower {
 public:
  StoppingPower(const LossSlab& slab, const Projectile& particle)
      : medium_(slab.medium), particle_(particle) {
    if (particle.is_electron() && slab.mass_thickness > 0)
      radiation_ = slab.x_over_x0 / slab.mass_thickness;
  }

  double collision(double kinetic) const {
    return collision_stopping_power(medium_, particle_, kinetic);
  }
  double operator()(double kinetic) const {
    return collision(kinetic) +
           radiation_ * (kinetic + particle_.rest_energy());
  }

 private:
  const StoppingMedium& medium_;
  const Projectile& particle_;
  double radiation_ = 0;  ///< 1/X0, cm2/g
};

/// The largest part of its kinetic energy that a particle loses in a step:
/// leaves an error of 1e-6 of the loss.
constexpr double largest_part = 0.1;

/// Below this kinetic energy, beta gamma = 0.04, the stopping power is
/// constant.
inline double slowest(double rest_energy) { return 0.8e-3 * rest_energy; }

/// The next step of a particle, g/cm2.
/// @param power  its stopping power
/// @param left   thickness that is left, g/cm2
inline double longest_step(double kinetic, double power, double left,
                           double rest_energy) {
  if (kinetic < slowest(rest_energy)) return left;
  return std::min(left, largest_part * kinetic / power);
}

/// Kinetic energy behind a step of h g/cm2, by Runge-Kutta's method; not above
/// 0: it stops.
inline double energy_behind(const StoppingPower& loss, double kinetic,
                            double power, double h, double rest_energy) {
  if (kinetic < slowest(rest_energy)) return kinetic - power * h;
  const double k2 = loss(kinetic - 0.5 * h * power);
  const double k3 = loss(kinetic - 0.5 * h * k2);
  const double k4 = loss(kinetic - h * k3);
  return kinetic - h / 6 * (power + 2 * (k2 + k3) + k4);
}

inline double kinetic_energy(double p, double rest_energy) {
  return p * p / (std::sqrt(p * p + rest_energy * rest_energy) + rest_energy);
}

inline double beta_squared(double kinetic, double rest_energy) {
  const double tau = kinetic / rest_energy, gamma = 1 + tau;
  return tau * (tau + 2) / (gamma * gamma);
}

/// d(xi)/d(thickness) at rest, GeV cm2/g.
inline double xi_per_thickness(const LossSlab& slab,
                               const Projectile& particle) {
  return 0.5 * bethe_constant * particle.charge * particle.charge *
         slab.medium.z_over_a;
}

}  // namespace gttf::detail
