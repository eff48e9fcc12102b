// SPDX-License-Identifier: Apache-2.0
// Track parameters of batched fits: scattering before the first hit, and where
// the numbers go.
#pragma once

#include <limits>

#include "gttf/core/pack_functions.hpp"
#include "gttf/core/pack_lane.hpp"
#include "gttf/fit/track/perigee_transport.hpp"
#include "gttf/fit/triplet/batch_hits.hpp"

namespace gttf::detail {

/// Transverse arc from a point of a helix to its crossing with a surface of
/// fixed place, by Newton's method, and the state there. NaN if there is none.
template <class S>
HelixState<S> state_on(const HelixState<S>& from, const double (&origin)[3],
                       const SurfaceRecord& surface) {
  using std::abs, std::cos, std::sin, std::sqrt;
  using Kind = SurfaceRecord::Kind;
  const S sine = sin(from.theta), cot = cos(from.theta) / sine;
  const S c = from.kappa / sine;
  HelixState<S> at = from;
  S s(0);
  MaskOf<S> moving = Lane<S>::mask(all_lanes<S>);
  for (int i = 0; i < 20 && any(moving); ++i) {
    const S x = at.x + S(origin[0]), y = at.y + S(origin[1]);
    const S dx = cos(at.phi), dy = sin(at.phi);
    S distance, slope;
    if (surface.kind == Kind::cylinder) {
      distance =
          S(0.5) * (x * x + y * y - S(surface.position * surface.position));
      slope = x * dx + y * dy;
    } else if (surface.kind == Kind::plane) {
      const S nx(surface.normal_cos), ny(surface.normal_sin);
      distance = nx * x + ny * y - S(surface.position);
      slope = nx * dx + ny * dy;
    } else {
      distance = at.z + S(origin[2]) - S(surface.position);
      slope = cot;
    }
    const S move = distance / slope;
    s = select(moving, s - move, s);
    moving = both(moving, !(abs(move) <= S(1e-13) * (S(1) + abs(s))));
    const S half = S(0.5) * c * s;
    const S chord = s / arc_shape(half).stretch;
    at.x = from.x + chord * cos(from.phi + half);
    at.y = from.y + chord * sin(from.phi + half);
    at.z = from.z + s * cot;
    at.phi = from.phi + half + half;
  }
  at.x = select(moving, S(std::numeric_limits<double>::quiet_NaN()), at.x);
  return at;
}

/// Adds the scattering in the first hit and before it.
/// @param state, direction  at the first hit, seen from the origin
/// @param p                 perigee_of() these
/// @param scale             factor of theta0_2
template <class S>
void add_inner_scattering(const HitGroup& in, const HelixState<S>& state,
                          const HelixDirection<S>& direction,
                          const PerigeeOf<S>& p, const S& scale,
                          S (&covariance)[5][5]) {
  using L = Lane<S>;
  const S zero(0), one(1);
  const S &sine = direction.sin_theta, inv_sin2 = one / (sine * sine);
  // kinks change d0, z0, phi, and theta by themselves
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
    add_scattering(perigee_of(state_on(state, in.origin, in.points[k].surface)),
                   theta0_2);
  }
}

/// Sets HitPlane::perigee.
/// @return  zero, or NaN where a number is not finite
template <class S>
S store_parameters(const S (&parameters)[5], LaneValues* out) {
  using L = Lane<S>;
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
                      LaneValues* out) {
  using L = Lane<S>;
  const S zero(0);
  S sum = store_parameters(parameters, out);
  std::size_t plane = HitPlane::covariance;
  for (int i = 0; i < track_dim; ++i)
    for (int j = 0; j <= i; ++j) L::store(covariance[i][j], out[plane++]);
  for (int i = 0; i < track_dim; ++i) sum = sum + covariance[i][i] * zero;
  return sum <= zero;
}

}  // namespace gttf::detail
