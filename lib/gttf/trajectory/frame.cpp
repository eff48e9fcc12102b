// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/frame.hpp"

#include <cmath>

#include "gttf/core/units.hpp"

namespace gttf {

Frame choose_frame(const Field& field, const Vector3& direction) {
  const double near = std::cos(20 * unit::deg);
  for (const Axis axis : {field.axis, Axis::y, Axis::x, Axis::z})
    if (std::abs(direction[static_cast<int>(axis)]) < near) return {axis};
  return {field.axis};  // unreachable: no direction is close to two axes
}

}  // namespace gttf
