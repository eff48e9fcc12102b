// SPDX-License-Identifier: Apache-2.0
// The flight of a simulated track from surface to surface: for one track or one
// per lane.
#pragma once

#include <cmath>

#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/surface_axes.hpp"

namespace gttf::detail {

/// Position and unit vector of the direction.
template <class S>
struct Flight {
  Cartesian<S> position, direction;
};

template <class S>
Cartesian<S> direction_of(const Line<S>& l) {
  return {l.sin_theta * l.cos_phi, l.sin_theta * l.sin_phi, l.cos_theta};
}

/// Sets what the formulas of a crossing need; the rest of `l` stays.
/// @param to_disk  the next surface is a disk, which needs tan(theta)
template <class S>
void set_line(const Flight<S>& f, Line<S>& l, bool to_disk = true) {
  using std::sqrt;
  const S &tx = f.direction.x, &ty = f.direction.y;
  set_polar(S(sqrt(tx * tx + ty * ty)), f.direction.z, l);
  if (to_disk) l.tan_theta = l.sin_theta / l.cos_theta;
  l.cos_phi = tx * l.inv_sin_theta;
  l.sin_phi = ty * l.inv_sin_theta;
  set_start(f.position.x, f.position.y, f.position.z, l);
  l.on_axis = false;
}

template <class S>
Flight<S> flight_at(const Line<S>& l, const Crossing<S>& x) {
  return {position_at(l, x),
          {l.sin_theta * (l.cos_phi * x.cos_turn - l.sin_phi * x.sin_turn),
           l.sin_theta * (l.sin_phi * x.cos_turn + l.cos_phi * x.sin_turn),
           l.cos_theta}};
}

/// 1/sqrt(1 + x) for x >= 0.
template <class S>
S inverse_hypotenuse(const S& x) {
  using std::sqrt;
  // six terms leave 0.2 x^6, a fifth of a unit in the last place
  constexpr double small = 2e-3;
  constexpr double terms[] = {1.,       -1. / 2,   3. / 8,
                              -5. / 16, 35. / 128, -63. / 256};
  const S series = polynomial(terms, x);
  const auto large = !(x < S(small));
  if (!any(large)) return series;
  return select(large, S(1) / sqrt(S(1) + x), series);
}

/// Turns the direction by small angles along e_theta and e_phi.
/// @param inv_sine  1/sin(theta) before
template <class S>
void scatter(const S& theta, const S& phi, const S& inv_sine, Cartesian<S>& t) {
  const S ex = t.x * inv_sine, ey = t.y * inv_sine, cosine = t.z;
  const S sine = ex * t.x + ey * t.y;
  const S norm = inverse_hypotenuse(theta * theta + phi * phi);
  t = {norm * (t.x + theta * cosine * ex - phi * ey),
       norm * (t.y + theta * cosine * ey + phi * ex),
       norm * (cosine - theta * sine)};
}

/// A point of a surface shifted along u' and v', and back onto the surface.
template <class S>
Cartesian<S> shifted_point(const SurfaceRecord& s, const Cartesian<S>& at,
                           const S& u, const S& v) {
  const AxisComponents<S> axes = axis_components(s, at.x, at.y);
  Cartesian<S> p = {at.x + axes.u[0] * u + axes.v[0] * v,
                    at.y + axes.u[1] * u + axes.v[1] * v,
                    at.z + axes.u[2] * u + axes.v[2] * v};
  if (s.kind == SurfaceRecord::Kind::cylinder) {
    const S turn = u * S(1 / s.position);
    const S factor = inverse_hypotenuse(turn * turn);
    p.x = p.x * factor;
    p.y = p.y * factor;
  }
  return p;
}

}  // namespace gttf::detail
