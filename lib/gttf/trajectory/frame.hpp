// SPDX-License-Identifier: Apache-2.0
// Frame: the axes of the fit, with the polar axis transverse to the track.
#pragma once

#include <cmath>

#include "gttf/core/track_parameters.hpp"
#include "gttf/detector/field.hpp"

namespace gttf {

/// A cyclic permutation of the user's axes: the frame's z is the user's
/// `polar` axis, x and y follow it. Angles and perigee parameters of the fit
/// refer to the frame; positions and directions stay in the user's axes.
struct Frame {
  Axis polar = Axis::z;

  /// From the user's axes into the frame's.
  Vector3 into(const Vector3& v) const {
    switch (polar) {
      case Axis::x:
        return {v.y(), v.z(), v.x()};
      case Axis::y:
        return {v.z(), v.x(), v.y()};
      case Axis::z:
      case Axis::none:
        break;
    }
    return v;
  }
  /// From the frame's axes into the user's.
  Vector3 out_of(const Vector3& v) const {
    switch (polar) {
      case Axis::x:
        return {v.z(), v.x(), v.y()};
      case Axis::y:
        return {v.y(), v.z(), v.x()};
      case Axis::z:
      case Axis::none:
        break;
    }
    return v;
  }
};

/// The frame for a track that starts along `direction` (unit vector): polar
/// axis along the main axis of the field, unless the track is within 20 deg of
/// it; then the first of y, x, z that is not.
Frame choose_frame(const Field& field, const Vector3& direction);

}  // namespace gttf

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
