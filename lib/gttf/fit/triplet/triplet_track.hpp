// SPDX-License-Identifier: Apache-2.0
// TripletTrack: the crossings of a track in the form used by the triplet fit,
// independent of detector and track model.
#pragma once

#include <optional>
#include <vector>

#include "gttf/core/double_double.hpp"
#include "gttf/core/matrix.hpp"
#include "gttf/fit/track/beam_spot.hpp"
#include "gttf/trajectory/traced_track.hpp"

namespace gttf {

/// Changes of (d0, z0, phi0, theta, kappa at the start) by kinks and by the
/// fluctuation of the energy loss in a layer.
struct KinkColumns {
  /// Of theta, phi and loss.
  Eigen::Matrix<DoubleDouble, track_dim, 3> columns =
      Eigen::Matrix<double, track_dim, 3>::Zero().cast<DoubleDouble>();
  Eigen::Vector3d variances = Eigen::Vector3d::Zero();
};

/// Data of a crossing for the triplet fit if the track is not a helix.
struct TracedArc {
  double path = 0;  ///< from the start, mm
  /// d(u, v, phi, theta on the surface, kappa at the start)/d(d0, z0, phi0,
  /// theta, kappa at the start); angles in the frame of the track.
  Eigen::Matrix<DoubleDouble, track_dim, track_dim> local =
      Matrix5::Identity().cast<DoubleDouble>();
  double inv_sin2 = 1;  ///< 1/sin^2(theta)
  /// d(kappa just after the layer)/d(start parameters).
  Vector5 kappa_behind = Vector5::Unit(Perigee::kappa);
  KinkColumns kinks;
};

/// A measured coordinate cosine u + sine v. Its direction is as exact as the
/// derivatives: nearly parallel coordinates of one hit determine it, and so the
/// track, by their difference.
struct TripletCoordinate {
  DoubleDouble cosine, sine;
  double variance = 0;  ///< mm^2
};

/// The coordinates for calculations in doubles.
inline std::vector<CoordinateAxis> axes_in_doubles(
    const std::vector<TripletCoordinate>& coordinates) {
  std::vector<CoordinateAxis> axes;
  for (const TripletCoordinate& a : coordinates)
    axes.push_back({static_cast<double>(a.cosine), static_cast<double>(a.sine),
                    a.variance});
  return axes;
}

/// One surface crossed by the reference track.
struct TripletPoint {
  Vector3 position;  ///< mm
  double turn = 0;   ///< turn of the direction since the start, rad
  Vector3 u, v;      ///< orthogonal unit vectors that span the surface
  /// Measured coordinates cosine u + sine v, any number; none: passive.
  std::vector<TripletCoordinate> coordinates;
  /// Variance of the scattering angle in a plane, theta0^2; the azimuth is
  /// scattered with theta0^2/sin^2(theta).
  double kink_variance = 0;
  std::optional<TracedArc> traced = {};  ///< if TripletTrack::traced

  bool measures() const { return !coordinates.empty(); }
  /// By scattering, or by a fluctuation of the energy loss.
  bool changes_track() const {
    return kink_variance > 0 ||
           (traced && traced->kinks.variances != Eigen::Vector3d::Zero());
  }
};

/// Crossings in order of flight along a reference helix around z, or along a
/// traced track, with angles in its frame.
struct TripletTrack {
  Vector3 start;          ///< vertex, mm
  double phi = 0;         ///< azimuth of the direction at the start, rad
  double theta = 0;       ///< polar angle, rad
  double kappa = 0;       ///< signed 3D curvature, 1/mm
  bool fit_kappa = true;  ///< false: no field, kappa is not a parameter
  /// Coordinates known at the start itself, with u = n0 = z x e0 (e0 the
  /// transverse direction) and v = z; none, or a constraint as the beam spot.
  std::vector<TripletCoordinate> start_coordinates;
  /// theta0^2 of passive layers at the start, where that is a hit.
  double start_kink_variance = 0;
  bool traced = false;
  bool loses_energy = false;                  ///< traced, with EnergyLoss
  std::vector<KinkColumns> start_kinks = {};  ///< of these layers, if traced
  std::vector<TripletPoint> crossings = {};
};

/// The crossings found in a detector; u and v are the axes of its Surfaces.
/// @param start  beam spot as a hit at the start; may be null. It is combined
///               with a measuring layer at the start into one hit, because two
///               coincident hits do not define a direction
TripletTrack make_triplet_track(const TrackingGeometry& geometry,
                                const Track& track,
                                const Crossings<double>& found,
                                const StartHit<double>* start = nullptr);

/// The same in twice the precision of a double: arcs are taken from the
/// derivatives of the helix, as for a traced track.
TripletTrack make_triplet_track(const TrackingGeometry& geometry,
                                const Track& track,
                                const Crossings<DoubleDouble>& found,
                                const StartHit<DoubleDouble>* start = nullptr);

/// The crossings of a track in any field.
TripletTrack make_triplet_track(const TrackingGeometry& geometry,
                                const Track& track, const TracedTrack& found,
                                const StartHit<double>* start = nullptr);

}  // namespace gttf
