// SPDX-License-Identifier: Apache-2.0
// The surface of a hit of a single track, as the steps along a helix want it.
#pragma once

#include <tuple>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/track/helix_steps.hpp"
#include "gttf/fit/track/hits.hpp"
#include "gttf/trajectory/surface_axes.hpp"

namespace gttf::detail {

/// Puts a hit at a point of a layer: position and axes.
inline void put_on(const SurfaceRecord& s, const Vector3& at, TrackHit& hit) {
  hit.position = at;
  std::tie(hit.u, hit.v) = surface_axes(s, at);
  hit.cylinder = s.kind == SurfaceRecord::Kind::cylinder;
}

/// The surface of a point.
inline HitSurface<double> surface_of(const TrackHit& hit) {
  const Cartesian<double> at = cartesian(hit.position);
  return {at, cartesian(hit.u), cartesian(hit.v), hit.cylinder,
          hit.cylinder ? HitSurface<double>::inverse_radius_of(at) : 0};
}

/// Distance from a surface in its own measure, zero on it.
inline double distance(const TrackHit& s, const Vector3& x) {
  return gap_to(surface_of(s), cartesian(x)).value;
}

/// Axes u, v of the surface at a point of it.
struct SurfaceAxes {
  Vector3 u, v;
};

inline SurfaceAxes axes_at(const TrackHit& s, const Vector3& x) {
  if (!s.cylinder) return {s.u, s.v};
  const PlaneAxes<double> axes = axes_on(surface_of(s), cartesian(x));
  return {vector_of(axes.u), vector_of(axes.v)};
}

}  // namespace gttf::detail
