// SPDX-License-Identifier: Apache-2.0
// find_start: a track near the hits in any field, to linearise at.
#pragma once

#include <span>

#include "gttf/fit/streaming/kinked_trajectory.hpp"

namespace gttf::detail {

/// Where the first linear fit in any field begins.
struct TrajectoryStart {
  FitStatus status = FitStatus::ok;
  TrajectoryState state;  ///< on the surface of the first measured point
};

/// A track without kinks by damped least squares of all coordinates, scattering
/// as an error that grows along the track. It begins with the direction of the
/// first hits and the curvature TrackHits::kappa_ref. Where that leads nowhere
/// it begins straight, with three hits, and takes up the others by and by: what
/// bends the track enters when the track is known up to there.
/// @param measured  indices of the measured points, at least 3
/// Source: docs/theory/data-fits.md, first guess in any field
TrajectoryStart find_start(const TrackHits& track,
                           std::span<const std::size_t> measured);

}  // namespace gttf::detail
