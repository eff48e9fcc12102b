// SPDX-License-Identifier: Apache-2.0
// Helix: a track state that can be moved along its helix, and onto a surface.
#pragma once

#include <Eigen/Geometry>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/track/helix_steps.hpp"
#include "gttf/fit/track/hits.hpp"

namespace gttf::detail {

/// Position, direction and curvature.
struct Helix {
  Vector3 position;
  double phi = 0, theta = 0, kappa = 0;

  HelixPoint<double> point() const {
    const HelixState<double> h{position[0], position[1], position[2],
                               theta,       phi,         kappa};
    return point_of(h, direction_of(h));
  }
  /// The state after the transverse arc length s.
  Helix advanced(double s) const {
    const HelixPoint<double> from = point();
    const ArcTurn<double> turn = arc_turn(from.c, s);
    return {vector_of(detail::advanced(from, s, turn).position),
            phi + 2 * turn.x, theta, kappa};
  }
};

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

/// Transverse arc length from `from` to its crossing with a surface from a
/// guess; NaN if there is none.
inline double arc_to(const Helix& from, const TrackHit& surface, double guess) {
  return arc_to(from.point(), surface_of(surface), guess);
}

}  // namespace gttf::detail
