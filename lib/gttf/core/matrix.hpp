// SPDX-License-Identifier: Apache-2.0
// Small matrices, and vectors as those of formulas.
#pragma once

#include "gttf/core/cartesian.hpp"
#include "gttf/core/track_parameters.hpp"

namespace gttf {

inline Cartesian<double> cartesian(const Vector3& v) {
  return {v[0], v[1], v[2]};
}
inline Vector3 vector_of(const Cartesian<double>& c) { return {c.x, c.y, c.z}; }

}  // namespace gttf
