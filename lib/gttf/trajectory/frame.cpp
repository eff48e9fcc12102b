// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/frame.hpp"

#include <cmath>

#include "gttf/core/units.hpp"
#include "gttf/trajectory/frame_angles.hpp"

namespace gttf {

Frame choose_frame(const Field& field, const Vector3& direction) {
  const double near = std::cos(20 * unit::deg);
  for (const Axis axis : {field.axis, Axis::y, Axis::x, Axis::z})
    if (std::abs(direction[static_cast<int>(axis)]) < near) return {axis};
  return {field.axis};  // unreachable: no direction is close to two axes
}

}  // namespace gttf

namespace gttf::detail {

FrameAngles::FrameAngles(const Frame& frame, const Vector3& direction)
    : components(frame.into(direction)),
      sin_theta(std::hypot(components.x(), components.y())) {
  const double c = sin_theta > 0 ? components.x() / sin_theta : 1;
  const double s = sin_theta > 0 ? components.y() / sin_theta : 0;
  along_theta =
      frame.out_of({components.z() * c, components.z() * s, -sin_theta});
  along_phi = frame.out_of({-s, c, 0});
}

Vector3 direction_of(const Frame& frame, double theta, double phi) {
  const double sine = std::sin(theta);
  return frame.out_of(
      {sine * std::cos(phi), sine * std::sin(phi), std::cos(theta)});
}

}  // namespace gttf::detail
