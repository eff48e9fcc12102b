// SPDX-License-Identifier: Apache-2.0
// Axes of a surface at one of its points.
#pragma once

#include <cmath>
#include <utility>

#include "gttf/core/matrix.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

/// Unit vectors u', v' of SurfaceRecord at the point `at` of the surface.
inline std::pair<Vector3, Vector3> surface_axes(const SurfaceRecord& s,
                                                const Vector3& at) {
  using Kind = SurfaceRecord::Kind;
  const double inv_r = s.kind == Kind::cylinder
                           ? 1 / s.position
                           : 1 / std::sqrt(at.x() * at.x() + at.y() * at.y());
  const Vector3 z(0, 0, 1);
  switch (s.kind) {
    case Kind::cylinder:
      return {Vector3(-at.y() * inv_r, at.x() * inv_r, 0), z};
    case Kind::disk:
      return {Vector3(-at.y() * inv_r, at.x() * inv_r, 0),
              Vector3(at.x() * inv_r, at.y() * inv_r, 0)};
    case Kind::plane:
      return {Vector3(-s.normal_sin, s.normal_cos, 0), z};
    case Kind::disk_plane:
      break;
  }
  return {Vector3(0, 1, 0), Vector3(1, 0, 0)};
}

/// Moves a point that was shifted along u' and v' back onto a curved surface.
inline void move_onto(const SurfaceRecord& s, Vector3& point) {
  if (s.kind != SurfaceRecord::Kind::cylinder) return;
  const double x = point.x(), y = point.y();
  const double factor = s.position / std::sqrt(x * x + y * y);
  point.x() = x * factor;
  point.y() = y * factor;
}

}  // namespace gttf
