// SPDX-License-Identifier: Apache-2.0
// The energy lost at a hit.
#pragma once

#include <span>

#include "gttf/fit/track/hits.hpp"
#include "gttf/trajectory/energy_loss.hpp"
#include "gttf/trajectory/traced_track.hpp"

namespace gttf {

/// Mean and width of the energy lost in one layer.
/// @param p      momentum before the layer, GeV
/// @param paths  path in the layer in units of its thickness
/// @param stretch  TracedCrossing::stretch
HitLoss hit_loss(std::span<const LossSlab> slabs, const Projectile& particle,
                 double p, double paths, EnergyLoss model,
                 const LossStretch& stretch);

/// Whether the scattering angles of the reference track are about those of a
/// particle with momentum `behind` after the layer, which may have less energy
/// left, but not much less: angles are proportional to about 1/energy.
bool angles_hold(const HitLoss& loss, double behind, double mass);

/// A HitLoss as a function of kinetic energies, GeV.
struct SlowingDown {
  double before, after;  ///< of the reference particle; after <= 0: it stops
  double n, growth;      ///< 1 - power, (before/after)^n

  SlowingDown(const HitLoss& loss, double mass);
  bool stops() const { return !(after > 0); }
};

}  // namespace gttf
