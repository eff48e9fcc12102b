// SPDX-License-Identifier: Apache-2.0
// Part of the request reader: the particle.
#pragma once

#include <optional>

#include "gttf/config/reader.hpp"
#include "gttf/trajectory/track.hpp"

namespace gttf::detail {

/// The keys that say what flies, from the options or from the file.
struct ParticleKeys {
  std::optional<Value> particle, mass, charge;
};

/// The particle: a name, or a mass; `charge` changes its charge. If the options
/// name a particle or a mass, the file's keys do not count.
/// Faults are reported; the result is then of no meaning.
Particle read_particle(const ParticleKeys& options, const ParticleKeys& file);

}  // namespace gttf::detail
