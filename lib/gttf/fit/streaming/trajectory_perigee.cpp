// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/streaming/trajectory_perigee.hpp"

#include <cmath>
#include <vector>

#include "gttf/core/matrix.hpp"
#include "gttf/core/units.hpp"
#include "gttf/fit/track/hit_loss.hpp"

namespace gttf::detail {

namespace {

/// A track closer to the z axis than this has no perigee.
constexpr double along_z = 1e-6;

/// One standard deviation of a random change of the start parameters.
using Noise = std::vector<StartColumn>;

/// Scattering and straggling of a layer in terms of the start parameters.
/// @param node  with the state after the layer
/// @param qop   before it
void add_noise(const TrackHits& track, const TrackHit& layer,
               TrajectoryNode& node, double qop, const FitWeights& weights,
               double length, Noise& noise) {
  StartColumn by_theta, by_phi, by_kappa;
  node.axes = axes_at(layer, node.after.position);
  if (!set_kink_columns(track, layer, node, length, by_theta, by_phi, by_kappa))
    return;
  const LayerMomentum p{momentum_of(track, qop),
                        momentum_of(track, node.after.qop)};
  const double theta0_2 =
      scattering_weight(track, layer.loss, weights, p) * layer.theta0_2;
  if (theta0_2 > 0) {
    const double theta0 = std::sqrt(theta0_2);
    const FrameAngles angles(track.flight->frame, node.after.direction);
    noise.push_back(theta0 * by_theta);
    noise.push_back(theta0 / angles.sin_theta * by_phi);
  }
  const double variance = straggling_variance(track, layer.loss, weights, p) +
                          theta0_2 * kink_loss_variance(track, layer, node);
  if (variance > 0) noise.push_back(std::sqrt(variance) * by_kappa);
}

Matrix5 sum_of(const Noise& noise, const Matrix5& rows) {
  Matrix5 sum = Matrix5::Zero();
  for (const StartColumn& column : noise) {
    const Vector5 change = rows * column;
    sum += change * change.transpose();
  }
  return sum;
}

Eigen::Matrix<double, 1, track_dim> kappa_row(const TrackHits& track,
                                              const TrajectoryState& s) {
  if (!track.field) return Vector5::Unit(Perigee::kappa).transpose();
  return -track.flight->field->reference * s.d_qop;
}

/// Moves a state from behind a layer, without a kink, in front of it.
/// @param kappa_per_loss  set: TrajectoryNode::kappa_per_loss
void regain_energy(const TrackHits& track, const TrackHit& layer,
                   TrajectoryState& state, double& kappa_per_loss) {
  const LossPath& path = layer.loss.path;
  const double behind = momentum_of(track, state.qop);
  const PathInLayer here = path_in_layer(track, layer, state);
  const double more = path.per_path * (here.paths - path.paths);
  const double p = momentum_before(track, layer.loss, behind, more);
  const MomentumBehind there = momentum_behind(track, layer.loss, p, more);
  const double ratio = behind / p;
  const double per_loss = -state.qop / behind * there.by_loss;
  if (path.per_path != 0)
    kappa_per_loss = -track.flight->field->reference * per_loss;
  state.qop *= ratio;
  state.d_qop -= per_loss * path.per_path * here.slope;
  state.d_qop *= ratio * ratio / there.by_momentum;
}

void set_perigee_parameters(const TrackHits& track, TrajectoryState s,
                            const Matrix5& root, const Noise& noise,
                            GlobalFit& r) {
  // along the beam it is that at the origin, not one in a magnet
  if (track.flight->frame.polar != Axis::z) {
    TrajectoryState there = s;
    if (fly_onto(*track.flight->field,
                 SurfaceLevel::plane(track.origin, Vector3::UnitZ()),
                 Way::either, there) == Landing::there)
      s = there;
  }
  if (fly_onto(*track.flight->field, FlightGoal::perigee(track.origin),
               Way::either, s) != Landing::there)
    return;
  const FrameAngles angles({Axis::z}, s.direction);
  if (!(angles.sin_theta > along_z)) return;
  const Vector3 x = s.position - track.origin;
  r.perigee << angles.along_phi.dot(x), x.z(), angles.phi(), angles.theta(),
      kappa_of(track, s);
  Matrix5 rows;
  rows.row(Perigee::d0) = angles.along_phi.transpose() * s.d_position;
  rows.row(Perigee::z0) = s.d_position.row(2);
  const auto by_angle = angle_rows(angles, s);
  rows.row(Perigee::theta) = by_angle.row(0);
  rows.row(Perigee::phi) = by_angle.row(1);
  rows.row(Perigee::kappa) = kappa_row(track, s);
  r.perigee_covariance_without_inner = covariance_of<track_dim>(root, rows);
  r.perigee_covariance =
      r.perigee_covariance_without_inner + sum_of(noise, rows);
}

void set_start_plane(const TrackHits& track, TrajectoryState s,
                     const Matrix5& root, const Noise& noise, GlobalFit& r) {
  if (fly_onto(*track.flight->field,
               SurfaceLevel::plane(track.origin, Vector3::UnitZ()), Way::either,
               s) != Landing::there)
    return;
  const Vector3& t = s.direction;
  const double per_z = 1 / t.z();
  if (!(std::abs(per_z) < 100)) return;
  r.start_plane << s.position.x(), s.position.y(), t.x() * per_z, t.y() * per_z,
      kappa_of(track, s);
  Matrix5 rows;
  rows.topRows<2>() = s.d_position.topRows<2>();
  for (int i = 0; i < 2; ++i)
    rows.row(2 + i) =
        per_z * (s.d_direction.row(i) - t[i] * per_z * s.d_direction.row(2));
  rows.row(4) = kappa_row(track, s);
  r.start_plane_covariance =
      covariance_of<track_dim>(root, rows) + sum_of(noise, rows);
}

}  // namespace

double scattering_weight(const TrackHits& track, const HitLoss& loss,
                         const FitWeights& weights, const LayerMomentum& p) {
  if (!weights.scatters || !weights.follow_track || !(loss.mean > 0))
    return weights.scattering();
  const double m = track.flight->mass;
  const auto inverse = [m](double momentum) {  // 1/(p beta)
    return std::hypot(momentum, m) / (momentum * momentum);
  };
  const double before = inverse(p.before) / inverse(loss.momentum);
  const double reference = momentum_behind(track, loss, loss.momentum).p;
  const double behind = reference > 0
                            ? inverse(p.behind) / inverse(reference)
                            : before;  // the reference stops in the layer
  return weights.widening * before * behind;
}

double straggling_variance(const TrackHits& track, const HitLoss& loss,
                           const FitWeights& weights, const LayerMomentum& at) {
  if (!weights.scatters || !track.field || !(loss.sigma > 0)) return 0;
  const double p =
      weights.follow_track
          ? at.behind
          : momentum_behind(track, loss,
                            loss.momentum / std::abs(weights.ratio))
                .p;
  if (!(p > 0)) return 0;
  const FlightModel& model = *track.flight;
  return curvature_variance(loss.sigma, p, model.mass,
                            model.charge * model.field->reference);
}

Matrix5 square_root(const FiveEquations<double>& e) {
  return times_root<track_dim>(e, Matrix5::Identity());
}

Matrix5 square_root(const Matrix5& covariance) {
  const Vector5 scale = covariance.diagonal().cwiseSqrt().unaryExpr(
      [](double x) { return x > 0 ? x : 1; });
  const Matrix5 correlation = scale.cwiseInverse().asDiagonal() * covariance *
                              scale.cwiseInverse().asDiagonal();
  const Eigenvectors axes = eigenvectors(correlation);
  const Vector5 roots = axes.values.cwiseMax(0).cwiseSqrt();
  return scale.asDiagonal() * axes.vectors * roots.asDiagonal();
}

TrackState track_state(const TrackHits& track, const TrajectoryState& s,
                       const Matrix5& root) {
  const FrameAngles angles({Axis::z}, s.direction);
  TrackState state;
  state.parameters << s.position, angles.theta(), angles.phi(),
      kappa_of(track, s);
  Eigen::Matrix<double, track_dim + 1, track_dim> rows;
  rows.topRows<3>() = s.d_position;
  rows.middleRows<2>(StateIndex::theta) = angle_rows(angles, s);
  rows.row(StateIndex::kappa) = kappa_row(track, s);
  state.covariance = covariance_of<6>(root, rows);
  return state;
}

void set_trajectory_perigee(const TrackHits& track, std::size_t first,
                            TrajectoryState state, const Matrix5& root,
                            const FitWeights& weights, GlobalFit& r) {
  const bool paths = knows_paths(track);
  const double length =
      paths ? track.points.back().path - track.points[first].path
            : (track.points.back().position - track.points[first].position)
                  .norm();
  Noise noise;
  {
    TrajectoryNode layer;
    layer.before = state;
    if (pass_layer(track, track.points[first], layer))
      add_noise(track, track.points[first], layer, state.qop, weights, length,
                noise);
  }
  std::size_t here = first;  // the point where `state` is
  for (std::size_t i = first; i-- > 0;) {
    const TrackHit& layer = track.points[i];
    TrajectoryState there = state;
    const Field& field = *track.flight->field;
    const Landing landing =
        paths ? fly_along(field, level_of(layer),
                          layer.path - track.points[here].path, there)
              : fly_onto(field, level_of(layer), Way::backward, there);
    if (landing != Landing::there) continue;
    here = i;
    state = there;
    TrajectoryNode node;
    node.after = state;
    if (track.field && layer.loss.mean > 0)
      regain_energy(track, layer, state, node.kappa_per_loss);
    add_noise(track, layer, node, state.qop, weights, length, noise);
  }
  const auto row = kappa_row(track, state);
  double variance = covariance_of<1>(root, row)(0, 0);
  for (const StartColumn& column : noise) {
    const double change = row * column;
    variance += change * change;
  }
  r.kappa = kappa_of(track, state);
  r.sigma = std::sqrt(variance);
  set_perigee_parameters(track, state, root, noise, r);
  set_start_plane(track, state, root, noise, r);
}

}  // namespace gttf::detail
