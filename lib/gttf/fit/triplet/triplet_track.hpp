// SPDX-License-Identifier: Apache-2.0
// TripletTrack: what the triplet fit needs to know about the crossings of a
// track, free of detector and track model.
#pragma once

#include <optional>
#include <vector>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/track/beam_spot.hpp"
#include "gttf/trajectory/traced_track.hpp"

namespace gttf {

/// What the triplet fit takes of a crossing that is not one of a helix.
struct TracedArc {
  double path = 0;  ///< from the start, mm
  /// d(u, v, phi, theta on the surface, kappa at the start)/d(d0, z0, phi0,
  /// theta, kappa at the start); angles in the frame of the track.
  Matrix5 local = Matrix5::Identity();
  double inv_sin2 = 1;  ///< 1/sin^2(theta)
};

/// One surface crossed by the reference track.
struct TripletPoint {
  Vector3 position;  ///< mm
  double turn = 0;   ///< turn of the direction since the start, rad
  Vector3 u, v;      ///< orthogonal unit vectors that span the surface
  /// Measured coordinates cosine u + sine v, any number; none: passive.
  std::vector<CoordinateAxis> coordinates;
  /// Variance of the scattering angle in a plane, theta0^2; the azimuth is
  /// scattered with theta0^2/sin^2(theta).
  double kink_variance = 0;
  std::optional<TracedArc> traced = {};  ///< if TripletTrack::traced

  bool measures() const { return !coordinates.empty(); }
};

/// Crossings in order of flight along a reference helix around z, or along a
/// traced track; angles are those of its frame then.
struct TripletTrack {
  Vector3 start;          ///< vertex, mm
  double phi = 0;         ///< azimuth of the direction at the start, rad
  double theta = 0;       ///< polar angle, rad
  double kappa = 0;       ///< signed 3D curvature, 1/mm
  bool fit_kappa = true;  ///< false: no field, kappa is not a parameter
  /// Coordinates known at the start itself, with u = n0 = z x e0 (e0 the
  /// transverse direction) and v = z; none, or a constraint as the beam spot.
  std::vector<CoordinateAxis> start_coordinates;
  /// theta0^2 of passive layers at the start, where that is a hit.
  double start_kink_variance = 0;
  bool traced = false;
  std::vector<TripletPoint> crossings;
};

/// The crossings found in a detector; u and v are the axes of its Surfaces.
/// @param start  beam spot as a hit at the start; may be null. It is one hit
///               with a measuring layer at the start, since no direction could
///               be told from two
TripletTrack make_triplet_track(const TrackingGeometry& geometry,
                                const Track& track,
                                const Crossings<double>& found,
                                const StartHit<double>* start = nullptr);

/// The crossings of a track in any field, without straggling.
TripletTrack make_triplet_track(const TrackingGeometry& geometry,
                                const Track& track, const TracedTrack& found,
                                const StartHit<double>* start = nullptr);

}  // namespace gttf
