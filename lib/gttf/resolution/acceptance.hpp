// SPDX-License-Identifier: Apache-2.0
// Acceptance: the polar angles at which the list of crossed surfaces, or that
// of hits on them, changes.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "gttf/detector/detector.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/trajectory/track.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

/// An edge between two polar angles, rad: tracks at `below` and `above` cross
/// different surfaces or have hits on different ones.
struct AcceptanceEdge {
  static constexpr double width = 1e-9;  ///< maximum of above - below, usually

  double below = 0, above = 0;
  int hits_above = 0;  ///< measuring crossings of the track at `above`
};

/// The edges between `from` and `to` (rad, from < to), in increasing order.
///
/// Candidates are the angles at which a helix (solenoid, no field: exact) or a
/// straight line crosses a border of a surface in any of its turns, ends on a
/// surface or touches it, and the middles between them; where the lists of
/// crossed surfaces of two neighbours differ, or the sides of the limits of
/// dead regions on which they are crossed, the edges between them are found by
/// bisection. Not found: gaps and islands in maps and dipoles whose sides are
/// moved by more than half their width; with energy loss, also those narrower
/// than half a degree.
///
/// @param layers    of the detector, for their dead regions
/// @param track_at  the track of a polar angle; all with the same start,
///                  azimuth and particle
/// @param model     energy loss affects the trajectory
/// @param width     maximum of above - below; half of it takes one more step
///                  of the bisection
std::vector<AcceptanceEdge> acceptance_edges(
    const TrackingGeometry& geometry, std::span<const Layer> layers,
    const std::function<Track(double theta)>& track_at, const Model& model,
    double from, double to, double width = AcceptanceEdge::width);

}  // namespace gttf
