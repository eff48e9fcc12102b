// SPDX-License-Identifier: Apache-2.0
// The momentum of a straight track from its scattering.
#pragma once

#include <optional>

#include <Eigen/Core>

#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/fit/triplet/kink_system.hpp"

namespace gttf {

/// Kinks of a track, kinks = psi - G u: the u are independent errors of hits in
/// units of their standard deviation, the kinks scatter with variances
/// `scattering`.
struct ScatteredKinks {
  Eigen::VectorXd psi, scattering;
  Eigen::MatrixXd errors;  ///< G: a column per error
};

/// Estimator of the momentum.
enum class MomentumEstimate {
  likelihood,  ///< maximum of the likelihood
  moment,      ///< chi2(p) = its expectation, the number of kinks
};

/// Estimates the momentum of a track of straight triplets. With q = (theta0(p)/
/// theta0(p0))^2, i.e. (p beta) = (p0 beta0)/sqrt(q):
///
///   C(q) = q D^-1 + G G^T,  chi2(q) = psi^T C^-1 psi
///   likelihood: ln det C + chi2 = min;  moment: chi2 = 2 n_t
///   sigma_p/p = 1/sqrt(2 tr[(q C^-1 D^-1)^2])   (likelihood)
///
/// With exact hits both are p = p0 sqrt(2 n_t/chi2(p0)) (beta = 1), and
/// sigma_p/p = 1/(2 sqrt(n_t)).
/// @param kinks      of straight triplets; scattering as at the momentum p0, >
/// 0
/// @param p0         GeV
/// @param mass       GeV; 0: theta0 goes as 1/p
/// Source: [GTTF] section on zero magnetic field, corrected;
///         docs/theory/zero-field.md
ScatteringMomentum scattering_momentum(
    const ScatteredKinks& kinks, double p0, double mass = 0,
    MomentumEstimate estimate = MomentumEstimate::likelihood);

/// Mean of p_hat/p with exact hits, sqrt(n) Gamma(n - 1/2)/Gamma(n): a bias of
/// 3/(8 n). The variance is n/(n - 1) - mean^2, infinite for n = 1.
/// @param n  triplets, >= 1
double scattering_momentum_mean(int n);

}  // namespace gttf

namespace gttf::detail {

/// scattering_momentum() of a linearised system without field. Scattering in
/// passive layers correlates the kinks of neighbours: they are made independent
/// by the Cholesky factor of their covariance.
/// @param system     with the standard deviations of the passive kinks
/// @param with_hits  false: hits are exact
/// @return  nothing if TrackHits::momentum is unknown, or if some kinks have no
///          scattering
std::optional<ScatteringMomentum> kink_momentum(const TrackHits& track,
                                                const KinkSystem& system,
                                                bool with_hits);

}  // namespace gttf::detail
