// SPDX-License-Identifier: Apache-2.0
// Triplet: three hits as a linear relation between curvature and kink angles.
#pragma once

#include <array>
#include <cmath>

#include "gttf/fit/triplet/segment.hpp"

namespace gttf {

/// The representation of three consecutive hits x0, x1, x2 in the fit. The
/// kinks, i.e. direction after minus direction before x1, of a track of 3D
/// curvature kappa through the shifted hits x_k - delta_k are
///
///   kink_theta = theta_tilde + rho_theta kappa - sum_k h_theta,k . delta_k
///   kink_phi   = phi_tilde   + rho_phi   kappa - sum_k h_phi,k   . delta_k
///
/// delta = measured minus fitted position. Angles in rad, lengths in mm.
/// Source  [GTTF] eq:linearization_phi to eq:MS_phi_linearization; for the sign
/// of delta and kappa = -q B_z/p, see docs/theory/triplet.md
template <class S>
struct Triplet {
  S theta_tilde;  ///< Theta~: polar kink extrapolated to kappa = 0
  S phi_tilde;    ///< Phi~: azimuthal kink extrapolated to kappa = 0
  S rho_theta;    ///< d(kink_theta)/d(kappa) [mm]
  S rho_phi;      ///< d(kink_phi)/d(kappa) [mm], < 0 while both n > 0
  S kappa_perp;   ///< curvature of the circle through the hits [1/mm]
  std::array<Cartesian<S>, 3> h_theta;  ///< gradients of kink_theta [1/mm]
  std::array<Cartesian<S>, 3> h_phi;    ///< gradients of kink_phi [1/mm]
  Segment<S> first;                     ///< arc x0 -> x1
  Segment<S> second;                    ///< arc x1 -> x2
};

namespace detail {

/// Slopes and gradients of the kinks between two adjacent segments.
template <class S>
void join_segments(Triplet<S>& triplet) {
  const SegmentDerivatives<S> before = derivatives(triplet.first);
  const SegmentDerivatives<S> after = derivatives(triplet.second);
  triplet.rho_theta = after.polar_slope - before.polar_slope;
  triplet.rho_phi = -(after.azimuth_slope + before.azimuth_slope);
  // A shift of x0 shortens the first segment, one of x2 lengthens the second; a
  // common shift has no effect, which determines the value for x1.
  triplet.h_theta = {before.polar, -(before.polar + after.polar), after.polar};
  triplet.h_phi = {before.azimuth_end,
                   -(before.azimuth_end + after.azimuth_start),
                   after.azimuth_start};
}

/// theta of `second` minus theta of `first`, without cancellation.
template <class S>
S polar_kink(const Segment<S>& first, const Segment<S>& second) {
  using std::atan2;
  return atan2(second.arc * first.rise - first.arc * second.rise,
               first.arc * second.arc + first.rise * second.rise);
}

}  // namespace detail

/// 1/sin^2 of the mean polar angle, see sin_mean_theta().
template <class S>
S inverse_sin2_mean_theta(const Triplet<S>& triplet) {
  const S sine = triplet.first.sin_theta + triplet.second.sin_theta;
  const S cosine = triplet.first.cos_theta + triplet.second.cos_theta;
  return (sine * sine + cosine * cosine) / (sine * sine);
}

/// sin of the mean polar angle (theta_01 + theta_12)/2, which turns an
/// isotropic scattering angle into an azimuth: sigma_phi = sigma_MS / this.
/// Source  [GTTF] eq:sigma_phi_ms
template <class S>
S sin_mean_theta(const Triplet<S>& triplet) {
  using std::sqrt;
  const S sine = triplet.first.sin_theta + triplet.second.sin_theta;
  const S cosine = triplet.first.cos_theta + triplet.second.cos_theta;
  return sine / sqrt(sine * sine + cosine * cosine);
}

}  // namespace gttf
