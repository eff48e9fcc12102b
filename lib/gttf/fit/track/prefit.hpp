// SPDX-License-Identifier: Apache-2.0
// prefit: a helix close to the hits, as linearisation point.
#pragma once

#include <span>

#include "gttf/fit/track/hit_surface.hpp"
#include "gttf/fit/track/hits.hpp"

namespace gttf::detail {

struct Prefit {
  FitStatus status = FitStatus::ok;
  Helix<double> start;  ///< on the surface of the first measured point
};

/// A helix through the measured points: a circle fitted in the transverse
/// plane, a weighted line of z over the arc, and, if a coordinate is not
/// measured or coarse, a few least-squares steps with all coordinates. In terms
/// of (d0, z0, phi, cot(theta), kappa/sin(theta)), which keep long strips and
/// wires linear.
/// @param measured  indices of the measured points
/// @param coarse    include the last step
/// Source: [Karimaki91] for the circle; docs/theory/data-fits.md
Prefit prefit(const TrackHits& track, std::span<const std::size_t> measured,
              bool coarse);

/// Measured minus predicted coordinates of a point, at `x` on its surface.
Eigen::Vector2d coordinate_residuals(const TrackHit& hit, const Vector3& x);

}  // namespace gttf::detail

// find_track: an initial track through measured points in any field.
namespace gttf {

/// A track on the surface of its first measured point.
struct FoundTrack {
  FitStatus status = FitStatus::ok;
  Vector3 position, direction;
  double qop = 0;   ///< q/p, e/GeV; 0 without field
  double chi2 = 0;  ///< with scattering as an error that grows along the track
};

/// The track without kinks that is closest to the points; TrackHits::flight
/// must be set, scattering and losses may be unknown. The search starts at
/// kappa_ref.
/// @param near  a track near them at which the search starts instead; may be
///              null
FoundTrack find_track(const TrackHits& track, const FoundTrack* near = nullptr);

}  // namespace gttf
