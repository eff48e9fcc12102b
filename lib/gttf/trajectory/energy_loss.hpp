// SPDX-License-Identifier: Apache-2.0
// Energy loss of a track in a layer: its mean and its fluctuation.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gttf/core/random.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/detector/material.hpp"
#include "gttf/trajectory/kinetic_energy.hpp"
#include "gttf/trajectory/loss_fluctuation.hpp"

// Stopping power: mean energy loss per mass thickness of a charged particle.
namespace gttf {

/// Properties of a material for the collision energy loss.
struct StoppingMedium {
  double z_over_a = 0;         ///< mol/g
  double mean_excitation = 0;  ///< I, GeV
  DensityEffect density_effect;
};

/// The medium of a material of known Z/A, I and density. Tabulated parameters
/// of the density effect are moved to `density` (x0 and x1 by
/// -log10(r)/2, c_bar by -ln(r)); without them:
///
///   c_bar = 1 + 2 ln(I/(hbar omega_p)),  k = 3,  x0 and x1 from c_bar and I,
///   a = (c_bar - 2 ln(10) x0)/(x1 - x0)^3
///
/// @param density  g/cm3; 0: that of the material
/// Source  [Sternheimer84], [Sternheimer71]; plasma energy [PDG24] Table 34.1
StoppingMedium stopping_medium(const Material& material, double density = 0);

/// Whether the material has all properties needed by stopping_medium().
bool has_stopping_data(const Material& material);

/// The density correction delta(beta gamma).
double density_correction(const DensityEffect& effect, double beta_gamma);

/// Mean loss by collisions, GeV cm2/g.
///
/// Heavy particles:
///
///   K z^2 Z/A/beta^2 [ln(2 m_e (beta gamma)^2 W_max/I^2)/2 - beta^2 - delta/2]
///
/// electrons and positrons with their Moller and Bhabha cross sections. Below
/// beta gamma = 0.05, outside the range of validity, the value at 0.05 is used.
/// @param kinetic  kinetic energy, GeV, >= 0
/// Source  [PDG24] Eqs. (34.5), (34.24), (34.25); [ICRU84]
double collision_stopping_power(const StoppingMedium& medium,
                                const Projectile& particle, double kinetic);

/// A slab of a layer as used by the formulas. Thickness at normal incidence.
struct LossSlab {
  StoppingMedium medium;
  double mass_thickness = 0;  ///< g/cm2
  double x_over_x0 = 0;
  std::optional<double> mean_loss;  ///< GeV, as given by the user
};

/// Slabs of a layer. A slab with only x/X0, or of a material with unknown Z/A,
/// I or density, is treated as silicon of the same x/X0.
/// @param own  materials of the detector file
std::vector<LossSlab> make_loss_slabs(const Layer& layer,
                                      std::span<const Material> own = {});

/// Warning, once per detector with energy loss: the layers treated as silicon
/// because their material is unknown. Empty if none.
std::string assumed_materials(const Detector& detector);

/// Energy lost in one crossing of a layer.
struct LayerLoss {
  double mean = 0;       ///< GeV; at most the kinetic energy
  bool stopped = false;  ///< the particle does not leave the layer
  /// d(energy after)/d(energy before): > 1 for slow particles, whose loss
  /// decreases with energy.
  double transmission = 1;
  double per_path = 0;  ///< d(mean)/d(paths), GeV
  /// d(mean)/d(paths) after the position of a scattering angle, GeV: average
  /// and standard deviation over the layer. An angle at its front changes the
  /// path in it, an angle at its back does not.
  double per_path_behind_kink = 0, per_path_behind_kink_rms = 0;
  /// The momentum at which a thin layer of the same x/X0 scatters equally, GeV:
  /// its 1/(p beta)^2 is the average over the x/X0 of the layer.
  double p_scatter = 0;
  /// int K/2 z^2 Z/A/beta^2 dx, GeV: the width scale of the Landau and Vavilov
  /// distributions. 0 if it stops.
  double xi = 0;
};

/// Energy loss of a particle in a layer.
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

/// A stretch of material whose fluctuations act together in a fit.
struct LossStretch {
  double xi = 0;     ///< sum of LayerLoss::xi, GeV; at least the layer's own
  double depth = 0;  ///< x/X0 of it before the layer; for electrons
};

/// Standard deviation of the energy after a layer, GeV, Gaussian approximation;
/// 0 if the particle stops.
///
/// EnergyLoss::straggling: the core of the distribution, half the width of its
/// central 68 %, of the stretch as a whole is shared among its parts so that
/// their variances add:
///
///   d(variance)/dx = dxi/dx Xi w(Xi/W_max)^2 - 2 dS/dE variance
///
/// with the Xi of the stretch, straggling_width() w and the stopping power S at
/// the energy E(x): the result does not depend on the division of the stretch.
/// EnergyLoss::straggling_variance: the variance of all losses, which is
/// additive for any stretch,
///
///   d(variance)/dx = dxi/dx W_max (1 - beta^2/2) - 2 dS/dE variance
///
/// Electrons: (2 - ln3/ln2) E^2 exp((2 - ln3/ln2) t)/X0 is added, where t is
/// the x/X0 passed, which gives the variance of the Bethe-Heitler distribution
/// E^2 (exp(-t ln3/ln2) - exp(-2t)). This distribution is far from Gaussian:
/// the resulting resolutions of electrons describe the best linear fit, not the
/// shape of the peak.
///
/// @param p      momentum before the layer, GeV
/// @param paths  as for energy_loss()
/// @param model  one that straggles()
/// Source  [PDG24] sections 34.2, 34.4; [Vavilov57]; [Stampfer94];
/// docs/theory/energy-loss.md
double straggling(std::span<const LossSlab> slabs, const Projectile& particle,
                  double p, double paths = 1, const LossStretch& stretch = {},
                  EnergyLoss model = EnergyLoss::straggling);

}  // namespace gttf

// Integration steps of a particle that loses energy in a slab.
namespace gttf::detail {

/// The mean loss of a particle per g/cm2, in a slab.
class StoppingPower {
 public:
  StoppingPower(const LossSlab& slab, const Projectile& particle)
      : medium_(slab.medium), particle_(particle) {
    if (particle.is_electron() && slab.mass_thickness > 0)
      radiation_ = slab.x_over_x0 / slab.mass_thickness;
  }

  double collision(double kinetic) const {
    return collision_stopping_power(medium_, particle_, kinetic);
  }
  double operator()(double kinetic) const {
    return collision(kinetic) +
           radiation_ * (kinetic + particle_.rest_energy());
  }

 private:
  const StoppingMedium& medium_;
  const Projectile& particle_;
  double radiation_ = 0;  ///< 1/X0, cm2/g
};

/// Maximum fraction of the kinetic energy lost in a step; the relative error of
/// the loss is 1e-6.
constexpr double largest_part = 0.1;

/// Below this kinetic energy, beta gamma = 0.04, the stopping power is
/// constant.
inline double slowest(double rest_energy) { return 0.8e-3 * rest_energy; }

/// The next step of a particle, g/cm2.
/// @param power  its stopping power
/// @param left   remaining thickness, g/cm2
inline double longest_step(double kinetic, double power, double left,
                           double rest_energy) {
  if (kinetic < slowest(rest_energy)) return left;
  return std::min(left, largest_part * kinetic / power);
}

/// Kinetic energy after a step of h g/cm2, by the Runge-Kutta method; not above
/// 0: it stops.
inline double energy_behind(const StoppingPower& loss, double kinetic,
                            double power, double h, double rest_energy) {
  if (kinetic < slowest(rest_energy)) return kinetic - power * h;
  const double k2 = loss(kinetic - 0.5 * h * power);
  const double k3 = loss(kinetic - 0.5 * h * k2);
  const double k4 = loss(kinetic - h * k3);
  return kinetic - h / 6 * (power + 2 * (k2 + k3) + k4);
}

/// d(xi)/d(thickness) at rest, GeV cm2/g.
inline double xi_per_thickness(const LossSlab& slab,
                               const Projectile& particle) {
  return 0.5 * bethe_constant * particle.charge * particle.charge *
         slab.medium.z_over_a;
}

}  // namespace gttf::detail

// Energy loss of a single simulated particle.
namespace gttf {

/// Simulates the energy loss of a particle in a layer, GeV, by collisions with
/// free electrons: energies W up to W_max with the spectrum
///
///   dn/dW = xi (1 - beta^2 W/W_max)/W^2,
///
/// those above xi/20 individually, the others as a Gaussian with their
/// variance. The mean is given by the stopping power. The particle slows down:
/// xi and W_max follow its energy, in steps in which it loses at most 10 %.
/// Electrons also radiate: they keep the fraction exp(-x) of their energy after
/// t = x/X0, where x has the Gamma distribution of shape t/ln2.
///
/// The moments agree with EnergyLoss::straggling_variance; the width assumed by
/// a fit has no influence.
/// @param p      momentum before the layer, GeV
/// @param paths  as for energy_loss()
/// @return  all of its kinetic energy or more: it stops
/// Source  [Vavilov57]; [PDG24] sections 34.2.5, 34.2.9; Bethe and Heitler in
/// [Stampfer94]
double simulate_loss(std::span<const LossSlab> slabs,
                     const Projectile& particle, double p, double paths,
                     RandomBranch& random);

}  // namespace gttf
