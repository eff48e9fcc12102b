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

/// A choice: angles, which are proportional to about 1/energy, are up to 2.5
/// times as large as those of the reference track.
inline constexpr double least_energy = 0.4;
/// A choice: errors are at most twice as large as those of a linear fit.
inline constexpr double least_slope = 0.5;

/// A choice: triplets are linear around the hits and the losses of a track
/// without kinks. Where particles lose more than this part of their kinetic
/// energy, they are biased by up to a standard deviation.
inline constexpr double most_lost_by_triplets = 0.02;

/// Whether the scattering angles of the reference track are about those of a
/// particle with momentum `behind` after the layer, which may have less energy
/// left, but not much less.
bool angles_hold(const HitLoss& loss, double behind, double mass);

/// A HitLoss as a function of kinetic energies, GeV.
struct SlowingDown {
  double before, after;  ///< of the reference particle; after <= 0: it stops
  double n, growth;      ///< 1 - power, (before/after)^n

  SlowingDown(const HitLoss& loss, double mass);
  bool stops() const { return !(after > 0); }
};

}  // namespace gttf
