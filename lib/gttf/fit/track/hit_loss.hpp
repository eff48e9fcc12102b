// SPDX-License-Identifier: Apache-2.0
// The energy lost at a hit.
#pragma once

#include <cmath>
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

/// Whether losses of a track in a field change: by fluctuations, or by the
/// scattering angles in a layer. A change affects all following triplets, which
/// does not fit into the band of the matrix of triplets.
bool changes_losses(const TrackHits& track);

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

/// The fluctuation of a HitLoss.
struct LossSpread {
  double sigma = 0;     ///< standard deviation, GeV
  double momentum = 1;  ///< of the reference particle before the layer, GeV
};

/// Variance of a curvature field/p, 1/mm^2, from a loss of energy.
/// @param sigma  standard deviation of the loss, GeV
/// @param p      momentum after it, GeV
/// @param mass   GeV
/// @param field  times charge, GeV/mm
template <class S>
S curvature_variance(double sigma, const S& p, double mass, double field) {
  using std::sqrt;
  // dp = E dE/p
  const S energy = sqrt(p * p + S(mass * mass));
  const S size = S(field * sigma) * energy / (p * p * p);
  return size * size;
}

/// A HitLoss as a function of kinetic energies, GeV.
struct SlowingDown {
  double before, after;  ///< of the reference particle; after <= 0: it stops
  double n, growth;      ///< 1 - power, (before/after)^n

  SlowingDown(const HitLoss& loss, double mass);
  bool stops() const { return !(after > 0); }
};

}  // namespace gttf
