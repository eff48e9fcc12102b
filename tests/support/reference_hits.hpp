// SPDX-License-Identifier: Apache-2.0
// Hits exactly on the reference helix of a track: what toys are smeared from.
#pragma once

#include <cmath>

#include "gttf/fit/track/hits.hpp"
#include "gttf/fit/triplet/triplet_track.hpp"

namespace gttf::test {

/// One point per crossing, at its position, with its axes, coordinates and
/// scattering; kappa_ref, field and origin from the track. A coordinate known
/// at the start becomes the first point.
inline TrackHits make_reference_hits(const TripletTrack& track) {
  TrackHits hits;
  hits.kappa_ref = track.kappa;
  hits.field = track.fit_kappa;
  hits.origin = track.start;
  hits.points.reserve(track.crossings.size() + 1);
  if (!track.start_coordinates.empty()) {
    TrackHit& h = hits.points.emplace_back();
    h.position = track.start;
    h.u = {-std::sin(track.phi), std::cos(track.phi), 0};
    h.v = Vector3::UnitZ();
    set_coordinates(h, axes_in_doubles(track.start_coordinates));
  }
  for (const TripletPoint& c : track.crossings) {
    TrackHit& h = hits.points.emplace_back();
    h.position = c.position;
    h.u = c.u;
    h.v = c.v;
    h.theta0_2 = c.kink_variance;
    set_coordinates(h, axes_in_doubles(c.coordinates));
  }
  return hits;
}

}  // namespace gttf::test
