// SPDX-License-Identifier: Apache-2.0
// to_perigee as a formula for any scalar; see track_state.hpp.
#pragma once

#include <cmath>

#include "gttf/core/scalar.hpp"
#include "gttf/core/track_dim.hpp"
#include "gttf/core/units.hpp"
#include "gttf/fit/track/helix.hpp"

namespace gttf {

/// Perigee parameters (order of Perigee, with kappa) and their derivatives with
/// respect to x, y, z, theta, phi, kappa (order of StateIndex).
template <class S>
struct PerigeeOf {
  S parameters[track_dim];  ///< phi is not reduced to (-pi, pi]
  S jacobian[track_dim][6];
};

namespace detail {

/// atan(y)/y, and (atan(y)/y - 1/(1 + y^2))/y^2.
template <class S>
struct ArcTangent {
  S ratio, lag;
};

template <class S>
ArcTangent<S> arc_tangent(const S& y) {
  using std::atan2;
  const S y2 = y * y, one(1);
  const auto large = !(y2 < S(1e-3));
  ArcTangent<S> a;
  a.ratio = one - y2 * (S(1. / 3) -
                        y2 * (S(1. / 5) - y2 * (S(1. / 7) - y2 * S(1. / 9))));
  a.lag =
      S(2. / 3) -
      y2 * (S(4. / 5) - y2 * (S(6. / 7) - y2 * (S(8. / 9) - y2 * S(10. / 11))));
  if (any(large)) {
    const S safe = select(large, y, one), safe2 = safe * safe;
    const S ratio = atan2(safe, one) / safe;
    a.ratio = select(large, ratio, a.ratio);
    a.lag = select(large, (ratio - one / (one + safe2)) / safe2, a.lag);
  }
  return a;
}

}  // namespace detail

/// @param at  its position with respect to the origin of the perigee
template <class S>
PerigeeOf<S> perigee_of(const Helix<S>& at, const Direction<S>& direction) {
  using std::atan2, std::sqrt;
  const S zero(0), one(1);
  const S inv_sine = one / direction.sin_theta;
  const S cot = direction.cos_theta * inv_sine, c = at.kappa * inv_sine;
  const S &cos_phi = direction.cos_phi, &sin_phi = direction.sin_phi;
  const Cartesian<S>& u = at.position;
  const S ut = u.x * cos_phi + u.y * sin_phi;
  const S un = u.y * cos_phi - u.x * sin_phi;
  const S u2 = u.x * u.x + u.y * u.y;
  const S m = one + c * un, cut = c * ut;
  const S n2 = m * m + cut * cut, big_n = sqrt(n2);
  const S inv_n = one / big_n, inv_n2 = inv_n * inv_n;
  const S d0 = (S(2) * un + c * u2) / (one + big_n);
  const S back = atan2(cut, m);
  const S phi0 = at.phi - back;
  // beyond a quarter turn from the perigee the tangent cannot be used
  const auto near = m > S(0.1);
  const S q = ut / select(near, m, one), t = select(near, c * q, zero);
  const detail::ArcTangent<S> arc = detail::arc_tangent(t);
  S s = q * arc.ratio;
  // ds/dc = derivative of atan2(c ut, 1 + c un)/c at fixed u
  S s_c = -(q * un) / (m * (one + t * t)) - c * q * q * q * arc.lag;
  if (any(!near)) {
    const S safe = select(near, one, c);
    s = select(near, s, back / safe);
    s_c = select(near, s_c, (ut * inv_n2 - s) / safe);
  }

  PerigeeOf<S> p;
  p.parameters[0] = d0;
  p.parameters[1] = u.z - s * cot;
  p.parameters[2] = phi0;
  p.parameters[3] = at.theta;
  p.parameters[4] = at.kappa;
  // (m, cut) is the vector of the angle `back`
  const S cos0 = (cos_phi * m + sin_phi * cut) * inv_n;
  const S sin0 = (sin_phi * m - cos_phi * cut) * inv_n;
  const S c_theta = -(c * cot), c_kappa = inv_sine;
  const auto set = [&](S(&row)[6], const S& dx, const S& dy, const S& dphi,
                       const S& dc) {
    row[0] = dx;
    row[1] = dy;
    row[2] = zero;
    row[3] = dc * c_theta;
    row[4] = dphi;
    row[5] = dc * c_kappa;
  };
  set(p.jacobian[0], -sin0, cos0, -(ut * inv_n),
      S(0.5) * (u2 - d0 * d0) * inv_n);
  set(p.jacobian[2], -(c * inv_n * cos0), -(c * inv_n * sin0), m * inv_n2,
      -(ut * inv_n2));
  // of the arc s, from which z0 follows
  set(p.jacobian[1], cos0 * inv_n, sin0 * inv_n, (un + c * u2) * inv_n2, s_c);
  for (S& x : p.jacobian[1]) x = -(cot * x);
  p.jacobian[1][2] = one;
  // a quotient, because compilers may fuse either of two products with the sum
  p.jacobian[1][3] =
      p.jacobian[1][3] + s / (direction.sin_theta * direction.sin_theta);
  for (int i = 0; i < 6; ++i) {
    p.jacobian[3][i] = i == 3 ? one : zero;
    p.jacobian[4][i] = i == 5 ? one : zero;
  }
  return p;
}

template <class S>
PerigeeOf<S> perigee_of(const Helix<S>& at) {
  return perigee_of(at, direction_of(at));
}

}  // namespace gttf
