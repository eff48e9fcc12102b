// SPDX-License-Identifier: Apache-2.0
// Track: a particle with its start point, and how its path ends.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/units.hpp"

namespace gttf {

/// Particle type: mass and charge, as used for scattering and curvature.
struct Particle {
  std::string name = "pion";
  double mass = 0.13957039;  ///< GeV; charged pion [PDG24]
  double charge = -1;        ///< e, not 0
};

/// Mass and charge of a particle by name. A sign after the name sets the
/// charge: `pi+`, `mu-`, `proton`, `antiproton`, `e+`. Without a sign,
/// electron, muon, pion and kaon have charge -1, nuclei their positive charge.
/// Case is ignored.
/// @return  nothing if the name is unknown
/// Source   [PDG24] particle listings; nuclei [CODATA22]
std::optional<Particle> find_particle(std::string_view name);

/// Whether the name itself specifies a charge, like `pi+` or `antimuon`.
bool names_charge(std::string_view name);

/// All names accepted by find_particle, for messages.
std::vector<std::string> particle_names();

/// A track at its vertex.
struct Track {
  double p = 1;                    ///< momentum, GeV, > 0
  double theta = 90 * unit::deg;   ///< polar angle, rad, in (0, pi)
  double phi = 0;                  ///< azimuth of the momentum, rad
  double mass = 0.13957039;        ///< GeV, >= 0
  double charge = -1;              ///< e, not 0
  std::array<double, 3> vertex{};  ///< x, y, z, mm
};

/// Errors of the start point along x, y, z; uncorrelated, mm, > 0.
struct BeamSpot {
  double x = 0, y = 0, z = 0;
};

/// How the path of the track in the detector ends.
enum class TrackEnd {
  leaves,    ///< passes through or past the outermost layers
  curls_up,  ///< turns back before a layer it would otherwise have reached
};

}  // namespace gttf
