// SPDX-License-Identifier: Apache-2.0
// UndoubtedVariances: errors up to which a track is determined without a
// detailed check.
#pragma once

#include <algorithm>
#include <array>

#include "gttf/core/scalar.hpp"
#include "gttf/core/track_dim.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

/// Variances for which a track is certainly determined: even such errors are at
/// most about 1e5 times the hit errors.
struct UndoubtedVariances {
  double position = 1e6;   ///< of d0 and z0, mm^2
  double angle = 1;        ///< of phi and theta
  double curvature = 1e6;  ///< of kappa, in units of kappa^2
};

/// Relative rounding of a double.
inline constexpr double unit_rounding = 0x1p-53;
/// Relative rounding of the derivatives of a track in a field map: the lengths
/// of its steps, and so their errors, depend on rounding.
inline constexpr double map_rounding = 0x1p-43;

/// @param least   smallest variance of a coordinate, mm^2
/// @param in_map  of a track in a field map, see map_rounding: the errors are
///                at most about 5e3 times the hit errors
inline UndoubtedVariances undoubted_variances(double least, bool in_map) {
  constexpr double usual = 1e-4;  // mm^2
  const double factor = std::min(1.0, least / usual);
  UndoubtedVariances most;
  if (in_map) most = {.position = 2e3, .angle = 2e-3, .curvature = 1};
  most.position *= factor;
  most.angle *= factor;
  most.curvature *= factor;
  return most;
}

/// The variances for a fit of data; kappa in 1/mm^2.
inline constexpr UndoubtedVariances data_variances{.curvature = 1};

/// The fast part of the decision: whether the hits need not be checked.
/// @param v variances of the five equations; 0 for kappa without field
template <class S>
MaskOf<S> is_undoubted(const std::array<S, track_dim>& v, const S& kappa,
                       const UndoubtedVariances& most) {
  const S position(most.position), angle(most.angle);
  return both(both(v[0] <= position, v[1] <= position),
              both(both(v[2] <= angle, v[3] <= angle),
                   v[4] <= S(most.curvature) * (kappa * kappa)));
}

}  // namespace gttf
