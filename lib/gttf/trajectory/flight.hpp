// SPDX-License-Identifier: Apache-2.0
// Flight: a charged particle on its way through any field, leg by leg.
#pragma once

#include <Eigen/Geometry>
#include <cstddef>
#include <vector>

#include "gttf/core/matrix.hpp"
#include "gttf/detector/field.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf {

/// A particle and its derivatives with respect to N parameters, those of
/// position and direction at a fixed path length.
template <int N>
struct FlightState {
  Vector3 position;   ///< mm
  Vector3 direction;  ///< unit vector
  double qop = 0;     ///< q/p, e/GeV
  Eigen::Matrix<double, 3, N> d_position = Eigen::Matrix<double, 3, N>::Zero();
  Eigen::Matrix<double, 3, N> d_direction = Eigen::Matrix<double, 3, N>::Zero();
  Eigen::Matrix<double, 1, N> d_qop = Eigen::Matrix<double, 1, N>::Zero();
};

/// Why a leg ends where it does.
enum class LegEnd {
  open,       ///< nothing of interest behind it
  step,       ///< the next leg continues
  boundary,   ///< of a dipole's gap
  half_turn,  ///< the particle has turned by pi
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
  /// @param reach  distance from the origin beyond which there is nothing, mm
  Flight(const Field& field, const FlightState<N>& start, double reach);

  /// Length of the present leg, mm, and what is at its end.
  double leg() const { return leg_; }
  LegEnd leg_end() const { return leg_end_; }
  /// Path from the start to the state, mm.
  double path() const { return path_ + at_; }

  /// Position and direction at the path `l` in the present leg.
  void look(double l, Vector3& position, Vector3& direction) const;
  /// Moves the state there; not backwards.
  void fly_to(double l);
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
  void meet_faces();
  /// The field at the state; needs the sides.
  void enter_field();
  /// The state goes on with another bend than the one `before`, from wherever
  /// it meets the surface with this normal.
  void cross_boundary(const Vector3& before, const Vector3& normal);

  const Field* model_;
  double reach_;
  FlightState<N> begin_, state_;
  Vector3 end_position_, end_direction_;  ///< of the leg
  Vector3 field_ = Vector3::Zero();       ///< at the state, GeV/(e mm)
  Vector3 turn_ = Vector3::Zero();        ///< until the leg's begin, rad
  std::vector<int> side_;  ///< of each gap: -1 before, 0 in, 1 behind it
  std::size_t next_gap_ = 0;
  int next_side_ = 0;
  double leg_ = 0;
  double path_ = 0, at_ = 0;  ///< of the leg's begin; of the state in the leg
  LegEnd leg_end_ = LegEnd::open;
};

}  // namespace gttf
