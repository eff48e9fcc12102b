// SPDX-License-Identifier: Apache-2.0
// TripletEquations: the triplets of a track, whatever its field, as one linear
// system, and its solution.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <span>
#include <vector>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/track/hits.hpp"
#include "gttf/fit/triplet/scattering_momentum.hpp"
#include "gttf/fit/triplet/triplet.hpp"

namespace gttf {

/// kinks = psi + rho kappa - G u, rows (theta, phi) of every triplet.
struct TripletEquations : ScatteredKinks {
  Eigen::VectorXd rho;
  /// Columns of `errors` that shift hits: 3 per hit, `root` times them are
  /// shifts in space; none if the hits are exact.
  std::vector<Eigen::Matrix3d> roots;

  /// Adds independent errors, a column each.
  void append(const Eigen::MatrixXd& columns);
};

/// The system of consecutive triplets (hits j, j+1, j+2).
/// @param triplets  at least one
/// @param hits      position covariances in space, mm^2, two more than
///                  triplets; may be singular; empty: exact hits
/// @param theta0_2  variances of the scattering angle at the middle hits, rad^2
TripletEquations make_equations(std::span<const Triplet<double>> triplets,
                                std::span<const Eigen::Matrix3d> hits,
                                std::span<const double> theta0_2);

/// The least-squares solution.
struct TripletSolution {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  FitStatus status = FitStatus::singular;
  double kappa = none;  ///< 1/mm
  double sigma = none;
  double chi2 = none;
  int ndf = 0;
  Eigen::VectorXd errors;      ///< u, in standard deviations
  Eigen::MatrixXd covariance;  ///< of u: 1 before the fit
  Eigen::VectorXd with_kappa;  ///< Cov(u, kappa)

  /// Measured minus fitted position of hit k.
  Vector3 residual(const TripletEquations& e, std::size_t k) const;
};

/// Solves for kappa and the errors:
///
///   K^-1 = D^-1 + G G^T = L L^T,  a = L^-1 rho,  b = L^-1 psi,  M = L^-1 G
///   kappa = -a.b/a.a,  sigma^2 = 1/a.a,  r = b + a kappa,  chi2 = r.r
///   u = M^T r,  Cov(u) = 1 - M^T M + sigma^2 (M^T a)(M^T a)^T
///
/// @param fit_kappa  false: straight tracks, kappa = 0
/// Errors: status singular if K^-1 is, no_curvature if rho is zero
/// Source: [GTTF] eq:kmatrix_inverse to eq:global_fit_chi2
TripletSolution solve(const TripletEquations& equations, bool fit_kappa = true);

}  // namespace gttf
