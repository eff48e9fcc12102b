// SPDX-License-Identifier: Apache-2.0
// Track parameters from a solved system of kinks.
#pragma once

#include "gttf/fit/triplet/fitter.hpp"
#include "gttf/fit/triplet/weighted_kinks.hpp"

namespace gttf::detail {

/// Track parameters at an end of the segment from hit k to hit k + 1, through
/// the fitted hits, with passive kinks on the way:
///
///   y = (kappa, shifts of both hits, turns),  C = J Cov(y) J^T
///
/// With TrackHits::flight angles are those in its frame, and the curvature is
/// that at the origin.
/// Source: [GTTF] eq:track_para_def, eq:error_track_trafo;
///         docs/theory/data-fits.md
TrackState state_on_segment(const TrackHits& track, const KinkSystem& system,
                            const WeightedKinks& solution,
                            const CurvatureFit<double>& fit, std::size_t k,
                            SegmentEnd end);

/// Such a state in the user's axes, with its own curvature.
TrackState in_user_axes(const TrackHits& track, const SlowedCharge& charge,
                        const TrackState& state);

/// set_perigee() in any field.
void set_flown_perigee(const TrackHits& track, std::size_t innermost,
                       const TrackState& first, double scale,
                       GlobalFit& result);

/// Fills GlobalFit::perigee and its covariances.
/// @param innermost  index of the first measured point, where `first` is
/// @param scale      factor of theta0_2 for inner material
void set_perigee(const TrackHits& track, std::size_t innermost,
                 const TrackState& first, double scale, GlobalFit& result);

}  // namespace gttf::detail
