// SPDX-License-Identifier: Apache-2.0
// FlightState: a charged particle at a point of its path.
#pragma once

#include "gttf/core/matrix.hpp"

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

}  // namespace gttf
