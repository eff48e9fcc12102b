// SPDX-License-Identifier: Apache-2.0
// Linearisation points for triplets with coarse hits.
#pragma once

#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/fit/triplet/kink_system.hpp"

namespace gttf::detail {

/// Whether an error is comparable with the distance to the next hit, so that
/// raw hits are not a linearisation point; typically a long strip.
bool is_coarse(const KinkSystem& system);

/// Fits a helix first (circle and straight line, then all coordinates), moves
/// the coarse coordinates onto it and keeps the precise ones.
/// @param kappa  set to the curvature of the helix
/// Source: docs/theory/data-fits.md, strips
FitStatus put_on_prefit(const TrackHits& track, KinkSystem& system,
                        double& kappa);

/// In any field: fits a track first and sets its curvature at the origin.
/// @param coarse  also move the coarse coordinates onto it
FitStatus put_on_trajectory(const TrackHits& track, bool coarse,
                            KinkSystem& system, double& kappa);

/// KinkSystem::linearise() at the hits or, if they are too coarse, at a track
/// fitted beforehand.
FitStatus linearise_with_care(const TrackHits& track, FitKind kind,
                              KinkSystem& system);

}  // namespace gttf::detail
