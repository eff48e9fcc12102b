// SPDX-License-Identifier: Apache-2.0
// TracedTrack: the crossings of a track in any field, with energy loss and all
// derivatives needed by the fits, from one pass along the trajectory.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gttf/core/matrix.hpp"
#include "gttf/trajectory/crossings.hpp"
#include "gttf/trajectory/derivatives.hpp"
#include "gttf/trajectory/energy_loss.hpp"
#include "gttf/trajectory/frame.hpp"

namespace gttf {

/// One crossing. Rows are linear functions of the start parameters
/// s = (d0, z0, phi0, theta, kappa), the perigee in the frame with respect to
/// the start point; kappa = -q B_ref/p at the start.
struct TracedCrossing {
  unsigned surface = 0;  ///< index in TrackingGeometry::surfaces()
  double path = 0;       ///< along the track from the start, mm
  Vector3 position;      ///< user's axes, mm
  Vector3 direction;     ///< before the layer, user's axes, unit vector
  double p = 0;          ///< momentum before the layer, GeV
  double p_scatter = 0;  ///< effective momentum for scattering, see LayerLoss
  double cos_incidence = 1;  ///< |direction . normal|
  double x_over_x0 = 0;      ///< along the track
  double theta0_2 = 0;       ///< variance of the scattering angle, rad^2
  double energy_loss = 0;  ///< mean loss in the layer, GeV; 0 unless requested
  /// Of a layer whose material varies, here; null: those of the geometry.
  std::shared_ptr<const std::vector<LossSlab>> own_slabs;
  /// d(u', v', phi, theta, kappa)/d(s) on the surface, just before the layer;
  /// u', v' axes of SurfaceRecord, angles in the frame, kappa = -q B_ref/p
  /// there.
  std::array<Row<double>, track_dim> on_surface;
  /// d(kappa)/d(s) after the layer, including its mean loss.
  Row<double> kappa_behind;
  /// Change of s equivalent to a change of theta, phi or kappa in the layer for
  /// the track outside: b_theta, b_phi, b_kappa. An angle changes the path in
  /// the rest of the layer: b_theta and b_phi include the average effect on the
  /// loss.
  Row<double> theta_kink, phi_kink, loss_kink;
  double inv_sin2 = 1;       ///< 1/sin^2(theta) here: var(phi) = theta0^2 * it
  LossStretch stretch;       ///< that contains the layer; if it straggles
  double loss_variance = 0;  ///< of kappa, from straggling; 1/mm^2
  /// Of kappa, 1/mm^2: the angles occur throughout the layer, and their effect
  /// on the loss varies around that average.
  double kink_loss_variance = 0;

  /// Derivatives of the coordinate cosine u' + sine v'.
  Row<double> coordinate_row(double cosine, double sine) const {
    Row<double> row;
    for (std::size_t i = 0; i < track_dim; ++i)
      row[i] = cosine * on_surface[0][i] + sine * on_surface[1][i];
    return row;
  }
};

/// The material in which the track loses energy at a crossing; may be empty.
inline std::span<const LossSlab> slabs_at(const TrackingGeometry& geometry,
                                          const TracedCrossing& x) {
  return x.own_slabs ? std::span<const LossSlab>(*x.own_slabs)
                     : geometry.slabs(x.surface);
}

/// All crossings in order of flight.
struct TracedTrack {
  Frame frame;
  double phi = 0, theta = 0;  ///< of the start, in the frame
  double kappa = 0;           ///< -q B_ref/p at the start, 1/mm
  double b_ref = 0;           ///< Field::reference, 0: p is not a fit parameter
  Vector3 start_bend = Vector3::Zero();  ///< d(direction)/d(path) there, 1/mm
  std::vector<TracedCrossing> list;
  int n_measuring = 0;
  int first = -1;  ///< index of the first measuring crossing, -1: none
  int last = -1;   ///< of the last measuring crossing
  TrackMaterial<double> material;
  TrackEnd end = TrackEnd::leaves;
  /// See trace(): 0 if it was followed to the first crossings only.
  double turns = 0;
  /// The point where the track left the field map before it left the detector.
  std::optional<Vector3> left_map;
  /// Whether the track stopped in a layer.
  bool stopped = false;
  /// d(d0, z0, phi0, theta, kappa in the user's axes)/d(s); the identity if
  /// the frame's polar axis is z. Rows of z0 and phi0 are NaN for a track that
  /// starts along the z axis (within 1e-6 rad), where they do not exist.
  Matrix5 user_parameters;
};

/// Follows `track` through the detector in its field.
///
/// The rules of find_crossings() apply: every surface once, outward, within its
/// extent, before a Turn of pi (cylinders and disks: first crossing), not if
/// the direction is within 0.57 deg of the surface. With `turns`, a track is
/// followed up to a Turn of so many times 2 pi, half of it at least, and every
/// crossing of a surface counts, inwards as outwards.
///
/// Between crossings the path is a straight line, an exact helix where the
/// field is uniform, or integrated together with its derivatives.
/// @param track  theta and phi with respect to the user's axes; theta in
///               [0, pi]
/// @param frame  replaces the result of choose_frame()
TracedTrack trace(const TrackingGeometry& geometry, const Track& track,
                  Scattering scattering, EnergyLoss loss = EnergyLoss::off,
                  std::optional<Frame> frame = {}, double turns = 0);

/// The same for a particle that loses energy but keeps to the path of `track`
/// with the constant momentum `path_momentum`, GeV. Derivatives are those of
/// the path.
TracedTrack trace_on_path(const TrackingGeometry& geometry, const Track& track,
                          double path_momentum, Scattering scattering,
                          EnergyLoss loss, const Frame& frame);

/// The turns to follow a track by that starts outside of a cylinder or cone and
/// towards it: its crossings within half a turn, inwards and outwards, need
/// trace(). 0 for any other track.
double turns_needed(const TrackingGeometry& geometry, const Track& track);

}  // namespace gttf
