// SPDX-License-Identifier: Apache-2.0
// Segments between hits in any field, with energy loss in between.
#pragma once

#include <span>

#include "gttf/fit/streaming/kinked_trajectory.hpp"
#include "gttf/fit/triplet/directed_segment.hpp"

namespace gttf::detail {

/// q/p and its derivative with the curvature at the origin.
struct SlowedCharge {
  double qop = 0, slope = 0;

  /// At the origin.
  static SlowedCharge at_origin(const TrackHits& track, double kappa);
  /// After a layer; false if the particle stops in it.
  bool pass(const TrackHits& track, const HitLoss& loss);
};

/// A track of given momentum from one point to another.
struct FlightSegment {
  /// Gradients in the user's axes, angles in the frame, slopes with the
  /// curvature at the origin.
  DirectedSegment<double> directed;
  SlowedCharge end;                ///< in front of the layer at the end
  std::vector<Vector3> crossings;  ///< of the layers in between
};

/// Shooting from one point to the other: Newton's method for the direction with
/// derivatives from the flight, which yields all derivatives.
/// @param layers indices of points in between with energy loss or whose
///               crossing is needed
FitStatus make_flight_segment(const TrackHits& track, const Vector3& from,
                              const Vector3& to, const SlowedCharge& start,
                              std::span<const std::size_t> layers,
                              FlightSegment& segment);

/// Changes of the start parameters (d0, z0, phi, theta, kappa) of a state when
/// its point moves in space at fixed direction.
/// @param bend  t' there, 1/mm
Eigen::Matrix<double, track_dim, 3> start_shifts(const Frame& frame,
                                                 const Vector3& direction,
                                                 const Vector3& bend);

}  // namespace gttf::detail
