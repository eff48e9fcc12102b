// SPDX-License-Identifier: Apache-2.0
// PointColumns: the columns that say which track of which detector a row is of.
#pragma once

#include <cstddef>
#include <optional>

#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/trajectory/track.hpp"

namespace gttf {

/// A point of a request's grid: indices on its two axes.
struct GridPoint {
  std::size_t momentum = 0;
  std::size_t angle = 0;
};

/// All points: angle outer, momentum inner.
std::vector<GridPoint> grid_points(const StudyRequest& request);

/// All points of the grid, without a list of them.
std::size_t n_grid_points(const StudyRequest& request);
GridPoint grid_point(const StudyRequest& request, std::size_t index);

/// The track of a grid point.
Track grid_track(const StudyRequest& request, GridPoint point);

/// Its transverse momentum [GeV] and pseudorapidity, as the user gave them if
/// the axes are these; eta is 0 at 90 deg without rounding.
double pt_of(const StudyRequest& request, GridPoint point);
double eta_of(const StudyRequest& request, GridPoint point);
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
  /// The same for a track that grid_track() has made.
  void add(const Detector& detector, const StudyRequest& request,
           GridPoint point, double p, double theta);
  std::size_t rows() const { return detector_.size(); }
  /// Puts the columns at the end of `table`.
  void move_to(Table& table) &&;

 private:
  // What the rows of one angle share.
  struct Angle {
    std::optional<std::size_t> index;
    double sine = 0, theta_deg = 0, eta = 0;
  };
  void set_angle(const StudyRequest& request, std::size_t index, double theta);

  Angle angle_;
  Texts detector_, particle_;
  Reals p_, pt_, theta_, eta_, phi_;
};

}  // namespace gttf
