// SPDX-License-Identifier: Apache-2.0
// Propagator: flies a particle from surface to surface in any field.
#pragma once

#include <optional>

#include "gttf/trajectory/flight.hpp"
#include "gttf/trajectory/flight_bounds.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf {

/// A particle in the user's axes.
struct Flyer {
  Vector3 position;   ///< mm
  Vector3 direction;  ///< unit vector
  double qop = 0;     ///< q/p, e/GeV
};

/// d(position, direction, q/p)/d(position, direction, q/p at the start), on the
/// surface: a change of the start moves the crossing along the surface. The
/// three components of a direction are those of a unit vector: only changes
/// across it have a meaning.
using FlyerJacobian = Eigen::Matrix<double, 7, 7>;

/// Why a flight did not reach its surface.
enum class FlightEnd {
  reached,
  missed,       ///< the path does not meet the surface
  turned_back,  ///< it has turned by pi before
  left_map,     ///< the field map ends before
};

/// Where a flight has got to: on the surface, or where it ended.
struct Arrival {
  Flyer flyer;
  FlightEnd end = FlightEnd::missed;
  double path = 0;  ///< mm
  explicit operator bool() const { return end == FlightEnd::reached; }
};

/// Flies particles through the field of a detector; without material.
class Propagator {
 public:
  explicit Propagator(const TrackingGeometry& geometry);

  /// To the next crossing of `surface`, extended beyond its edges, from either
  /// side. A flight that starts within 1 nm of it does not meet it there.
  /// @param jacobian  set if the surface is reached, unless null
  Arrival to(const SurfaceRecord& surface, const Flyer& start,
             FlyerJacobian* jacobian = nullptr) const;

 private:
  template <int N>
  Arrival fly(const SurfaceLevel& surface, const FlightState<N>& start,
              FlyerJacobian* jacobian) const;

  const Field* field_;
  FlightBounds bounds_;
};

}  // namespace gttf
