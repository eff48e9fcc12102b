// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/energy_loss.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "gttf/core/units.hpp"
#include "gttf/trajectory/simulated_loss.hpp"

namespace gttf {
namespace {

using std::numbers::ln10;
using std::numbers::ln2;

/// [Sternheimer71] with the bounds quoted in [PDG24].
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

/// The bracket in the mean loss of electrons without logarithm and delta.
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

using namespace detail;

namespace {

/// Substitute for unknown material.
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

/// A point of a slab with its weight in an integral along the path.
struct LossNode {
  double kinetic;    ///< GeV
  double power;      ///< GeV cm2/g
  double part;       ///< weight: path relative to the slab
  double passed;     ///< path before it, relative to the slab
  double thickness;  ///< weight, g/cm2
};

/// Result of crossing a slab.
struct SlowedDown {
  double kinetic;  ///< after the slab, GeV; 0: stopped
  double power_before, power_behind;
};

/// Follows a particle through a slab in Runge-Kutta steps, with the nodes of
/// Simpson's rule in each.
/// @param visit  receives a LossNode, unless the particle stops in the step
template <class Visit>
SlowedDown slow_down(const StoppingPower& loss, double kinetic,
                     double thickness, double rest_energy, const Visit& visit) {
  double power = loss(kinetic), left = thickness;
  SlowedDown result{kinetic, power, power};
  while (left > 0) {
    const double k1 = power, h = longest_step(kinetic, k1, left, rest_energy);
    const double behind = energy_behind(loss, kinetic, k1, h, rest_energy);
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

/// The same for a given loss, distributed evenly along the path: the thickness
/// is the thickness of the medium with the same loss.
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

/// @param visit  receives a LossNode for every position, in order of flight
template <class Visit>
SlowedDown cross_slab(const LossSlab& slab, const Projectile& particle,
                      double kinetic, double paths, const Visit& visit) {
  const StoppingPower loss(slab, particle);
  if (slab.mean_loss)
    return lose_given(loss, kinetic, *slab.mean_loss * paths, visit);
  return slow_down(loss, kinetic, slab.mass_thickness * paths,
                   particle.rest_energy(), visit);
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

/// Moments of the remaining loss of a particle, per path, at the positions
/// where it scatters, with weights 1/(p beta)^2 x/X0.
class AheadOfKinks {
 public:
  /// The angles in the next slab, with part of the slab still ahead.
  void add(double weight, double ahead) {
    own_[0] += weight;
    own_[1] += weight * ahead;
    own_[2] += weight * ahead * ahead;
  }
  /// After that slab.
  /// @param transmission  of the slab
  /// @param per_path      d(loss in the slab)/d(paths)
  void leave(double transmission, double per_path) {
    sum_[2] = transmission * transmission * sum_[2] +
              per_path * (2 * transmission * sum_[1] + per_path * sum_[0]) +
              per_path * per_path * own_[2];
    sum_[1] = transmission * sum_[1] + per_path * (sum_[0] + own_[1]);
    sum_[0] += own_[0];
    own_ = {};
  }
  double weight() const { return sum_[0]; }
  double mean() const { return sum_[1] / sum_[0]; }
  double rms() const {
    return std::sqrt(std::max(0.0, sum_[2] / sum_[0] - mean() * mean()));
  }

 private:
  std::array<double, 3> sum_{}, own_{};
};

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
      "{} of {} layers {} no material for the energy loss; silicon of the same "
      "x/X0 is assumed: {}",
      n, detector.layers.size(), n == 1 ? "has" : "have",
      fmt::join(names, ", "));
}

LayerLoss energy_loss(std::span<const LossSlab> slabs,
                      const Projectile& particle, double p, double paths) {
  const double rest = particle.rest_energy();
  const double before = kinetic_energy(p, rest);
  double kinetic = before;
  double t = 0;
  AheadOfKinks scattering;
  LayerLoss result;
  result.p_scatter = p;
  for (const LossSlab& slab : slabs) {
    const double slab_t = slab.x_over_x0 * paths;
    const double per_thickness = xi_per_thickness(slab, particle);
    const SlowedDown passed =
        cross_slab(slab, particle, kinetic, paths, [&](const LossNode& node) {
          const double x = p_beta(node.kinetic, rest);
          scattering.add(slab_t * node.part / (x * x), 1 - node.passed);
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
    scattering.leave(transmission, last);
    t += slab_t;
  }
  result.mean = before - kinetic;
  if (const double weight = scattering.weight(); weight > 0) {
    result.p_scatter = momentum_of_p_beta(std::sqrt(t / weight), rest);
    result.per_path_behind_kink = scattering.mean();
    result.per_path_behind_kink_rms = scattering.rms();
  }
  return result;
}

double straggling(std::span<const LossSlab> slabs, const Projectile& particle,
                  double p, double paths, const LossStretch& stretch,
                  EnergyLoss model) {
  const double rest = particle.rest_energy();
  const double xi =
      std::max(stretch.xi, energy_loss(slabs, particle, p, paths).xi);
  double kinetic = kinetic_energy(p, rest), depth = stretch.depth;
  double variance = 0;
  for (const LossSlab& slab : slabs) {
    const double per_thickness = xi_per_thickness(slab, particle);
    const double t = slab.x_over_x0 * paths;
    // an energy spread grows with the stopping power, unless the loss is
    // given
    const auto spread = [&slab](double power) {
      return slab.mean_loss ? 1 : 1 / (power * power);
    };
    double sum = 0;
    const SlowedDown passed =
        cross_slab(slab, particle, kinetic, paths, [&](const LossNode& node) {
          double added =
              collision_variance(particle, model, xi,
                                 per_thickness * node.thickness, node.kinetic);
          if (particle.is_electron())
            added += radiation_variance(node.kinetic + rest, t * node.part,
                                        depth + t * node.passed);
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

using namespace detail;

namespace {

/// The random numbers of simulate_step() for a single particle.
struct OneBranch {
  RandomBranch& numbers;
  double uniform(bool) { return numbers.uniform(); }
  double normal(bool) { return numbers.normal(); }
};

}  // namespace

double simulate_loss(std::span<const LossSlab> slabs,
                     const Projectile& particle, double p, double paths,
                     RandomBranch& random) {
  const double rest = particle.rest_energy(), before = kinetic_energy(p, rest);
  double kinetic = before;
  OneBranch numbers{random};
  for (const LossSlab& slab : slabs) {
    const StoppingPower loss(slab, particle);
    const double per_thickness = xi_per_thickness(slab, particle);
    // remaining part of the slab
    for (double left = 1; left > 0;) {
      double part = left, mean = 0, thickness = 0;  // of the step
      const double power = loss(kinetic);
      if (slab.mean_loss) {
        const double given = *slab.mean_loss * paths;
        if (given > 0) part = std::min(left, largest_part * kinetic / given);
        mean = part * given;
        thickness = mean / loss(kinetic - 0.5 * mean);
      } else {
        const double all = slab.mass_thickness * paths;
        thickness = longest_step(kinetic, power, left * all, rest);
        if (thickness < left * all) part = thickness / all;
        mean = kinetic - energy_behind(loss, kinetic, power, thickness, rest);
      }
      if (!(mean < kinetic)) return before;
      left -= part;
      const double middle = kinetic - 0.5 * mean;
      // the loss grows with the stopping power, unless it is given
      const double growth =
          slab.mean_loss ? 1 : loss(kinetic - mean) / loss(middle);
      kinetic -=
          simulate_step<double>(particle,
                                {.kinetic = kinetic,
                                 .middle = middle,
                                 .mean = mean,
                                 .xi_at_rest = per_thickness * thickness,
                                 .x_over_x0 = part * slab.x_over_x0 * paths,
                                 .growth = growth},
                                true, numbers);
      if (!(kinetic > 0)) return before;
    }
  }
  return before - kinetic;
}

}  // namespace gttf
