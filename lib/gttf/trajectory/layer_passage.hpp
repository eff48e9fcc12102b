// SPDX-License-Identifier: Apache-2.0
// pass_layer: what a particle on its path undergoes in a layer.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

#include "gttf/trajectory/flight.hpp"
#include "gttf/trajectory/frame_angles.hpp"
#include "gttf/trajectory/traced_track.hpp"

namespace gttf::detail {

/// The direction at the start, user's axes.
Vector3 direction_of(const Track& track);

/// A track at its start, with the derivatives with respect to s.
FlightState<track_dim> start_state(const Track& track, const Frame& frame,
                                   double b_ref);

/// The inverse of d(u, v, phi, theta, kappa)/d(the same) over a distance, mm,
/// in units in which the matrix has no large elements.
Matrix5 inverse_map(const Matrix5& m, double distance);

/// What is the same for all layers of a track.
struct PassingTrack {
  const Track& track;
  const Frame& frame;
  double b_ref;  ///< 0: kappa is not a parameter
  EnergyLoss loss;
};

/// The layer that is passed.
struct PassedLayer {
  const SurfaceLevel& level;
  const SurfaceRecord& record;
  double x_over_x0;  ///< at normal incidence, at the crossing
  std::span<const LossSlab> slabs;
};

/// The momentum behind a layer.
struct BehindLayer {
  bool stopped = false;  ///< it does not leave the layer
  double qop = 0;        ///< q/p, e/GeV
  Eigen::Matrix<double, 1, track_dim> d_qop;
};

/// Describes a crossing: sets all of `x` but surface, path, material along the
/// track and what follows from it. The kink_loss_variance is that per theta0^2,
/// the xi of the stretch that of the layer.
/// @param s     on the surface
/// @param bend  t' there, 1/mm
/// @param slip  see Flight::slip()
/// @param x     with its path
/// @return  nothing if no energy is lost
std::optional<BehindLayer> pass_layer(
    const PassedLayer& layer, const PassingTrack& track,
    const FlightState<track_dim>& s, const Vector3& bend,
    const Eigen::Matrix<double, 1, track_dim>& slip, TracedCrossing& x);

/// The variance of kappa after a crossing from the fluctuations of the loss in
/// its stretch, 1/mm^2.
double loss_variance(std::span<const LossSlab> slabs, const PassingTrack& track,
                     const TracedCrossing& x);

}  // namespace gttf::detail
