// SPDX-License-Identifier: Apache-2.0
// A point of a surface near another point; the surface as hits have it.
#pragma once

#include "gttf/fit/detail/helix_steps.hpp"
#include "gttf/trajectory/surface_axes.hpp"

namespace gttf::detail {

template <class S>
Cartesian<S> foot_on(const SurfaceRecord& s, const Cartesian<S>& at) {
  using std::sqrt;
  using Kind = SurfaceRecord::Kind;
  switch (s.kind) {
    case Kind::cylinder:
      return S(s.position) / sqrt(transverse_dot(at, at)) * at;
    case Kind::plane: {
      const Cartesian<S> normal = {S(s.normal_cos), S(s.normal_sin), S(0)};
      return at + (S(s.position) - transverse_dot(normal, at)) * normal;
    }
    case Kind::disk:
    case Kind::disk_plane:
      break;
  }
  return {at.x, at.y, S(s.position)};
}

/// @param at  a point of it
template <class S>
HitSurface<S> surface_through(const SurfaceRecord& s, const Cartesian<S>& at) {
  const AxisComponents<S> axes = axis_components(s, at.x, at.y);
  return {at,
          {axes.u[0], axes.u[1], axes.u[2]},
          {axes.v[0], axes.v[1], axes.v[2]},
          s.kind == SurfaceRecord::Kind::cylinder};
}

}  // namespace gttf::detail
