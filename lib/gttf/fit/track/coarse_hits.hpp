// SPDX-License-Identifier: Apache-2.0
// Where to linearise triplets of hits that are measured coarsely.
#pragma once

#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/fit/triplet/kink_system.hpp"

namespace gttf::detail {

/// Is an error comparable with the distance to the next hit, so that the raw
/// hits are no linearisation point? A long strip, typically.
bool is_coarse(const KinkSystem& system);

/// Fits a helix first (circle and straight line, then all coordinates), puts
/// the coarse coordinates on it and leaves the precise ones.
/// @param kappa  set to the curvature of the helix
/// Source: docs/theory/data-fits.md, strips
FitStatus put_on_prefit(const TrackHits& track, KinkSystem& system,
                        double& kappa);

/// In any field: fits a track first and sets its curvature at the origin.
/// @param coarse  put the coarse coordinates on it, too
FitStatus put_on_trajectory(const TrackHits& track, bool coarse,
                            KinkSystem& system, double& kappa);

/// KinkSystem::linearise() at the hits as they are or, where they are too
/// coarse for it, at a track fitted beforehand.
FitStatus linearise_with_care(const TrackHits& track, FitKind kind,
                              KinkSystem& system);

}  // namespace gttf::detail
