// SPDX-License-Identifier: Apache-2.0
// What a detector shows to straight tracks from the origin.
#pragma once

#include <string>
#include <vector>

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
/// x_over_x0_tracker (up to and with the last measuring layer, NaN without
/// one), x_over_x0_inner (the same for the first).
Table material_profile(const Detector& detector, double phi = 0);

/// Layers and material of each group. Columns: group, n_layers, n_measuring,
/// and for directions with three hits (where there are none, with one)
/// x_over_x0_eta_1 or, along the z axis, x_over_x0_along_z: what of the group a
/// straight track crosses.
Table group_table(const Detector& detector, double phi = 0);

/// "11.8 % at eta 0, 23.5 % at eta 1": of straight tracks up to their last hit,
/// in the same directions; empty if there are none.
std::string material_text(const Detector& detector, double phi = 0);

}  // namespace gttf
