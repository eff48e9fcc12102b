// SPDX-License-Identifier: Apache-2.0
// Slopes of a helix at its crossing with a surface, for one track or a vector.
#pragma once

#include "gttf/fit/track/helix_steps.hpp"
#include "gttf/trajectory/derivatives.hpp"

namespace gttf::detail {

/// d(u, v, tu, tv, kappa on the surface)/d(start parameters): the angles of
/// surface_jacobian() replaced by the slopes along u and v per depth below the
/// surface, the order of StateAtLayer::slopes;
///
///   dtu = (u . dt - (u . t)/(n . t) n . dt)/|n . t|
///
/// for the direction t and the normal n = u x v. AnyTrack::slopes_on_surface()
/// for a helix.
/// @param rows  surface_jacobian() of this crossing
template <class S>
std::array<Row<S>, track_dim> slopes_on_surface(
    const Line<S>& l, const SurfaceRecord& s, const Crossing<S>& x,
    std::array<Row<S>, track_dim> rows) {
  using std::abs;
  const Cartesian<S> at = position_at(l, x);
  const AxisComponents<S> own = axis_components(s, at.x, at.y);
  const auto turned = [&own](const CoordinateAxis& axis) {
    const S c(axis.cosine), sine(axis.sine);
    return Cartesian<S>{c * own.u[0] + sine * own.v[0],
                        c * own.u[1] + sine * own.v[1],
                        c * own.u[2] + sine * own.v[2]};
  };
  const auto [first, second] = s.user_axes();
  const Cartesian<S> u = turned(first), v = turned(second), n = cross(u, v);
  const S cosine = l.cos_phi * x.cos_turn - l.sin_phi * x.sin_turn;
  const S sine = l.sin_phi * x.cos_turn + l.cos_phi * x.sin_turn;
  const Cartesian<S> t = {l.sin_theta * cosine, l.sin_theta * sine,
                          l.cos_theta},
                     by_phi = {-t.y, t.x, S(0)},
                     by_theta = {l.cos_theta * cosine, l.cos_theta * sine,
                                 -l.sin_theta};
  const S depth = dot(t, n), inverse = S(1) / depth, size = abs(inverse);
  const auto slope = [&](const Cartesian<S>& axis) {
    const S ratio = dot(axis, t) * inverse;
    const S phi = (dot(axis, by_phi) - ratio * dot(n, by_phi)) * size;
    const S theta = (dot(axis, by_theta) - ratio * dot(n, by_theta)) * size;
    Row<S> row;
    for (std::size_t i = 0; i < track_dim; ++i)
      row[i] = phi * rows[2][i] + theta * rows[3][i];
    return row;
  };
  const Row<S> along_u = slope(u), along_v = slope(v);
  rows[2] = along_u;
  rows[3] = along_v;
  return rows;
}

}  // namespace gttf::detail
