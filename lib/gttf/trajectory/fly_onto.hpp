// SPDX-License-Identifier: Apache-2.0
// fly_onto: a track state through any field onto a surface, either way.
#pragma once

#include "gttf/trajectory/flight.hpp"

namespace gttf {

/// Where a flight is to end: the zero of a function of position and direction.
class FlightGoal {
 public:
  /// A surface; a cylinder is met outwards.
  FlightGoal(const SurfaceLevel& surface) : surface_(surface) {}
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
    if (!is_perigee_)
      return surface_.gradient(s.position).transpose() * s.d_position;
    const Vector3 x = s.position - surface_.point();
    return s.direction.template head<2>().transpose() *
               s.d_position.template topRows<2>() +
           x.template head<2>().transpose() *
               s.d_direction.template topRows<2>();
  }
  /// Distance from the origin beyond which a path need not be followed.
  double reach(const Vector3& from) const;

 private:
  SurfaceLevel surface_;
  bool is_perigee_ = false;  ///< about the line along z through its point
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
