// SPDX-License-Identifier: Apache-2.0
// What a streaming fit says of one hit: residual and errors.
#pragma once

#include "gttf/fit/track/prefit.hpp"
#include "gttf/fit/triplet/global_fit.hpp"

namespace gttf::detail {

/// The measured coordinates of a hit at a node of the reference and, last,
/// kappa as functions of the line at the start.
template <class Reference, class Node>
Eigen::Matrix<double, 3, 5> hit_functions(const Reference& reference,
                                          const Node& node,
                                          const TrackHit& hit) {
  Eigen::Matrix<double, 3, 5> functions = Eigen::Matrix<double, 3, 5>::Zero();
  for (int q = 0; q < hit.n_coordinates; ++q) {
    const auto row =
        reference.row(node, hit.coordinates[static_cast<std::size_t>(q)]);
    for (int i = 0; i < 5; ++i)
      functions(q, i) = row[static_cast<std::size_t>(i)];
  }
  functions(2, 4) = 1;
  return functions;
}

/// Sets residual and covariances of `fit`.
/// @param position    fitted
/// @param covariance  of hit_functions()
inline void set_fitted(const TrackHit& hit, const Vector3& position,
                       const Eigen::Matrix3d& covariance, HitFit& fit) {
  fit.residual = coordinate_residuals(hit, position);
  fit.fitted_covariance = covariance.topLeftCorner<2, 2>();
  fit.fitted_with_kappa = covariance.col(2).head<2>();
  fit.residual_covariance = -fit.fitted_covariance;
  for (int q = 0; q < hit.n_coordinates; ++q)
    fit.residual_covariance(q, q) +=
        hit.coordinates[static_cast<std::size_t>(q)].variance;
}

}  // namespace gttf::detail
