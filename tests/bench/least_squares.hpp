// SPDX-License-Identifier: Apache-2.0
// The yardstick of the benchmarks: a dense generalised least-squares fit.
#pragma once

#include "gttf/core/matrix.hpp"
#include "gttf/trajectory/track.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf::bench {

/// Covariance at the perigee of a track through exactly ten pixel cylinders:
/// helix, Jacobians and scattering, then (A^T V^-1 A)^-1 with matrices of fixed
/// size, V = hit errors + B W B^T.
Matrix5 dense_covariance(const TrackingGeometry& geometry, const Track& track);

}  // namespace gttf::bench
