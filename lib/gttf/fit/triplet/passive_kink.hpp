// SPDX-License-Identifier: Apache-2.0
// How a scattering angle between two hits turns the directions at them.
#pragma once

#include "gttf/fit/triplet/kink_system.hpp"

namespace gttf::detail {

/// The crossing point of the arc from hit to hit shifts within the passive
/// surface until the two partial arcs meet at the given kink; sets
/// PassiveKink::leaving and arriving.
/// @param arc  segment between the two hits
/// @return     false if the surface is not between the hits
bool set_passive_weights(const TrackHit& surface, const Vector3& before,
                         const Vector3& after, const Segment<double>& arc,
                         PassiveKink& kink);

}  // namespace gttf::detail
