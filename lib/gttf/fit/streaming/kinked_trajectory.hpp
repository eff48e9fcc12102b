// SPDX-License-Identifier: Apache-2.0
// KinkedTrajectory: the reference of the streaming fit in any field, with
// energy loss.
#pragma once

#include <vector>

#include "gttf/fit/streaming/general_kinks.hpp"
#include "gttf/fit/track/hit_surface.hpp"
#include "gttf/fit/track/hits.hpp"
#include "gttf/trajectory/derivatives.hpp"
#include "gttf/trajectory/flight.hpp"
#include "gttf/trajectory/frame_angles.hpp"

namespace gttf::detail {

/// A track on the surface of a layer, with its derivatives there with respect
/// to the start parameters s = (d0, z0, phi, theta, kappa) in the frame.
using TrajectoryState = FlightState<track_dim>;

/// The change of s equivalent to a change at a layer.
using StartColumn = Vector5;

/// One crossing of the reference.
struct TrajectoryNode {
  std::size_t point = 0;   ///< index in TrackHits::points
  TrajectoryState before;  ///< the layer
  TrajectoryState after;   ///< with its kinks and its loss
  SurfaceAxes axes;
  /// d(kappa after)/d(energy lost) in the layer, 1/(mm GeV).
  double kappa_per_loss = 0;
  /// The path does not meet the layer: it is passed where the node before is,
  /// on the path of the reference in it.
  bool is_beside = false;
  bool stops = false;  ///< in the layer: the state after it has no loss
  double more = 0;     ///< lost than on the path of HitLoss, GeV
  /// Changes of theta, phi and kappa of the reference here, in addition to the
  /// mean loss.
  std::array<double, 3> so_far{};
  /// Changes after the layer in start parameters; variances with the weights of
  /// the fit.
  GeneralKinks<double> kinks{};
  GeneralGain<double> gain;  ///< of the last fit
  std::array<double, 3> offset{};
};

/// d(theta, phi)/d(s) of a state.
Eigen::Matrix<double, 2, track_dim> angle_rows(const FrameAngles& angles,
                                               const TrajectoryState& state);

/// Start parameters around a state, where all except theta, phi and kappa are
/// zero.
void set_start_columns(const TrackHits& track, TrajectoryState& state);

/// kappa = -q b_ref/p of a state, or of its start without a field.
double kappa_of(const TrackHits& track, const TrajectoryState& state);

/// Momentum of a charge with q/p, GeV.
double momentum_of(const TrackHits& track, double qop);

/// t' of a track that leaves a point along `direction`, 1/mm.
Vector3 bend_at(const TrackHits& track, const Vector3& point,
                const Vector3& direction, double qop);
/// The direction of a chord rotated back by half the turn in the field at its
/// start.
Vector3 start_of_arc(const TrackHits& track, const Vector3& from,
                     const Vector3& chord, double qop);

/// The momentum after a layer.
struct MomentumBehind {
  double p;            ///< GeV; NaN if the particle stops in it
  double by_momentum;  ///< d(p)/d(momentum before)
  double by_loss;      ///< d(p)/d(more)
};

/// @param p     momentum before the layer, GeV
/// @param more  loss of the reference particle on a longer path, GeV
MomentumBehind momentum_behind(const TrackHits& track, const HitLoss& loss,
                               double p, double more = 0);
/// The momentum before a layer from the momentum after it: the inverse.
double momentum_before(const TrackHits& track, const HitLoss& loss,
                       double behind, double more = 0);

/// The momentum before all layers, on the paths of the reference track.
/// @param p  before the layer of the first hit
double momentum_at_start(const TrackHits& track, double p);

/// The part of its kinetic energy that a particle loses between the hits; 1 if
/// it stops.
/// @param kappa  at the origin
double part_lost(const TrackHits& track, double kappa);

/// The path of a track in a layer in units of its thickness.
struct PathInLayer {
  double paths = 1;
  Eigen::Matrix<double, 1, track_dim> slope;  ///< d(paths)/d(s)
  double by_theta = 0, by_phi = 0;            ///< d(paths)/d(angle)
};
/// @param state  on the surface
PathInLayer path_in_layer(const TrackHits& track, const TrackHit& layer,
                          const TrajectoryState& state);

/// Sets the state after a layer from the state before it, with kinks and loss.
/// @return  false if the particle stops in it
bool pass_layer(const TrackHits& track, const TrackHit& layer,
                TrajectoryNode& node);

/// Variance of kappa after a layer, per theta0^2, because its angles occur
/// throughout it and change the loss in the rest of it.
double kink_loss_variance(const TrackHits& track, const TrackHit& layer,
                          const TrajectoryNode& node);

/// The curvature before the last node of a particle that keeps to a path.
struct MomentumOnPath {
  double kappa;     ///< 1/mm; NaN if it stops before
  double by_start;  ///< d(kappa)/d(kappa at the first node)
};

/// A track through any field with kinks and energy loss at every node.
class KinkedTrajectory {
 public:
  /// Nodes from the first to the last measured point; points that neither
  /// measure nor scatter nor cause energy loss are left out.
  void start(const TrackHits& track, const TrajectoryState& first);

  /// Follows the track from the first node through the first `n_nodes` surfaces
  /// with the kinks of the nodes; computes all derivatives.
  /// @param columns also the columns of the kinks
  FitStatus follow(const TrackHits& track, std::size_t n_nodes, bool columns);
  FitStatus follow(const TrackHits& track) {
    return follow(track, nodes_.size(), true);
  }

  /// Derivatives of a coordinate at a node, before the layer.
  Row<double> row(const TrajectoryNode& node, const CoordinateAxis& axis) const;

  /// After follow(): a particle with a curvature that differs by `change` at
  /// the first node, and the losses on the path that was followed.
  MomentumOnPath end_of_path(const TrackHits& track, double change) const;

  /// Adds to the start parameters; propagates back to the first surface.
  FitStatus move_start(const TrackHits& track, const Row<double>& change);

  /// Position, direction and q/p on the first surface, before its layer.
  const TrajectoryState& first() const { return first_; }
  std::vector<TrajectoryNode>& nodes() { return nodes_; }
  const std::vector<TrajectoryNode>& nodes() const { return nodes_; }

 private:
  TrajectoryState first_;
  std::vector<TrajectoryNode> nodes_;
  double length_ = 0;  ///< of the size of the track between them, mm
};

/// Changes of s equivalent to unit changes of theta, phi and kappa in a layer,
/// with fixed position and other components after it. Angles change the loss in
/// the rest of the layer.
/// @param node    with the state after the layer
/// @param length  to scale with, mm
/// @return        false if the state does not determine s
bool set_kink_columns(const TrackHits& track, const TrackHit& layer,
                      const TrajectoryNode& node, double length,
                      StartColumn& by_theta, StartColumn& by_phi,
                      StartColumn& by_kappa);

}  // namespace gttf::detail
