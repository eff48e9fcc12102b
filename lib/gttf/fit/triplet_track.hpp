// SPDX-License-Identifier: Apache-2.0
// TripletTrack: what the triplet fit needs to know about the crossings of a
// track, free of detector and track model.
#pragma once

#include <vector>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/beam_spot.hpp"
#include "gttf/trajectory/crossings.hpp"

namespace gttf {

/// One surface crossed by the reference helix.
struct TripletCrossing {
  Vector3 position;  ///< mm
  double turn = 0;   ///< turn of the direction since the start, rad
  Vector3 u, v;      ///< orthogonal unit vectors that span the surface
  /// Measured coordinates cosine u + sine v, any number; none: passive.
  std::vector<CoordinateAxis> coordinates;
  /// Variance of the scattering angle in a plane, theta0^2; the azimuth is
  /// scattered with theta0^2/sin^2(theta).
  double kink_variance = 0;

  bool measures() const { return !coordinates.empty(); }
};

/// Crossings in order of flight along a reference helix around z.
struct TripletTrack {
  Vector3 start;          ///< vertex, mm
  double phi = 0;         ///< azimuth of the direction at the start, rad
  double theta = 0;       ///< polar angle, rad
  double kappa = 0;       ///< signed 3D curvature, 1/mm
  bool fit_kappa = true;  ///< false: no field, kappa is not a parameter
  /// Coordinates known at the start itself, with u = n0 = z x e0 (e0 the
  /// transverse direction) and v = z; none, or a constraint as the beam spot.
  std::vector<CoordinateAxis> start_coordinates;
  std::vector<TripletCrossing> crossings;
};

/// The crossings found in a detector; u and v are the axes of its Surfaces.
/// @param start  beam spot as a hit at the start; may be null
TripletTrack make_triplet_track(const TrackingGeometry& geometry,
                                const Track& track,
                                const Crossings<double>& found,
                                const StartHit<double>* start = nullptr);

}  // namespace gttf
