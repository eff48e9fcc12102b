// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/energy_loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gttf/core/units.hpp"

namespace gttf {
namespace {

/// Stands in for unknown material.
const Material& substitute() {
  static const Material& silicon = *find_material("silicon");
  return silicon;
}

double gram_per_x0(const Material& m) {
  return m.radiation_length / unit::cm * m.density;
}

/// The material of a slab if its energy loss can be calculated.
const Material* known_material(const Slab& slab,
                               std::span<const Material> own) {
  if (slab.material.empty()) return nullptr;
  const Material* m = find_material(slab.material, own);
  return m && has_stopping_data(*m) ? m : nullptr;
}

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

/// The kinetic energy behind a thickness [g/cm2], 0 if it stops there: Runge-
/// Kutta in steps that take at most a tenth of it each, which leaves an error
/// of 1e-6 of the loss.
double behind(const StoppingPower& loss, double kinetic, double thickness,
              double rest_energy) {
  constexpr double largest_part = 0.1;
  // from here on, beta gamma = 0.04, the stopping power is constant
  const double slow = 0.8e-3 * rest_energy;
  while (thickness > 0) {
    const double k1 = loss(kinetic);
    if (kinetic < slow) return std::max(0.0, kinetic - k1 * thickness);
    const double h = std::min(thickness, largest_part * kinetic / k1);
    const double k2 = loss(kinetic - 0.5 * h * k1);
    const double k3 = loss(kinetic - 0.5 * h * k2);
    const double k4 = loss(kinetic - h * k3);
    kinetic -= h / 6 * (k1 + 2 * (k2 + k3) + k4);
    thickness -= h;
  }
  return kinetic;
}

double beta_squared(double kinetic, double rest_energy) {
  const double tau = kinetic / rest_energy, gamma = 1 + tau;
  return tau * (tau + 2) / (gamma * gamma);
}

/// Standard deviation of the radiated energy over the energy.
double radiation_width(double t) {
  using std::numbers::ln2;
  static const double ratio = std::log(3.0) / ln2;
  // exp(-rt) - exp(-2t) without cancellation
  return std::sqrt(std::exp(-2 * t) * std::expm1((2 - ratio) * t));
}

}  // namespace

std::vector<LossSlab> make_loss_slabs(const Layer& layer,
                                      std::span<const Material> own) {
  std::vector<LossSlab> slabs;
  for (const Slab& s : layer.material) {
    const Material* known = known_material(s, own);
    const Material& m = known ? *known : substitute();
    slabs.push_back({.medium = stopping_medium(m, known ? s.density : 0),
                     .mass_thickness = s.x_over_x0 * gram_per_x0(m),
                     .x_over_x0 = s.x_over_x0,
                     .mean_loss = s.mean_loss});
  }
  return slabs;
}

std::string assumed_materials(const Detector& detector) {
  constexpr std::size_t shown = 4;
  std::vector<std::string> names;
  for (const Layer& layer : detector.layers)
    if (std::ranges::any_of(layer.material, [&](const Slab& s) {
          return s.x_over_x0 > 0 && !s.mean_loss &&
                 !known_material(s, detector.materials);
        }))
      names.push_back(layer.name);
  if (names.empty()) return "";
  const std::size_t n = names.size();
  if (n > shown) {
    names.resize(shown);
    names.push_back("...");
  }
  return fmt::format(
      "{} of {} layers give{} no material to calculate an energy loss from, "
      "silicon of the same x/X0 is assumed: {}",
      n, detector.layers.size(), n == 1 ? "s" : "", fmt::join(names, ", "));
}

double straggling_width(double kappa, double beta2) {
  static const double landau = 4.018 / std::sqrt(8 * std::numbers::ln2);
  const double gauss = std::sqrt((1 - 0.5 * beta2) / kappa);
  const double n = 5 - 2 * beta2;
  const double small = std::min(landau, gauss);
  const double ratio = small / std::max(landau, gauss);
  return small * std::pow(1 + std::pow(ratio, n), -1 / n);
}

LayerLoss energy_loss(std::span<const LossSlab> slabs,
                      const Projectile& particle, double p, double paths) {
  const double rest = particle.rest_energy();
  const double before = p * p / (std::sqrt(p * p + rest * rest) + rest);
  double kinetic = before;
  double xi_beta2 = 0;  // sum of xi beta^2
  double t = 0;
  const double z2 = particle.charge * particle.charge;
  LayerLoss result;
  for (const LossSlab& slab : slabs) {
    const StoppingPower loss(slab, particle);
    double thickness = slab.mass_thickness * paths;
    const double at_entry = loss(kinetic);
    double transmission = 1, last = 0;  // last: loss by a little more path
    if (slab.mean_loss) {
      // fluctuates like a thickness of the medium with that mean loss
      const double given = *slab.mean_loss * paths;
      thickness = given / at_entry;
      kinetic = std::max(0.0, kinetic - given);
      last = *slab.mean_loss;
    } else {
      kinetic = behind(loss, kinetic, thickness, rest);
      const double at_exit = loss(kinetic);
      transmission = at_exit / at_entry;
      last = at_exit * slab.mass_thickness;
    }
    if (kinetic <= 0) return {.mean = before, .sigma = 0, .stopped = true};
    result.transmission *= transmission;
    result.per_path = result.per_path * transmission + last;
    xi_beta2 += 0.5 * bethe_constant * z2 * slab.medium.z_over_a * thickness;
    t += slab.x_over_x0 * paths;
  }
  result.mean = before - kinetic;
  if (xi_beta2 <= 0) return result;
  const double middle = 0.5 * (before + kinetic);
  const double beta2 = beta_squared(middle, rest);
  const double xi = xi_beta2 / beta2;
  const double kappa = xi / maximum_transfer(particle, middle);
  // who has lost more halfway loses more in the rest, too
  const double growth = 2 * result.transmission / (1 + result.transmission);
  const double collisions = growth * xi * straggling_width(kappa, beta2);
  const double radiation =
      particle.is_electron() ? (middle + rest) * radiation_width(t) : 0;
  result.sigma = std::hypot(collisions, radiation);
  return result;
}

}  // namespace gttf
