// SPDX-License-Identifier: Apache-2.0
// Track parameters from a solved system of kinks.
#pragma once

#include "gttf/core/track_parameters.hpp"
#include "gttf/fit/triplet/fitter.hpp"
#include "gttf/fit/triplet/kink_system.hpp"

// The perigee parameters of a TrackState.
namespace gttf {

/// Perigee parameters (order of Perigee, with kappa) as function of a state.
struct PerigeeTransport {
  Vector5 parameters;
  Eigen::Matrix<double, track_dim, state_dim> jacobian;
};

/// Closest approach of the helix through `state` to the line through `origin`
/// along z. With c = kappa/sin(theta), u the transverse vector from origin,
/// ut, un its parts along the direction and to its left
///
///   N = sqrt(1 + 2 c un + c^2 u^2),  d0 = (2 un + c u^2)/(1 + N)
///   phi0 = phi - atan2(c ut, 1 + c un)
///   z0 = z - s cot(theta), s the arc from the closest approach
///
/// d0 is along (-sin phi0, cos phi0), phi0 in (-pi, pi]. Regular for straight
/// tracks; the closest approach within half a turn is used.
/// Source: docs/theory/data-fits.md
PerigeeTransport to_perigee(const Vector6& state, const Vector3& origin);

}  // namespace gttf

namespace gttf::detail {

/// Changes of the direction (theta, phi) at an end of a segment, at a given
/// curvature, by one standard deviation of each coordinate of both hits.
struct DirectionSlopes {
  Matrix2 by_from, by_to;
};

/// @return  not finite if no such segment exists
DirectionSlopes direction_slopes(const TrackHits& track,
                                 const KinkSystem& system, double kappa,
                                 std::size_t k, SegmentEnd end);

/// Track parameters at an end of the segment from hit k to hit k + 1, through
/// the fitted hits, with passive kinks in between:
///
///   y = (kappa, shifts of both hits, turns),  C = J Cov(y) J^T
///
/// With TrackHits::flight angles are given in its frame, and the curvature at
/// the origin.
/// @param shared  slopes of the track whose equations were solved; null: of
///                this track
/// Source: [GTTF] eq:track_para_def, eq:error_track_trafo;
///         docs/theory/data-fits.md
TrackState state_on_segment(const TrackHits& track, const KinkSystem& system,
                            const WeightedKinks& solution,
                            const CurvatureFit<double>& fit, std::size_t k,
                            SegmentEnd end, const DirectionSlopes* shared);

/// The same state in the user's axes, with the curvature at its position.
TrackState in_user_axes(const TrackHits& track, const SlowedCharge& charge,
                        const TrackState& state);

/// set_perigee() in any field.
void set_flown_perigee(const TrackHits& track, std::size_t innermost,
                       const TrackState& first, double scale,
                       GlobalFit& result);

/// Fills GlobalFit::perigee and its covariances.
/// @param innermost  index of the first measured point, the position of `first`
/// @param scale      factor of theta0_2 for inner material
void set_perigee(const TrackHits& track, std::size_t innermost,
                 const TrackState& first, double scale, GlobalFit& result);

}  // namespace gttf::detail
