// SPDX-License-Identifier: Apache-2.0
// The local fit of a single triplet of hits in closed form, for any scalar.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "gttf/fit/triplet/solenoid.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf::detail {

/// Covariance of a hit within its surface, along two axes u and v; mm^2. NaN if
/// one direction is not measured.
template <class S>
struct HitCovariance {
  S uu, uv, vv;
};

/// The inverse of the sum of a a^T/variance over the coordinates, a = (cosine,
/// sine).
inline HitCovariance<double> hit_covariance(
    std::span<const CoordinateAxis> coordinates) {
  double uu = 0, uv = 0, vv = 0;
  for (const CoordinateAxis& axis : coordinates) {
    uu += axis.cosine * axis.cosine / axis.variance;
    uv += axis.cosine * axis.sine / axis.variance;
    vv += axis.sine * axis.sine / axis.variance;
  }
  const double trace = uu + vv, determinant = uu * vv - uv * uv;
  if (!(determinant > 1e-12 * trace * trace)) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return {none, none, none};
  }
  return {vv / determinant, -uv / determinant, uu / determinant};
}

/// Covariance of the kinks (theta, phi), rad^2.
template <class S>
struct KinkErrors {
  S theta{0}, theta_phi{0}, phi{0};
};

/// Changes of the kinks with shifts of a hit along u and v; rad/mm.
template <class S>
struct KinksByShift {
  S theta_u, theta_v, phi_u, phi_v;
};

template <class S>
S component(const Cartesian<S>& a, const S (&axis)[3]) {
  return a.x * axis[0] + a.y * axis[1] + a.z * axis[2];
}

/// Of hit k of a triplet on a helix.
template <class S>
KinksByShift<S> kinks_by_shift(const Triplet<S>& t, std::size_t k,
                               const AxisComponents<S>& axes) {
  return {component(t.h_theta[k], axes.u), component(t.h_theta[k], axes.v),
          component(t.h_phi[k], axes.u), component(t.h_phi[k], axes.v)};
}

/// Adds J V J^T of a hit, J its KinksByShift and V its covariance.
template <class S>
void add_hit(const KinksByShift<S>& j, const HitCovariance<S>& v,
             KinkErrors<S>& sum) {
  const S theta_u = v.uu * j.theta_u + v.uv * j.theta_v;
  const S theta_v = v.uv * j.theta_u + v.vv * j.theta_v;
  const S phi_u = v.uu * j.phi_u + v.uv * j.phi_v;
  const S phi_v = v.uv * j.phi_u + v.vv * j.phi_v;
  sum.theta = sum.theta + (theta_u * j.theta_u + theta_v * j.theta_v);
  sum.theta_phi = sum.theta_phi + (theta_u * j.phi_u + theta_v * j.phi_v);
  sum.phi = sum.phi + (phi_u * j.phi_u + phi_v * j.phi_v);
}

template <class S>
S distance2(const Cartesian<S>& a, const Cartesian<S>& b) {
  const Cartesian<S> d = a - b;
  return d.x * d.x + d.y * d.y + d.z * d.z;
}

/// The square of the fraction of the segment from `end` to `middle` at which a
/// layer lies: a kink there enters the kink of the triplet with it.
template <class S>
S squared_lever(const Cartesian<S>& layer, const Cartesian<S>& end,
                const Cartesian<S>& middle) {
  return distance2(layer, end) / distance2(middle, end);
}

/// The kinks of a triplet as function of the unknowns.
template <class S>
struct LocalTriplet {
  S rho_theta, rho_phi;   ///< d(kinks)/d(kappa) with the hits fixed, mm
  KinkErrors<S> hits;     ///< NaN where a hit has one coordinate
  S variance{0};          ///< of the scattering angle in a plane, rad^2
  S inv_sin2;             ///< var(phi) over var(theta) of scattering
  std::array<S, 2> arms;  ///< lengths of the arcs in space, mm
  S small_bending_limit;  ///< of xi_ms b_ms, mm; NaN except for a helix
};

/// rho, arms and limit of a triplet on a helix.
template <class S>
void set_helix(const Triplet<S>& t, LocalTriplet<S>& local) {
  local.rho_theta = t.rho_theta;
  local.rho_phi = t.rho_phi;
  const S sine = sin_mean_theta(t);
  local.inv_sin2 = S(1) / (sine * sine);
  local.arms = {t.first.length, t.second.length};
  local.small_bending_limit =
      (t.first.length + t.second.length) * sine * S(0.5);
}

/// A hit of a triplet on a helix.
template <class S>
struct LocalHit {
  Cartesian<S> at;  ///< mm
  AxisComponents<S> axes;
  HitCovariance<S> errors;  ///< along the axes
};

/// The kinks of the helix through three hits; without scattering.
template <class S>
LocalTriplet<S> helix_triplet(const std::array<LocalHit<S>, 3>& hits) {
  const Triplet<S> t = make_triplet(hits[0].at, hits[1].at, hits[2].at);
  LocalTriplet<S> local;
  set_helix(t, local);
  for (std::size_t k = 0; k < 3; ++k)
    add_hit(kinks_by_shift(t, k, hits[k].axes), hits[k].errors, local.hits);
  return local;
}

/// The fit; as in TripletRegime.
template <class S>
struct LocalResult {
  S sigma_ms, b_ms, xi_ms_limit, xi_ms, mu_theta, mu_phi, xi;
};

/// N = rho^T adj(C) rho, with C the covariance of the kinks.
template <class S>
S curvature_norm(const S& rho_theta, const S& rho_phi,
                 const KinkErrors<S>& kinks) {
  return kinks.theta * (rho_phi * rho_phi) -
         S(2) * kinks.theta_phi * (rho_phi * rho_theta) +
         kinks.phi * (rho_theta * rho_theta);
}

/// det(C)/N is the variance of the curvature.
template <class S>
S determinant(const KinkErrors<S>& kinks) {
  return kinks.theta * kinks.phi - kinks.theta_phi * kinks.theta_phi;
}

/// |kappa|/sigma(kappa).
template <class S>
S significance(const LocalTriplet<S>& t, const S& kappa,
               const KinkErrors<S>& kinks) {
  using std::abs, std::sqrt;
  return abs(kappa) * sqrt(curvature_norm(t.rho_theta, t.rho_phi, kinks) /
                           determinant(kinks));
}

/// @param kappa  of the track, 1/mm
/// Source        [GTTF] section "Tracking Regimes"
template <class S>
LocalResult<S> fit_locally(const LocalTriplet<S>& t, const S& kappa) {
  using std::abs, std::sqrt;
  const S none(std::numeric_limits<double>::quiet_NaN());
  const S variance_phi = t.variance * t.inv_sin2;
  const KinkErrors<S> scattering{t.variance, S(0), variance_phi};
  const KinkErrors<S> all{t.hits.theta + t.variance, t.hits.theta_phi,
                          t.hits.phi + variance_phi};
  LocalResult<S> r;
  r.sigma_ms = sqrt(t.variance);
  r.b_ms = r.sigma_ms / abs(kappa);
  r.xi_ms_limit = select(r.b_ms > S(0), t.small_bending_limit / r.b_ms, none);
  r.xi_ms = select(t.variance > S(0), significance(t, kappa, scattering), none);
  r.mu_theta = sqrt(t.hits.theta / all.theta);
  r.mu_phi = sqrt(t.hits.phi / all.phi);
  r.xi = significance(t, kappa, all);
  return r;
}

}  // namespace gttf::detail
