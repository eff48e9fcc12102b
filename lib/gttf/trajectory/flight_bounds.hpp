// SPDX-License-Identifier: Apache-2.0
// FlightBounds: where the surfaces of a detector are.
#pragma once

#include "gttf/core/matrix.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

/// A box, and within it a cylinder about z, that hold all surfaces.
struct FlightBounds {
  Vector3 lower, upper;
  double radius = 0;

  explicit FlightBounds(const TrackingGeometry& geometry);
  /// Everything within this distance of the origin.
  explicit FlightBounds(double distance);
  /// Outside and moving away.
  bool left_behind(const Vector3& x, const Vector3& t) const;
  /// Distance from the origin to the farthest corner.
  double reach() const;
};

}  // namespace gttf
