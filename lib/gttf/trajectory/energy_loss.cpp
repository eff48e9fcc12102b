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

/// A point of a slab with its weight in an integral along the path.
struct LossNode {
  double kinetic;    ///< GeV
  double power;      ///< GeV cm2/g
  double part;       ///< weight: path over that of the slab
  double passed;     ///< path before it over that of the slab
  double thickness;  ///< weight, g/cm2
};

/// How a slab was crossed.
struct SlowedDown {
  double kinetic;  ///< behind, GeV; 0: stopped
  double power_before, power_behind;
};

/// The largest part of its kinetic energy that a particle loses in a step:
/// leaves an error of 1e-6 of the loss.
constexpr double largest_part = 0.1;

/// Follows a particle through a slab by Runge-Kutta steps, with the nodes of
/// Simpson's rule in each.
/// @param visit  takes a LossNode; not called for a step that stops it
template <class Visit>
SlowedDown slow_down(const StoppingPower& loss, double kinetic,
                     double thickness, double rest_energy, const Visit& visit) {
  // from here on, beta gamma = 0.04, the stopping power is constant
  const double slow = 0.8e-3 * rest_energy;
  double power = loss(kinetic), left = thickness;
  SlowedDown result{kinetic, power, power};
  while (left > 0) {
    const double k1 = power;
    double h = left, behind = kinetic - k1 * left;
    if (kinetic >= slow) {
      h = std::min(left, largest_part * kinetic / k1);
      const double k2 = loss(kinetic - 0.5 * h * k1);
      const double k3 = loss(kinetic - 0.5 * h * k2);
      const double k4 = loss(kinetic - h * k3);
      behind = kinetic - h / 6 * (k1 + 2 * (k2 + k3) + k4);
    }
    if (!(behind > 0)) return {0, result.power_before, power};
    power = loss(behind);
    // of the cubic through both ends with their slopes
    const double middle = 0.5 * (kinetic + behind) + h / 8 * (power - k1);
    const auto at = [&](double energy, double s, double place, double weight) {
      visit(LossNode{energy, s, weight * h / thickness,
                     1 - (left - place * h) / thickness, weight * h});
    };
    at(kinetic, k1, 0, 1. / 6);
    at(middle, loss(middle), 0.5, 4. / 6);
    at(behind, power, 1, 1. / 6);
    kinetic = behind;
    left -= h;
  }
  result.kinetic = kinetic;
  result.power_behind = power;
  return result;
}

/// The same where the loss is given, evenly along the path: the thickness is
/// that of the medium which takes as much.
template <class Visit>
SlowedDown lose_given(const StoppingPower& loss, double kinetic, double given,
                      const Visit& visit) {
  double power = loss(kinetic), left = given;
  SlowedDown result{kinetic, power, power};
  if (kinetic <= given) return {0, power, power};
  while (left > 0) {
    const double step = std::min(left, largest_part * kinetic);
    const auto at = [&](double energy, double s, double place, double weight) {
      visit(LossNode{energy, s, weight * step / given,
                     1 - (left - place * step) / given, weight * step / s});
    };
    const double middle = kinetic - 0.5 * step, behind = kinetic - step;
    at(kinetic, power, 0, 1. / 6);
    at(middle, loss(middle), 0.5, 4. / 6);
    power = loss(behind);
    at(behind, power, 1, 1. / 6);
    kinetic = behind;
    left -= step;
  }
  result.kinetic = kinetic;
  result.power_behind = power;
  return result;
}

/// @param visit  takes a LossNode of every place, in order of flight
template <class Visit>
SlowedDown cross_slab(const LossSlab& slab, const Projectile& particle,
                      double kinetic, double paths, const Visit& visit) {
  const StoppingPower loss(slab, particle);
  if (slab.mean_loss)
    return lose_given(loss, kinetic, *slab.mean_loss * paths, visit);
  return slow_down(loss, kinetic, slab.mass_thickness * paths,
                   particle.rest_energy(), visit);
}

double kinetic_energy(double p, double rest_energy) {
  return p * p / (std::sqrt(p * p + rest_energy * rest_energy) + rest_energy);
}

/// p beta of a kinetic energy.
double p_beta(double kinetic, double rest_energy) {
  return kinetic * (kinetic + 2 * rest_energy) / (kinetic + rest_energy);
}

/// The momentum of a particle of p beta = x: p^4 = x^2 (p^2 + m^2).
double momentum_of_p_beta(double x, double rest_energy) {
  const double square = x * x, m2 = rest_energy * rest_energy;
  return std::sqrt(0.5 * (square + x * std::sqrt(square + 4 * m2)));
}

double beta_squared(double kinetic, double rest_energy) {
  const double tau = kinetic / rest_energy, gamma = 1 + tau;
  return tau * (tau + 2) / (gamma * gamma);
}

/// d(xi)/d(thickness) at rest, GeV cm2/g.
double xi_per_thickness(const LossSlab& slab, const Projectile& particle) {
  return 0.5 * bethe_constant * particle.charge * particle.charge *
         slab.medium.z_over_a;
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
  constexpr double landau = 4.0485;
  const double gauss = std::sqrt((1 - 0.5 * beta2) / kappa);
  const double n = 2.8 - 0.85 * beta2;
  const double small = std::min(landau, gauss);
  const double ratio = small / std::max(landau, gauss);
  return small * std::pow(1 + std::pow(ratio, n), -1 / n);
}

LayerLoss energy_loss(std::span<const LossSlab> slabs,
                      const Projectile& particle, double p, double paths) {
  const double rest = particle.rest_energy();
  const double before = kinetic_energy(p, rest);
  double kinetic = before;
  double t = 0;
  double scattering = 0;  // integral of 1/(p beta)^2 over x/X0
  LayerLoss result;
  result.p_scatter = p;
  for (const LossSlab& slab : slabs) {
    const double slab_t = slab.x_over_x0 * paths;
    const double per_thickness = xi_per_thickness(slab, particle);
    const SlowedDown passed =
        cross_slab(slab, particle, kinetic, paths, [&](const LossNode& node) {
          const double x = p_beta(node.kinetic, rest);
          scattering += slab_t * node.part / (x * x);
          result.xi +=
              per_thickness * node.thickness / beta_squared(node.kinetic, rest);
        });
    kinetic = passed.kinetic;
    if (!(kinetic > 0))
      return {.mean = before, .stopped = true, .p_scatter = p};
    double transmission = 1, last = 0;  // last: loss by a little more path
    if (slab.mean_loss) {
      last = *slab.mean_loss;
    } else {
      transmission = passed.power_behind / passed.power_before;
      last = passed.power_behind * slab.mass_thickness;
    }
    result.transmission *= transmission;
    result.per_path = result.per_path * transmission + last;
    t += slab_t;
  }
  result.mean = before - kinetic;
  if (scattering > 0)
    result.p_scatter = momentum_of_p_beta(std::sqrt(t / scattering), rest);
  return result;
}

double straggling(std::span<const LossSlab> slabs, const Projectile& particle,
                  double p, double paths, const LossStretch& stretch) {
  static const double radiated = 2 - std::log(3.0) / std::numbers::ln2;
  const double rest = particle.rest_energy();
  const double xi =
      std::max(stretch.xi, energy_loss(slabs, particle, p, paths).xi);
  double kinetic = kinetic_energy(p, rest), depth = stretch.depth;
  double variance = 0;
  for (const LossSlab& slab : slabs) {
    const double per_thickness = xi_per_thickness(slab, particle);
    const double t = slab.x_over_x0 * paths;
    // a spread of the energy grows with the stopping power, unless the loss is
    // given
    const auto spread = [&slab](double power) {
      return slab.mean_loss ? 1 : 1 / (power * power);
    };
    double sum = 0;
    const SlowedDown passed =
        cross_slab(slab, particle, kinetic, paths, [&](const LossNode& node) {
          const double beta2 = beta_squared(node.kinetic, rest);
          const double w = straggling_width(
              xi / maximum_transfer(particle, node.kinetic), beta2);
          double added = xi * w * w * per_thickness * node.thickness / beta2;
          if (particle.is_electron()) {
            const double energy = node.kinetic + rest;
            added += radiated * energy * energy * t * node.part *
                     std::exp(radiated * (depth + t * node.passed));
          }
          sum += added * spread(node.power);
        });
    kinetic = passed.kinetic;
    if (!(kinetic > 0)) return 0;
    variance = (variance * spread(passed.power_before) + sum) /
               spread(passed.power_behind);
    depth += t;
  }
  return std::sqrt(variance);
}

}  // namespace gttf
