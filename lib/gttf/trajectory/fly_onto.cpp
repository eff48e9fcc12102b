// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/fly_onto.hpp"

#include <cmath>

#include "gttf/trajectory/crossing.hpp"

namespace gttf {

namespace {

template <int N>
void turn_around(FlightState<N>& s) {
  s.direction = -s.direction;
  s.d_direction = -s.d_direction;
  s.qop = -s.qop;
  s.d_qop = -s.d_qop;
}

/// The goal as a function of the path within the present leg.
template <int N>
class AlongLeg {
 public:
  AlongLeg(const Flight<N>& flight, const FlightGoal& goal)
      : flight_(flight), goal_(goal) {}

  double at(double l) {
    flight_.look(l, x_, t_);
    return goal_.at(x_, t_);
  }
  /// The zero between 0 and b, where the signs differ: Newton's steps while
  /// they stay inside, else halves. The bend within a step is left out of the
  /// slope: it matters to a perigee alone, and there little.
  double zero(double b, bool rises) {
    double a = 0, l = 0;
    for (int i = 0; i < 100; ++i) {
      const double value = at(l);
      if (value == 0) break;
      ((value > 0) == rises ? b : a) = l;
      double next = l - value / goal_.slope(x_, t_, Vector3::Zero());
      if (!(next >= a && next <= b)) next = 0.5 * (a + b);
      const double move = std::abs(next - l);
      l = next;
      if (move <= 2e-15 * (x_.norm() + l)) break;
    }
    return l;
  }
  /// Where the function is nearest to zero between a and b, if it gets nearer
  /// from both ends: golden section.
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

/// The path in the present leg at which the goal is met, or NaN.
template <int N>
double goal_in_leg(const Flight<N>& flight, const FlightGoal& goal) {
  AlongLeg<N> leg(flight, goal);
  const double end = flight.leg();
  const double first = leg.at(0), last = leg.at(end);
  if (first == 0) return 0;
  if ((first > 0) != (last > 0)) return leg.zero(end, last > 0);
  // there and back again: near the outermost point of a curling track
  const double sign = first > 0 ? 1 : -1, little = 1e-3 * end;
  if (!(sign * leg.at(little) < sign * first &&
        sign * leg.at(end - little) < sign * last))
    return std::nan("");
  const double between = leg.nearest(0, end, sign);
  const double value = leg.at(between);
  return (value > 0) == (first > 0) ? std::nan("")
                                    : leg.zero(between, value > 0);
}

/// Moves the flight to where the goal is met, in the present leg at `l`.
template <int N>
void arrive(const Field& field, const FlightGoal& goal, double l,
            Flight<N>& flight) {
  // in a map what look() tells is off by less than that
  constexpr double uncertain = 2 * unit::um;
  if (!field.map || !(l > uncertain)) return flight.fly_to(l);
  flight.fly_to(l - uncertain);
  const FlightState<N>& s = flight.state();
  const Vector3 bend = flight.bend();
  const double slope = goal.slope(s.position, s.direction, bend);
  const double rest = -goal.at(s.position, s.direction) / slope;
  flight.fly_to(std::min(l - uncertain + rest, flight.leg()));
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
  // a path that grazes a plane may get far
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
    // without the bend: it matters to a perigee alone, and there little
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
      arrive(field, goal, l, flight);
      state = flight.state();
      const Vector3 curved = flight.bend();
      if constexpr (N > 0) {
        const Eigen::Matrix<double, 1, N> slip =
            goal.change(state) /
            goal.slope(state.position, state.direction, curved);
        state.d_position -= state.direction * slip;
        state.d_direction -= curved * slip;
      }
      if (backward) turn_around(state);  // t' stays as it is
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

template Landing fly_onto(const Field&, const FlightGoal&, Way, FlightState<0>&,
                          Vector3*);
template Landing fly_onto(const Field&, const FlightGoal&, Way,
                          FlightState<track_dim>&, Vector3*);

}  // namespace gttf
