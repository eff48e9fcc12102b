// SPDX-License-Identifier: Apache-2.0
// Energy loss of a track in a layer: its mean and its fluctuation.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gttf/detector/detector.hpp"
#include "gttf/trajectory/stopping_power.hpp"

namespace gttf {

/// A slab of a layer, ready for the formulas. Thicknesses at normal incidence.
struct LossSlab {
  StoppingMedium medium;
  double mass_thickness = 0;  ///< g/cm2
  double x_over_x0 = 0;
  std::optional<double> mean_loss;  ///< GeV, as given by the user
};

/// Slabs of a layer. What gives only x/X0, or is of a material without known
/// Z/A, I or density, is taken as silicon of the same x/X0.
/// @param own  materials of the detector file
std::vector<LossSlab> make_loss_slabs(const Layer& layer,
                                      std::span<const Material> own = {});

/// What has to be said once per detector where energy loss is on: which layers
/// are taken as silicon because their material is not known. Empty if none.
std::string assumed_materials(const Detector& detector);

/// Energy lost in one crossing of a layer.
struct LayerLoss {
  double mean = 0;       ///< GeV; at most the kinetic energy
  bool stopped = false;  ///< the particle does not get through
  /// d(energy behind)/d(energy before): > 1 for slow particles, which lose the
  /// less the faster they are.
  double transmission = 1;
  double per_path = 0;  ///< d(mean)/d(paths), GeV
  /// d(mean)/d(paths) of what lies behind the place of a scattering angle, GeV:
  /// average and standard deviation over the scattering in the layer. An angle
  /// at its surface makes the path in it longer, one behind it does not.
  double per_path_behind_kink = 0, per_path_behind_kink_rms = 0;
  /// The momentum at which a thin layer of the same x/X0 scatters as much, GeV:
  /// 1/(p beta)^2 there is its average over the x/X0 of the layer.
  double p_scatter = 0;
  /// int K/2 z^2 Z/A/beta^2 dx, GeV: what Landau's and Vavilov's distributions
  /// are as wide as. 0 if it stops.
  double xi = 0;
};

/// The energy that a particle loses in a layer.
///
/// mean: the stopping power integrated through the layer. Electrons also lose
/// E x/X0 by radiation. A mean loss given by the user replaces both.
///
/// p_scatter: 1/(p beta)^2 integrated along the same curve. A particle that
/// stops in the layer scatters with the momentum before it.
///
/// per_path_behind_kink: S(E_behind) (1 - s) thickness at the part s of a
/// single slab, averaged with the weight 1/(p beta)^2 of the angles.
///
/// @param p      momentum before the layer, GeV
/// @param paths  path in the layer in units of its thickness, 1/cos(incidence)
/// Source  [PDG24] section 34.2; docs/theory/energy-loss.md
LayerLoss energy_loss(std::span<const LossSlab> slabs,
                      const Projectile& particle, double p, double paths = 1);

/// The material whose fluctuations a fit feels together.
struct LossStretch {
  double xi = 0;  ///< sum of LayerLoss::xi, GeV; less than a layer's: its own
  double depth = 0;  ///< x/X0 of it before the layer; counts for electrons
};

/// Standard deviation of the energy behind a layer, GeV, Gaussian
/// approximation; 0 if the particle stops.
///
/// EnergyLoss::straggling: the core of the distribution, half the width of its
/// central 68 %, of the stretch as a whole is shared among its parts so that
/// their variances add:
///
///   d(variance)/dx = dxi/dx Xi w(Xi/W_max)^2 - 2 dS/dE variance
///
/// with the Xi of the stretch, straggling_width() w and the stopping power S at
/// the energy E(x): the result does not depend on how the stretch is cut.
/// EnergyLoss::straggling_variance: the variance of all losses, which adds up
/// whatever the stretch,
///
///   d(variance)/dx = dxi/dx W_max (1 - beta^2/2) - 2 dS/dE variance
///
/// Electrons: (2 - ln3/ln2) E^2 exp((2 - ln3/ln2) t)/X0 comes on top, t the
/// x/X0 passed, which gives the Bethe-Heitler distribution's variance
/// E^2 (exp(-t ln3/ln2) - exp(-2t)). That is far from Gaussian: resolutions of
/// electrons that follow from it are those of the best linear fit, not the
/// shape of their peak.
///
/// @param p      momentum before the layer, GeV
/// @param paths  as for energy_loss()
/// @param model  one that straggles()
/// Source  [PDG24] sections 34.2, 34.4; [Vavilov57]; [Stampfer94];
/// docs/theory/energy-loss.md
double straggling(std::span<const LossSlab> slabs, const Projectile& particle,
                  double p, double paths = 1, const LossStretch& stretch = {},
                  EnergyLoss model = EnergyLoss::straggling);

/// Half the width of the central 68.27 % of the energy loss over xi, from thin
/// to thick layers,
///
///   (s_L^-n + s_G^-n)^(-1/n),  s_L = 4.0485,  s_G = sqrt((1 -
///   beta^2/2)/kappa), n = 2.8 - 0.85 beta^2
///
/// with the quantiles of the Landau distribution, -0.7204 and 7.3767, for
/// kappa -> 0 and the variance xi W_max (1 - beta^2/2) for kappa -> inf. In
/// between within 5 % of the Vavilov distribution's width.
/// @param kappa  xi/W_max > 0
/// Source  [Landau44], [Vavilov57]; the interpolation is our own
double straggling_width(double kappa, double beta2);

}  // namespace gttf
