// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/simulated_loss.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gttf/trajectory/slab_loss.hpp"

namespace gttf {

using namespace detail;

namespace {

/// What collisions take, less its mean.
/// @param most  W_max
double collisions(double xi, double most, double beta2, RandomBranch& random) {
  // xi/W of single collisions, were they all as frequent as slow ones', is a
  // Poisson process of rate 1 that begins at xi/W_max. Softer ones than xi/20:
  // 0.11 for the skewness of their sum, 0.05 of the width of the whole.
  constexpr double softest = 20;
  const double kappa = xi / most, cut = std::min(most, xi / softest);
  double sum =
      std::sqrt(xi * cut * (1 - 0.5 * beta2 * cut / most)) * random.normal();
  if (!(cut < most)) return sum;
  sum -= xi * (std::log(most / cut) - beta2 * (1 - cut / most));
  for (double x = kappa - std::log(random.uniform()); x < softest;
       x -= std::log(random.uniform()))
    if (random.uniform() >= beta2 * kappa / x) sum += xi / x;
  return sum;
}

/// A number with the Gamma distribution of a shape.
/// Source: [MarsagliaTsang00], the shape raised by one
double gamma_number(double shape, RandomBranch& random) {
  const double d = shape + 1 - 1. / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double n = random.normal(), root = 1 + c * n;
    const double u = random.uniform();
    if (!(root > 0)) continue;
    const double v = root * root * root;
    if (std::log(u) < 0.5 * n * n + d - d * v + d * std::log(v))
      return d * v * std::pow(random.uniform(), 1 / shape);
  }
}

/// What an electron radiates, less its mean.
/// @param t  x/X0
double radiation(double energy, double t, RandomBranch& random) {
  if (!(t > 0)) return 0;
  const double kept = std::exp(-gamma_number(t / std::numbers::ln2, random));
  return energy * (std::exp(-t) - kept);
}

}  // namespace

double simulate_loss(std::span<const LossSlab> slabs,
                     const Projectile& particle, double p, double paths,
                     RandomBranch& random) {
  const double rest = particle.rest_energy(), before = kinetic_energy(p, rest);
  double kinetic = before;
  for (const LossSlab& slab : slabs) {
    const StoppingPower loss(slab, particle);
    const double per_thickness = xi_per_thickness(slab, particle);
    // of the slab, less what is passed
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
      const double beta2 = beta_squared(middle, rest);
      // what is lost more in the middle of the step grows with the stopping
      // power until its end, unless the loss is given
      const double growth =
          slab.mean_loss ? 1 : loss(kinetic - mean) / loss(middle);
      double lost = mean;
      if (const double xi = per_thickness * thickness / beta2; xi > 0)
        lost += growth * collisions(xi, maximum_transfer(particle, middle),
                                    beta2, random);
      if (particle.is_electron())
        lost +=
            radiation(kinetic + rest, part * slab.x_over_x0 * paths, random);
      kinetic -= lost;
      if (!(kinetic > 0)) return before;
    }
  }
  return before - kinetic;
}

}  // namespace gttf
