// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/any_toys.hpp"

#include <cmath>

#include "gttf/resolution/any_track.hpp"

namespace gttf {

namespace {

using Simulator = std::variant<ToySimulator, TracedToySimulator>;

Simulator make_simulator(const TrackingGeometry& geometry, const Track& track,
                         const Model& model) {
  const detail::AnyTrack any(geometry, track, model);
  if (const Crossings<double>* helix = any.helix())
    return ToySimulator(geometry, track, *helix, model.beam_spot);
  const TracedTrack& traced = *any.traced();
  return TracedToySimulator(geometry, track, traced,
                            hit_losses(geometry, track, traced, model.loss),
                            model.beam_spot);
}

}  // namespace

HitLoss hit_loss(std::span<const LossSlab> slabs, const Projectile& particle,
                 double p, double paths, EnergyLoss model) {
  HitLoss loss;
  loss.momentum = p;
  if (model == EnergyLoss::off || slabs.empty()) return loss;
  const LayerLoss l = energy_loss(slabs, particle, p, paths);
  loss.mean = l.mean;
  if (l.mean > 0) {
    const double energy = std::hypot(p, particle.rest_energy());
    loss.power = (1 - l.transmission) * p * p / (energy * l.mean);
  }
  if (model == EnergyLoss::straggling) loss.sigma = l.sigma;
  return loss;
}

std::vector<HitLoss> hit_losses(const TrackingGeometry& geometry,
                                const Track& track, const TracedTrack& traced,
                                EnergyLoss model) {
  std::vector<HitLoss> losses;
  if (model == EnergyLoss::off) return losses;
  const Projectile particle{track.mass, track.charge};
  for (const TracedCrossing& x : traced.list)
    losses.push_back(hit_loss(geometry.slabs(x.surface), particle, x.p,
                              1 / x.cos_incidence, model));
  return losses;
}

AnyToySimulator::AnyToySimulator(const TrackingGeometry& geometry,
                                 const Track& track, const Model& model)
    : simulator_(make_simulator(geometry, track, model)) {}

}  // namespace gttf
