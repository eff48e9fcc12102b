// SPDX-License-Identifier: Apache-2.0
// Hits exactly on the reference helix of a track: what toys are smeared from.
#pragma once

#include "gttf/fit/track/hits.hpp"
#include "gttf/fit/triplet/triplet_track.hpp"

namespace gttf {

/// One point per crossing, at its position, with its axes, coordinates and
/// scattering; kappa_ref, field and origin from the track. A coordinate known
/// at the start becomes the first point.
TrackHits make_reference_hits(const TripletTrack& track);

}  // namespace gttf
