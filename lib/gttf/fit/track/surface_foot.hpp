// SPDX-License-Identifier: Apache-2.0
// Points of a surface near others; the surface as hits have it.
#pragma once

#include "gttf/fit/track/helix_steps.hpp"
#include "gttf/trajectory/surface_axes.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf::detail {

/// A point of the surface near `at`: on the same radius, or straight above; mm.
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

/// Zero on a surface, of different signs on its two sides.
template <class S>
S side_of(const SurfaceRecord& s, const Cartesian<S>& at) {
  return level_on_path(s, at, Cartesian<S>{}).value;
}

/// Do two points lie on both sides of a surface?
template <class S>
auto is_between(const SurfaceRecord& s, const Cartesian<S>& a,
                const Cartesian<S>& b) {
  return side_of(s, a) * side_of(s, b) <= S(0);
}

/// A point of a passive surface near a track, mm, from the hits on either side:
/// where side_of() would be 0 if it were linear between them. If both lie on
/// one side, the foot of the first.
template <class S>
Cartesian<S> passive_point(const SurfaceRecord& s, const Cartesian<S>& before,
                           const Cartesian<S>& after) {
  const S zero(0), one(1);
  const S from = side_of(s, before), to = side_of(s, after);
  const auto between =
      both(from * to <= zero, (from - to) * (from - to) > zero);
  const S share = select(between, from / select(between, from - to, one), zero);
  return foot_on(s, before + share * (after - before));
}

/// @param at              a point of it
/// @param inverse_radius  there, if it is a cylinder
template <class S>
HitSurface<S> surface_through(const SurfaceRecord& s, const Cartesian<S>& at,
                              const S& inverse_radius) {
  const AxisComponents<S> axes = axis_components(s, at.x, at.y);
  return {at,
          {axes.u[0], axes.u[1], axes.u[2]},
          {axes.v[0], axes.v[1], axes.v[2]},
          s.kind == SurfaceRecord::Kind::cylinder,
          inverse_radius};
}

}  // namespace gttf::detail
