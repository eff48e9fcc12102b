// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/map_step.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace gttf {

namespace {

/// Errors of one step that are tolerated; the end itself is better by an
/// order of the step.
constexpr double position_tolerance = 1e-9;    // mm
constexpr double direction_tolerance = 1e-12;  // rad

// Formulas of order 5(4), seven stages, the last one the first of the next.
constexpr int stages = 7;
constexpr double node[stages][stages - 1] = {
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
constexpr double error_weight[stages] = {
    71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
    -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

template <int N>
typename MapStep<N>::Columns columns_of(const FlightState<N>& s) {
  typename MapStep<N>::Columns y;
  y.col(0) = s.position;
  y.col(1) = s.direction;
  if constexpr (N > 0) {
    y.template middleCols<N>(2) = s.d_position;
    y.template rightCols<N>() = s.d_direction;
  }
  return y;
}

Eigen::Matrix3d cross_matrix(const Vector3& v) {
  Eigen::Matrix3d m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

}  // namespace

template <int N>
bool MapStep<N>::slope(const FieldMap& map, const Columns& y, Columns& k,
                       Vector3& field) const {
  const Vector3 t = y.col(1);
  if constexpr (N == 0) {
    if (!map.at(y.col(0), field)) return false;
    k.col(0) = t;
    k.col(1) = begin_.qop * t.cross(field);
  } else {
    Eigen::Matrix3d gradient;
    if (!map.at(y.col(0), field, gradient)) return false;
    const Vector3 force = t.cross(field);
    k.col(0) = t;
    k.col(1) = begin_.qop * force;
    k.template middleCols<N>(2) = y.template rightCols<N>();
    const Eigen::Matrix3d by_position =
        begin_.qop * (cross_matrix(t) * gradient);
    const Eigen::Matrix3d by_direction = -begin_.qop * cross_matrix(field);
    k.template rightCols<N>().noalias() =
        by_position * y.template middleCols<N>(2);
    k.template rightCols<N>().noalias() +=
        by_direction * y.template rightCols<N>();
    k.template rightCols<N>().noalias() += force * begin_.d_qop;
  }
  return true;
}

template <int N>
bool MapStep<N>::take(const FieldMap& map, const FlightState<N>& from,
                      double length) {
  begin_ = from;
  length_ = length;
  const Columns y = columns_of(from);
  if (!knows_begin_ && !slope(map, y, slope_begin_, field_begin_)) return false;
  knows_begin_ = true;
  Columns k[stages];
  Vector3 field[stages];
  k[0] = slope_begin_;
  field[0] = field_begin_;
  Columns at = y;
  for (int i = 1; i < stages; ++i) {
    at = (length * node[i][0]) * k[0];
    for (int j = 1; j < i; ++j)
      if (node[i][j] != 0) at += (length * node[i][j]) * k[j];
    at += y;
    if (!slope(map, at, k[i], field[i])) return false;
  }
  slope_end_ = k[stages - 1];
  field_end_ = field[stages - 1];
  end_.position = at.col(0);
  end_.direction = at.col(1);
  end_.qop = begin_.qop;
  if constexpr (N > 0) {
    end_.d_position = at.template middleCols<N>(2);
    end_.d_direction = at.template rightCols<N>();
    end_.d_qop = begin_.d_qop;
  }
  Eigen::Matrix<double, 3, 2> error = Eigen::Matrix<double, 3, 2>::Zero();
  integral_ = Vector3::Zero();
  for (int i = 0; i < stages; ++i) {
    error += (length * error_weight[i]) * k[i].template leftCols<2>();
    if (i + 1 < stages) integral_ += (length * node[stages - 1][i]) * field[i];
  }
  error_ = std::max(error.col(0).norm() / position_tolerance,
                    error.col(1).norm() / direction_tolerance);
  return true;
}

template <int N>
void MapStep<N>::look(double l, Vector3& position, Vector3& direction) const {
  const double h = length_, s = l / h;
  const Vector3& x0 = begin_.position;
  const Vector3& t0 = begin_.direction;
  const Vector3 a0 = slope_begin_.col(1), a1 = slope_end_.col(1);
  // what the parabola from the begin misses at the end
  const Vector3 dx = end_.position - x0 - h * t0 - (0.5 * h * h) * a0;
  const Vector3 dt = h * (end_.direction - t0 - h * a0);
  const Vector3 da = (h * h) * (a1 - a0);
  const Vector3 c3 = 10 * dx - 4 * dt + 0.5 * da;
  const Vector3 c4 = -15 * dx + 7 * dt - da;
  const Vector3 c5 = 6 * dx - 3 * dt + 0.5 * da;
  position =
      x0 + l * t0 + (0.5 * l * l) * a0 + (s * s * s) * (c3 + s * (c4 + s * c5));
  direction =
      t0 + l * a0 + (s * s / h) * (3 * c3 + s * (4 * c4 + (5 * s) * c5));
}

template class MapStep<0>;
template class MapStep<track_dim>;
template class MapStep<7>;

}  // namespace gttf
