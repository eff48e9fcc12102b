// SPDX-License-Identifier: Apache-2.0
// Hits of a track that turns back: outwards, and inwards after the outer arc.
#pragma once

#include <vector>

#include "gttf/fit/triplet/triplet_track.hpp"

namespace gttf::detail {

/// Hits in order of flight with the layer of each; the last `n_inward` come
/// after more than half a turn.
struct RecurlingTrack {
  TripletTrack track;
  std::vector<std::size_t> layers;  ///< in Detector::layers
  std::size_t n_inward = 0;
};

/// The hits of find_crossings() and, if the track returns after the last layer
/// it hits, the hits of the measuring cylinders that it crosses inwards, up to
/// the innermost one or its first full turn. Without energy loss.
///
///   r^2 = rho^2 + R^2 + 2 rho R cos(beta),   turn = turn_far +- beta
///
/// with rho the distance of the centre of the circle from the axis, R its
/// radius and turn_far the turn at the point farthest from the axis.
/// Source: docs/theory/regimes.md, recurling tracks
RecurlingTrack recurling_track(const TrackingGeometry& geometry,
                               const Track& track, Scattering model);

}  // namespace gttf::detail
