// SPDX-License-Identifier: Apache-2.0
// PointColumns: the columns that say which track of which detector a row is of.
#pragma once

#include <cstddef>

#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/request.hpp"
#include "gttf/trajectory/track.hpp"

namespace gttf {

/// A point of a request's grid: indices on its two axes.
struct GridPoint {
  std::size_t momentum = 0;
  std::size_t angle = 0;
};

/// All points: angle outer, momentum inner.
std::vector<GridPoint> grid_points(const StudyRequest& request);

/// The track of a grid point.
Track grid_track(const StudyRequest& request, GridPoint point);

/// How a track of the request is resolved in `detector`. Throws InputError if
/// the detector does not have the layer that the request asks for.
Model model_of(const StudyRequest& request, const Detector& detector,
               Engine engine = Engine::streaming);

/// Angle in degrees; values within rounding of a short decimal are written as
/// it: 60 deg read as radians and back is 60, not 59.99999999999999.
double in_degrees(double angle);

/// Columns detector, particle, p_GeV, pt_GeV, theta_deg, eta, phi_deg.
class PointColumns {
 public:
  void reserve(std::size_t rows);
  /// Values of the request's axes are written as the user gave them.
  void add(const Detector& detector, const StudyRequest& request,
           GridPoint point);
  std::size_t rows() const { return detector_.size(); }
  /// Puts the columns at the end of `table`.
  void move_to(Table& table) &&;

 private:
  Texts detector_, particle_;
  Reals p_, pt_, theta_, eta_, phi_;
};

}  // namespace gttf
