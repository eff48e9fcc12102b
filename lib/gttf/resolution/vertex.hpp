// SPDX-License-Identifier: Apache-2.0
// Tracks of one vertex: errors of the vertex and of their total momentum.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

#include "gttf/core/track_parameters.hpp"
#include "gttf/trajectory/track.hpp"

namespace gttf {

using Matrix3 = Eigen::Matrix3d;
using Vector4 = Eigen::Vector4d;
/// A covariance C of a four-momentum (px, py, pz, E) as a matrix R of columns
/// with C = R R^T, GeV. The mass of a fast particle is a small difference of
/// large numbers, and of C itself its error would lose digits.
using MomentumErrors = Eigen::Matrix<double, 4, Eigen::Dynamic>;

/// A track from a vertex as a measurement of five numbers y: two of its place
/// next to the vertex v, two of its direction, and q/p. To first order
///
///   y = by_vertex dv + (0, 0, m) + error,
///
/// with m = (direction, q/p) at the vertex.
struct VertexTrack {
  Vector3 m;  ///< direction and q/p of the track
  /// m as in OnPlane: 1 towards +z, -1 towards -z; 0: as in Perigee.
  int plane = 0;
  double mass = 0;     ///< GeV
  double charge = 0;   ///< e
  Matrix5 covariance;  ///< of y
  Eigen::Matrix<double, track_dim, 3> by_vertex;
  Matrix3 momentum_by_m;  ///< d(momentum)/dm

  /// The momentum of other m, GeV.
  Vector3 momentum_of(const Vector3& m) const;
};

/// @param perigee, start_plane  covariances of Resolution for that track, whose
///              start is the vertex; the second is used where the first does
///              not exist
/// @param bz    field along z at the vertex, GeV/(e mm): by it the direction
///              changes between vertex and perigee
/// @return  nothing if neither covariance is finite
std::optional<VertexTrack> vertex_track(const Track& track,
                                        const Matrix5& perigee,
                                        const Matrix5& start_plane, double bz);

/// Errors of a common vertex and of the total four-momentum (px, py, pz, E).
struct VertexErrors {
  Vector4 momentum;            ///< GeV
  MomentumErrors separate;     ///< of `momentum`, each track by itself
  MomentumErrors constrained;  ///< the same if all tracks come from one point
  Matrix3 vertex;              ///< covariance of that point, mm^2
};

/// Least squares for the point that all tracks come from: tracks have
/// independent errors,
///
///   Cov(v)^-1 = sum_i A_i^T S_i^-1 A_i,
///
/// with A_i the position rows of by_vertex and S_i the covariance of the
/// position; the vertex changes the momentum through the correlations. By
/// orthogonal transformations of S_i^-1/2 A_i, as the angles between the tracks
/// of a fast particle are small.
/// @return  nothing unless at least two tracks determine the point
/// Source: [Fruehwirth87], the fit in one linear step
std::optional<VertexErrors> fit_vertex(std::span<const VertexTrack> tracks);

/// A vertex fitted to measured tracks, and their total four-momentum.
struct FittedVertex {
  Vector3 vertex;       ///< minus the reference point, mm
  Vector4 separate;     ///< GeV, of each track by itself
  Vector4 constrained;  ///< GeV, if all tracks come from that vertex
};

/// @param errors    fit_vertex() of the tracks
/// @param measured  for each track, y minus that of the track
FittedVertex fit_vertex(std::span<const VertexTrack> tracks,
                        const VertexErrors& errors,
                        std::span<const Vector5> measured);

/// Invariant mass, sqrt(E^2 - p^2); 0 of a space-like momentum.
double mass_of(const Vector4& momentum);
/// sigma(m) of the invariant mass m^2 = E^2 - p^2.
/// @param errors  of `momentum`: separate or constrained
double sigma_of_mass(const Vector4& momentum, const MomentumErrors& errors);

/// The mass that recoils against the tracks at the centre-of-mass energy
/// sqrt_s of a collision at rest: m^2 = (sqrt_s - E)^2 - p^2; NaN if negative.
double recoil_mass(const Vector4& momentum, double sqrt_s);
/// Its standard deviation; `sigma_sqrt_s` is that of sqrt_s.
double sigma_of_recoil_mass(const Vector4& momentum,
                            const MomentumErrors& errors, double sqrt_s,
                            double sigma_sqrt_s);

}  // namespace gttf
