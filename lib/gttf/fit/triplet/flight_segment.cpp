// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/flight_segment.hpp"

#include <Eigen/LU>
#include <cmath>

namespace gttf::detail {

namespace {

using Matrix2 = Eigen::Matrix2d;
using Rows3 = Eigen::Matrix<double, 2, 3>;
using Rows5 = Eigen::Matrix<double, 2, track_dim>;

Cartesian<double> cartesian(const Eigen::Matrix<double, 1, 3>& v) {
  return {v[0], v[1], v[2]};
}

/// A state leaving a point, with its derivatives.
TrajectoryState leave(const TrackHits& track, const Vector3& from,
                      const Vector3& direction, const SlowedCharge& charge) {
  TrajectoryState s;
  s.position = from;
  s.direction = direction;
  s.qop = charge.qop;
  set_start_columns(track, s);
  s.d_qop[Perigee::kappa] = charge.slope;
  return s;
}

FitStatus status_of(Landing arrival) {
  return arrival == Landing::left_map ? FitStatus::outside_map
                                      : FitStatus::not_converged;
}

/// Propagates to the plane, through the layers in between.
FitStatus fly_through(const TrackHits& track,
                      std::span<const std::size_t> layers,
                      const FlightGoal& goal, TrajectoryState& s, Vector3& bend,
                      std::vector<Vector3>& crossings) {
  const Field& field = *track.flight->field;
  crossings.clear();
  for (const std::size_t i : layers) {
    const TrackHit& layer = track.points[i];
    if (const auto a = fly_onto(field, level_of(layer), Way::forward, s);
        a != Landing::there)
      return status_of(a);
    crossings.push_back(s.position);
    SlowedCharge charge{s.qop, 1};
    if (!charge.pass(track, layer.loss)) return FitStatus::stops;
    s.qop = charge.qop;
    s.d_qop *= charge.slope;
  }
  const auto a = fly_onto(field, goal, Way::forward, s, &bend);
  return a == Landing::there ? FitStatus::ok : status_of(a);
}

/// Rows (theta, phi) of the two angles, from rows (phi, theta).
void set_angles(const Vector3& direction, const Frame& frame,
                const Rows3& at_start, const Rows3& at_end,
                const Eigen::Vector2d& slope, SegmentAngle<double>& azimuth,
                SegmentAngle<double>& polar) {
  const FrameAngles angles(frame, direction);
  azimuth = {angles.phi(), cartesian(at_start.row(0)), cartesian(at_end.row(0)),
             slope[0]};
  polar = {angles.theta(), cartesian(at_start.row(1)), cartesian(at_end.row(1)),
           slope[1]};
}

}  // namespace

SlowedCharge SlowedCharge::at_origin(const TrackHits& track, double kappa) {
  if (!track.field) return {};
  const double b_ref = track.flight->field->reference;
  return {-kappa / b_ref, -1 / b_ref};
}

bool SlowedCharge::pass(const TrackHits& track, const HitLoss& loss) {
  const double p = momentum_of(track, qop);
  if (!track.field || !(loss.mean > 0) || !std::isfinite(p)) return true;
  const MomentumBehind behind = momentum_behind(track, loss, p);
  if (!(behind.p > 0)) return false;
  const double ratio = p / behind.p;
  qop *= ratio;
  slope *= ratio * ratio * behind.by_momentum;
  return true;
}

Eigen::Matrix<double, track_dim, 3> start_shifts(const Frame& frame,
                                                 const Vector3& direction,
                                                 const Vector3& bend) {
  const FrameAngles angles(frame, direction);
  Eigen::Matrix3d axes;
  axes << angles.along_phi, frame.out_of({0, 0, 1}), direction;
  const Eigen::Matrix3d parts = axes.inverse();
  Eigen::Matrix<double, track_dim, 3> shifts =
      Eigen::Matrix<double, track_dim, 3>::Zero();
  shifts.row(Perigee::d0) = parts.row(0);
  shifts.row(Perigee::z0) = parts.row(1);
  // further along the path the track has turned; the direction is fixed
  shifts.row(Perigee::phi) =
      -angles.along_phi.dot(bend) / angles.sin_theta * parts.row(2);
  shifts.row(Perigee::theta) = -angles.along_theta.dot(bend) * parts.row(2);
  return shifts;
}

FitStatus make_flight_segment(const TrackHits& track, const Vector3& from,
                              const Vector3& to, const SlowedCharge& start,
                              std::span<const std::size_t> layers,
                              FlightSegment& segment) {
  const Frame& frame = track.flight->frame;
  const Vector3 chord = to - from;
  const double length = chord.norm();
  if (!(length > 0)) return FitStatus::coincident_hits;
  const Vector3 normal = chord / length;
  const FlightGoal goal = SurfaceLevel::plane(to, normal);
  Eigen::Matrix<double, 2, 3> in_plane;
  in_plane.row(0) = normal.unitOrthogonal().transpose();
  in_plane.row(1) = normal.cross(Vector3(in_plane.row(0))).transpose();

  // along the chord itself a track may reach the plane of the end before a
  // layer in front of it
  Vector3 direction = start_of_arc(track, from, chord, start.qop), bend;
  TrajectoryState s;
  Rows5 moves;
  Matrix2 aim;
  constexpr int most_steps = 30;
  for (int step = 0;; ++step) {
    s = leave(track, from, direction, start);
    if (const auto status =
            fly_through(track, layers, goal, s, bend, segment.crossings);
        status != FitStatus::ok)
      return status;
    moves = in_plane * s.d_position;
    aim = moves.middleCols<2>(Perigee::phi).inverse();
    const Eigen::Vector2d miss = in_plane * (to - s.position);
    if (!(miss.norm() > 1e-13 * length)) break;
    if (step == most_steps || !aim.allFinite()) return FitStatus::not_converged;
    const Eigen::Vector2d turn = aim * miss;
    constexpr double largest = 0.5;  // rad, at once
    const double share = std::min(1.0, largest / turn.norm());
    const FrameAngles angles(frame, direction);
    direction = direction_of(frame, angles.theta() + share * turn[1],
                             angles.phi() + share * turn[0]);
    // Newton's method no longer converges
    if (step > 8 && miss.norm() < 1e-11 * length) break;
  }

  const auto shifts = start_shifts(frame, direction,
                                   bend_at(track, from, direction, start.qop));
  const FrameAngles end(frame, s.direction);
  Rows5 end_angles;
  end_angles.row(0) = end.along_phi.transpose() * s.d_direction / end.sin_theta;
  end_angles.row(1) = end.along_theta.transpose() * s.d_direction;
  // an end point off the plane is reached later
  const Eigen::Matrix<double, 1, 3> later =
      normal.transpose() / normal.dot(s.direction);
  const Rows3 wanted =
      in_plane * (Eigen::Matrix3d::Identity() - s.direction * later);
  const Rows3 leave_by_end = aim * wanted;
  const Rows3 leave_by_start = -aim * (moves * shifts);
  const Eigen::Vector2d leave_slope = -aim * moves.col(Perigee::kappa);
  const Matrix2 turned = end_angles.middleCols<2>(Perigee::phi);
  Rows3 arrive_by_end = turned * leave_by_end;
  arrive_by_end.row(0) += end.along_phi.dot(bend) / end.sin_theta * later;
  arrive_by_end.row(1) += end.along_theta.dot(bend) * later;
  const Rows3 arrive_by_start = end_angles * shifts + turned * leave_by_start;
  const Eigen::Vector2d arrive_slope =
      end_angles.col(Perigee::kappa) + turned * leave_slope;

  DirectedSegment<double>& d = segment.directed;
  set_angles(direction, frame, leave_by_start, leave_by_end, leave_slope,
             d.azimuth_start, d.polar_start);
  set_angles(s.direction, frame, arrive_by_start, arrive_by_end, arrive_slope,
             d.azimuth_end, d.polar_end);
  const Vector3 a = frame.into(from), b = frame.into(to);
  d.path = make_segment(Cartesian<double>{a[0], a[1], a[2]},
                        Cartesian<double>{b[0], b[1], b[2]}, 0.0, 0.0);
  const double polar = 0.5 * (d.polar_start.value + d.polar_end.value);
  d.path.sin_theta = std::sin(polar);
  d.path.cos_theta = std::cos(polar);
  segment.end = {s.qop, s.d_qop[Perigee::kappa]};
  return std::isfinite(d.azimuth_start.slope + d.azimuth_end.slope)
             ? FitStatus::ok
             : FitStatus::not_converged;
}

}  // namespace gttf::detail
