// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/surface_level.hpp"

#include <cmath>

namespace gttf {

bool inside(const SurfaceRecord& s, const Vector3& x) {
  switch (s.kind) {
    case SurfaceRecord::Kind::cylinder:
      return s.v.contains(x.z());
    case SurfaceRecord::Kind::disk:
      return s.v.contains(std::hypot(x.x(), x.y()));
    case SurfaceRecord::Kind::disk_plane:
      return s.u.contains(x.x()) && s.v.contains(x.y());
    case SurfaceRecord::Kind::plane:
      return s.normal == Axis::x ? s.u.contains(x.y()) && s.v.contains(x.z())
                                 : s.u.contains(x.z()) && s.v.contains(x.x());
  }
  return false;
}

}  // namespace gttf
