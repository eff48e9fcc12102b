// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/flight.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gttf/core/units.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/trajectory/crossing.hpp"

namespace gttf {

FlightBounds::FlightBounds(const TrackingGeometry& geometry)
    : lower(Vector3::Zero()), upper(Vector3::Zero()) {
  for (const SurfaceRecord& s : geometry.surfaces()) {
    for (int i = 0; i < 3; ++i) {
      const Interval along = extent(s, static_cast<Axis>(i));
      lower[i] = std::min(lower[i], along.lower);
      upper[i] = std::max(upper[i], along.upper);
    }
    radius = std::max(radius, radii(s).upper);
  }
}

FlightBounds::FlightBounds(double distance)
    : lower(Vector3::Constant(-distance)),
      upper(Vector3::Constant(distance)),
      radius(distance) {}

bool FlightBounds::left_behind(const Vector3& x, const Vector3& t) const {
  for (int i = 0; i < 3; ++i)
    if ((x[i] < lower[i] && t[i] <= 0) || (x[i] > upper[i] && t[i] >= 0))
      return true;
  return std::hypot(x.x(), x.y()) > radius &&
         x.x() * t.x() + x.y() * t.y() >= 0;
}

double FlightBounds::reach() const {
  return lower.cwiseAbs().cwiseMax(upper.cwiseAbs()).norm();
}

namespace {

/// The path from a point, with t' = w x t and w = -(q/p) B: a helix around w,
/// or a straight line. After the path l, with a = l w, psi = |a|,
///
///   t(l) = t + s a x t + c a x (a x t),      s = sin(psi)/psi
///   x(l) = x + l (t + c a x t + e a x (a x t))
///   c = (1 - cos psi)/psi^2,  e = (1 - s)/psi^2,  f = (1/2 - c)/psi^2
///
/// All coefficients are even in psi and finite for straight paths; no axis has
/// to be found. Source: docs/theory/any-field.md.
class UniformFlight {
 public:
  /// @param rotation  w, 1/mm
  /// @param path      l, mm
  UniformFlight(const Vector3& rotation, double path)
      : a_(path * rotation), path_(path) {
    const double psi2 = a_.squaredNorm();
    if (psi2 < 1) {
      f_ = series<4>(psi2);
      e_ = series<3>(psi2);
      c_ = 0.5 - psi2 * f_;
      s_ = 1 - psi2 * e_;
      return;
    }
    const double psi = std::sqrt(psi2), half = std::sin(0.5 * psi);
    s_ = std::sin(psi) / psi;
    c_ = 2 * half * half / psi2;
    e_ = (1 - s_) / psi2;
    f_ = (0.5 - c_) / psi2;
  }

  /// x(l) - x.
  Vector3 displacement(const Vector3& t) const {
    const Vector3 at = a_.cross(t);
    return path_ * (t + c_ * at + e_ * a_.cross(at));
  }
  /// t(l).
  Vector3 direction(const Vector3& t) const {
    const Vector3 at = a_.cross(t);
    return t + s_ * at + c_ * a_.cross(at);
  }
  /// The matrix M of x(l) - x = M t.
  Eigen::Matrix3d displacement_matrix() const {
    return path_ * polynomial(c_, e_);
  }
  /// The matrix R of t(l) = R t.
  Eigen::Matrix3d direction_matrix() const { return polynomial(s_, c_); }

  /// dx(l)/d(q/p): the rotation is a function of l q/p, hence dt/d(q/p) = l
  /// t(l) x B, to be integrated by parts along the path.
  Vector3 displacement_per_qop(const Vector3& t, const Vector3& field) const {
    const Vector3 at = a_.cross(t);
    const Vector3 sum = 0.5 * t + (c_ - e_) * at + (e_ - f_) * a_.cross(at);
    return path_ * path_ * sum.cross(field);
  }
  /// dt(l)/d(q/p).
  Vector3 direction_per_qop(const Vector3& t, const Vector3& field) const {
    return path_ * direction(t).cross(field);
  }

 private:
  /// sum_k (-x)^k/(2k + m)!, to rounding for x <= 1.
  template <int m>
  static double series(double x) {
    constexpr int terms = 9;
    static constexpr auto factors = [] {
      std::array<double, terms> list{};
      double factorial = 1;
      for (int n = 2; n <= m; ++n) factorial *= n;
      for (int k = 0; k < terms; ++k) {
        list[static_cast<std::size_t>(k)] = (k % 2 == 0 ? 1 : -1) / factorial;
        factorial *= (2 * k + m + 1) * (2 * k + m + 2);
      }
      return list;
    }();
    double sum = factors.back();
    for (std::size_t k = terms - 1; k-- > 0;) sum = factors[k] + x * sum;
    return sum;
  }
  Eigen::Matrix3d polynomial(double first, double second) const {
    Eigen::Matrix3d cross;
    cross << 0, -a_.z(), a_.y(), a_.z(), 0, -a_.x(), -a_.y(), a_.x(), 0;
    return Eigen::Matrix3d::Identity() + first * cross +
           second * (cross * cross);
  }

  Vector3 a_;
  double path_;
  double s_ = 1, c_ = 0.5, e_ = 1.0 / 6, f_ = 1.0 / 24;
};

/// Maximum rotation of a leg: a path crosses a plane at most twice.
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

/// The zero of f between `a` and `b`, where it has opposite signs; f also sets
/// its slope. Newton steps while they stay inside, else bisection.
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

std::size_t index(int parameter) { return static_cast<std::size_t>(parameter); }

double along(const DipoleGap& gap, const Vector3& v) {
  return v[static_cast<int>(gap.normal)];
}

}  // namespace

template <int N>
Flight<N>::Flight(const Field& field, const FlightState<N>& start,
                  const FlightBounds& bounds, double most_turn)
    : model_(&field),
      bounds_(bounds),
      most_turn_(most_turn),
      begin_(start),
      state_(start) {
  for (const DipoleGap& gap : field.dipoles) {
    const double x = along(gap, start.position);
    const double ahead =
        x + std::copysign(detail::same_place, along(gap, start.direction));
    side_.push_back(ahead < gap.extent.lower   ? -1
                    : ahead > gap.extent.upper ? 1
                                               : 0);
  }
  if (field.map) steps_.emplace(field.map->view());
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
  // the square underflows above 1e150 GeV
  const double rate = rotation.stableNorm();
  if (rate == 0) return;
  const Vector3 turn = vector_of(turn_.angle);
  const double turning = turn.dot(rotation / rate);
  const double missing = most_turn_ * most_turn_ - turn.squaredNorm();
  const double half_turn =
      (std::sqrt(turning * turning + std::max(0.0, missing)) - turning) / rate;
  if (half_turn <= leg_) {
    leg_ = half_turn;
    leg_end_ = LegEnd::half_turn;
  }
  const double longest = longest_turn / rate;
  if (longest < leg_) {
    leg_ = longest;
    leg_end_ = LegEnd::step;
  }
}

template <int N>
void Flight<N>::begin_map_leg() {
  constexpr double shortest = 1e-6;  // mm: the edge itself
  const FieldMap& map = *model_->map;
  leg_ = 0;
  end_position_ = begin_.position;
  end_direction_ = begin_.direction;
  leg_end_ = LegEnd::open;
  if (most_turn_ <= half_a_turn &&
      bounds_.left_behind(begin_.position, begin_.direction))
    return;
  leg_end_ = LegEnd::map_edge;
  const Cartesian<double> from = cartesian(begin_.position);
  if (at_step_end_)
    step_.begin_at_end();
  else if (!step_.begin_at(map.view(), from))
    return;
  at_step_end_ = false;
  const double edge = map.distance_to_edge(begin_.position, begin_.direction);
  const Cartesian<double> along = cartesian(begin_.direction);
  for (;;) {
    const double next =
        steps_->next(map.view(), from, along, cartesian(field_), begin_.qop);
    const double length = std::min(next, edge);
    if (length < shortest) return;
    const bool inside = step_.take(map.view(), from, along, begin_.qop, length);
    if (steps_->accept(step_, true, inside, length)) break;
  }
  leg_ = step_.length();
  leg_end_ = LegEnd::step;
  if constexpr (N > 0) {
    step_.linearise();
    for (int i = 0; i < N; ++i)
      changes_[index(i)] = step_.pass({cartesian(begin_.d_position.col(i)),
                                       cartesian(begin_.d_direction.col(i))},
                                      begin_.d_qop[i]);
  }
  end_position_ = vector_of(step_.position());
  end_direction_ = vector_of(step_.direction());
  const Cartesian<double> integral = step_.field_integral();
  if (turn_.after(begin_.qop, integral).reaches(most_turn_)) {
    limit_turn(-begin_.qop / leg_ * vector_of(integral));
    look(leg_, end_position_, end_direction_);
  }
}

template <int N>
void Flight<N>::meet_faces() {
  for (std::size_t i = 0; i < side_.size(); ++i) {
    const DipoleGap& gap = model_->dipoles[i];
    const auto meet = [&](double face, double side, int side_after) {
      const double l = find_crossing(SurfaceLevel(gap.normal, face), side);
      // of two gaps that touch, one is left before the other is entered
      if (!(l < leg_)) return;
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
  if (model_->map) {
    Cartesian<double> x, t;
    step_.look(step_.at(l), x, t);
    position = vector_of(x);
    direction = vector_of(t);
    return;
  }
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
  const detail::PointInStep<double> at = step_.at(l);
  Cartesian<double> x, t;
  step_.look(at, x, t);
  state_.position = vector_of(x);
  state_.direction = vector_of(t);
  if constexpr (N > 0)
    for (int i = 0; i < N; ++i) {
      detail::FlightChange<double> change;
      changes_[index(i)].look(at, change);
      state_.d_position.col(i) = vector_of(change.position);
      state_.d_direction.col(i) = vector_of(change.direction);
    }
  at_step_end_ = l == step_.length();
  if (at_step_end_)
    field_ = vector_of(step_.at_end().field);
  else
    model_->map->at(state_.position, field_);
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
  turn_ = turn_.after(
      begin_.qop, model_->map ? (at_ / step_.length()) * step_.field_integral()
                              : at_ * cartesian(field_));
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
  // a path that reaches the surface later by dl keeps its bend over dl
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
    // forth and back within the leg?
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
      begin_.qop *
      t0.cross(model_->map ? vector_of(step_.at_begin().field) : field_);
  const double curvature = surface.slope(x0, bend0) + surface.curvature(x0, t0);
  double guess = first_root(value0, slope0, curvature);
  if (!(guess < end)) guess = 0.5 * end;
  return zero_between(surface, 0, end, value0 > 0, guess);
}

template <int N>
double Flight<N>::zero_between(const SurfaceLevel& surface, double a, double b,
                               bool a_is_positive, double guess) const {
  Vector3 x, t;
  return newton(
      [&](double l, double& slope) {
        look(l, x, t);
        slope = surface.slope(x, t);
        return surface.at(x);
      },
      a, b, a_is_positive, guess);
}

template <int N>
double Flight<N>::find_next_crossing(const SurfaceLevel& surface, double side,
                                     double from) const {
  Vector3 x, t;
  look(from, x, t);
  const double value = side * surface.at(x);
  if (!(value <= detail::same_place && side * surface.slope(x, t) > 0))
    return from > 0 ? nan : find_crossing(surface, side);
  if (side * surface.at(end_position_) > 0) return nan;
  // away from it first: from where the path turns back to it
  double a = from, b = leg_, turn = from;
  for (int i = 0; i < 60 && b - a > 1e-9 * leg_; ++i) {
    turn = 0.5 * (a + b);
    look(turn, x, t);
    (side * surface.slope(x, t) > 0 ? a : b) = turn;
  }
  look(turn, x, t);
  if (!(side * surface.at(x) > 0)) return nan;
  return zero_between(surface, turn, leg_, side > 0, 0.5 * (turn + leg_));
}

template class Flight<0>;
template class Flight<track_dim>;
template class Flight<7>;

namespace {

template <int N>
void turn_around(FlightState<N>& s) {
  s.direction = -s.direction;
  s.d_direction = -s.d_direction;
  s.qop = -s.qop;
  s.d_qop = -s.d_qop;
}

/// The goal as a function of the path within the current leg.
template <int N>
class AlongLeg {
 public:
  AlongLeg(const Flight<N>& flight, const FlightGoal& goal)
      : flight_(flight), goal_(goal) {}

  double at(double l) {
    flight_.look(l, x_, t_);
    return goal_.at(x_, t_);
  }
  /// The slope there, without the bend.
  double slope() const { return goal_.slope(x_, t_, Vector3::Zero()); }
  /// The zero between 0 and b, where the signs differ: Newton steps while they
  /// stay inside, else bisection. The slope neglects the bend within a step,
  /// which is relevant only for a perigee, and small.
  double zero(double b, bool rises) {
    double a = 0, l = 0;
    for (int i = 0; i < 100; ++i) {
      const double value = at(l);
      if (value == 0) break;
      ((value > 0) == rises ? b : a) = l;
      double next = l - value / slope();
      if (!(next >= a && next <= b)) next = 0.5 * (a + b);
      const double move = std::abs(next - l);
      l = next;
      if (move <= 2e-15 * (x_.norm() + l)) break;
    }
    return l;
  }
  /// The position between a and b where the function is closest to zero, if it
  /// approaches zero from both ends: golden section.
  double nearest(double a, double b, double sign) {
    constexpr double share = 0.381966011250105;
    double c = a + share * (b - a), d = b - share * (b - a);
    double value_c = sign * at(c), value_d = sign * at(d);
    for (int i = 0; i < 40 && value_c > 0 && value_d > 0; ++i) {
      if (value_c < value_d) {
        b = d, d = c, value_d = value_c;
        c = a + share * (b - a);
        value_c = sign * at(c);
      } else {
        a = c, c = d, value_c = value_d;
        d = b - share * (b - a);
        value_d = sign * at(d);
      }
    }
    return value_c < value_d ? c : d;
  }

 private:
  const Flight<N>& flight_;
  const FlightGoal& goal_;
  Vector3 x_, t_;
};

/// The path in the current leg at which the goal is reached, or NaN.
template <int N>
double goal_in_leg(const Flight<N>& flight, const FlightGoal& goal) {
  AlongLeg<N> leg(flight, goal);
  const double end = flight.leg();
  const double first = leg.at(0);
  if (first == 0) return 0;
  const double to_zero = std::abs(first / leg.slope());
  const double last = leg.at(end);
  if ((first > 0) != (last > 0)) return leg.zero(end, last > 0);
  // forth and back: near the outermost point of a curling track, or through a
  // cylinder that is small compared with the leg
  const double sign = first > 0 ? 1 : -1, little = 1e-3 * end;
  const double nearby =
      std::min(little, std::max(0.5 * to_zero, detail::same_place));
  if (!(sign * leg.at(nearby) < sign * first &&
        sign * leg.at(end - little) < sign * last))
    return std::nan("");
  const double between = leg.nearest(0, end, sign);
  const double value = leg.at(between);
  return (value > 0) == (first > 0) ? std::nan("")
                                    : leg.zero(between, value > 0);
}

}  // namespace

FlightGoal FlightGoal::perigee(const Vector3& origin) {
  FlightGoal goal(SurfaceLevel::plane(origin, Vector3::UnitZ()));
  goal.is_perigee_ = true;
  return goal;
}

double FlightGoal::at(const Vector3& x, const Vector3& t) const {
  return is_perigee_ ? (x - surface_.point()).head<2>().dot(t.head<2>())
                     : surface_.at(x);
}

double FlightGoal::slope(const Vector3& x, const Vector3& t,
                         const Vector3& bend) const {
  return is_perigee_ ? t.head<2>().squaredNorm() +
                           (x - surface_.point()).head<2>().dot(bend.head<2>())
                     : surface_.slope(x, t);
}

double FlightGoal::reach(const Vector3& from) const {
  // a path that grazes a plane may have a large correction
  constexpr double most_oblique = 100;
  return most_oblique *
         ((from - surface_.point()).norm() + from.norm() + 1 * unit::mm);
}

template <int N>
Landing fly_onto(const Field& field, const FlightGoal& goal, Way way,
                 FlightState<N>& state, Vector3* bend) {
  const FlightBounds bounds(goal.reach(state.position));
  bool backward = way == Way::backward;
  {
    // neglects the bend, which is relevant only for a perigee, and small
    const double slope =
        goal.slope(state.position, state.direction, Vector3::Zero());
    const double l = -goal.at(state.position, state.direction) / slope;
    if (way == Way::either || std::abs(l) < detail::same_place)
      backward = l < 0;
  }
  if (backward) turn_around(state);
  Flight<N> flight(field, state, bounds);
  constexpr int most_legs = 100000;
  for (int leg = 0; leg < most_legs; ++leg) {
    const double l = goal_in_leg(flight, goal);
    if (l >= 0) {
      flight.fly_to(l);
      state = flight.state();
      const Vector3 curved = flight.bend();
      if constexpr (N > 0) {
        const Eigen::Matrix<double, 1, N> slip =
            goal.change(state) /
            goal.slope(state.position, state.direction, curved);
        state.d_position -= state.direction * slip;
        state.d_direction -= curved * slip;
      }
      if (backward) turn_around(state);  // t' is unchanged
      if (bend) *bend = curved;
      return Landing::there;
    }
    if (flight.leg_end() == LegEnd::map_edge) return Landing::left_map;
    if (flight.leg_end() == LegEnd::open ||
        flight.leg_end() == LegEnd::half_turn)
      return Landing::missed;
    flight.next_leg();
  }
  return Landing::missed;
}

namespace {

/// Moves a state by a path of any sign.
/// @param bend  set to t' there, 1/mm
template <int N>
Landing fly_by(const Field& field, double length, FlightState<N>& state,
               Vector3& bend) {
  const bool backward = length < 0;
  const double path = std::abs(length);
  if (backward) turn_around(state);
  const FlightBounds bounds(2 * (state.position.norm() + path + 1 * unit::mm));
  Flight<N> flight(field, state, bounds,
                   std::numeric_limits<double>::infinity());
  // on one helix or line every point can be evaluated at once
  const bool has_legs =
      field.kind == FieldKind::dipole || field.kind == FieldKind::map;
  while (has_legs && flight.path() + flight.leg() < path) {
    if (flight.leg_end() == LegEnd::map_edge) return Landing::left_map;
    if (flight.leg_end() == LegEnd::open ||
        flight.leg_end() == LegEnd::half_turn)
      return Landing::missed;
    flight.next_leg();
  }
  flight.fly_to(path - flight.path());
  state = flight.state();
  bend = flight.bend();
  if (backward) turn_around(state);  // t' is unchanged
  return Landing::there;
}

}  // namespace

template <int N>
Landing fly_along(const Field& field, const FlightGoal& goal, double length,
                  FlightState<N>& state, Vector3* bend) {
  // a step that began on a face of a dipole would not know whether the one
  // before it, and its derivatives, ended inside
  const bool always_from_start = !field.dipoles.empty();
  const FlightState<N> start = state;
  Vector3 curved;
  if (const Landing there = fly_by(field, length, state, curved);
      there != Landing::there)
    return there;
  const auto slope_here = [&] {
    return goal.slope(state.position, state.direction, curved);
  };
  const double expected = slope_here();
  const double farthest = state.position.norm() + std::abs(length) + 1;
  constexpr int most_steps = 60;
  double last = std::numeric_limits<double>::infinity();
  for (int step = 0;; ++step) {
    const double slope = slope_here();
    double move = -goal.at(state.position, state.direction) / slope;
    if (!(slope * expected > 0) || !std::isfinite(move) || step == most_steps)
      return Landing::missed;
    // a turn that leads beyond the outermost point is not followed at once
    const double longest = longest_turn / curved.norm();
    if (std::abs(move) > longest) move = std::copysign(longest, move);
    const double size = std::abs(move);
    // rounding; the last steps may go back and forth between neighbours
    if (size <= 2e-15 * farthest || (size < 1e-9 && size >= last)) break;
    last = size;
    length += move;
    if (always_from_start) state = start;
    if (const Landing there =
            fly_by(field, always_from_start ? length : move, state, curved);
        there != Landing::there)
      return there;
  }
  if constexpr (N > 0) {
    const Eigen::Matrix<double, 1, N> slip = goal.change(state) / slope_here();
    state.d_position -= state.direction * slip;
    state.d_direction -= curved * slip;
  }
  if (bend) *bend = curved;
  return Landing::there;
}

template Landing fly_along(const Field&, const FlightGoal&, double,
                           FlightState<0>&, Vector3*);
template Landing fly_along(const Field&, const FlightGoal&, double,
                           FlightState<track_dim>&, Vector3*);

template Landing fly_onto(const Field&, const FlightGoal&, Way, FlightState<0>&,
                          Vector3*);
template Landing fly_onto(const Field&, const FlightGoal&, Way,
                          FlightState<track_dim>&, Vector3*);

}  // namespace gttf
