// SPDX-License-Identifier: Apache-2.0
// Flight: propagates a charged particle through any field, leg by leg.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "gttf/core/matrix.hpp"
#include "gttf/detector/field.hpp"
#include "gttf/detector/field_map.hpp"
#include "gttf/trajectory/map_step.hpp"
#include "gttf/trajectory/map_step_length.hpp"
#include "gttf/trajectory/surface_level.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"
#include "gttf/trajectory/turn.hpp"

// FlightBounds: a volume that contains the surfaces of a detector.
namespace gttf {

/// A box, and within it a cylinder about z, that contain all surfaces.
struct FlightBounds {
  Vector3 lower, upper;
  double radius = 0;

  explicit FlightBounds(const TrackingGeometry& geometry);
  /// All points within this distance of the origin.
  explicit FlightBounds(double distance);
  /// Outside and moving away.
  bool left_behind(const Vector3& x, const Vector3& t) const;
  /// Distance from the origin to the farthest corner.
  double reach() const;
};

// FlightState: a charged particle at a point of its path.

/// A particle and the derivatives of its position and direction with respect to
/// N parameters at a fixed path length.
template <int N>
struct FlightState {
  Vector3 position;   ///< mm
  Vector3 direction;  ///< unit vector
  double qop = 0;     ///< q/p, e/GeV
  Eigen::Matrix<double, 3, N> d_position = Eigen::Matrix<double, 3, N>::Zero();
  Eigen::Matrix<double, 3, N> d_direction = Eigen::Matrix<double, 3, N>::Zero();
  Eigen::Matrix<double, 1, N> d_qop = Eigen::Matrix<double, 1, N>::Zero();
};

/// Reason for the end of a leg.
enum class LegEnd {
  open,       ///< nothing relevant beyond it
  step,       ///< the next leg continues
  boundary,   ///< of a dipole's gap
  half_turn,  ///< the particle has turned as far as it may, or is trapped
  map_edge,   ///< the field map ends here
};

/// Flies a particle, one leg after the other. A leg is a piece of the path on
/// which every point can be evaluated; the state is moved to points of the leg
/// in order of the path.
///
/// The flight ends after a Turn of `most_turn`.
template <int N>
class Flight {
 public:
  /// @param bounds  of the relevant volume; straight legs cross it, and tracing
  ///                in a map ends when it is left
  /// @param most_turn  where the flight ends, rad. Beyond pi a map is followed
  ///                   to its edge: the particle may return.
  Flight(const Field& field, const FlightState<N>& start,
         const FlightBounds& bounds, double most_turn = half_a_turn);

  /// Length of the current leg, mm, and the reason for its end.
  double leg() const { return leg_; }
  LegEnd leg_end() const { return leg_end_; }
  /// Path from the start to the state, mm.
  double path() const { return path_ + at_; }

  /// Position and direction at the path `l` in the current leg.
  void look(double l, Vector3& position, Vector3& direction) const;
  /// Moves the state to this point; not backwards.
  void fly_to(double l);
  /// Flies to the end of the leg, through a boundary if there is one, and
  /// begins the next.
  void next_leg();

  /// The state after fly_to().
  const FlightState<N>& state() const { return state_; }
  /// t' there, 1/mm.
  Vector3 bend() const { return state_.qop * state_.direction.cross(field_); }
  /// Continues with another momentum after a loss at the surface with this
  /// `normal`; begins a leg.
  void change_qop(double qop, const Eigen::Matrix<double, 1, N>& d_qop,
                  const Vector3& normal);

  /// -d(path at which a surface with this normal is crossed)/d(parameters): the
  /// correction that keeps the state on the surface.
  Eigen::Matrix<double, 1, N> slip(const Vector3& normal) const {
    return (normal.transpose() * state_.d_position) /
           normal.dot(state_.direction);
  }

  /// The path within the current leg to the first passage from the `side` (+-1)
  /// of a surface to the other; NaN if there is none, 0 if already there.
  double find_crossing(const SurfaceLevel& surface, double side) const;
  /// The same from the path `from` in the leg on, for a surface that may have
  /// been crossed just there: a path that leads away from it on its `side` does
  /// not cross it at the begin.
  double find_next_crossing(const SurfaceLevel& surface, double side,
                            double from) const;

 private:
  /// The zero of the surface's function between `a` and `b`, where it has
  /// opposite signs.
  double zero_between(const SurfaceLevel& surface, double a, double b,
                      bool a_is_positive, double guess) const;
  void begin_leg();
  /// Ends the flight of a particle trapped between magnets or sliding along the
  /// face of one.
  bool is_trapped();
  void begin_straight_leg();
  void begin_map_leg();
  /// Shortens the leg to the point where the particle has turned by pi, at
  /// `rotation` per path, and by at most `longest_turn` per leg.
  void limit_turn(const Vector3& rotation);
  void meet_faces();
  void fly_in_map(double l);
  /// Adds the path and the turn up to the state to the sums before the leg.
  void end_leg();
  /// The field at the state; needs the sides.
  void enter_field();
  /// Updates the derivatives for a change of the bend from `before` at the
  /// surface with this normal.
  void cross_boundary(const Vector3& before, const Vector3& normal);

  const Field* model_;
  FlightBounds bounds_;
  double most_turn_;
  FlightState<N> begin_, state_;
  Vector3 end_position_, end_direction_;  ///< of the leg
  Vector3 field_ = Vector3::Zero();       ///< at the state, GeV/(e mm)
  detail::Turn<double> turn_;             ///< until the leg's begin
  detail::MapStep<double> step_;          ///< of the leg, in a map
  bool at_step_end_ = false;              ///< the state is the step's end
  /// Derivatives of the state in the step.
  std::array<detail::ChangeInStep<double>, N> changes_;
  std::optional<detail::MapStepLength<double>> steps_;  ///< in a map
  std::vector<int> side_;  ///< of each gap: -1 before, 0 inside, 1 after it
  std::size_t next_gap_ = 0;
  int next_side_ = 0;
  double leg_ = 0;
  double path_ = 0, at_ = 0;  ///< of the leg's begin; of the state in the leg
  LegEnd leg_end_ = LegEnd::open;
  /// Number of legs, and of legs since the last with finite length.
  int legs_ = 0, legs_in_place_ = 0;
};

// fly_onto: propagates a track state in any field to a surface, in both
// directions.

/// End condition of a flight: the zero of a function of position and direction.
class FlightGoal {
 public:
  /// A surface; a cylinder is crossed outwards.
  FlightGoal(const SurfaceLevel& surface) : surface_(surface) {}
  /// The closest approach in the x-y plane to a line along z.
  static FlightGoal perigee(const Vector3& origin);

  /// Zero at the goal, with a change of sign; mm.
  double at(const Vector3& x, const Vector3& t) const;
  /// Its derivative along the path.
  /// @param bend  t', 1/mm
  double slope(const Vector3& x, const Vector3& t, const Vector3& bend) const;
  /// Its derivative with respect to position and direction.
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
  /// Distance from the origin beyond which a path is not followed.
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

/// Moves a state to the goal. Derivatives (N > 0) then refer to the point and
/// direction at the goal. A state already at the goal, to rounding, is not
/// moved.
/// @param bend  t' at the goal, 1/mm; may be null
template <int N>
Landing fly_onto(const Field& field, const FlightGoal& goal, Way way,
                 FlightState<N>& state, Vector3* bend = nullptr);

/// The same to the crossing of the goal near the path length `length`, mm
/// (backwards if negative), regardless of earlier crossings of the goal and of
/// the turn. Missed if the path crosses the goal in the opposite direction
/// compared with after `length`.
template <int N>
Landing fly_along(const Field& field, const FlightGoal& goal, double length,
                  FlightState<N>& state, Vector3* bend = nullptr);

}  // namespace gttf
