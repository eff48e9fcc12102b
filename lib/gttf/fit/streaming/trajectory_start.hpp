// SPDX-License-Identifier: Apache-2.0
// find_start: a track close to the hits in any field, as linearisation point.
#pragma once

#include <span>

#include "gttf/fit/streaming/kinked_trajectory.hpp"
#include "gttf/fit/track/prefit.hpp"

namespace gttf::detail {

/// Starting point of the first linear fit in any field.
struct TrajectoryStart {
  FitStatus status = FitStatus::ok;
  TrajectoryState state;  ///< on the surface of the first measured point
  double chi2 = 0;        ///< FoundTrack::chi2
};

/// A track without kinks from damped least squares of all coordinates, with
/// scattering as an error that grows along the track. It starts with the
/// direction of the first hits and the curvature TrackHits::kappa_ref. If that
/// fails it starts straight, with three hits, and adds the others successively,
/// so that the track is known up to each bending region.
/// @param measured  indices of the measured points, at least 3
/// Source: docs/theory/data-fits.md, first guess in any field
TrajectoryStart find_start(const TrackHits& track,
                           std::span<const std::size_t> measured);

/// The same from a track near the points.
TrajectoryStart find_near(const TrackHits& track, const FoundTrack& near);

}  // namespace gttf::detail
