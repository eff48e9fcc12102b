// SPDX-License-Identifier: Apache-2.0
// TripletEquations: the triplets of a track in any field as one linear system,
// and its solution.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
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

  /// Adds independent errors, one column each.
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

// Relations between the chi2 of local and global fits of the same hits.

/// Result of a scattering fit of one triplet or of a track.
struct LocalCurvature {
  double kappa = 0, sigma = 0, chi2 = 0;
};

/// The scattering-dominated global fit from its local ones, without using the
/// hits again; no inversion:
///
///   1/sigma^2 = sum 1/sigma_j^2,  kappa = sigma^2 sum kappa_j/sigma_j^2
///   chi2 = sum chi2_j + sum (kappa - kappa_j)^2/sigma_j^2
///
/// An upper bound of the chi2 of the general fit with the same scattering
/// variances: hit errors can only lower it.
/// @param local  at least one, sigma > 0
/// Source: [GTTF] eq:global_MS_chi2j, eq:chi2min_inequality; the exponent of
///         kappa_j as in docs/theory/local-fit.md
inline LocalCurvature combine(std::span<const LocalCurvature> local) {
  double weight = 0, sum = 0, chi2 = 0;
  for (const LocalCurvature& f : local) {
    const double w = 1 / (f.sigma * f.sigma);
    weight += w;
    sum += w * f.kappa;
  }
  const double kappa = sum / weight;
  for (const LocalCurvature& f : local) {
    const double pull = (f.kappa - kappa) / f.sigma;
    chi2 += f.chi2 + pull * pull;
  }
  return {kappa, 1 / std::sqrt(weight), chi2};
}

/// Lower bound of the chi2 of the scattering fit: sum of the local ones.
/// Source: [GTTF] eq:MS_inequality
inline double scattering_lower_bound(std::span<const LocalCurvature> local) {
  double sum = 0;
  for (const LocalCurvature& f : local) sum += f.chi2;
  return sum;
}

/// Lower bound of the chi2 of the general fit from general local ones in order
/// of flight: the largest of all, and the best sum over triplets that share no
/// hit. The sum over all is not a bound, because triplets share hits.
/// Source: docs/theory/local-fit.md
inline double general_lower_bound(std::span<const double> local_chi2) {
  // best sum with the last triplet taken at least three back, or skipped
  double best[3] = {0, 0, 0};  // up to one, two, three triplets back
  for (const double chi2 : local_chi2) {
    const double now = std::max(best[0], best[2] + chi2);
    best[2] = best[1];
    best[1] = best[0];
    best[0] = now;
  }
  return best[0];
}

/// Whether a candidate can be rejected before its general fit: the lower bound
/// from its triplets exceeds the cut.
inline bool fails_by_triplets(std::span<const double> local_chi2, double cut) {
  return general_lower_bound(local_chi2) > cut;
}

}  // namespace gttf
