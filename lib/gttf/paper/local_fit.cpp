// SPDX-License-Identifier: Apache-2.0
#include "gttf/paper/local_fit.hpp"

#include <cmath>

#include "gttf/fit/triplet/kink_system.hpp"
#include "gttf/fit/triplet/local_fit.hpp"

namespace gttf {

namespace {

/// Covariance of the two kinks: A, B, C of the formulas.
detail::KinkErrors<double> kink_covariance(const Triplet<double>& t,
                                           const TripletErrors& errors,
                                           FitKind kind) {
  detail::KinkErrors<double> c;
  if (kind != FitKind::hits) {
    const double sine = sin_mean_theta(t);
    c.theta = errors.theta0_2;
    c.phi = errors.theta0_2 / (sine * sine);
  }
  if (kind != FitKind::general && kind != FitKind::hits) return c;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3 h_theta = vector_of(t.h_theta[k]),
                  h_phi = vector_of(t.h_phi[k]);
    const Vector3 v_theta = errors.hits[k] * h_theta;
    c.theta += h_theta.dot(v_theta);
    c.theta_phi += h_phi.dot(v_theta);
    c.phi += h_phi.dot(errors.hits[k] * h_phi);
  }
  return c;
}

LocalFit fit_regularised(const Triplet<double>& t, double b2) {
  LocalFit f;
  const double sine = sin_mean_theta(t), s2 = sine * sine;
  const double square =
      t.phi_tilde * t.phi_tilde * s2 + t.theta_tilde * t.theta_tilde;
  const double mixed =
      t.phi_tilde * t.rho_phi * s2 + t.theta_tilde * t.rho_theta;
  // 1/kappa = -mixed/square must differ from 0 by its error b/sqrt(square)
  if (!(mixed * mixed > b2 * square)) {
    f.status = FitStatus::no_curvature;
    return f;
  }
  const double q = t.phi_tilde * t.rho_theta - t.theta_tilde * t.rho_phi;
  f.kappa = -square / mixed;
  f.sigma = std::sqrt(b2 * square) * square / (mixed * mixed);
  f.chi2 = q * q * s2 / (b2 * square);
  f.status = FitStatus::ok;
  return f;
}

}  // namespace

LocalFit fit_local(const Triplet<double>& t, const TripletErrors& errors,
                   FitKind kind) {
  LocalFit f;
  double sum =
      t.phi_tilde + t.theta_tilde + t.rho_phi + t.rho_theta + errors.theta0_2;
  for (const auto& v : errors.hits) sum += v.sum();
  if (!std::isfinite(sum)) {
    f.status = FitStatus::not_finite;
    return f;
  }
  if (const auto s = detail::check_triplet(t); s != FitStatus::ok) {
    f.status = s;
    return f;
  }
  if (kind == FitKind::regularised) return fit_regularised(t, errors.theta0_2);
  const detail::KinkErrors<double> c = kink_covariance(t, errors, kind);
  const double norm = detail::curvature_norm(t.rho_theta, t.rho_phi, c);
  if (!(norm > 0)) return f;
  f.kappa =
      -(t.theta_tilde * t.rho_theta * c.phi +
        t.phi_tilde * t.rho_phi * c.theta -
        c.theta_phi * (t.phi_tilde * t.rho_theta + t.theta_tilde * t.rho_phi)) /
      norm;
  const double q = t.rho_theta * t.phi_tilde - t.rho_phi * t.theta_tilde;
  f.sigma = std::sqrt(std::max(0.0, detail::determinant(c)) / norm);
  f.chi2 = q * q / norm;
  f.status = FitStatus::ok;
  if (kind == FitKind::common_curvature) {
    if (!(std::abs(f.kappa) > 0)) return {.status = FitStatus::no_curvature};
    f.sigma *= std::abs(f.kappa);
    f.chi2 /= f.kappa * f.kappa;
  }
  return f;
}

LocalResiduals local_residuals(const Triplet<double>& t,
                               const TripletErrors& errors, FitKind kind) {
  const double norm = detail::curvature_norm(t.rho_theta, t.rho_phi,
                                             kink_covariance(t, errors, kind));
  const double q = t.rho_theta * t.phi_tilde - t.rho_phi * t.theta_tilde;
  LocalResiduals r;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3 w = errors.hits[k] * (t.rho_theta * vector_of(t.h_phi[k]) -
                                        t.rho_phi * vector_of(t.h_theta[k]));
    r.residual[k] = w * (q / norm);
    r.residual_covariance[k] = w * w.transpose() / norm;
    r.fitted_covariance[k] = errors.hits[k] - r.residual_covariance[k];
  }
  return r;
}

}  // namespace gttf
