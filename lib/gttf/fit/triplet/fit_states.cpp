// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/fit_states.hpp"

#include <cmath>

#include "gttf/core/matrix.hpp"
#include "gttf/core/units.hpp"
#include "gttf/fit/streaming/trajectory_perigee.hpp"
#include "gttf/fit/track/hit_surface.hpp"
#include "gttf/fit/track/perigee_transport.hpp"

namespace gttf {

PerigeeTransport to_perigee(const Vector6& state, const Vector3& origin) {
  const PerigeeOf<double> perigee = perigee_of(Helix<double>{
      cartesian(state.head<3>() - origin), state[StateIndex::theta],
      state[StateIndex::phi], state[StateIndex::kappa]});
  PerigeeTransport p;
  for (int i = 0; i < track_dim; ++i) {
    p.parameters[i] = perigee.parameters[i];
    for (int j = 0; j < 6; ++j) p.jacobian(i, j) = perigee.jacobian[i][j];
  }
  p.parameters[Perigee::phi] =
      std::remainder(p.parameters[Perigee::phi], 2 * unit::pi);
  return p;
}

}  // namespace gttf

namespace gttf::detail {

namespace {

Eigen::Matrix<double, 2, 3> rows(const Cartesian<double>& theta,
                                 const Cartesian<double>& phi) {
  Eigen::Matrix<double, 2, 3> m;
  m << theta.x, theta.y, theta.z, phi.x, phi.y, phi.z;
  return m;
}

/// Direction at an end of a segment, and its derivatives with the end points
/// (theta, phi) and the curvature.
struct EndDirection {
  double theta, phi;
  Eigen::Matrix<double, 2, 3> by_from, by_to;
  Eigen::Vector2d slope;
};

EndDirection helix_direction(const KinkSystem& system, double kappa,
                             std::size_t k, const Vector3& from,
                             const Vector3& to, bool at_start) {
  const std::size_t j = k < system.n_triplets() ? k : k - 1;
  const auto& close = k < system.n_triplets() ? system.triplets[j].first
                                              : system.triplets[j].second;
  const Segment<double> s =
      segment_near(cartesian(from), cartesian(to), kappa, close.length);
  const SegmentDerivatives<double> d = derivatives(s);
  const auto by_step =
      rows(d.polar, at_start ? d.azimuth_start : d.azimuth_end);
  return {std::atan2(s.sin_theta, s.cos_theta),
          std::atan2(s.chord_sin, s.chord_cos) +
              (at_start ? -s.half_turn : s.half_turn),
          -by_step,
          by_step,
          {d.polar_slope, at_start ? -d.azimuth_slope : d.azimuth_slope}};
}

bool flown_direction(const TrackHits& track, const KinkSystem& system,
                     double kappa, std::size_t k, const Vector3& from,
                     const Vector3& to, bool at_start,
                     EndDirection& direction) {
  SlowedCharge charge;
  FlightSegment segment;
  if (!system.charge_behind(track, k, kappa, charge) ||
      make_flight_segment(track, from, to, charge,
                          system.layers_behind(track, k),
                          segment) != FitStatus::ok)
    return false;
  const auto& d = segment.directed;
  const auto& polar = at_start ? d.polar_start : d.polar_end;
  const auto& azimuth = at_start ? d.azimuth_start : d.azimuth_end;
  direction = {polar.value,
               azimuth.value,
               rows(polar.at_start, azimuth.at_start),
               rows(polar.at_end, azimuth.at_end),
               {polar.slope, azimuth.slope}};
  return true;
}

/// At the linearisation points.
/// @return  false if there is none
bool set_direction(const TrackHits& track, const KinkSystem& system,
                   double kappa, std::size_t k, SegmentEnd end,
                   EndDirection& direction) {
  const bool at_start = end == SegmentEnd::start;
  const Vector3 &from = system.hits[k].at, &to = system.hits[k + 1].at;
  if (track.flight)
    return flown_direction(track, system, kappa, k, from, to, at_start,
                           direction);
  direction = helix_direction(system, kappa, k, from, to, at_start);
  return true;
}

DirectionSlopes slopes_of(const EndDirection& direction,
                          const KinkSystem& system, std::size_t k) {
  return {direction.by_from * system.hits[k].error,
          direction.by_to * system.hits[k + 1].error};
}

}  // namespace

DirectionSlopes direction_slopes(const TrackHits& track,
                                 const KinkSystem& system, double kappa,
                                 std::size_t k, SegmentEnd end) {
  EndDirection d;
  if (set_direction(track, system, kappa, k, end, d))
    return slopes_of(d, system, k);
  return {Matrix2::Constant(GlobalFit::none),
          Matrix2::Constant(GlobalFit::none)};
}

TrackState state_on_segment(const TrackHits& track, const KinkSystem& system,
                            const WeightedKinks& solution,
                            const CurvatureFit<double>& fit, std::size_t k,
                            SegmentEnd end, const DirectionSlopes* shared) {
  const bool at_start = end == SegmentEnd::start;
  const SegmentErrors<double> e = solution.errors(k, end);
  const double change = fit.kappa - solution.solution().kappa_0;
  const auto fitted_error = [&](int i) {
    return e.by_b[i] + change * e.by_a[i];
  };
  TrackState state;
  EndDirection d;
  if (!set_direction(track, system, fit.kappa, k, end, d)) {
    state.parameters.fill(GlobalFit::none);
    state.covariance.fill(GlobalFit::none);
    return state;
  }
  // The direction is linear around the same points as the kinks: that of the
  // chord between the fitted points would differ by the square of the errors
  // over their distance.
  const DirectionSlopes slopes =
      shared != nullptr ? *shared : slopes_of(d, system, k);
  const auto shift = [&](std::size_t h) -> Vector2 {
    if (!e.has_shifts) return Vector2::Zero();
    const int i = h == k ? 0 : 2;
    return {fitted_error(i), fitted_error(i + 1)};
  };
  const LinearHit &from = system.hits[k], &to = system.hits[k + 1];
  const Vector2 turned = slopes.by_from * (from.removed - shift(k)) +
                         slopes.by_to * (to.removed - shift(k + 1));
  d.theta += turned[0];
  d.phi += turned[1];

  // independent variables: kappa, two shifts of each hit, turns
  constexpr int n = 1 + n_errors;
  Eigen::Matrix<double, 6, n> jacobian = Eigen::Matrix<double, 6, n>::Zero();
  Eigen::Matrix<double, n, n> c = Eigen::Matrix<double, n, n>::Zero();
  jacobian(StateIndex::kappa, 0) = 1;
  jacobian.block<2, 1>(StateIndex::theta, 0) = d.slope;
  c(0, 0) = fit.variance;
  int begin = n_shifts, stop = n_shifts;
  if (e.has_shifts) {
    begin = 0;
    for (const std::size_t h : {k, k + 1}) {
      const Matrix32& error = system.hits[h].error;
      const int column = h == k ? 1 : 3;
      if ((h == k) == at_start) jacobian.block<3, 2>(0, column) = -error;
      jacobian.block<2, 2>(StateIndex::theta, column) =
          -(h == k ? slopes.by_from : slopes.by_to);
    }
    c.diagonal().segment<n_shifts>(1).setOnes();
  }
  if (e.has_turns) {
    stop = n_errors;
    d.theta += fitted_error(n_shifts);
    d.phi += fitted_error(n_shifts + 1);
    jacobian.block<2, 2>(StateIndex::theta, 1 + n_shifts).setIdentity();
    const Block<double>& variances = solution.turn_variances(k, end);
    for (int i = 0; i < n_turns; ++i)
      for (int j = 0; j <= i; ++j)
        c(1 + n_shifts + i, 1 + n_shifts + j) = variances[i][j];
  }
  for (int i = begin; i < stop; ++i) {
    c(1 + i, 0) = fit.variance * e.by_a[i];
    for (int j = begin; j <= i; ++j)
      c(1 + i, 1 + j) +=
          fit.variance * e.by_a[i] * e.by_a[j] - e.products[i][j];
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) c(j, i) = c(i, j);
  const LinearHit& here = at_start ? from : to;
  const Vector3 position =
      here.measured - here.error * shift(at_start ? k : k + 1);
  state.parameters << position, d.theta, std::remainder(d.phi, 2 * unit::pi),
      fit.kappa;
  state.covariance = propagated(jacobian, c);
  return state;
}

TrackState in_user_axes(const TrackHits& track, const SlowedCharge& charge,
                        const TrackState& state) {
  const Frame& frame = track.flight->frame;
  const Vector3 direction =
      direction_of(frame, state.parameters[StateIndex::theta],
                   state.parameters[StateIndex::phi]);
  const FrameAngles inside(frame, direction), user({Axis::z}, direction);
  Eigen::Matrix<double, 3, 2> change;
  change << inside.along_theta, inside.sin_theta * inside.along_phi;
  Matrix6 turn = Matrix6::Identity();
  turn.block<1, 2>(StateIndex::theta, StateIndex::theta) =
      user.along_theta.transpose() * change;
  turn.block<1, 2>(StateIndex::phi, StateIndex::theta) =
      user.along_phi.transpose() * change / user.sin_theta;
  TrackState out;
  out.parameters = state.parameters;
  out.parameters[StateIndex::theta] = user.theta();
  out.parameters[StateIndex::phi] = user.phi();
  if (track.field) {
    const double b_ref = track.flight->field->reference;
    out.parameters[StateIndex::kappa] = -b_ref * charge.qop;
    turn(StateIndex::kappa, StateIndex::kappa) = -b_ref * charge.slope;
  }
  out.covariance = propagated(turn, state.covariance);
  return out;
}

void set_flown_perigee(const TrackHits& track, std::size_t innermost,
                       const TrackState& first, double scale,
                       GlobalFit& result) {
  const Field& field = *track.flight->field;
  const Frame& frame = track.flight->frame;
  // the line before the innermost layer: its kink is not part of the fit
  SlowedCharge charge =
      SlowedCharge::at_origin(track, first.parameters[StateIndex::kappa]);
  for (std::size_t i = 0; i < innermost; ++i)
    if (!charge.pass(track, track.points[i].loss)) return;
  TrajectoryState s;
  s.position = first.parameters.head<3>();
  s.direction = direction_of(frame, first.parameters[StateIndex::theta],
                             first.parameters[StateIndex::phi]);
  s.qop = charge.qop;
  Vector3 bend = Vector3::Zero();
  FlightState<0> here{s.position, s.direction, s.qop, {}, {}, {}};
  const SurfaceLevel surface = level_of(track.points[innermost]);
  fly_onto(field, surface, Way::either, here, &bend);
  Eigen::Matrix<double, track_dim, state_dim> of_state =
      Eigen::Matrix<double, track_dim, state_dim>::Zero();
  of_state.leftCols<3>() = start_shifts(frame, s.direction, bend);
  of_state(Perigee::theta, StateIndex::theta) = 1;
  of_state(Perigee::phi, StateIndex::phi) = 1;
  of_state(Perigee::kappa, StateIndex::kappa) =
      track.field ? -field.reference * charge.slope : 0;
  const Matrix5 c = propagated(of_state, first.covariance);
  set_start_columns(track, s);
  if (fly_onto(field, surface, Way::either, s) != Landing::there) return;
  const FitWeights weights{scale > 0, std::sqrt(scale)};
  set_trajectory_perigee(track, innermost, s, square_root(c), weights, result);
}

void set_perigee(const TrackHits& track, std::size_t innermost,
                 const TrackState& first, double scale, GlobalFit& result) {
  const PerigeeTransport p = to_perigee(first.parameters, track.origin);
  result.perigee = p.parameters;
  result.perigee_covariance_without_inner =
      propagated(p.jacobian, first.covariance);
  result.perigee_covariance = result.perigee_covariance_without_inner;
  const double sine = std::sin(first.parameters[StateIndex::theta]);
  const Helix<double> start{cartesian(first.parameters.head<3>()),
                            first.parameters[StateIndex::theta],
                            first.parameters[StateIndex::phi],
                            first.parameters[StateIndex::kappa]};
  for (std::size_t i = 0; i <= innermost; ++i) {
    const TrackHit& h = track.points[i];
    if (h.theta0_2 == 0) continue;
    Eigen::Matrix<double, track_dim, state_dim> jacobian = p.jacobian;
    if (i != innermost) {
      const Vector3 step = first.parameters.head<3>() - h.position;
      const double s = arc_to(start, surface_of(h), -step.head<2>().norm());
      if (!std::isfinite(s)) continue;
      const Helix<double> at = advanced(start, s);
      Vector6 state;
      state << vector_of(at.position), at.theta, at.phi, at.kappa;
      jacobian = to_perigee(state, track.origin).jacobian;
    }
    const Vector5 by_theta = jacobian.col(StateIndex::theta);
    const Vector5 by_phi = jacobian.col(StateIndex::phi) / sine;
    result.perigee_covariance +=
        scale * h.theta0_2 *
        (by_theta * by_theta.transpose() + by_phi * by_phi.transpose());
  }
}

}  // namespace gttf::detail
