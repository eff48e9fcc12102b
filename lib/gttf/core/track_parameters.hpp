// SPDX-License-Identifier: Apache-2.0
// Track parameters: their names and order.
#pragma once

#include <Eigen/Core>

#include "gttf/core/track_dim.hpp"

namespace gttf {

using Vector3 = Eigen::Vector3d;
using Vector5 = Eigen::Matrix<double, track_dim, 1>;
using Matrix5 = Eigen::Matrix<double, track_dim, track_dim>;

/// Order of the track parameters at the perigee with respect to the start
/// point. Inside the fit the fifth is the 3D curvature kappa [1/mm], outside it
/// is q/p [e/GeV]. Unscoped, so that `cov(Perigee::d0, Perigee::phi)` indexes.
struct Perigee {
  enum Index : int { d0, z0, phi, theta, qop, kappa = qop };
};

/// Order of the parameters on the surface of the first measuring layer.
struct OnSurface {
  enum Index : int { u, v, phi, theta, qop };
};

/// x, y, dx/dz, dy/dz and, as the fifth, curvature or q/p on a plane z = const.
struct OnPlane {
  enum Index : int { x, y, tx, ty, qop, kappa = qop };
};

/// Position, direction and curvature: one more than the independent parameters,
/// since the position may be any point along the track.
inline constexpr int state_dim = track_dim + 1;
using Vector6 = Eigen::Matrix<double, state_dim, 1>;
using Matrix6 = Eigen::Matrix<double, state_dim, state_dim>;

/// Order of the parameters of a track state.
struct StateIndex {
  enum Index : int { x, y, z, theta, phi, kappa };
};

/// Track parameters at a point; mm, rad, 1/mm. The position is on the surface,
/// so the covariance has rank 5.
struct TrackState {
  Vector6 parameters;
  Matrix6 covariance;
};

}  // namespace gttf
