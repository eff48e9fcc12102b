// SPDX-License-Identifier: Apache-2.0
// Flight: a charged particle on its way through any field, leg by leg.
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Geometry>

#include "gttf/core/matrix.hpp"
#include "gttf/detector/field.hpp"
#include "gttf/trajectory/flight_bounds.hpp"
#include "gttf/trajectory/map_step.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf {

/// Why a leg ends where it does.
enum class LegEnd {
  open,       ///< nothing of interest behind it
  step,       ///< the next leg continues
  boundary,   ///< of a dipole's gap
  half_turn,  ///< the particle has turned by pi, or is trapped
  map_edge,   ///< the field map ends here
};

/// Flies a particle, one leg after the other. A leg is a piece of the path on
/// which every point can be had; the state is moved to points of the leg in
/// order of the path.
///
/// The turn is the angle |integral of q/p B dl|: it counts forwards and
/// backwards, and equals the turn of the azimuth in a solenoid.
template <int N>
class Flight {
 public:
  /// @param bounds  of what is of interest; straight legs reach through it,
  ///                and a map is left where it is left behind
  Flight(const Field& field, const FlightState<N>& start,
         const FlightBounds& bounds);

  /// Length of the present leg, mm, and what is at its end.
  double leg() const { return leg_; }
  LegEnd leg_end() const { return leg_end_; }
  /// Path from the start to the state, mm.
  double path() const { return path_ + at_; }

  /// Position and direction at the path `l` in the present leg.
  void look(double l, Vector3& position, Vector3& direction) const;
  /// Moves the state there; not backwards.
  void fly_to(double l);
  /// Moves the state to the surface met there, see find_crossing().
  void fly_onto(const SurfaceLevel& surface, double l);
  /// Flies to the end of the leg, through a boundary if there is one, and
  /// begins the next.
  void next_leg();

  /// The state where fly_to() has got to.
  const FlightState<N>& state() const { return state_; }
  /// t' there, 1/mm.
  Vector3 bend() const { return state_.qop * state_.direction.cross(field_); }
  /// Goes on from here with another momentum, lost at the surface with this
  /// `normal`; begins a leg.
  void change_qop(double qop, const Eigen::Matrix<double, 1, N>& d_qop,
                  const Vector3& normal);

  /// d(path at which a surface with this normal is met)/d(parameters), times
  /// -1: what to subtract to stay on the surface.
  Eigen::Matrix<double, 1, N> slip(const Vector3& normal) const {
    return (normal.transpose() * state_.d_position) /
           normal.dot(state_.direction);
  }

  /// Where, within the present leg, the path first gets from the `side` (+-1)
  /// of a surface to its other one; NaN if it does not, 0 if it is there.
  double find_crossing(const SurfaceLevel& surface, double side) const;

 private:
  void begin_leg();
  /// A particle may come back and forth between magnets for ever, or slide
  /// along the face of one: ends the flight.
  bool is_trapped();
  void begin_straight_leg();
  void begin_map_leg();
  /// Shortens the leg to where the particle has turned by pi, turning by
  /// `rotation` per path, and by no more than `longest_turn` at once.
  void limit_turn(const Vector3& rotation);
  void meet_faces();
  void fly_in_map(double l);
  /// Adds the path and the turn up to the state to those before the leg.
  void end_leg();
  /// The field at the state; needs the sides.
  void enter_field();
  /// The state goes on with another bend than the one `before`, from wherever
  /// it meets the surface with this normal.
  void cross_boundary(const Vector3& before, const Vector3& normal);

  const Field* model_;
  FlightBounds bounds_;
  FlightState<N> begin_, state_;
  Vector3 end_position_, end_direction_;  ///< of the leg
  Vector3 field_ = Vector3::Zero();       ///< at the state, GeV/(e mm)
  Vector3 turn_ = Vector3::Zero();        ///< until the leg's begin, rad
  MapStep<N> step_;                       ///< of the leg, in a map
  bool at_step_end_ = false;              ///< the state is the step's end
  Eigen::Matrix<double, 3, N> d_bend_ =   ///< at the state, in a map
      Eigen::Matrix<double, 3, N>::Zero();
  double next_step_ = 0;   ///< to try, mm
  std::vector<int> side_;  ///< of each gap: -1 before, 0 in, 1 behind it
  std::size_t next_gap_ = 0;
  int next_side_ = 0;
  double leg_ = 0;
  double path_ = 0, at_ = 0;  ///< of the leg's begin; of the state in the leg
  LegEnd leg_end_ = LegEnd::open;
  /// Legs so far, and those since the last that led anywhere.
  int legs_ = 0, legs_in_place_ = 0;
};

}  // namespace gttf
