// SPDX-License-Identifier: Apache-2.0
// SurfaceLevel: on which side of a surface a point is, and how far from it.
#pragma once

#include "gttf/core/cartesian.hpp"
#include "gttf/core/matrix.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

/// A function of the point x that is zero on a surface, positive outside or
/// ahead of it, and its derivative along t: (r^2 - R^2)/2 of a cylinder, mm^2,
/// the distance of a plane or disk, mm.
template <class S>
struct LevelOnPath {
  S value, slope;
};

template <class S>
LevelOnPath<S> level_on_path(const SurfaceRecord& s, const Cartesian<S>& x,
                             const Cartesian<S>& t) {
  using Kind = SurfaceRecord::Kind;
  switch (s.kind) {
    case Kind::cylinder:
      return {S(0.5) * (transverse_dot(x, x) - S(s.position * s.position)),
              transverse_dot(x, t)};
    case Kind::plane: {
      const S nx(s.normal_cos), ny(s.normal_sin);
      return {nx * x.x + ny * x.y - S(s.position), nx * t.x + ny * t.y};
    }
    case Kind::disk:
    case Kind::disk_plane:
      break;
  }
  return {x.z - S(s.position), t.z};
}

/// A cylinder about z or a plane normal to an axis, without its edges, as the
/// zero of a function of the point.
struct SurfaceLevel {
  bool is_cylinder = false;
  int axis = 0;         ///< of a plane: its normal
  double position = 0;  ///< radius, or place along the normal; mm

  SurfaceLevel(Axis normal, double at)
      : axis(static_cast<int>(normal)), position(at) {}
  explicit SurfaceLevel(const SurfaceRecord& s)
      : is_cylinder(s.kind == SurfaceRecord::Kind::cylinder),
        axis(static_cast<int>(s.kind == SurfaceRecord::Kind::plane ? s.normal
                                                                   : Axis::z)),
        position(s.position) {}

  /// x - a, or (r^2 - R^2)/(2 R): near the surface the distance, mm.
  double at(const Vector3& x) const {
    if (!is_cylinder) return x[axis] - position;
    return (x.x() * x.x() + x.y() * x.y() - position * position) /
           (2 * position);
  }
  /// Its gradient, on the surface the unit normal.
  Vector3 gradient(const Vector3& x) const {
    if (is_cylinder) return {x.x() / position, x.y() / position, 0};
    return Vector3::Unit(axis);
  }
  /// Its derivative along the unit vector `t`.
  double slope(const Vector3& x, const Vector3& t) const {
    if (!is_cylinder) return t[axis];
    return (x.x() * t.x() + x.y() * t.y()) / position;
  }
};

/// Is `x`, a point on the surface but for its edges, within them?
bool inside(const SurfaceRecord& s, const Vector3& x);

}  // namespace gttf
