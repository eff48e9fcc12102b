// SPDX-License-Identifier: Apache-2.0
// FlightState, MapStep: a charged particle at a point of its path, and one step
// of the integration of that path through a field map.
#pragma once

#include "gttf/core/matrix.hpp"
#include "gttf/detector/field_map.hpp"

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

/// A step along x' = t, t' = q/p t x B(x), together with the derivatives with
/// respect to N parameters (the variational equations), by the formulas of
/// Dormand and Prince of order 5 with their error estimate of order 4
/// [DormandPrince80].
template <int N>
class MapStep {
 public:
  /// What is integrated, side by side: position, direction, their derivatives.
  using Columns = Eigen::Matrix<double, 3, 2 + 2 * N>;

  /// Takes the step `length` from `from`, where it was tried before unless
  /// told otherwise. False if it leads out of the map.
  bool take(const FieldMap& map, const FlightState<N>& from, double length);

  double length() const { return length_; }
  const FlightState<N>& begin() const { return begin_; }
  const FlightState<N>& end() const { return end_; }
  const Vector3& field_at_begin() const { return field_begin_; }
  const Vector3& field_at_end() const { return field_end_; }
  /// d(bend)/d(parameters) at the end.
  Eigen::Matrix<double, 3, N> d_bend_at_end() const {
    return slope_end_.template rightCols<N>();
  }
  /// Integral of B over the step.
  const Vector3& field_integral() const { return integral_; }
  /// Error of the end, in units of what is tolerated.
  double error() const { return error_; }
  /// Position and direction within the step: the polynomial of degree 5 with
  /// position, direction and bend of both ends.
  void look(double l, Vector3& position, Vector3& direction) const;

  /// The next step begins where this one ends, with the same q/p.
  void begin_at_end() {
    slope_begin_ = slope_end_;
    field_begin_ = field_end_;
    knows_begin_ = true;
  }
  /// The next step begins elsewhere.
  void begin_anew() { knows_begin_ = false; }

 private:
  bool slope(const FieldMap& map, const Columns& y, Columns& k,
             Vector3& field) const;

  FlightState<N> begin_, end_;
  Columns slope_begin_, slope_end_;
  Vector3 field_begin_, field_end_, integral_;
  double length_ = 0, error_ = 0;
  bool knows_begin_ = false;
};

}  // namespace gttf
