// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/flight.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>

#include "gttf/core/units.hpp"
#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/uniform_flight.hpp"

namespace gttf {

namespace {

/// Legs turn by so little that a path cannot cross a plane more than twice.
constexpr double longest_turn = 0.5;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Smallest positive root of a + b x + c x^2/2, or NaN.
double first_root(double a, double b, double c) {
  const double square = b * b - 2 * a * c;
  if (square < 0) return nan;
  const double q = -(b + std::copysign(std::sqrt(square), b));
  const double one = 2 * a / q, two = q / c;
  if (one > 0 && two > 0) return std::min(one, two);
  return one > 0 ? one : two > 0 ? two : nan;
}

/// The zero of f between `a` and `b`, where it has opposite signs; f sets its
/// slope. Newton's steps where they stay inside, else bisection.
template <class Function>
double newton(const Function& f, double a, double b, bool a_is_positive,
              double x) {
  const double smallest = 1e-15 * std::max(std::abs(a), std::abs(b));
  for (int i = 0; i < 100; ++i) {
    double slope = 0;
    const double value = f(x, slope);
    if (value == 0) return x;
    ((value > 0) == a_is_positive ? a : b) = x;
    double next = x - value / slope;
    if (!(next >= a && next <= b)) next = 0.5 * (a + b);
    if (std::abs(next - x) <= std::max(smallest, 4e-16 * x)) return next;
    x = next;
  }
  return x;
}

double along(const DipoleGap& gap, const Vector3& v) {
  return v[static_cast<int>(gap.normal)];
}

}  // namespace

template <int N>
Flight<N>::Flight(const Field& field, const FlightState<N>& start,
                  const FlightBounds& bounds)
    : model_(&field), bounds_(bounds), begin_(start), state_(start) {
  for (const DipoleGap& gap : field.dipoles) {
    const double x = along(gap, start.position);
    const double ahead =
        x + std::copysign(detail::same_place, along(gap, start.direction));
    side_.push_back(ahead < gap.extent.lower   ? -1
                    : ahead > gap.extent.upper ? 1
                                               : 0);
  }
  if (field.map) next_step_ = field.map->coarsest_spacing();
  enter_field();
  begin_leg();
}

template <int N>
void Flight<N>::enter_field() {
  switch (model_->kind) {
    case FieldKind::none:
      break;
    case FieldKind::map:
      if (!model_->map->at(state_.position, field_)) field_.setZero();
      break;
    case FieldKind::solenoid:
      field_ = Vector3(0, 0, model_->bz);
      break;
    case FieldKind::dipole:
      field_ = Vector3::Zero();
      for (std::size_t i = 0; i < side_.size(); ++i) {
        const DipoleGap& gap = model_->dipoles[i];
        if (side_[i] == 0) field_[static_cast<int>(gap.direction)] += gap.field;
      }
      break;
  }
}

template <int N>
bool Flight<N>::is_trapped() {
  constexpr int most = 100'000;
  legs_in_place_ = leg_ > 0 ? 0 : legs_in_place_ + 1;
  const int faces = 2 * static_cast<int>(side_.size());
  return ++legs_ > most || legs_in_place_ > faces + 2;
}

template <int N>
void Flight<N>::begin_leg() {
  at_ = 0;
  begin_ = state_;
  if (is_trapped()) {
    leg_ = 0;
    leg_end_ = LegEnd::half_turn;
    end_position_ = begin_.position;
    end_direction_ = begin_.direction;
    return;
  }
  if (model_->kind == FieldKind::map) return begin_map_leg();
  const Vector3 rotation = -begin_.qop * field_;
  if (rotation.isZero(0)) {
    begin_straight_leg();
  } else {
    leg_ = std::numeric_limits<double>::infinity();
    limit_turn(rotation);
  }
  look(leg_, end_position_, end_direction_);
  meet_faces();
}

template <int N>
void Flight<N>::begin_straight_leg() {
  const Vector3& x = begin_.position;
  const double along = x.dot(begin_.direction);
  const double reach = std::max(bounds_.reach(), x.norm());
  const double square = along * along + reach * reach - x.squaredNorm();
  leg_ = std::max(0.0, std::sqrt(std::max(0.0, square)) - along);
  leg_end_ = LegEnd::open;
}

template <int N>
void Flight<N>::limit_turn(const Vector3& rotation) {
  const double rate2 = rotation.squaredNorm();
  if (rate2 == 0) return;
  const double turning = turn_.dot(rotation);
  const double missing =
      std::numbers::pi * std::numbers::pi - turn_.squaredNorm();
  const double half_turn =
      (std::sqrt(turning * turning + rate2 * std::max(0.0, missing)) -
       turning) /
      rate2;
  if (half_turn <= leg_) {
    leg_ = half_turn;
    leg_end_ = LegEnd::half_turn;
  }
  const double longest = longest_turn / std::sqrt(rate2);
  if (longest < leg_) {
    leg_ = longest;
    leg_end_ = LegEnd::step;
  }
}

template <int N>
void Flight<N>::begin_map_leg() {
  constexpr double shortest = 1e-6;  // mm: the edge itself
  const FieldMap& map = *model_->map;
  if (at_step_end_)
    step_.begin_at_end();
  else
    step_.begin_anew();
  at_step_end_ = false;
  leg_ = 0;
  end_position_ = begin_.position;
  end_direction_ = begin_.direction;
  leg_end_ = LegEnd::open;
  if (bounds_.left_behind(begin_.position, begin_.direction)) return;
  leg_end_ = LegEnd::map_edge;
  const double edge = map.distance_to_edge(begin_.position, begin_.direction);
  double length = std::min(next_step_, edge);
  const double strength = std::abs(begin_.qop) * field_.norm();
  if (strength > 0) length = std::min(length, longest_turn / strength);
  const bool is_cut = length < next_step_;
  while (length > shortest) {
    if (!step_.take(map, begin_, length)) {
      length *= 0.5;
      continue;
    }
    const double factor = 0.9 * std::pow(std::max(step_.error(), 1e-4), -0.2);
    if (step_.error() > 1) {
      length *= std::max(0.2, factor);
      continue;
    }
    leg_ = length;
    leg_end_ = LegEnd::step;
    const double next = length * factor;
    next_step_ = is_cut ? std::max(next, next_step_) : next;
    break;
  }
  if (leg_ == 0) return;
  end_position_ = step_.end().position;
  end_direction_ = step_.end().direction;
  const Vector3 turn = turn_ - begin_.qop * step_.field_integral();
  if (turn.norm() >= std::numbers::pi) {
    limit_turn(-begin_.qop / leg_ * step_.field_integral());
    look(leg_, end_position_, end_direction_);
  }
}

template <int N>
void Flight<N>::meet_faces() {
  for (std::size_t i = 0; i < side_.size(); ++i) {
    const DipoleGap& gap = model_->dipoles[i];
    const auto meet = [&](double face, double side, int side_after) {
      const double l = find_crossing(SurfaceLevel(gap.normal, face), side);
      if (!(l <= leg_)) return;
      leg_ = l;
      leg_end_ = LegEnd::boundary;
      next_gap_ = i;
      next_side_ = side_after;
      look(leg_, end_position_, end_direction_);
    };
    if (side_[i] <= 0)
      meet(gap.extent.lower, side_[i] < 0 ? -1 : 1, side_[i] < 0 ? 0 : -1);
    if (side_[i] >= 0)
      meet(gap.extent.upper, side_[i] > 0 ? 1 : -1, side_[i] > 0 ? 0 : 1);
  }
}

template <int N>
void Flight<N>::look(double l, Vector3& position, Vector3& direction) const {
  if (model_->map) return step_.look(l, position, direction);
  const UniformFlight flight(-begin_.qop * field_, l);
  position = begin_.position + flight.displacement(begin_.direction);
  direction = flight.direction(begin_.direction);
}

template <int N>
void Flight<N>::fly_to(double l) {
  if (model_->map) {
    fly_in_map(l);
    at_ = l;
    return;
  }
  at_ = l;
  const UniformFlight flight(-begin_.qop * field_, l);
  const Vector3& t = begin_.direction;
  state_.position = begin_.position + flight.displacement(t);
  state_.direction = flight.direction(t);
  if constexpr (N > 0) {
    state_.d_position = begin_.d_position +
                        flight.displacement_matrix() * begin_.d_direction +
                        flight.displacement_per_qop(t, field_) * begin_.d_qop;
    state_.d_direction = flight.direction_matrix() * begin_.d_direction +
                         flight.direction_per_qop(t, field_) * begin_.d_qop;
  }
}

template <int N>
void Flight<N>::fly_in_map(double l) {
  if (!(l > at_)) return;
  if (l == step_.length()) {
    state_ = step_.end();
    field_ = step_.field_at_end();
    d_bend_ = step_.d_bend_at_end();
    at_step_end_ = true;
    return;
  }
  MapStep<N> part;
  // within a step that stayed in the map
  if (!part.take(*model_->map, state_, l - at_)) return;
  state_ = part.end();
  field_ = part.field_at_end();
  d_bend_ = part.d_bend_at_end();
}

template <int N>
void Flight<N>::fly_onto(const SurfaceLevel& surface, double l) {
  fly_to(l);
  if (!model_->map) return;
  // what the polynomial of look() is off by, below a micrometre
  const double rest = -surface.at(state_.position) /
                      surface.slope(state_.position, state_.direction);
  const Vector3 a = bend();
  state_.position += rest * state_.direction + (0.5 * rest * rest) * a;
  state_.direction += rest * a;
  at_ += rest;
  if constexpr (N > 0) {
    state_.d_position += rest * state_.d_direction;
    state_.d_direction += rest * d_bend_;
  }
}

template <int N>
void Flight<N>::next_leg() {
  fly_to(leg_);
  end_leg();
  if (leg_end_ == LegEnd::boundary) {
    const Vector3 before = bend();
    side_[next_gap_] = next_side_;
    enter_field();
    cross_boundary(
        before,
        Vector3::Unit(static_cast<int>(model_->dipoles[next_gap_].normal)));
  }
  begin_leg();
}

template <int N>
void Flight<N>::end_leg() {
  path_ += at_;
  if (at_ == 0) return;  // a leg in a map may have no length
  if (model_->map)
    turn_ -= begin_.qop * (at_ / step_.length()) * step_.field_integral();
  else
    turn_ -= at_ * begin_.qop * field_;
  at_ = 0;
}

template <int N>
void Flight<N>::change_qop(double qop, const Eigen::Matrix<double, 1, N>& d_qop,
                           const Vector3& normal) {
  end_leg();
  at_step_end_ = false;
  const Vector3 before = bend();
  state_.qop = qop;
  state_.d_qop = d_qop;
  cross_boundary(before, normal);
  begin_leg();
}

template <int N>
void Flight<N>::cross_boundary(const Vector3& before, const Vector3& normal) {
  // a path that meets the surface later by dl bends the old way for that long
  if constexpr (N > 0) state_.d_direction -= (before - bend()) * slip(normal);
}

template <int N>
double Flight<N>::find_crossing(const SurfaceLevel& surface,
                                double side) const {
  const Vector3& x0 = begin_.position;
  const Vector3& t0 = begin_.direction;
  const double slope0 = surface.slope(x0, t0);
  const double slope1 = surface.slope(end_position_, end_direction_);
  double end = leg_;
  Vector3 x, t;
  if (side * surface.at(end_position_) > 0) {
    // there and back again within the leg?
    if (!(side * slope0 < 0 && side * slope1 > 0)) return nan;
    double a = 0, b = leg_;
    for (int i = 0; i < 60 && b - a > 1e-9 * leg_; ++i) {
      end = 0.5 * (a + b);
      look(end, x, t);
      (side * surface.slope(x, t) < 0 ? a : b) = end;
    }
    look(end, x, t);
    if (side * surface.at(x) > 0) return nan;
  }
  const double value0 = surface.at(x0);
  if (side * value0 <= 0) return 0;
  const Vector3 bend0 =
      begin_.qop * t0.cross(model_->map ? step_.field_at_begin() : field_);
  const double curvature = surface.slope(x0, bend0) + surface.curvature(x0, t0);
  double guess = first_root(value0, slope0, curvature);
  if (!(guess < end)) guess = 0.5 * end;
  return newton(
      [&](double l, double& slope) {
        look(l, x, t);
        slope = surface.slope(x, t);
        return surface.at(x);
      },
      0, end, value0 > 0, guess);
}

template class Flight<0>;
template class Flight<track_dim>;
template class Flight<7>;

}  // namespace gttf
