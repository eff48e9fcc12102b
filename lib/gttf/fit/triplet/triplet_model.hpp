// SPDX-License-Identifier: Apache-2.0
// TripletModel: the linear system of the global triplet fit around a reference
// helix, error by error.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "gttf/fit/track/errors.hpp"
#include "gttf/fit/triplet/triplet_track.hpp"

namespace gttf::detail {

/// What the fit is asked for: the state on the surface of the first measuring
/// layer, after its scattering, and the perigee parameters at the start; kappa
/// is kept apart.
struct Output {
  enum Index : int { u, v, phi, theta, d0, z0, phi0, theta0, size };
};
using OutputVector = Eigen::Matrix<double, Output::size, 1>;

/// One independent error: a coordinate of a hit, or a scattering angle between
/// two hits. Entries are the changes per standard deviation.
struct NuisanceError {
  Eigen::Index first_row = 0;
  Eigen::Index n_rows = 0;
  std::array<double, 6> kinks{};  ///< of rows first_row, ...: theta, phi, ...
  OutputVector outputs = OutputVector::Zero();
  Eigen::Index hit = -1;           ///< which hit it moves, -1: none
  Eigen::Vector2d in_plane{0, 0};  ///< by how much along u and v
  /// The coordinate is not measured: the standard deviation used here is only
  /// an auxiliary one, and the error is a free parameter of the fit on top.
  bool unmeasured = false;
};

/// kinks = rho kappa + sum over errors, rows theta_0, phi_0, theta_1, ...
struct TripletModel {
  Eigen::Index n_hits = 0;  ///< a hit at the start included
  bool start_hit = false;
  Eigen::VectorXd kink_sigma;  ///< own scattering of the middle hits, rad
  Eigen::VectorXd rho;         ///< d(kinks)/d(kappa), mm
  /// d(outputs)/d(kappa) with all hits fixed.
  OutputVector output_slope = OutputVector::Zero();
  std::vector<NuisanceError> nuisances;  ///< in order of flight
  double smallest_inverse_index = 1;     ///< over the segments between hits
};

/// @param auxiliary_scale  auxiliary standard deviation of unmeasured
///   coordinates in units of the length of the adjacent segment, > 0; the
///   covariance does not depend on it
TripletModel make_triplet_model(const TripletTrack& track, Errors errors,
                                double auxiliary_scale = 1);

/// What the scattering of the first measuring layer and of everything inside it
/// adds to the perigee parameters, if no hit lies inside.
Matrix5 inner_scattering(const TripletTrack& track);

}  // namespace gttf::detail
