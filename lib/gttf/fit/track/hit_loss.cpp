// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/track/hit_loss.hpp"

#include <cmath>

namespace gttf {

HitLoss hit_loss(std::span<const LossSlab> slabs, const Projectile& particle,
                 double p, double paths, EnergyLoss model,
                 const LossStretch& stretch) {
  HitLoss loss;
  loss.momentum = p;
  if (model == EnergyLoss::off || slabs.empty()) return loss;
  const LayerLoss l = energy_loss(slabs, particle, p, paths);
  loss.mean = l.mean;
  if (l.mean > 0) {
    const double energy = std::hypot(p, particle.rest_energy());
    loss.power = (1 - l.transmission) * p * p / (energy * l.mean);
  }
  if (straggles(model))
    loss.sigma = straggling(slabs, particle, p, paths, stretch, model);
  return loss;
}

}  // namespace gttf
