// SPDX-License-Identifier: Apache-2.0
// Errors and hits of many tracks, for a search that must not lose hits.
#pragma once

#include <span>
#include <vector>

#include "gttf/resolution/batch.hpp"

namespace gttf {

/// sigmas() of every track, and the number of its hits.
/// @param threads  0: all cores
/// @param n_hits   filled with those of every track unless empty
std::vector<PerParameter> sigmas_and_hits(const TrackingGeometry& geometry,
                                          const TrackArrays& tracks,
                                          const Model& model, unsigned threads,
                                          std::span<int> n_hits);

}  // namespace gttf
