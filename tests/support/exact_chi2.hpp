// SPDX-License-Identifier: Apache-2.0
// The exact chi2 of a track, minimised by brute force: the independent opinion
// on the fits of data.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "gttf/fit/track/hits.hpp"

namespace gttf::test {

/// chi2 = sum (residual/sigma)^2 + sum (kink/sigma_kink)^2 over the five
/// parameters of a helix at the first point and two kinks at every point
/// between the first and the last hit. Exact propagation with automatic
/// derivatives, dense Gauss-Newton, no triplets and no filters.
/// The variance of azimuthal kinks is theta0^2/sin^2 of the mean polar angle of
/// the track there, held fixed in each step.
struct ExactChi2 {
  double kappa = 0, sigma = 0, chi2 = 0;
  /// x, y, z of the track on every point's surface, and its directions theta,
  /// phi before and after the kink.
  struct Point {
    Vector3 position;
    double theta_before, phi_before, theta_after, phi_after;
    Eigen::MatrixXd gradient;  ///< rows x y z theta phi after the kink
  };
  std::vector<Point> points;
  Eigen::MatrixXd covariance;  ///< of start parameters and kinks
  /// x y z phi theta kappa at the first point.
  std::vector<double> parameters;

  /// @param start  phi, theta and kappa near the minimum
  ExactChi2(const TrackHits& track, double phi, double theta, double kappa0);
};

}  // namespace gttf::test
