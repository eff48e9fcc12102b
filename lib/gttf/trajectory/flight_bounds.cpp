// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/flight_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace gttf {

FlightBounds::FlightBounds(const TrackingGeometry& geometry)
    : lower(Vector3::Zero()), upper(Vector3::Zero()) {
  for (const SurfaceRecord& s : geometry.surfaces()) {
    Vector3 from, to;
    using Kind = SurfaceRecord::Kind;
    if (s.kind == Kind::cylinder || s.kind == Kind::disk) {
      const bool disk = s.kind == Kind::disk;
      const double r = disk ? s.v.upper : s.position;
      from = {-r, -r, disk ? s.position : s.v.lower};
      to = {r, r, disk ? s.position : s.v.upper};
      radius = std::max(radius, r);
    } else {
      const int n = s.kind == Kind::disk_plane ? 2 : static_cast<int>(s.normal);
      from[n] = to[n] = s.position;
      from[(n + 1) % 3] = s.u.lower;
      to[(n + 1) % 3] = s.u.upper;
      from[(n + 2) % 3] = s.v.lower;
      to[(n + 2) % 3] = s.v.upper;
      radius = std::max(
          radius, std::hypot(std::max(std::abs(from.x()), std::abs(to.x())),
                             std::max(std::abs(from.y()), std::abs(to.y()))));
    }
    lower = lower.cwiseMin(from);
    upper = upper.cwiseMax(to);
  }
}

FlightBounds::FlightBounds(double distance)
    : lower(Vector3::Constant(-distance)),
      upper(Vector3::Constant(distance)),
      radius(distance) {}

bool FlightBounds::left_behind(const Vector3& x, const Vector3& t) const {
  for (int i = 0; i < 3; ++i)
    if ((x[i] < lower[i] && t[i] <= 0) || (x[i] > upper[i] && t[i] >= 0))
      return true;
  return std::hypot(x.x(), x.y()) > radius &&
         x.x() * t.x() + x.y() * t.y() >= 0;
}

double FlightBounds::reach() const {
  return lower.cwiseAbs().cwiseMax(upper.cwiseAbs()).norm();
}

}  // namespace gttf
