// SPDX-License-Identifier: Apache-2.0
// HitSurface: the surface of a hit, and steps along a helix onto it, for one
// track or one track per vector element.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <tuple>

#include "gttf/core/matrix.hpp"
#include "gttf/core/pack_functions.hpp"
#include "gttf/fit/track/helix_steps.hpp"
#include "gttf/fit/track/hits.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf::detail {

/// The plane of the orthogonal unit vectors u and v through a point, or the
/// curved surface around the z axis.
template <class S>
struct HitSurface {
  Cartesian<S> position, u, v;
  bool curved;
  S inverse_radius;  ///< of a curved surface at the point
  double slope;      ///< of a cone: dr/dz, else 0

  static S inverse_radius_of(const Cartesian<S>& position) {
    using std::sqrt;
    return S(1) / sqrt(transverse_dot(position, position));
  }
};

/// Level function of a surface, zero on it, and its gradient.
template <class S>
struct SurfaceGap {
  S value;
  Cartesian<S> gradient;
};

/// Second derivative of gap_to() along a direction of transverse length 1.
/// @param at  its result at a point
template <class S>
S bend_of(const HitSurface<S>& s, const Cartesian<S>& x,
          const SurfaceGap<S>& at, const Cartesian<S>& direction) {
  if (!s.curved) return S(0);
  if (s.slope == 0) return S(1);
  using std::sqrt;
  const S across = transverse_cross(at.gradient, direction);
  return across * across / sqrt(transverse_dot(x, x));
}

template <class S>
SurfaceGap<S> gap_to(const HitSurface<S>& s, const Cartesian<S>& x) {
  if (!s.curved) {
    const Cartesian<S> normal = cross(s.u, s.v);
    return {dot(normal, x - s.position), normal};
  }
  if (s.slope != 0) {
    using std::sqrt;
    const S r = sqrt(transverse_dot(x, x)), inverse = S(1) / r;
    const S at_hit = sqrt(transverse_dot(s.position, s.position));
    return {r - at_hit - S(s.slope) * (x.z - s.position.z),
            {x.x * inverse, x.y * inverse, S(-s.slope)}};
  }
  const Cartesian<S> radial = {x.x, x.y, S(0)};
  return {S(0.5) * (transverse_dot(radial, radial) -
                    transverse_dot(s.position, s.position)),
          radial};
}

/// 1/(r r') of the hit and a point of its curved surface, 1/mm^2.
template <class S>
S inverse_radii(const HitSurface<S>& s, const Cartesian<S>& x) {
  using std::sqrt;
  if (s.slope == 0) return s.inverse_radius * s.inverse_radius;
  return s.inverse_radius / sqrt(transverse_dot(x, x));
}

/// Axes of a surface at a point of it, and its normal.
template <class S>
struct PlaneAxes {
  Cartesian<S> u, v;

  Cartesian<S> normal() const { return cross(u, v); }
};

template <class S>
PlaneAxes<S> axes_on(const HitSurface<S>& s, const Cartesian<S>& x) {
  if (!s.curved) return {s.u, s.v};
  // turn by the azimuth between the two points
  const S inverse2 = inverse_radii(s, x);
  const S c = transverse_dot(s.position, x) * inverse2;
  const S d = transverse_cross(s.position, x) * inverse2;
  const auto turn = [&c, &d](const Cartesian<S>& a) -> Cartesian<S> {
    return {c * a.x - d * a.y, d * a.x + c * a.y, a.z};
  };
  return {turn(s.u), turn(s.v)};
}

/// Azimuth of the hit minus that of a point, both on a curved surface.
template <class S>
S azimuth_between(const HitSurface<S>& s, const Cartesian<S>& x) {
  using std::atan2;
  const Cartesian<S>& m = s.position;
  const S inverse2 = inverse_radii(s, x);
  const S sine = transverse_cross(x, m) * inverse2, sine2 = sine * sine;
  const S cosine = transverse_dot(x, m);
  // asin(u)/u - 1 up to u = 0.03: an error of 1e-17
  constexpr double terms[] = {1. / 6, 3. / 40, 15. / 336, 105. / 3456};
  const S angle = sine + sine * sine2 * polynomial(terms, sine2);
  const auto large = either(sine2 > S(1e-3), cosine < S(0));
  if (!any(large)) return angle;
  return select(large, atan2(transverse_cross(x, m), cosine), angle);
}

/// Position of a hit relative to a point: hit minus point.
template <class S>
InPlane<S> seen_in_plane(const HitSurface<S>& s, const Cartesian<S>& x) {
  const Cartesian<S>& m = s.position;
  const Cartesian<S> step = m - x;
  if (!s.curved) return {dot(s.u, step), dot(s.v, step)};
  // u along r-phi and v along z or the cone, with either sign
  const S dz = s.slope == 0 ? step.z : step.z * S(1 + s.slope * s.slope);
  const S turn = azimuth_between(s, x);
  const auto along = [&](const Cartesian<S>& axis) {
    return (axis.y * m.x - axis.x * m.y) * turn + axis.z * dz;
  };
  return {along(s.u), along(s.v)};
}

/// A crossing with a surface: the transverse arc length to it, and its point.
template <class S>
struct HelixCrossing {
  S arc;
  HelixPoint<S> at;
};

/// From a guess of the arc; NaN if there is none. Each step is the inverse of
/// the third-order series of the level along the helix: one is enough within
/// about a thousandth of the radii of helix and surface. Points after the first
/// step follow from the one before.
/// @param error  allowed for the arc, mm
template <class S>
[[gnu::flatten]] HelixCrossing<S> cross_surface(const HelixPoint<S>& from,
                                                const HitSurface<S>& surface,
                                                const S& guess,
                                                double error = 1e-13) {
  using std::abs;
  HelixCrossing<S> x{guess, advanced(from, guess)};
  auto moving = PackAccess<S>::mask(all_in_pack<S>);
  const S &c = from.c, zero(0), one(1);
  for (int step = 0; step < 20; ++step) {
    const SurfaceGap<S> gap = gap_to(surface, x.at.position);
    const Cartesian<S> slope = x.at.slope(), &normal = gap.gradient;
    const S forward = normal.x * slope.x + normal.y * slope.y;
    const S sideward = normal.y * slope.x - normal.x * slope.y;
    const S inverse = one / (forward + normal.z * slope.z);
    // the level is proportional to s - y + a s^2 - b s^3 after another arc s
    const S y = -(gap.value * inverse);
    const S bend = bend_of(surface, x.at.position, gap, slope) + c * sideward;
    const S ay = S(0.5) * (bend * inverse * y), cy = c * y;
    const S by2 = S(1. / 6) * (cy * cy * (forward * inverse));
    const S size2 = ay * ay + cy * cy;
    const S series = y * (one - ay + (ay * ay + ay * ay + by2));
    // far away the plain step of Newton's method
    const S move = select(moving, select(size2 < S(0.1), series, y), zero);
    x.arc = x.arc + move;
    x.at = nudged(x.at, move);
    const auto is_long = !(abs(c * move) <= S(nudge_limit));
    if (any(is_long)) x.at = choose(is_long, advanced(from, x.arc), x.at);
    // the next term, or of a cone, of which b has more parts, the last one
    const S powers = surface.slope == 0 ? size2 * size2 * size2 : size2 * size2;
    moving = both(moving, y * y * powers > S(error * error));
    if (!any(moving)) return x;
  }
  x.arc = select(moving, S(std::numeric_limits<double>::quiet_NaN()), x.arc);
  return x;
}

template <class S>
S arc_to(const HelixPoint<S>& from, const HitSurface<S>& surface,
         const S& guess) {
  return cross_surface(from, surface, guess).arc;
}

/// The same from the parameters of a single helix.
inline double arc_to(const Helix<double>& from,
                     const HitSurface<double>& surface, double guess) {
  return arc_to(point_of(from, direction_of(from)), surface, guess);
}

/// @param at              a point of it
/// @param inverse_radius  there, if it is curved
template <class S>
HitSurface<S> surface_through(const SurfaceRecord& s, const Cartesian<S>& at,
                              const S& inverse_radius) {
  const AxisComponents<S> axes = axis_components(s, at.x, at.y);
  return {at,
          {axes.u[0], axes.u[1], axes.u[2]},
          {axes.v[0], axes.v[1], axes.v[2]},
          s.is_curved(),
          inverse_radius,
          s.slope};
}

/// Places a hit at a point of a layer: position and axes.
inline void put_on(const SurfaceRecord& s, const Vector3& at, TrackHit& hit) {
  hit.position = at;
  std::tie(hit.u, hit.v) = surface_axes(s, at);
  hit.curved = s.is_curved();
}

/// dr/dz of the curved surface of a hit, from its normal.
inline double slope_of(const TrackHit& hit) {
  const double along_z = hit.u.x() * hit.v.y() - hit.u.y() * hit.v.x();
  if (!hit.curved || along_z == 0) return 0;
  return -along_z * hit.position.head<2>().norm() /
         hit.position.head<2>().dot(hit.u.cross(hit.v).head<2>());
}

/// The surface of a point.
inline HitSurface<double> surface_of(const TrackHit& hit) {
  const Cartesian<double> at = cartesian(hit.position);
  return {at,
          cartesian(hit.u),
          cartesian(hit.v),
          hit.curved,
          hit.curved ? HitSurface<double>::inverse_radius_of(at) : 0,
          slope_of(hit)};
}

/// The surface of a point, without edges.
inline SurfaceLevel level_of(const TrackHit& hit) {
  if (!hit.curved) return SurfaceLevel::plane(hit.position, hit.u.cross(hit.v));
  const double radius = hit.position.head<2>().norm(), slope = slope_of(hit);
  return slope == 0
             ? SurfaceLevel::cylinder(radius)
             : SurfaceLevel::cone(radius - slope * hit.position.z(), slope);
}

/// Level function of a surface, zero on it.
inline double distance(const TrackHit& s, const Vector3& x) {
  return gap_to(surface_of(s), cartesian(x)).value;
}

/// Axes u, v of the surface at a point of it.
struct SurfaceAxes {
  Vector3 u, v;
};

inline SurfaceAxes axes_at(const TrackHit& s, const Vector3& x) {
  if (!s.curved) return {s.u, s.v};
  const PlaneAxes<double> axes = axes_on(surface_of(s), cartesian(x));
  return {vector_of(axes.u), vector_of(axes.v)};
}

/// The hits of one track in the form used by the steps of the streaming fit.
struct SingleHits {
  const TrackHits& track;
  std::span<const std::size_t> measured;
  bool field = true;
  std::span<const std::size_t> points = {};

  HitSurface<double> surface(std::size_t i) const {
    return surface_of(track.points[i]);
  }
  std::span<const CoordinateAxis> axes(std::size_t i) const {
    return track.points[i].axes();
  }
  double theta0_2(std::size_t i) const { return track.points[i].theta0_2; }
};

}  // namespace gttf::detail
