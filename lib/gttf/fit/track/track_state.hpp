// SPDX-License-Identifier: Apache-2.0
// The perigee parameters of a TrackState.
#pragma once

#include "gttf/core/track_parameters.hpp"

namespace gttf {

/// Perigee parameters (order of Perigee, with kappa) as function of a state.
struct PerigeeTransport {
  Vector5 parameters;
  Eigen::Matrix<double, track_dim, state_dim> jacobian;
};

/// Closest approach of the helix through `state` to the line through `origin`
/// along z. With c = kappa/sin(theta), u the transverse vector from origin,
/// ut, un its parts along the direction and to its left
///
///   N = sqrt(1 + 2 c un + c^2 u^2),  d0 = (2 un + c u^2)/(1 + N)
///   phi0 = phi - atan2(c ut, 1 + c un)
///   z0 = z - s cot(theta), s the arc from the closest approach
///
/// d0 is along (-sin phi0, cos phi0), phi0 in (-pi, pi]. Regular for straight
/// tracks; the closest approach is the one less than half a turn away.
/// Source: docs/theory/data-fits.md
PerigeeTransport to_perigee(const Vector6& state, const Vector3& origin);

}  // namespace gttf
