// SPDX-License-Identifier: Apache-2.0
// fly_onto: a track state through any field onto a surface, either way.
#pragma once

#include "gttf/trajectory/flight.hpp"

namespace gttf {

/// Where a flight is to end: the zero of a function of position and direction.
class FlightGoal {
 public:
  /// The cylinder around z with this radius, met outwards.
  static FlightGoal cylinder(double radius);
  /// The plane through `point` with this unit normal.
  static FlightGoal plane(const Vector3& point, const Vector3& normal);
  /// The closest approach, in the x-y plane, to the line along z through here.
  static FlightGoal perigee(const Vector3& origin);

  /// Zero there, increasing or decreasing through it; mm.
  double at(const Vector3& x, const Vector3& t) const;
  /// Its derivative along the path.
  /// @param bend  t', 1/mm
  double slope(const Vector3& x, const Vector3& t, const Vector3& bend) const;
  /// Its change with position and direction.
  template <int N>
  Eigen::Matrix<double, 1, N> change(const FlightState<N>& s) const {
    Eigen::Matrix<double, 1, N> sum =
        gradient(s.position, s.direction).transpose() * s.d_position;
    if (kind_ == Kind::perigee) {
      const Vector3 x = s.position - point_;
      sum += x.x() * s.d_direction.row(0) + x.y() * s.d_direction.row(1);
    }
    return sum;
  }
  /// Distance from the origin beyond which a path need not be followed.
  double reach(const Vector3& from) const;

 private:
  enum class Kind { plane, cylinder, perigee };

  FlightGoal(Kind kind, const Vector3& point, const Vector3& normal)
      : kind_(kind), point_(point), normal_(normal) {}
  Vector3 gradient(const Vector3& x, const Vector3& t) const;

  Kind kind_;
  Vector3 point_;   ///< of a cylinder: its radius as x
  Vector3 normal_;  ///< of a plane
};

enum class Way { forward, backward, either };

enum class Landing {
  there,
  missed,    ///< there is no such point within half a turn
  left_map,  ///< the field map ends before
};

/// Moves a state to the goal. With derivatives (N > 0), those are on the goal
/// afterwards: of the point and direction where the goal is met.
/// A state that is at the goal to rounding stays there, whatever the way.
/// @param bend  t' at the goal, 1/mm; may be null
template <int N>
Landing fly_onto(const Field& field, const FlightGoal& goal, Way way,
                 FlightState<N>& state, Vector3* bend = nullptr);

}  // namespace gttf
