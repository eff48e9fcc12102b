// SPDX-License-Identifier: Apache-2.0
// Local fits to measured kinks: curvature, chi2 and residuals of a triplet.
// Their covariance is that of fit/triplet/local_fit.hpp.
#pragma once

#include <array>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/fit/triplet/triplet.hpp"

namespace gttf {

/// Errors of a triplet: the input of the fit in addition to the triplet itself.
struct TripletErrors {
  /// Position covariances of the three hits in space, mm^2. Singular matrices
  /// (no error perpendicular to a sensor) are allowed: nothing is inverted.
  std::array<Eigen::Matrix3d, 3> hits;
  /// Variance of the scattering angle of the middle layer in a plane, rad^2;
  /// regularised and common curvature: theta0^2/kappa^2, mm^2.
  double theta0_2 = 0;
};

/// Result of a local fit, one degree of freedom.
struct LocalFit {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  FitStatus status = FitStatus::singular;
  double kappa = none;  ///< signed 3D curvature, 1/mm
  double sigma = none;
  double chi2 = none;

  /// chi2 <= cut: a filter for triplets of hits from one track.
  bool passes(double cut) const { return chi2 <= cut; }
};

/// Shifts of the three hits in a local fit.
struct LocalResiduals {
  std::array<Vector3, 3> residual;  ///< measured minus fitted position, mm
  std::array<Eigen::Matrix3d, 3> residual_covariance;
  std::array<Eigen::Matrix3d, 3> fitted_covariance;  ///< of fitted positions
};

/// Fit of one triplet. With A = Gamma_tt + sigma_theta^2, B = Gamma_pp +
/// sigma_phi^2, C = Gamma_tp, Gamma_ab = sum_k h_a,k V_k h_b,k:
///
///   N = rho_theta^2 B + rho_phi^2 A - 2 rho_theta rho_phi C
///   kappa = -[Theta~ rho_theta B + Phi~ rho_phi A
///             - C (Phi~ rho_theta + Theta~ rho_phi)]/N
///   sigma^2 = (A B - C^2)/N,  chi2 = q^2/N,  q = rho_theta Phi~ - rho_phi
///   Theta~
///
/// hits: without sigma_theta, sigma_phi; scattering: without Gamma;
/// regularised: chi2 minimised with theta0 = b |kappa|,
///
///   kappa = -(Phi~^2 s^2 + Theta~^2)/(Phi~ rho_phi s^2 + Theta~ rho_theta)
///   sigma = b (Phi~^2 s^2 + Theta~^2)^(3/2)/(...)^2,  s = sin(theta);
///
/// common curvature: the scattering fit with theta0 = b |kappa|. Nothing is
/// inverted, so kappa and chi2 also exist for a singular covariance of the
/// kinks.
/// Errors: LocalFit::status: singular if N = 0, no_curvature
/// Source: [GTTF] eq:K_local to eq:local_chi2_general, eq:c3D_MS_solution and
///         its appendix on the regularised fit; docs/theory/local-fit.md
LocalFit fit_local(const Triplet<double>& triplet, const TripletErrors& errors,
                   FitKind kind = FitKind::general);

/// Residuals of the general (or hits) fit,
///
///   delta_k = w_k q/N,  w_k = V_k (rho_theta h_phi,k - rho_phi h_theta,k)
///   Cov(residual) = w w^T/N,  Cov(fitted) = V - w w^T/N
///
/// which is regular for a perfect triplet, q = 0.
/// Source: [GTTF] eq:local_delta_general, eq:global_fit_cov2
LocalResiduals local_residuals(const Triplet<double>& triplet,
                               const TripletErrors& errors,
                               FitKind kind = FitKind::general);

}  // namespace gttf
