// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/flight_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "gttf/detector/surface_outline.hpp"

namespace gttf {

FlightBounds::FlightBounds(const TrackingGeometry& geometry)
    : lower(Vector3::Zero()), upper(Vector3::Zero()) {
  for (const SurfaceRecord& s : geometry.surfaces()) {
    for (int i = 0; i < 3; ++i) {
      const Interval along = extent(s, static_cast<Axis>(i));
      lower[i] = std::min(lower[i], along.lower);
      upper[i] = std::max(upper[i], along.upper);
    }
    radius = std::max(radius, radii(s).upper);
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
