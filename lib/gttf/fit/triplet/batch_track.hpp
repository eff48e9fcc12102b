// SPDX-License-Identifier: Apache-2.0
// Track parameters of batched fits: scattering before the first hit, and the
// output of the numbers.
#pragma once

#include <limits>

#include "gttf/core/pack_functions.hpp"
#include "gttf/fit/track/helix_steps.hpp"
#include "gttf/fit/track/perigee_transport.hpp"
#include "gttf/fit/triplet/batch_hits.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf::detail {

/// The helix at its crossing with a surface, by Newton's method. NaN if there
/// is none.
/// @param from relative to the origin
template <class S>
Helix<S> crossing_with(const SurfaceRecord& surface, const Helix<S>& from,
                       const Direction<S>& direction,
                       const double (&origin)[3]) {
  using std::abs;
  const Cartesian<S> shift{S(origin[0]), S(origin[1]), S(origin[2])};
  HelixPoint<S> start = point_of(from, direction);
  start.position = start.position + shift;
  HelixPoint<S> at = start;
  S s(0);
  MaskOf<S> moving = PackAccess<S>::mask(all_in_pack<S>);
  for (int i = 0; i < 20 && any(moving); ++i) {
    const LevelOnPath<S> d = level_on_path(surface, at.position, at.slope());
    const S move = d.value / d.slope;
    s = select(moving, s - move, s);
    moving = both(moving, !(abs(move) <= S(1e-13) * (S(1) + abs(s))));
    at = advanced(start, s);
  }
  at.position.x = select(moving, S(std::numeric_limits<double>::quiet_NaN()),
                         at.position.x);
  return {at.position - shift, from.theta, from.phi + start.c * s, from.kappa};
}

/// Adds the scattering in the first hit and before it.
/// @param state, direction  at the first hit, relative to the origin
/// @param p perigee_of() of these
/// @param scale             factor of theta0_2
template <class S>
void add_inner_scattering(const HitGroup& in, const Helix<S>& state,
                          const Direction<S>& direction, const PerigeeOf<S>& p,
                          const S& scale, S (&covariance)[5][5]) {
  using L = PackAccess<S>;
  const S zero(0), one(1);
  const S &sine = direction.sin_theta, inv_sin2 = one / (sine * sine);
  // kinks change d0, z0, phi and, directly, theta
  const auto add_scattering = [&](const PerigeeOf<S>& at, const S& theta0_2) {
    const S w = scale * theta0_2, w_phi = w * inv_sin2;
    for (int i = 0; i < 3; ++i) {
      const S by_theta = w * at.jacobian[i][3];
      const S by_phi = w_phi * at.jacobian[i][4];
      for (int j = 0; j <= i; ++j)
        covariance[i][j] = covariance[i][j] + by_theta * at.jacobian[j][3] +
                           by_phi * at.jacobian[j][4];
      covariance[3][i] = covariance[3][i] + by_theta;
    }
    covariance[3][3] = covariance[3][3] + w;
  };
  for (std::size_t k = 0; k < in.n_points; ++k) {
    const S theta0_2 = L::load(in.theta0_2[k]);
    if (in.points[k].measures) {
      add_scattering(p, theta0_2);
      break;
    }
    if (!any(theta0_2 > zero)) continue;
    add_scattering(perigee_of(crossing_with(in.points[k].surface, state,
                                            direction, in.origin)),
                   theta0_2);
  }
}

/// Sets HitPlane::perigee.
/// @return  zero, or NaN where a number is not finite
template <class S>
S store_parameters(const S (&parameters)[5], PackValues* out) {
  using L = PackAccess<S>;
  S phi = parameters[2];
  const S turn(2 * unit::pi);
  phi = select(phi > S(unit::pi), phi - turn, phi);
  phi = select(phi < S(-unit::pi), phi + turn, phi);
  S sum(0);
  for (std::size_t i = 0; i < track_dim; ++i) {
    const S& p = i == 2 ? phi : parameters[i];
    L::store(p, out[HitPlane::perigee + i]);
    sum = sum + p * S(0);
  }
  return sum;
}

/// Sets HitPlane::perigee and covariance.
/// @return  tracks where all numbers are finite
template <class S>
MaskOf<S> store_track(const S (&parameters)[5], const S (&covariance)[5][5],
                      PackValues* out) {
  using L = PackAccess<S>;
  const S zero(0);
  S sum = store_parameters(parameters, out);
  std::size_t plane = HitPlane::covariance;
  for (int i = 0; i < track_dim; ++i)
    for (int j = 0; j <= i; ++j) L::store(covariance[i][j], out[plane++]);
  for (int i = 0; i < track_dim; ++i) sum = sum + covariance[i][i] * zero;
  return sum <= zero;
}

}  // namespace gttf::detail
