// SPDX-License-Identifier: Apache-2.0
// InPlaneArc: the piece of a track between two surfaces, linearised.
#pragma once

#include <Eigen/Core>
#include <array>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/triplet/triplet_track.hpp"

namespace gttf::detail {

/// A direction (theta, phi) as function of the points (u, v) in which an arc
/// crosses its first and its second surface, and of kappa at the start of the
/// track, at fixed points.
template <class S>
struct DirectionByPoints {
  Eigen::Matrix<S, 2, 2> by_start, by_end;
  Eigen::Matrix<S, 2, 1> by_kappa;
};

/// The directions at both ends of the piece.
/// @tparam S  double, or DoubleDouble for derivatives of that precision
template <class S>
struct InPlaneArc {
  DirectionByPoints<S> start, end;
  /// The direction at the start is
  ///
  ///   turn end + bend
  ///
  /// `bend` is small on nearly straight arcs, where both directions depend on
  /// the difference of nearly equal points.
  Eigen::Matrix<S, 2, 2> turn;
  DirectionByPoints<S> bend;
  double length = 0;         ///< mm
  double inverse_index = 1;  ///< of a helix, see Segment
};

/// @param from, to  crossings of `track`, or start_crossing()
template <class S>
InPlaneArc<S> make_arc(const TripletTrack& track, const TripletPoint& from,
                       const TripletPoint& to);

/// Changes of the directions (theta, phi) at the hits `from` and `to`, at fixed
/// points there, and of the curvature at `to`, by the kinks of a layer between
/// them: one column for each kink of unit standard deviation.
template <class S>
struct TurnsBetween {
  enum Row : int { leaving, arriving = leaving + 2, curvature = arriving + 2 };
  static constexpr int n_rows = curvature + 1, n_columns = 3;

  std::array<std::array<S, n_rows>, n_columns> columns{};
};

/// @param arc  from `from` to `to`
template <class S>
TurnsBetween<S> turns_between(const TripletTrack& track,
                              const TripletPoint& from,
                              const TripletPoint& layer, const TripletPoint& to,
                              const InPlaneArc<S>& arc);

/// Changes of the direction (theta, phi) and of the curvature in a layer: one
/// column for each kink of unit standard deviation, and for the energy loss.
template <class S>
struct LayerKinks {
  enum Row : int { theta, phi, curvature };

  std::array<std::array<S, 3>, 3> columns{};
};

template <class S>
LayerKinks<S> kinks_of(const TripletTrack& track, const TripletPoint& layer);

/// The start as a crossing of the plane normal to the transverse direction.
TripletPoint start_crossing(const TripletTrack& track);

/// d(d0, z0, phi0, theta, kappa at the start)/d(u, v, phi, theta, kappa at the
/// crossing).
template <class S>
Eigen::Matrix<S, track_dim, track_dim> perigee_jacobian(
    const TripletTrack& track, const TripletPoint& crossing);

/// 1/sin^2(theta) at a crossing: var(phi) over var(theta).
double inverse_sine_squared(const TripletTrack& track,
                            const TripletPoint& crossing);

}  // namespace gttf::detail
