// SPDX-License-Identifier: Apache-2.0
// A resolved track as input of PlaneLeastSquares.
#pragma once

#include <cmath>
#include <vector>

#include "gttf/resolution/resolution.hpp"
#include "support/plane_least_squares.hpp"

namespace gttf::test {

inline PlaneLeastSquares::State state_of(const Track& t) {
  const double tangent = std::tan(t.theta);
  return {t.vertex[0], t.vertex[1], tangent * std::cos(t.phi),
          tangent * std::sin(t.phi), t.charge / t.p};
}

/// The planes of a detector as a resolution met them, without energy loss.
inline std::vector<PlaneLeastSquares::Plane> planes_of(const Detector& d,
                                                       const Resolution& r) {
  std::vector<PlaneLeastSquares::Plane> planes;
  for (const CrossingInfo& c : r.crossings) {
    const Layer& layer = d.layers[c.layer];
    PlaneLeastSquares::Plane plane;
    plane.z = layer.surface.position;
    plane.theta0_2 = c.theta0 * c.theta0;
    for (const Coordinate& m : layer.coordinates)
      plane.coordinates.emplace_back(std::cos(m.angle), std::sin(m.angle),
                                     m.sigma * m.sigma);
    planes.push_back(plane);
  }
  return planes;
}

}  // namespace gttf::test
