// SPDX-License-Identifier: Apache-2.0
// Axes of a surface at one of its points.
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <utility>

#include "gttf/core/matrix.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

/// Components of the unit vectors u', v' of SurfaceRecord at a point.
template <class S>
struct AxisComponents {
  S u[3], v[3];
};

/// @param x, y  of the point on the surface; one, or one in each element of a
/// vector. In the
///              centre of a disk, r is along the x axis.
template <class S>
AxisComponents<S> axis_components(const SurfaceRecord& s, const S& x,
                                  const S& y) {
  using std::sqrt;
  using Kind = SurfaceRecord::Kind;
  const S zero(0), one(1);
  switch (s.kind) {
    case Kind::cylinder: {
      const S inv_r(1 / s.position);
      return {{-(y * inv_r), x * inv_r, zero}, {zero, zero, one}};
    }
    case Kind::disk: {
      const S r2 = x * x + y * y;
      const auto centre = r2 <= zero;
      const S inv_r = select(centre, zero, S(one / sqrt(r2)));
      const S cosine = select(centre, one, S(x * inv_r)), sine = y * inv_r;
      return {{-sine, cosine, zero}, {cosine, sine, zero}};
    }
    case Kind::plane:
      return {{S(-s.normal_sin), S(s.normal_cos), zero}, {zero, zero, one}};
    case Kind::disk_plane:
      break;
  }
  return {{zero, one, zero}, {one, zero, zero}};
}

/// Unit vectors u', v' of SurfaceRecord at the point `at` of the surface.
inline std::pair<Vector3, Vector3> surface_axes(const SurfaceRecord& s,
                                                const Vector3& at) {
  const AxisComponents<double> a = axis_components(s, at.x(), at.y());
  return {Vector3(a.u[0], a.u[1], a.u[2]), Vector3(a.v[0], a.v[1], a.v[2])};
}

/// u' x v', at a point of the surface.
inline Vector3 surface_normal(const SurfaceRecord& s, const Vector3& at) {
  const auto [u, v] = surface_axes(s, at);
  return u.cross(v);
}

}  // namespace gttf
