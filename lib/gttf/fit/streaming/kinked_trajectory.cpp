// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/streaming/kinked_trajectory.hpp"

#include <cmath>

#include "gttf/core/matrix.hpp"

namespace gttf::detail {

namespace {

bool has_loss(const TrackHit& h) { return h.loss.mean > 0; }

Row<double> row_of(const StartColumn& c) {
  return {c[0], c[1], c[2], c[3], c[4]};
}

}  // namespace

Eigen::Matrix<double, 2, track_dim> angle_rows(const FrameAngles& angles,
                                               const TrajectoryState& state) {
  Eigen::Matrix<double, 2, track_dim> rows;
  rows.row(0) = angles.along_theta.transpose() * state.d_direction;
  rows.row(1) =
      angles.along_phi.transpose() * state.d_direction / angles.sin_theta;
  return rows;
}

void set_start_columns(const TrackHits& track, TrajectoryState& s) {
  const FlightModel& model = *track.flight;
  const FrameAngles angles(model.frame, s.direction);
  s.d_position.setZero();
  s.d_direction.setZero();
  s.d_qop.setZero();
  s.d_position.col(Perigee::d0) = angles.along_phi;
  s.d_position.col(Perigee::z0) = model.frame.out_of({0, 0, 1});
  s.d_direction.col(Perigee::phi) = angles.sin_theta * angles.along_phi;
  s.d_direction.col(Perigee::theta) = angles.along_theta;
  if (track.field) s.d_qop[Perigee::kappa] = -1 / model.field->reference;
}

double kappa_of(const TrackHits& track, const TrajectoryState& state) {
  return track.field ? -track.flight->field->reference * state.qop : 0;
}

double momentum_of(const TrackHits& track, double qop) {
  return track.flight->charge / std::abs(qop);
}

double momentum_behind(const TrackHits& track, const HitLoss& loss, double p,
                       double& slope) {
  const double m = track.flight->mass;
  const double mean = loss.mean * std::pow(p / loss.momentum, loss.power);
  const double before = std::hypot(p, m), behind = before - mean;
  const double p2 = (behind - m) * (behind + m);
  if (!(behind > m)) return std::nan("");
  const double after = std::sqrt(p2);
  slope = behind / after * (p / before - loss.power * mean / p);
  return after;
}

double momentum_before(const TrackHits& track, const HitLoss& loss,
                       double behind) {
  double p = behind, slope = 1;
  for (int i = 0; i < 50; ++i) {
    const double there = momentum_behind(track, loss, p, slope);
    // a particle that would stop must have been faster
    const double next = std::isfinite(there) && slope > 0
                            ? p + (behind - there) / slope
                            : 1.1 * p;
    const double move = std::abs(next - p);
    p = next;
    if (move < 1e-15 * p) break;
  }
  return p;
}

bool set_kink_columns(const TrackHits& track, const TrajectoryState& state,
                      const SurfaceAxes& axes, double length,
                      StartColumn& by_theta, StartColumn& by_phi,
                      StartColumn& by_kappa) {
  const auto angles =
      angle_rows(FrameAngles(track.flight->frame, state.direction), state);
  Matrix5 m;
  m.row(OnSurface::u) = axes.u.transpose() * state.d_position;
  m.row(OnSurface::v) = axes.v.transpose() * state.d_position;
  m.row(OnSurface::phi) = angles.row(1);
  m.row(OnSurface::theta) = angles.row(0);
  if (track.field)
    m.row(OnSurface::qop) = -track.flight->field->reference * state.d_qop;
  else
    m.row(OnSurface::qop) = Vector5::Unit(Perigee::kappa).transpose();
  // to entries of order one
  Vector5 unit(1, 1, 1 / length, 1 / length, 1 / (length * length));
  const Matrix5 scaled =
      unit.cwiseInverse().asDiagonal() * m * unit.asDiagonal();
  const Matrix5 columns = inverse(scaled);
  const auto column = [&](int row) -> StartColumn {
    return unit.cwiseProduct(columns.col(row)) / unit[row];
  };
  by_theta = column(OnSurface::theta);
  by_phi = column(OnSurface::phi);
  by_kappa = column(OnSurface::qop);
  return (by_theta + by_phi + by_kappa).allFinite();
}

void KinkedTrajectory::start(const TrackHits& track,
                             const TrajectoryState& first) {
  first_ = first;
  nodes_.clear();
  std::size_t begin = 0, end = track.points.size();
  while (!track.points[begin].measures()) ++begin;
  while (!track.points[end - 1].measures()) --end;
  for (std::size_t i = begin; i < end; ++i) {
    const TrackHit& h = track.points[i];
    if (!h.measures() && h.theta0_2 == 0 && !has_loss(h)) continue;
    nodes_.emplace_back().point = i;
  }
  const TrackHit &from = track.points[nodes_.front().point],
                 &to = track.points[nodes_.back().point];
  length_ = knows_paths(track) ? to.path - from.path
                               : (to.position - from.position).norm();
}

bool pass_layer(const TrackHits& track, const TrackHit& layer,
                TrajectoryNode& n) {
  n.after = n.before;
  const Frame& frame = track.flight->frame;
  const auto [kink_theta, kink_phi, kink_kappa] = n.so_far;
  if (kink_theta != 0 || kink_phi != 0) {
    // the angles change by constants, so their derivatives are unchanged
    const FrameAngles before(frame, n.before.direction);
    const auto rows = angle_rows(before, n.before);
    n.after.direction = direction_of(frame, before.theta() + kink_theta,
                                     before.phi() + kink_phi);
    const FrameAngles after(frame, n.after.direction);
    n.after.d_direction = after.along_theta * rows.row(0) +
                          after.sin_theta * after.along_phi * rows.row(1);
  }
  const double p = momentum_of(track, n.before.qop);
  constexpr double too_stiff = 1e9;  // GeV; straight initial track
  if (track.field && has_loss(layer) && p < too_stiff) {
    double slope = 1;
    const double behind = momentum_behind(track, layer.loss, p, slope);
    if (!(behind > 0)) return false;
    const double ratio = p / behind;
    n.after.qop *= ratio;
    n.after.d_qop *= ratio * ratio * slope;
  }
  if (kink_kappa != 0)
    n.after.qop -= kink_kappa / track.flight->field->reference;
  return true;
}

FitStatus KinkedTrajectory::follow(const TrackHits& track, std::size_t n_nodes,
                                   bool columns) {
  const Field& field = *track.flight->field;
  TrajectoryState s = first_;
  set_start_columns(track, s);
  const double length = length_;
  const bool paths = knows_paths(track);
  for (std::size_t k = 0; k < n_nodes; ++k) {
    TrajectoryNode& n = nodes_[k];
    const TrackHit& p = track.points[n.point];
    const auto arrival =
        k == 0  ? fly_onto(field, level_of(p), Way::either, s)
        : paths ? fly_along(field, level_of(p),
                            p.path - track.points[nodes_[k - 1].point].path, s)
                : fly_onto(field, level_of(p), Way::forward, s);
    if (arrival == Landing::left_map) return FitStatus::outside_map;
    if (arrival == Landing::missed || !s.d_position.allFinite())
      return FitStatus::not_converged;
    n.before = s;
    n.axes = axes_at(p, s.position);
    if (!pass_layer(track, p, n)) return FitStatus::stops;
    s = n.after;
    if (!columns) continue;
    StartColumn theta, phi, kappa;
    if (!set_kink_columns(track, n.after, n.axes, length, theta, phi, kappa))
      return FitStatus::not_converged;
    n.kinks.theta = row_of(theta);
    n.kinks.phi = row_of(phi);
    n.kinks.loss = row_of(kappa);
  }
  return FitStatus::ok;
}

Row<double> KinkedTrajectory::row(const TrajectoryNode& node,
                                  const CoordinateAxis& axis) const {
  const Vector3 m = axis.cosine * node.axes.u + axis.sine * node.axes.v;
  Row<double> r;
  for (int i = 0; i < track_dim; ++i)
    r[static_cast<std::size_t>(i)] = m.dot(node.before.d_position.col(i));
  return r;
}

FitStatus KinkedTrajectory::move_start(const TrackHits& track,
                                       const Row<double>& change) {
  const FlightModel& model = *track.flight;
  TrajectoryState s = first_;
  const FrameAngles angles(model.frame, s.direction);
  const double theta = angles.theta() + change[Perigee::theta];
  if (!(std::sin(theta) > 0)) return FitStatus::not_converged;
  s.position += change[Perigee::d0] * angles.along_phi +
                model.frame.out_of({0, 0, change[Perigee::z0]});
  s.direction =
      direction_of(model.frame, theta, angles.phi() + change[Perigee::phi]);
  if (track.field) s.qop -= change[Perigee::kappa] / model.field->reference;
  set_start_columns(track, s);
  switch (fly_onto(*model.field, level_of(track.points[nodes_.front().point]),
                   Way::either, s)) {
    case Landing::left_map:
      return FitStatus::outside_map;
    case Landing::missed:
      return FitStatus::not_converged;
    case Landing::there:
      break;
  }
  first_ = s;
  return FitStatus::ok;
}

}  // namespace gttf::detail
