// SPDX-License-Identifier: Apache-2.0
// Cracks: angles between the points of a grid at which hits are missing.
#pragma once

#include <string>
#include <vector>

#include "gttf/config/diagnostics.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/acceptance.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

/// acceptance_edges() of the tracks of one momentum of a grid, between two
/// polar angles.
/// @param momentum  index in MomentumAxis::values
/// @param from, to  rad, from < to
std::vector<AcceptanceEdge> edges_of_grid(const StudyRequest& grid,
                                          const Detector& detector,
                                          std::size_t momentum, double from,
                                          double to);

/// Angles between two neighbouring points of a grid where tracks have fewer
/// hits than at both.
struct Crack {
  std::size_t momentum = 0;       ///< index in MomentumAxis::values
  double from = 0, to = 0;        ///< rad or eta, as the axis; from < to
  int n_hits = 0;                 ///< the minimum
  int n_before = 0, n_after = 0;  ///< of the neighbours
  std::size_t interval = 0;  ///< between which neighbours, in order of theta
};

/// The cracks of a grid whose angles are a range, in the order of angles: at
/// its highest momentum, and at its lowest momentum if there is none between
/// the same neighbours (low momenta shift a crack slightly). Cracks below 1e-6
/// rad are ignored as rounding in the description. No search for more than 1000
/// layers, which would take longer than a scan.
std::vector<Crack> find_cracks(const StudyRequest& grid,
                               const Detector& detector);

/// Warnings for the widest ones: "eta 0.915 to 0.945: 7 hits, ...".
Diagnostics crack_warnings(const StudyRequest& grid, const Detector& detector);

}  // namespace gttf
