// SPDX-License-Identifier: Apache-2.0
// Energy loss of a single simulated particle.
#pragma once

#include <span>

#include "gttf/core/random.hpp"
#include "gttf/trajectory/energy_loss.hpp"

namespace gttf {

/// The energy that a particle loses in a layer, GeV, by collisions with free
/// electrons: of energies W up to W_max with the spectrum
///
///   dn/dW = xi (1 - beta^2 W/W_max)/W^2,
///
/// those above xi/20 one by one, the others as a Gaussian of their variance.
/// The mean is the stopping power's. The particle slows down on its way: xi and
/// W_max are those of its own energy, in steps in which it loses 10 % at most.
/// Electrons also radiate: of their energy they keep exp(-x), x with the Gamma
/// distribution of the shape t/ln2 behind t = x/X0.
///
/// Moments are those of EnergyLoss::straggling_variance; the width that a fit
/// assumes plays no part.
/// @param p      momentum before the layer, GeV
/// @param paths  as for energy_loss()
/// @return  all of its kinetic energy or more: it stops
/// Source  [Vavilov57]; [PDG24] sections 34.2.5, 34.2.9; Bethe and Heitler in
/// [Stampfer94]
double simulate_loss(std::span<const LossSlab> slabs,
                     const Projectile& particle, double p, double paths,
                     RandomBranch& random);

}  // namespace gttf
