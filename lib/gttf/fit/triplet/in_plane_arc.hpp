// SPDX-License-Identifier: Apache-2.0
// InPlaneArc: the piece of a track between two surfaces, linearised.
#pragma once

#include <Eigen/Core>

#include "gttf/fit/triplet/triplet_track.hpp"

namespace gttf::detail {

/// The directions (theta, phi) at both ends of the piece as functions of the
/// points (u, v) in which it meets the two surfaces, and of kappa at the start
/// of the track.
struct InPlaneArc {
  using Matrix2 = Eigen::Matrix2d;
  using Vector2 = Eigen::Vector2d;

  Matrix2 start_by_start, start_by_end, end_by_start, end_by_end;
  Vector2 start_by_kappa, end_by_kappa;  ///< points fixed
  double length = 0;                     ///< mm
  double inverse_index = 1;              ///< of a helix, see Segment
};

/// @param from, to  crossings of `track`, or start_crossing()
InPlaneArc make_arc(const TripletTrack& track, const TripletPoint& from,
                    const TripletPoint& to);

/// The start as a crossing of the plane across the transverse direction.
TripletPoint start_crossing(const TripletTrack& track);

/// d(d0, z0, phi0, theta, kappa at the start)/d(u, v, phi, theta, kappa at the
/// crossing).
Matrix5 perigee_jacobian(const TripletTrack& track,
                         const TripletPoint& crossing);

/// 1/sin^2(theta) at a crossing: var(phi) over var(theta).
double inverse_sine_squared(const TripletTrack& track,
                            const TripletPoint& crossing);

}  // namespace gttf::detail
