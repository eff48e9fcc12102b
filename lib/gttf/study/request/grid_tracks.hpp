// SPDX-License-Identifier: Apache-2.0
// GridTracks: tracks of a grid of momentum and angle as arrays.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "gttf/resolution/batch.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf::detail {

/// Tracks of `n` consecutive points of the grid from `first` on.
class GridTracks {
 public:
  GridTracks(const StudyRequest& request, std::size_t first, std::size_t n)
      : p_(n), theta_(n), start_{request.phi,
                                 request.particle.mass,
                                 request.particle.charge,
                                 request.vertex[0],
                                 request.vertex[1],
                                 request.vertex[2]} {
    std::size_t angle = static_cast<std::size_t>(-1);
    double theta = 0, sine = 1;
    const bool by_pt = request.momentum.variable == MomentumAxis::Variable::pt;
    for (std::size_t i = 0; i < n; ++i) {
      const GridPoint point = grid_point(request, first + i);
      if (point.angle != angle) {
        angle = point.angle;
        theta = theta_of(request.angle, angle);
        sine = std::sin(theta);
      }
      theta_[i] = theta;
      p_[i] = request.momentum.values[point.momentum];
      if (by_pt) p_[i] /= sine;
    }
  }

  TrackArrays views() const {
    const auto one = [this](std::size_t i) { return std::span(&start_[i], 1); };
    return {p_.size(), p_,     theta_, one(0), one(1),
            one(2),    one(3), one(4), one(5)};
  }

 private:
  std::vector<double> p_, theta_;
  std::array<double, 6> start_;
};

}  // namespace gttf::detail
