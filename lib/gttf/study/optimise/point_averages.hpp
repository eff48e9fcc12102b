// SPDX-License-Identifier: Apache-2.0
// Averages over azimuth, vertices and patterns of hits at the points of a
// search, and the derivatives of mean errors.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "gttf/core/table.hpp"
#include "gttf/study/optimise/design_slopes.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

/// scan_averages() at these points: a row for each track, in order. The axes of
/// the request are not used.
Table averages_at(const StudyRequest& request, const Detector& detector,
                  std::span<const Track> points);

/// What tracks must keep where a design is changed: the mean number of hits and
/// the efficiency of a point, reduced by the errors of the sample. A column of
/// averages without errors is exact.
struct KeptAverage {
  double hits = 0, efficiency = 0;
};
std::vector<KeptAverage> kept_averages(const Table& averages);
bool keeps(const Table& averages, std::size_t row, const KeptAverage& least);

/// Derivatives of the mean error of a parameter at some points with respect to
/// the variables: a row for each point. Hits and weights of the tracks are
/// those of this design: derivatives are exact unless a track of the sample is
/// at the edge of a sensor.
/// @param layers  as in DesignSlopes::variance_slopes()
/// @pre slopes.in_batches(), not of efficiencies
std::vector<Eigen::MatrixXd> mean_error_slopes(
    const StudyRequest& request, const Model& model, const Detector& detector,
    std::span<const Track> points, std::span<const Parameter> parameters,
    const DesignNumbers& design, const DesignSlopes& slopes,
    std::span<const std::size_t> layers);

}  // namespace gttf
