// SPDX-License-Identifier: Apache-2.0
// find_track: a first guess of the track through measured points in any field.
#pragma once

#include "gttf/fit/track/hits.hpp"

namespace gttf {

/// A track on the surface of its first measured point.
struct FoundTrack {
  FitStatus status = FitStatus::ok;
  Vector3 position, direction;
  double qop = 0;  ///< q/p, e/GeV; 0 without field
};

/// The track without kinks that is nearest to the points; TrackHits::flight
/// must be set, scattering and losses may be unknown. kappa_ref is where the
/// search begins.
FoundTrack find_track(const TrackHits& track);

}  // namespace gttf
