// SPDX-License-Identifier: Apache-2.0
// Coverage: what a detector shows to straight tracks from the origin.
#pragma once

#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"

namespace gttf {

/// Closed range of polar angles, rad; eta is -ln tan(theta/2).
struct PolarRange {
  double theta_min = 0;
  double theta_max = 0;

  double eta_min() const;  ///< -infinity along the negative z axis
  double eta_max() const;
};

/// Polar angles under which `surface` is seen from the origin, whatever the
/// azimuth. Exact: theta = atan2(rho, z) grows with the distance rho from the
/// axis and falls with z, so that its extremes lie at those of rho and z.
PolarRange polar_range(const Surface& surface);

/// Layers, hits and material against eta for straight tracks from the origin
/// at azimuth `phi` [rad], over the range of eta that measuring layers cover
/// but |eta| <= 4. Columns: eta, theta_deg, n_hits, n_layers, x_over_x0,
/// x_over_x0_inner (up to and with the first measuring layer, NaN without one).
Table material_profile(const Detector& detector, double phi = 0);

}  // namespace gttf
