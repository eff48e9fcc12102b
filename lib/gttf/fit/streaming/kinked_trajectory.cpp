// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/streaming/kinked_trajectory.hpp"

#include <algorithm>
#include <cmath>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/track/hit_loss.hpp"
#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/energy_loss.hpp"

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

Vector3 bend_at(const TrackHits& track, const Vector3& point,
                const Vector3& direction, double qop) {
  Vector3 bend = Vector3::Zero();
  FlightState<0> s{point, direction, qop, {}, {}, {}};
  fly_onto(*track.flight->field, SurfaceLevel::plane(point, direction),
           Way::either, s, &bend);
  return bend;
}

Vector3 start_of_arc(const TrackHits& track, const Vector3& from,
                     const Vector3& chord, double qop) {
  const double length = chord.norm();
  Vector3 along = chord / length;
  if (!track.field) return along;
  const Vector3 turn = 0.5 * length * bend_at(track, from, along, qop);
  constexpr double largest = 0.5;  // rad
  const double size = turn.norm();
  return (along - (size > largest ? largest / size : 1) * turn).normalized();
}

MomentumBehind momentum_behind(const TrackHits& track, const HitLoss& loss,
                               double p, double more) {
  const double m = track.flight->mass, kinetic = kinetic_energy(p, m);
  const SlowingDown law(loss, m);
  double after = kinetic - loss.mean - more, by_kinetic = 1, by_loss = -1;
  // of a reference that stops only the mean loss is known
  if (!law.stops()) {
    const double x = law.n * std::log(kinetic / law.before);
    const double change = law.growth * std::expm1(x) - law.n * more / law.after;
    after = change > -1 ? law.after * std::exp(std::log1p(change) / law.n) : 0;
    by_loss = -after / law.after / (1 + change);
    by_kinetic = after / kinetic * law.growth * std::exp(x) / (1 + change);
  }
  if (!(after > 0)) return {std::nan(""), 1, 0};
  const double behind = momentum_of_kinetic(after, m);
  const double per_energy = (after + m) / behind;
  return {behind, per_energy * by_kinetic * p / (kinetic + m),
          per_energy * by_loss};
}

double momentum_before(const TrackHits& track, const HitLoss& loss,
                       double behind, double more) {
  const double m = track.flight->mass, after = kinetic_energy(behind, m);
  const SlowingDown law(loss, m);
  if (law.stops()) return momentum_of_kinetic(after + loss.mean + more, m);
  const double change = std::expm1(law.n * std::log(after / law.after)) +
                        law.n * more / law.after;
  return momentum_of_kinetic(
      law.before * std::exp(std::log1p(change / law.growth) / law.n), m);
}

double momentum_at_start(const TrackHits& track, double p) {
  std::size_t i = 0;
  while (!track.points[i].measures()) ++i;
  while (i-- > 0)
    if (has_loss(track.points[i]))
      p = momentum_before(track, track.points[i].loss, p);
  return p;
}

double part_lost(const TrackHits& track, double kappa) {
  if (!track.flight || !track.field || !(std::abs(kappa) > 0) ||
      std::ranges::none_of(track.points, has_loss) ||
      std::ranges::none_of(track.points, &TrackHit::measures))
    return 0;
  const FlightModel& model = *track.flight;
  std::size_t first = 0, last = track.points.size();
  while (!track.points[first].measures()) ++first;
  while (!track.points[last - 1].measures()) --last;
  double p = model.charge * std::abs(model.field->reference / kappa), begin = p;
  for (std::size_t i = 0; i + 1 < last; ++i) {
    if (i == first) begin = p;
    if (!has_loss(track.points[i])) continue;
    p = momentum_behind(track, track.points[i].loss, p).p;
    if (!(p > 0)) return 1;
  }
  return 1 - kinetic_energy(p, model.mass) / kinetic_energy(begin, model.mass);
}

PathInLayer path_in_layer(const TrackHits& track, const TrackHit& layer,
                          const TrajectoryState& state) {
  PathInLayer path;
  const SurfaceLevel level = level_of(layer);
  const Vector3 normal = level.gradient(state.position);
  const double incidence = normal.dot(state.direction);
  const double size = std::max(std::abs(incidence), min_cos_incidence);
  path.paths = 1 / size;
  const double per_cosine = -std::copysign(1 / (size * size), incidence);
  path.slope = per_cosine * (normal.transpose() * state.d_direction +
                             level.normal_turn(state.position, state.direction,
                                               state.d_position));
  const FrameAngles angles(track.flight->frame, state.direction);
  path.by_theta = per_cosine * normal.dot(angles.along_theta);
  path.by_phi = per_cosine * angles.sin_theta * normal.dot(angles.along_phi);
  return path;
}

bool set_kink_columns(const TrackHits& track, const TrackHit& layer,
                      const TrajectoryNode& node, double length,
                      StartColumn& by_theta, StartColumn& by_phi,
                      StartColumn& by_kappa) {
  const TrajectoryState& state = node.after;
  const SurfaceAxes& axes = node.axes;
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
  if (node.kappa_per_loss != 0) {
    const PathInLayer path = path_in_layer(track, layer, state);
    const double by_path = node.kappa_per_loss * layer.loss.path.behind_kink;
    by_theta += by_path * path.by_theta * by_kappa;
    by_phi += by_path * path.by_phi * by_kappa;
  }
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

namespace {

/// Slows down the state after a layer.
/// @param p  momentum before it
/// @return   false if the particle stops
bool lose_energy(const TrackHits& track, const TrackHit& layer, double p,
                 TrajectoryNode& n) {
  const LossPath& path = layer.loss.path;
  const bool varies = path.per_path != 0 && !n.is_beside;
  double more = 0;
  Eigen::Matrix<double, 1, track_dim> slope;
  slope.setZero();
  if (varies) {
    const PathInLayer before = path_in_layer(track, layer, n.before),
                      after = path_in_layer(track, layer, n.after);
    more = path.per_path * (before.paths - path.paths) +
           path.behind_kink * (after.paths - before.paths);
    slope = path.per_path * before.slope +
            path.behind_kink * (after.slope - before.slope);
  }
  n.more = more;
  const MomentumBehind behind = momentum_behind(track, layer.loss, p, more);
  if (!(behind.p > 0)) return false;
  const double ratio = p / behind.p;
  n.after.qop *= ratio;
  const double per_loss = -n.after.qop / behind.p * behind.by_loss;
  n.after.d_qop *= ratio * ratio * behind.by_momentum;
  n.after.d_qop += per_loss * slope;
  if (varies) n.kappa_per_loss = -track.flight->field->reference * per_loss;
  return true;
}

}  // namespace

double kink_loss_variance(const TrackHits& track, const TrackHit& layer,
                          const TrajectoryNode& node) {
  if (node.kappa_per_loss == 0) return 0;
  const PathInLayer path = path_in_layer(track, layer, node.after);
  const double sine =
      FrameAngles(track.flight->frame, node.after.direction).sin_theta;
  const double by_phi = path.by_phi / sine;
  const double size = node.kappa_per_loss * layer.loss.path.behind_kink_rms;
  return size * size * (path.by_theta * path.by_theta + by_phi * by_phi);
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
  n.kappa_per_loss = n.more = 0;
  n.stops = track.field && has_loss(layer) && p < too_stiff &&
            !lose_energy(track, layer, p, n);
  if (kink_kappa != 0)
    n.after.qop -= kink_kappa / track.flight->field->reference;
  return !n.stops;
}

namespace {

/// How much longer paths of the track are than those of TrackHit::path, for the
/// same turn.
double path_scale(const TrackHits& track, const TrajectoryState& first) {
  if (!track.kappa_is_guess || first.qop == 0) return 1;
  const double p = momentum_at_start(track, momentum_of(track, first.qop));
  return p * std::abs(track.kappa_ref / track.flight->field->reference) /
         track.flight->charge;
}

/// The path to the next point. A track of another momentum crosses the surface
/// where that of TrackHit::path does or, far along a circle, after about the
/// same turn.
/// @param scale  of path_scale()
double path_between(const TrackHits& track, const TrackHit& from,
                    const TrackHit& to, double scale) {
  const double path = to.path - from.path;
  const bool is_far = std::abs(track.kappa_ref * path) > 0.5 * half_a_turn;
  return is_far ? scale * path : path;
}

}  // namespace

FitStatus KinkedTrajectory::follow(const TrackHits& track, std::size_t n_nodes,
                                   bool columns) {
  const Field& field = *track.flight->field;
  TrajectoryState s = first_;
  set_start_columns(track, s);
  const double length = length_;
  const bool paths = knows_paths(track);
  const double scale = paths ? path_scale(track, s) : 1;
  for (std::size_t k = 0; k < n_nodes; ++k) {
    TrajectoryNode& n = nodes_[k];
    const TrackHit& p = track.points[n.point];
    auto arrival =
        k == 0 ? fly_onto(field, level_of(p), Way::either, s)
        : paths
            ? fly_along(field, level_of(p),
                        path_between(track, track.points[nodes_[k - 1].point],
                                     p, scale),
                        s)
            : fly_onto(field, level_of(p), Way::forward, s);
    // a layer without a hit does not determine the path: its material is there
    // even if the path turns back before it, or crosses the layers of a corner
    // in another order
    n.is_beside = arrival == Landing::missed && !p.measures();
    if (n.is_beside) {
      s = nodes_[k - 1].after;
      arrival = Landing::there;
    }
    if (arrival == Landing::left_map) return FitStatus::outside_map;
    if (arrival == Landing::missed || !s.d_position.allFinite())
      return FitStatus::not_converged;
    n.before = s;
    n.axes = n.is_beside ? nodes_[k - 1].axes : axes_at(p, s.position);
    // after the last one nothing is measured
    if (!pass_layer(track, p, n) && k + 1 < n_nodes)
      return n.is_beside ? FitStatus::not_converged : FitStatus::stops;
    s = n.after;
    if (!columns) continue;
    StartColumn theta, phi, kappa;
    if (!set_kink_columns(track, p, n, length, theta, phi, kappa))
      return FitStatus::not_converged;
    n.kinks.theta = row_of(theta);
    n.kinks.phi = row_of(phi);
    n.kinks.loss = row_of(kappa);
  }
  return FitStatus::ok;
}

MomentumOnPath KinkedTrajectory::end_of_path(const TrackHits& track,
                                             double change) const {
  const double b_ref = track.flight->field->reference;
  double qop = first_.qop - change / b_ref, slope = 1;
  for (std::size_t k = 0; k + 1 < nodes_.size(); ++k) {
    const TrajectoryNode& n = nodes_[k];
    const HitLoss& loss = track.points[n.point].loss;
    if (has_loss(track.points[n.point])) {
      const double p = momentum_of(track, qop);
      const MomentumBehind behind = momentum_behind(track, loss, p, n.more);
      const double ratio = p / behind.p;
      qop *= ratio;
      slope *= ratio * ratio * behind.by_momentum;
    }
    qop -= n.so_far[2] / b_ref;
  }
  return {-b_ref * qop, slope};
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
