// SPDX-License-Identifier: Apache-2.0
// Vectors of matrices as vectors of formulas, and back.
#pragma once

#include "gttf/core/matrix.hpp"
#include "gttf/triplet/segment.hpp"

namespace gttf {

inline Cartesian<double> cartesian(const Vector3& v) {
  return {v[0], v[1], v[2]};
}
inline Vector3 vector_of(const Cartesian<double>& c) { return {c.x, c.y, c.z}; }

}  // namespace gttf
