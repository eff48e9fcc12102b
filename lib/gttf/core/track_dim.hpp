// SPDX-License-Identifier: Apache-2.0
// The dimension of the state of a track.
#pragma once

namespace gttf {

/// Parameters of a track: two of position, two of direction, and q/p or the
/// curvature. Their names are in Perigee, OnSurface and OnPlane.
inline constexpr int track_dim = 5;

/// Independent elements of a symmetric matrix, stored as the lower triangle:
/// element (i, j <= i) at i (i + 1)/2 + j.
inline constexpr int track_triangle = track_dim * (track_dim + 1) / 2;

}  // namespace gttf
