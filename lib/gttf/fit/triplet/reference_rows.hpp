// SPDX-License-Identifier: Apache-2.0
// ReferenceRows: the triplets of a reference track as rows of the banded
// system, for its covariance.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "gttf/fit/track/errors.hpp"
#include "gttf/fit/triplet/band_system.hpp"
#include "gttf/fit/triplet/in_plane_arc.hpp"

namespace gttf::detail {

using WideMatrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;

/// A measuring crossing, with two independent errors of its position.
struct ReferenceHit {
  std::size_t crossing = 0;  ///< in ReferenceRows::crossings
  /// Shifts (u, v) by one standard deviation of each error, in columns, mm.
  Eigen::Matrix2d error = Eigen::Matrix2d::Zero();
  /// The second coordinate is not measured: its standard deviation is an
  /// auxiliary one, and its error a free parameter of the fit on top.
  bool unmeasured = false;
};

/// The rows of all triplets, see KinkRows; psi is zero.
struct ReferenceRows {
  /// @param auxiliary_scale  auxiliary standard deviation of unmeasured
  ///   coordinates in units of the length of the adjacent segment, > 0; the
  ///   covariance does not depend on it
  ReferenceRows(const TripletTrack& track, Errors errors,
                double auxiliary_scale);

  std::vector<TripletPoint> crossings;  ///< a hit at the start included
  std::vector<ReferenceHit> hits;
  std::vector<InPlaneArc> arcs;  ///< between hits
  std::size_t surface_hit = 0;   ///< hit on the first measuring layer
  std::vector<KinkRows<Wide>> rows;
  std::vector<Wide> scattering2;        ///< variances of the kink angles theta
  std::vector<PassiveSums<Wide>> sums;  ///< of every segment

 private:
  void set_errors(ReferenceHit& hit, Errors errors, double auxiliary_sigma);
  void set_row(const TripletTrack& track, std::size_t triplet);
  void add_passive(const TripletTrack& track, std::size_t segment);
};

}  // namespace gttf::detail
