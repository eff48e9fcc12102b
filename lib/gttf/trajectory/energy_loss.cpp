// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/energy_loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "gttf/core/units.hpp"
#include "gttf/trajectory/slab_loss.hpp"

namespace gttf {

using namespace detail;

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

/// Follows a particle through a slab by Runge-Kutta steps, with the nodes of
/// Simpson's rule in each.
/// @param visit  takes a LossNode; not called for a step that stops it
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

/// p beta of a kinetic energy.
double p_beta(double kinetic, double rest_energy) {
  return kinetic * (kinetic + 2 * rest_energy) / (kinetic + rest_energy);
}

/// The momentum of a particle of p beta = x: p^4 = x^2 (p^2 + m^2).
double momentum_of_p_beta(double x, double rest_energy) {
  const double square = x * x, m2 = rest_energy * rest_energy;
  return std::sqrt(0.5 * (square + x * std::sqrt(square + 4 * m2)));
}

/// Moments of the loss that is still ahead of a particle, per path, where it
/// scatters: of weights 1/(p beta)^2 x/X0.
class AheadOfKinks {
 public:
  /// The angles in the next slab, at places of which a part of it is ahead.
  void add(double weight, double ahead) {
    own_[0] += weight;
    own_[1] += weight * ahead;
    own_[2] += weight * ahead * ahead;
  }
  /// Behind that slab.
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
          const double most = maximum_transfer(particle, node.kinetic);
          double per_xi = most * (1 - 0.5 * beta2);
          if (model != EnergyLoss::straggling_variance) {
            const double w = straggling_width(xi / most, beta2);
            per_xi = xi * w * w;
          }
          double added = per_xi * per_thickness * node.thickness / beta2;
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
