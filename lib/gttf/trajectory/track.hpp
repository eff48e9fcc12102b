// SPDX-License-Identifier: Apache-2.0
// Track: the particle whose resolution is asked for, where it starts and flies.
#pragma once

#include <array>
#include <string>

#include "gttf/core/units.hpp"

namespace gttf {

/// Particle type: mass and charge, as used for scattering and curvature.
struct Particle {
  std::string name = "pion";
  double mass = 0.13957039;  ///< GeV; charged pion [PDG24]
  double charge = -1;        ///< e, not 0
};

/// A track at its vertex.
struct Track {
  double p = 1;                    ///< momentum, GeV, > 0
  double theta = 90 * unit::deg;   ///< polar angle, rad, in (0, pi)
  double phi = 0;                  ///< azimuth of the momentum, rad
  double mass = 0.13957039;        ///< GeV, >= 0
  double charge = -1;              ///< e, not 0
  std::array<double, 3> vertex{};  ///< x, y, z, mm
};

}  // namespace gttf
