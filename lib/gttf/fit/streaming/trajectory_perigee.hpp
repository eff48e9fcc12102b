// SPDX-License-Identifier: Apache-2.0
// Track parameters from a fit in any field: at the origin and on surfaces.
#pragma once

#include <cmath>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/streaming/five_equations.hpp"
#include "gttf/fit/streaming/kinked_trajectory.hpp"
#include "gttf/fit/triplet/global_fit.hpp"

namespace gttf::detail {

/// Factor of the variances given for TrackHits::kappa_ref.
struct FitWeights {
  bool scatters = true;
  double ratio = 1;  ///< kappa of the weights over kappa_ref
  /// In layers with energy loss the variances are those of the momentum of the
  /// fitted track there.
  bool follow_track = false;
  double widening = 1;  ///< factor of the variances of angles

  double scattering() const { return scatters ? widening * ratio * ratio : 0; }
};

/// A particle in a layer.
struct LayerMomentum {
  double before, behind;  ///< GeV
};

/// Factor of TrackHit::theta0_2 of a layer: angles are proportional to
/// 1/(p beta), from the momentum before the layer to that after it.
double scattering_weight(const TrackHits& track, const HitLoss& loss,
                         const FitWeights& weights, const LayerMomentum& p);

/// Variance of kappa after a layer from straggling, 1/mm^2.
double straggling_variance(const TrackHits& track, const HitLoss& loss,
                           const FitWeights& weights, const LayerMomentum& p);

/// F Z, with the linear functions F (rows) of the start parameters, and Z as
/// below.
template <int n>
Eigen::Matrix<double, n, track_dim> times_root(
    const FiveEquations<double>& e,
    const Eigen::Matrix<double, n, track_dim>& functions) {
  Eigen::Matrix<double, n, track_dim> z;
  for (int i = 0; i < n; ++i) {
    Row<double> a;
    for (int j = 0; j < track_dim; ++j)
      a[static_cast<std::size_t>(j)] = functions(i, j);
    const Row<double> x = express(e, a);
    for (int j = 0; j < track_dim; ++j) {
      const auto index = static_cast<std::size_t>(j);
      z(i, j) = x[index] * std::sqrt(e.v[index]);
    }
  }
  return z;
}

/// A matrix Z with Z Z^T = covariance of the start parameters.
Matrix5 square_root(const FiveEquations<double>& e);
Matrix5 square_root(const Matrix5& covariance);

/// Covariance of linear functions (rows) of the start parameters.
template <int n>
Eigen::Matrix<double, n, n> covariance_of(
    const Matrix5& root, const Eigen::Matrix<double, n, track_dim>& functions) {
  return square(product(functions, root));
}

/// A state in the user's axes: x, y, z, theta, phi, kappa there.
TrackState track_state(const TrackHits& track, const TrajectoryState& state,
                       const Matrix5& root);

/// Propagates from the first measured point back through the layers inside,
/// restoring their energy loss, to the origin. Fills kappa and sigma, perigee
/// and start plane and their covariances; values that do not exist remain NaN.
/// @param root   square root of the covariance of the start parameters
/// @param first  index of the first measured point, on whose surface `state` is
void set_trajectory_perigee(const TrackHits& track, std::size_t first,
                            TrajectoryState state, const Matrix5& root,
                            const FitWeights& weights, GlobalFit& result);

}  // namespace gttf::detail
