// SPDX-License-Identifier: Apache-2.0
// The energy that a simulated particle loses in a step: collisions and
// radiation, for any scalar.
#pragma once

#include <cmath>
#include <numbers>

#include "gttf/core/scalar.hpp"
#include "gttf/trajectory/loss_fluctuation.hpp"

namespace gttf::detail {

// Particles take different numbers of random numbers. Those of a `Random` are
// taken by the particles in a mask, each the next of its own:
//
//   S uniform(mask)  in (0, 1)
//   S normal(mask)
//
// The other elements are any number. A double takes one only if it is set.

/// Loss by collisions minus its mean.
/// @param most   W_max
/// @param taken  particles that collide
template <class S, class Random>
S simulate_collisions(const S& xi, const S& most, const S& beta2,
                      const MaskOf<S>& taken, Random& random) {
  using std::log, std::sqrt;
  // xi/W of single collisions, if all were as frequent as slow ones, is a
  // Poisson process of rate 1 that begins at xi/W_max. Collisions softer than
  // xi/20: 0.11 for the skewness of their sum, 0.05 of the width of the whole.
  constexpr double softest = 20;
  const S kappa = xi / most, soft = xi / S(softest);
  const auto has_hard = soft < most;
  const S cut = select(has_hard, soft, most);
  S sum = sqrt(xi * cut * (S(1) - S(0.5) * beta2 * cut / most)) *
          random.normal(taken);
  auto going = both(taken, has_hard);
  if (!any(going)) return sum;
  const S mean = xi * (log(most / cut) - beta2 * (S(1) - cut / most));
  sum = sum - select(going, mean, S(0));
  const S rarest = beta2 * kappa;
  S x = kappa - log(random.uniform(going));
  for (going = both(going, x < S(softest)); any(going);
       going = both(going, x < S(softest))) {
    const auto counts = both(going, random.uniform(going) * x >= rarest);
    sum = sum + select(counts, xi / x, S(0));
    x = x - log(random.uniform(going));
  }
  return sum;
}

/// u^power for u in (0, 1).
template <class S>
S power_of_uniform(const S& u, const S& power) {
  using std::exp, std::log;
  constexpr double least = -700;  // e^-700 is 0 next to any other number here
  const S logarithm = log(u) * power;
  const auto small = logarithm < S(least);
  return select(small, S(0), exp(select(small, S(least), logarithm)));
}

/// A random number from a Gamma distribution of given shape. Source:
/// [MarsagliaTsang00], the shape raised by one
template <class S, class Random>
S gamma_number(const S& shape, const MaskOf<S>& taken, Random& random) {
  using std::log, std::sqrt;
  const S d = shape + S(1) - S(1. / 3), c = S(1) / sqrt(S(9) * d);
  S number(1);
  for (auto open = taken; any(open);) {
    const S n = random.normal(open), root = S(1) + c * n;
    const S u = random.uniform(open);
    const auto possible = root > S(0);
    const S v = select(possible, root * root * root, S(1));
    const auto accepted = both(
        both(open, possible), log(u) < S(0.5) * n * n + d - d * v + d * log(v));
    number = select(accepted, d * v, number);
    open = both(open, !accepted);
  }
  return number * power_of_uniform(random.uniform(taken), S(S(1) / shape));
}

/// Radiation loss of an electron minus its mean.
/// @param t  x/X0
template <class S, class Random>
S simulate_radiation(const S& energy, const S& t, const MaskOf<S>& taken,
                     Random& random) {
  using std::exp;
  const auto radiates = both(taken, t > S(0));
  if (!any(radiates)) return S(0);
  const S depth = select(radiates, t, S(1));
  const S kept =
      exp(-gamma_number(S(depth * S(1 / std::numbers::ln2)), radiates, random));
  return select(radiates, energy * (exp(-depth) - kept), S(0));
}

/// A step of a simulated particle through matter.
template <class S>
struct SimulatedStep {
  S kinetic, middle;  ///< energies before it and after half of the mean loss
  S mean;             ///< mean loss
  S xi_at_rest;       ///< xi times beta^2
  S x_over_x0;
  /// An additional loss in the middle of the step grows by this factor until
  /// its end.
  S growth;
};

/// The loss in a step, GeV.
/// @param taken  particles that take it
template <class S, class Random>
S simulate_step(const Projectile& particle, const SimulatedStep<S>& step,
                const MaskOf<S>& taken, Random& random) {
  const S rest(particle.rest_energy());
  const S beta2 = beta_squared(step.middle, rest);
  const S xi = step.xi_at_rest / beta2;
  S lost = step.mean;
  if (const auto collides = both(taken, xi > S(0)); any(collides)) {
    const S more =
        step.growth *
        simulate_collisions(xi, maximum_transfer(particle, step.middle), beta2,
                            collides, random);
    lost = lost + select(collides, more, S(0));
  }
  if (particle.is_electron())
    lost = lost + simulate_radiation(S(step.kinetic + rest), step.x_over_x0,
                                     taken, random);
  return lost;
}

}  // namespace gttf::detail
