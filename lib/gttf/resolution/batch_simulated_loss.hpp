// SPDX-License-Identifier: Apache-2.0
// The fluctuating energy losses of toys, one per vector element.
#pragma once

#include <cstddef>

#include "gttf/core/random_branches.hpp"
#include "gttf/resolution/batch_slabs.hpp"
#include "gttf/trajectory/simulated_loss.hpp"

namespace gttf::detail {

/// Slows particles down in a layer: simulate_loss() of several of them.
/// @param layer    index in BatchLoss::first
/// @param paths    as for energy_loss()
/// @param random   of this layer
/// @param kinetic  GeV
/// @param good     cleared where a particle stops, or becomes slower than the
///                 tables of the stopping power reach
template <class S>
[[gnu::noinline, gnu::flatten]] void simulate_layer(
    const BatchLoss& loss, std::size_t layer, ElementPower<S>* media,
    double charge, double paths, RandomBranches<S>& random, S& kinetic,
    MaskOf<S>& good) {
  const S before = kinetic, charge2(charge * charge);
  SlabPath<S> path(loss, media, charge2, S(paths), kinetic);
  for (std::size_t i = loss.first[layer]; i < loss.first[layer + 1]; ++i) {
    const BatchSlab& slab = loss.slabs[i];
    const S at_rest = S(slab.xi_at_rest) * charge2,
            per_thickness(slab.x_over_x0 / slab.mass_thickness);
    path.pass(slab, [&](const SlabStep<S>& step) -> S {
      const S mean = step.kinetic - step.behind,
              middle = step.kinetic - S(0.5) * mean;
      good = both(good, either(!step.open, step.behind > S(0)));
      const S lost = simulate_step<S>(
          loss.particle,
          {.kinetic = step.kinetic,
           .middle = middle,
           .mean = mean,
           .xi_at_rest = at_rest * step.length,
           .x_over_x0 = per_thickness * step.length,
           .growth = step.power_behind / path.power_at(slab, middle)},
          both(step.open, good), random);
      const S behind = select(step.open, step.kinetic - lost, step.behind);
      good = both(good, behind > S(0));
      return behind;
    });
  }
  kinetic = select(good, path.kinetic(), before);
}

}  // namespace gttf::detail
