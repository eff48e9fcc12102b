// SPDX-License-Identifier: Apache-2.0
// FrameAngles: a direction in the frame of a fit.
#pragma once

#include <cmath>

#include "gttf/core/matrix.hpp"
#include "gttf/trajectory/frame.hpp"

namespace gttf::detail {

/// A direction in a frame, with its unit vectors in the user's axes. Along the
/// polar axis its azimuth is 0.
struct FrameAngles {
  Vector3 components;  ///< in the frame
  double sin_theta;
  Vector3 along_theta, along_phi;

  FrameAngles(const Frame& frame, const Vector3& direction);

  double theta() const { return std::atan2(sin_theta, components.z()); }
  double phi() const { return std::atan2(components.y(), components.x()); }
};

/// The unit vector in the user's axes that has these angles in the frame.
Vector3 direction_of(const Frame& frame, double theta, double phi);

}  // namespace gttf::detail
