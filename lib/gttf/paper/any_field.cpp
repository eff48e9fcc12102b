// SPDX-License-Identifier: Apache-2.0
#include "gttf/paper/any_field.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "gttf/core/units.hpp"
#include "gttf/trajectory/flight.hpp"

namespace gttf {

namespace {

using detail::same_place;

/// The side of the surface on which the flight starts, or is.
double side_of(const SurfaceLevel& surface, const Flyer& start) {
  const double value = surface.at(start.position);
  if (std::abs(value) > same_place) return value > 0 ? 1 : -1;
  return surface.slope(start.position, start.direction) > 0 ? 1 : -1;
}

}  // namespace

Propagator::Propagator(const TrackingGeometry& geometry)
    : field_(&geometry.field()), bounds_(geometry) {}

Arrival Propagator::to(const SurfaceRecord& surface, const Flyer& start,
                       FlyerJacobian* jacobian) const {
  const SurfaceLevel level(surface);
  if (!jacobian)
    return fly<0>(level, {start.position, start.direction, start.qop}, nullptr);
  FlightState<7> state{start.position, start.direction, start.qop};
  state.d_position.leftCols<3>().setIdentity();
  state.d_direction.middleCols<3>(3).setIdentity();
  state.d_qop[6] = 1;
  return fly<7>(level, state, jacobian);
}

template <int N>
Arrival Propagator::fly(const SurfaceLevel& surface,
                        const FlightState<N>& start,
                        FlyerJacobian* jacobian) const {
  const double side =
      side_of(surface, {start.position, start.direction, start.qop});
  Flight<N> flight(*field_, start, bounds_);
  Arrival arrival;
  for (bool first = true;; first = false) {
    const double at = flight.find_crossing(surface, side);
    if (at > (first ? same_place : -1)) {
      flight.fly_to(at);
      arrival.end = FlightEnd::reached;
      break;
    }
    const LegEnd end = flight.leg_end();
    if (end == LegEnd::open || end == LegEnd::half_turn ||
        end == LegEnd::map_edge) {
      flight.fly_to(flight.leg());
      arrival.end = end == LegEnd::open        ? FlightEnd::missed
                    : end == LegEnd::half_turn ? FlightEnd::turned_back
                                               : FlightEnd::left_map;
      break;
    }
    flight.next_leg();
  }
  const FlightState<N>& s = flight.state();
  arrival.flyer = {s.position, s.direction, s.qop};
  arrival.path = flight.path();
  if constexpr (N == 7) {
    if (arrival) {
      const auto slip = flight.slip(surface.gradient(s.position));
      jacobian->template topRows<3>() = s.d_position - s.direction * slip;
      jacobian->template middleRows<3>(3) =
          s.d_direction - flight.bend() * slip;
      jacobian->template bottomRows<1>() = s.d_qop;
    }
  }
  return arrival;
}

namespace {

using Matrix23 = Eigen::Matrix<double, 2, 3>;
using Matrix32 = Eigen::Matrix<double, 3, 2>;
using Matrix3 = Eigen::Matrix3d;
using Vector2 = Eigen::Vector2d;  // theta, phi

/// Unit vector of given angles in the frame, in the user's axes.
Vector3 direction_of(const Frame& frame, const Vector2& angles) {
  const double sine = std::sin(angles[0]);
  return frame.out_of({sine * std::cos(angles[1]), sine * std::sin(angles[1]),
                       std::cos(angles[0])});
}

Vector2 angles_of(const Frame& frame, const Vector3& direction) {
  const Vector3 t = frame.into(direction);
  return {std::atan2(std::hypot(t.x(), t.y()), t.z()),
          std::atan2(t.y(), t.x())};
}

/// d(direction)/d(angles).
Matrix32 direction_slopes(const Frame& frame, const Vector2& angles) {
  const double sine = std::sin(angles[0]), cosine = std::cos(angles[0]);
  const double s = std::sin(angles[1]), c = std::cos(angles[1]);
  Matrix32 m;
  m.col(0) = frame.out_of({cosine * c, cosine * s, -sine});
  m.col(1) = frame.out_of({-sine * s, sine * c, 0});
  return m;
}

/// d(angles)/d(direction): its inverse orthogonal to the direction.
Matrix23 angle_slopes(const Frame& frame, const Vector2& angles) {
  const Matrix32 m = direction_slopes(frame, angles);
  const double sine = std::sin(angles[0]);
  Matrix23 slopes;
  slopes.row(0) = m.col(0).transpose();
  slopes.row(1) = m.col(1).transpose() / (sine * sine);
  return slopes;
}

/// Two orthogonal unit vectors in the plane with this normal, as rows.
Matrix23 plane_axes(const Vector3& normal) {
  Eigen::Index flat = 0;
  normal.cwiseAbs().minCoeff(&flat);
  const Vector3 u = normal.cross(Vector3::Unit(flat)).normalized();
  Matrix23 axes;
  axes.row(0) = u.transpose();
  axes.row(1) = normal.cross(u).transpose();
  return axes;
}

/// A trajectory from the anchor to the surface of the other hit, in flight
/// direction of the track, and its derivatives with the anchor's position and
/// direction and with q/p.
struct Trajectory {
  Arrival arrival;
  Vector3 direction;  ///< at the arrival, along the track
  Matrix3 x_by_x, x_by_t, t_by_x, t_by_t;
  Vector3 x_by_qop, t_by_qop;

  Trajectory(const Propagator& propagator, const FieldHit& to,
             const Vector3& from, const Vector3& t, double qop, double sign) {
    // backwards: opposite charge in the opposite direction
    FlyerJacobian j;
    arrival = propagator.to(to.surface, {from, sign * t, sign * qop}, &j);
    if (!arrival) return;
    direction = sign * arrival.flyer.direction;
    x_by_x = j.block<3, 3>(0, 0);
    x_by_t = sign * j.block<3, 3>(0, 3);
    x_by_qop = sign * j.block<3, 1>(0, 6);
    t_by_x = sign * j.block<3, 3>(3, 0);
    t_by_t = j.block<3, 3>(3, 3);
    t_by_qop = j.block<3, 1>(3, 6);
  }
};

/// Angles at one end of the segment, and their derivatives with the positions
/// of the anchor and of the other hit, and with kappa.
struct EndAngles {
  Vector2 value;
  Matrix23 by_anchor, by_other;
  Vector2 by_kappa;
};

SegmentAngle<double> angle(const EndAngles& e, int which, bool from_start) {
  const auto gradient = [which](const Matrix23& m) {
    return Cartesian<double>{m(which, 0), m(which, 1), m(which, 2)};
  };
  return {.value = e.value[which],
          .at_start = gradient(from_start ? e.by_anchor : e.by_other),
          .at_end = gradient(from_start ? e.by_other : e.by_anchor),
          .slope = e.by_kappa[which]};
}

}  // namespace

std::optional<DirectedSegment<double>> flown_segment(
    const Propagator& propagator, const Frame& frame,
    const std::array<FieldHit, 2>& hits, double b_ref, double kappa,
    std::size_t anchor) {
  const bool from_start = anchor == 0;
  const double sign = from_start ? 1 : -1;
  const FieldHit &from = hits[anchor], &to = hits[1 - anchor];
  const double per_kappa = b_ref == 0 ? 0 : -1 / b_ref;
  const double qop = per_kappa * kappa;
  const Vector3 normal = SurfaceLevel(to.surface).gradient(to.position);
  const Matrix23 in_plane = plane_axes(normal.normalized());
  const Vector3 chord = hits[1].position - hits[0].position;
  Vector2 angles = angles_of(frame, chord.normalized());

  // Newton; quadratic convergence from the direction of the chord
  constexpr int most = 20;
  const double enough = 1e-13 * chord.norm();
  std::optional<Trajectory> path;
  Eigen::Matrix2d inverse;
  for (int i = 0;; ++i) {
    if (i == most) return std::nullopt;
    path.emplace(propagator, to, from.position, direction_of(frame, angles),
                 qop, sign);
    if (!path->arrival) return std::nullopt;
    const Eigen::Matrix2d slope =
        in_plane * path->x_by_t * direction_slopes(frame, angles);
    inverse = slope.inverse();
    const Vector2 miss =
        in_plane * (to.position - path->arrival.flyer.position);
    if (!miss.allFinite()) return std::nullopt;
    angles += inverse * miss;
    if (miss.norm() < enough || (i > 6 && miss.norm() < 1e3 * enough)) break;
  }

  // a shift of the other hit out of its surface is projected along the track
  const Vector3& t = path->direction;
  const Matrix3 along_track =
      Matrix3::Identity() - t * normal.transpose() / normal.dot(t);
  EndAngles near{.value = angles,
                 .by_anchor = -inverse * in_plane * path->x_by_x,
                 .by_other = inverse * in_plane * along_track,
                 .by_kappa = -inverse * in_plane * path->x_by_qop * per_kappa};
  const Matrix32 turn = direction_slopes(frame, angles);
  EndAngles far;
  far.value = angles_of(frame, t);
  const Matrix23 to_angles = angle_slopes(frame, far.value);
  far.by_anchor =
      to_angles * (path->t_by_x + path->t_by_t * turn * near.by_anchor);
  far.by_kappa = to_angles * (path->t_by_qop * per_kappa +
                              path->t_by_t * turn * near.by_kappa);
  far.by_other = to_angles * path->t_by_t * turn * near.by_other;

  const EndAngles &first = from_start ? near : far,
                  &last = from_start ? far : near;
  DirectedSegment<double> s;
  s.kappa = kappa;
  s.polar_start = angle(first, 0, from_start);
  s.azimuth_start = angle(first, 1, from_start);
  s.polar_end = angle(last, 0, from_start);
  s.azimuth_end = angle(last, 1, from_start);
  s.path = make_segment(cartesian(frame.into(hits[0].position)),
                        cartesian(frame.into(hits[1].position)), 0.0, 0.0);
  s.path.half_turn =
      0.5 * std::remainder(last.value[1] - first.value[1], 2 * unit::pi);
  s.path.length = path->arrival.path;
  s.path.sin_theta = std::sin(angles[0]);
  s.path.cos_theta = std::cos(angles[0]);
  s.path.arc = s.path.length * s.path.sin_theta;
  s.path.kappa = kappa;
  return s;
}

std::optional<Triplet<double>> make_triplet(const Propagator& propagator,
                                            const Frame& frame,
                                            const std::array<FieldHit, 3>& hits,
                                            double b_ref, double kappa) {
  const auto first =
      flown_segment(propagator, frame, {hits[0], hits[1]}, b_ref, kappa, 1);
  if (!first) return std::nullopt;
  const auto second =
      flown_segment(propagator, frame, {hits[1], hits[2]}, b_ref, kappa, 0);
  if (!second) return std::nullopt;
  return make_triplet(*first, *second);
}

}  // namespace gttf
