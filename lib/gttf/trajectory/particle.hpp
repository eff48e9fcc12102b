// SPDX-License-Identifier: Apache-2.0
// Particles: masses and charges by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/trajectory/track.hpp"

namespace gttf {

/// Mass and charge of a particle by name. A sign behind the name sets the
/// charge: `pi+`, `mu-`, `proton`, `antiproton`, `e+`. Without one, electron,
/// muon, pion and kaon have charge -1, nuclei their positive charge. Upper and
/// lower case make no difference.
/// @return  nothing if the name is unknown
/// Source   [PDG24] particle listings; nuclei [CODATA22]
std::optional<Particle> find_particle(std::string_view name);

/// True if the name itself states a charge, as `pi+` or `antimuon` do.
bool names_charge(std::string_view name);

/// All names that find_particle knows, for messages.
std::vector<std::string> particle_names();

}  // namespace gttf
