// SPDX-License-Identifier: Apache-2.0
// PointColumns: the columns that identify the detector and the track of a row.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gttf/core/columns.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/batch.hpp"
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

/// Its transverse momentum [GeV] and pseudorapidity, exactly as given by the
/// user if these are the axes; eta is exactly 0 at 90 deg.
double pt_of(const StudyRequest& request, GridPoint point);
double eta_of(const StudyRequest& request, GridPoint point);
/// Model for a track of the request in `detector`. Throws InputError if the
/// detector does not have the requested layer, or the engine does not support
/// it.
Model model_of(const StudyRequest& request, const Detector& detector,
               Engine engine = Engine::streaming);

/// Angle in degrees; values within rounding of a short decimal are written as
/// the decimal: 60 deg read as radians and back is 60, not 59.99999999999999.
double in_degrees(double angle);

/// Whether a track runs along the beam of a spectrometer or telescope, so that
/// position and slopes are used instead of perigee parameters.
bool along_beam(const Detector& detector, const Track& track);
/// Whether this applies to all tracks of the request, in all detectors.
bool along_beam(const StudyRequest& request,
                std::span<const Detector> detectors);

/// The detector and the track of a row.
struct PointRow {
  std::string_view detector, particle;
  double p = 0, pt = 0;  ///< GeV
  double theta_deg = 0, eta = 0, phi_deg = 0;
};

/// The same for a track that is not a point of a grid.
PointRow point_of(const Detector& detector, const StudyRequest& request,
                  const Track& track);

/// Creates rows of one detector and request, which must outlive it. Values of
/// the axes are written as given by the user.
class PointRows {
 public:
  PointRows(const Detector& detector, const StudyRequest& request)
      : detector_(&detector), request_(&request) {}
  PointRow at(GridPoint point);
  /// The same for a track created by grid_track().
  PointRow at(GridPoint point, double p, double theta);

 private:
  // Common data of the rows of one angle.
  struct Angle {
    std::optional<std::size_t> index;
    double sine = 0, theta_deg = 0, eta = 0;
  };
  void set_angle(std::size_t index, double theta);

  const Detector* detector_;
  const StudyRequest* request_;
  Angle angle_;
};

/// The columns of the track, of rows with a member `point`, a PointRow.
template <class Row>
inline constexpr std::array<ColumnOf<Row>, 7> point_columns{{
    {{"detector", "", "`name` of the detector file"},
     [](const Row& r) { return r.point.detector; }},
    {{"particle", "",
      "as given; for `custom` particles `input` of the JSON has mass and "
      "charge"},
     [](const Row& r) { return r.point.particle; }},
    {{"p_GeV", "GeV", "momentum at the vertex"},
     [](const Row& r) { return r.point.p; }},
    {{"pt_GeV", "GeV", "transverse momentum, p sin(theta)"},
     [](const Row& r) { return r.point.pt; }},
    {{"theta_deg", "deg", "polar angle from +z"},
     [](const Row& r) { return r.point.theta_deg; }},
    {{"eta", "1", "-ln tan(theta/2)", "along z"},
     [](const Row& r) { return r.point.eta; }},
    {{"phi_deg", "deg", "azimuth of the momentum at the vertex"},
     [](const Row& r) { return r.point.phi_deg; }},
}};

/// These columns for tables that start with them.
class PointColumns {
 public:
  PointColumns();
  void add(const Detector& detector, const StudyRequest& request,
           GridPoint point);
  std::size_t rows() const { return rows_.rows(); }
  /// Appends the columns to `table`.
  void move_to(Table& table) &&;

 private:
  struct Row {
    PointRow point;
  };
  RowTable<Row> rows_;
};

}  // namespace gttf

namespace gttf::detail {

/// Tracks of `n` consecutive points of the grid from `first`.
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
