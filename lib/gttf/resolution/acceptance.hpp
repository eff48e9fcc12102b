// SPDX-License-Identifier: Apache-2.0
// Acceptance: the polar angles at which the list of crossed surfaces changes.
#pragma once

#include <functional>
#include <vector>

#include "gttf/resolution/resolution.hpp"
#include "gttf/trajectory/track.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

/// An edge between two polar angles, rad: tracks at `below` and `above` cross
/// different surfaces.
struct AcceptanceEdge {
  static constexpr double width = 1e-9;  ///< maximum of above - below

  double below = 0, above = 0;
};

/// The edges between `from` and `to` (rad, from < to), in increasing order.
///
/// Candidates are the angles at which a helix (solenoid, no field: exact) or a
/// straight line crosses a border of a surface in any of its turns, ends on a
/// surface or touches it, and the middles between them; where the lists of
/// crossed surfaces of two neighbours differ, the edges between them are found
/// by bisection. Not found: gaps and islands in maps and dipoles, or with
/// energy loss, whose sides are moved by more than half their width.
///
/// @param track_at  the track of a polar angle; all with the same start,
///                  azimuth and particle
/// @param model     energy loss affects the trajectory
std::vector<AcceptanceEdge> acceptance_edges(
    const TrackingGeometry& geometry,
    const std::function<Track(double theta)>& track_at, const Model& model,
    double from, double to);

}  // namespace gttf
