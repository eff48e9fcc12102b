// SPDX-License-Identifier: Apache-2.0
// Small matrices and the names of their rows; vectors as those of formulas.
#pragma once

#include <Eigen/Core>

#include "gttf/core/cartesian.hpp"
#include "gttf/core/track_dim.hpp"

namespace gttf {

using Matrix5 = Eigen::Matrix<double, track_dim, track_dim>;
using Vector5 = Eigen::Matrix<double, track_dim, 1>;
using Vector3 = Eigen::Vector3d;

inline Cartesian<double> cartesian(const Vector3& v) {
  return {v[0], v[1], v[2]};
}
inline Vector3 vector_of(const Cartesian<double>& c) { return {c.x, c.y, c.z}; }

/// Order of the track parameters at the start point: the perigee with respect
/// to it. Inside the fit the fifth is the 3D curvature kappa [1/mm], outside it
/// is q/p [e/GeV]. Unscoped, so that `cov(Perigee::d0, Perigee::phi)` indexes.
struct Perigee {
  enum Index : int { d0, z0, phi, theta, qop, kappa = qop };
};

/// Order of the parameters on the surface of the first measuring layer.
struct OnSurface {
  enum Index : int { u, v, phi, theta, qop };
};

}  // namespace gttf
