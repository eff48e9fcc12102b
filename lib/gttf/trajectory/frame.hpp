// SPDX-License-Identifier: Apache-2.0
// Frame: the axes of the fit, with the polar axis transverse to the track.
#pragma once

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
