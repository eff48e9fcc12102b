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
  double sigma = 0;      ///< of the loss, Gaussian approximation, GeV
  bool stopped = false;  ///< the particle does not get through
  /// d(energy behind)/d(energy before): > 1 for slow particles, which lose the
  /// less the faster they are.
  double transmission = 1;
  double per_path = 0;  ///< d(mean)/d(paths), GeV
  /// The momentum at which a thin layer of the same x/X0 scatters as much, GeV:
  /// 1/(p beta)^2 there is its average over the x/X0 of the layer.
  double p_scatter = 0;
};

/// The energy that a particle loses in a layer.
///
/// mean: the stopping power integrated through the layer. Electrons also lose
/// E x/X0 by radiation. A mean loss given by the user replaces both.
///
/// p_scatter: 1/(p beta)^2 integrated along the same curve. A particle that
/// stops in the layer scatters with the momentum before it.
///
/// sigma, heavy particles: of the Gaussian that is as wide at half its height
/// as the Vavilov distribution of all slabs together, see straggling_width().
/// Electrons: added to it in squares E sqrt(exp(-t ln3/ln2) - exp(-2t)), the
/// standard deviation of the Bethe-Heitler distribution. It is far from
/// Gaussian: resolutions of electrons that follow from it are those of the best
/// linear fit, not the shape of their peak.
///
/// @param p      momentum before the layer, GeV
/// @param paths  path in the layer in units of its thickness, 1/cos(incidence)
/// Source  [PDG24] sections 34.2, 34.4; [Stampfer94];
/// docs/theory/energy-loss.md
LayerLoss energy_loss(std::span<const LossSlab> slabs,
                      const Projectile& particle, double p, double paths = 1);

/// sigma/xi of the energy loss from thin to thick layers,
///
///   (s_L^-n + s_G^-n)^(-1/n),  s_L = 4.018/sqrt(8 ln2),
///   s_G = sqrt((1 - beta^2/2)/kappa),  n = 5 - 2 beta^2
///
/// with the full width at half maximum of the Landau distribution, 4.018 xi,
/// for kappa -> 0 and the variance xi W_max (1 - beta^2/2) for kappa -> inf.
/// In between within 5 % of the Vavilov distribution's width.
/// @param kappa  xi/W_max > 0
/// Source  [Landau44], [Vavilov57]; the interpolation is our own
double straggling_width(double kappa, double beta2);

}  // namespace gttf
