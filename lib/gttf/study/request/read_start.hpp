// SPDX-License-Identifier: Apache-2.0
// Reads where tracks start, and how well that is known.
#pragma once

#include <array>
#include <optional>

#include "gttf/config/reader.hpp"
#include "gttf/fit/track/beam_spot.hpp"

namespace gttf::detail {

/// `{ x: 1 mm, z: 2 cm }` or a list of three lengths; what is not given is 0.
std::array<double, 3> read_vertex(const Value& value);

/// `{ x: 10 um, y: 5 um, z: 30 mm }`, all three and positive, or a list of
/// three lengths, or `off`.
std::optional<BeamSpot> read_beam_spot(const Value& value);

}  // namespace gttf::detail
