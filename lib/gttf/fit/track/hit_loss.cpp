// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/track/hit_loss.hpp"

#include <algorithm>
#include <cmath>

namespace gttf {

namespace {

/// The power of the kinetic energy in a stopping power with the mean loss and
/// the transmission of a layer: (T_after/T)^power.
double power_of(const LayerLoss& loss, double kinetic) {
  constexpr double least = 1e-10;  // of the energy: the rest is rounding
  if (loss.stopped || !(loss.mean > least * kinetic)) return 0;
  const double power =
      std::log(loss.transmission) / std::log1p(-loss.mean / kinetic);
  constexpr double near_one = 1e-4;
  return std::abs(1 - power) < near_one ? 1 - near_one : power;
}

}  // namespace

HitLoss hit_loss(std::span<const LossSlab> slabs, const Projectile& particle,
                 double p, double paths, EnergyLoss model,
                 const LossStretch& stretch) {
  HitLoss loss;
  loss.momentum = p;
  if (model == EnergyLoss::off || slabs.empty()) return loss;
  const LayerLoss l = energy_loss(slabs, particle, p, paths);
  loss.mean = l.mean;
  loss.path = {paths, l.per_path, l.per_path_behind_kink,
               l.per_path_behind_kink_rms};
  loss.power = power_of(l, detail::kinetic_energy(p, particle.rest_energy()));
  if (straggles(model))
    loss.sigma = straggling(slabs, particle, p, paths, stretch, model);
  return loss;
}

bool changes_losses(const TrackHits& track) {
  return track.flight && track.field &&
         std::any_of(track.points.begin(), track.points.end(),
                     [](const TrackHit& h) {
                       return h.loss.sigma > 0 || h.loss.path.per_path > 0;
                     });
}

bool angles_hold(const HitLoss& loss, double behind, double mass) {
  const double left = detail::kinetic_energy(loss.momentum, mass) - loss.mean;
  return left > 0 &&
         detail::kinetic_energy(behind, mass) >= least_energy * left;
}

SlowingDown::SlowingDown(const HitLoss& loss, double mass)
    : before(detail::kinetic_energy(loss.momentum, mass)),
      after(before - loss.mean),
      n(1 - loss.power),
      growth(std::pow(before / after, n)) {}

}  // namespace gttf
