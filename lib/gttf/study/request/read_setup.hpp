// SPDX-License-Identifier: Apache-2.0
// Reads the keys of a study in a file with further keys.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "gttf/config/reader.hpp"
#include "gttf/fit/track/beam_spot.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/trajectory/track.hpp"

// Part of the request reader: the particle.
namespace gttf::detail {

/// The keys of the particle, from the options or from the file.
struct ParticleKeys {
  std::optional<Value> particle, mass, charge;
};

/// The particle: a name, or a mass; `charge` changes its charge. If the options
/// give a particle or a mass, the keys of the file are ignored. Errors are
/// reported; the result is then meaningless.
Particle read_particle(const ParticleKeys& options, const ParticleKeys& file);

// Reads the start point of tracks, and its errors.

/// `{ x: 1 mm, z: 2 cm }` or a list of three lengths; missing values are 0.
std::array<double, 3> read_vertex(const Value& value);

/// `{ x: 10 um, y: 5 um, z: 30 mm }`, all three and positive, or a list of
/// three lengths, or `off`.
std::optional<BeamSpot> read_beam_spot(const Value& value);

/// The same for the sizes of a luminous region, which may be 0 along an axis.
std::array<double, 3> read_luminous_region(const Value& value);
/// How far tracks are followed: a number of turns, 0 for half a turn and first
/// crossings only.
double read_turns(const Value& value);

// Reads the keys of a study for toys.

/// The values given, option before file; absent ones leave the default.
struct ToyKeys {
  std::optional<Value> toys, seed, fits;
};

void read_toys(const ToyKeys& keys, ToyRequest& request);

/// detectors, particle, mass, charge, phi, vertex, beam_spot, scattering,
/// energy_loss, turns, at, average, luminous_region: a request without axes.
/// `path`: of the file, to which paths of detectors are relative. Errors are
/// reported; finish() is not called for the map.
StudyRequest read_setup(MapReader& map, const std::string& path,
                        const StudyOptions& options);

/// The optional axes of a map.
struct GivenAxes {
  bool has_momentum = false, has_angle = false;
  MomentumAxis momentum;
  AngleAxis angle;
};

/// momentum, p or pt; theta or eta. Errors are reported; values are then empty.
GivenAxes read_axes(MapReader& map);

}  // namespace gttf::detail
