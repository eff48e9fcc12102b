// SPDX-License-Identifier: Apache-2.0
// Triplets in any field, from trajectories integrated with their derivatives.
#pragma once

#include <array>
#include <optional>

#include "gttf/fit/triplet/directed_segment.hpp"
#include "gttf/paper/propagator.hpp"
#include "gttf/trajectory/frame.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

/// A hit and the surface that it lies on.
struct FieldHit {
  Vector3 position;  ///< user's axes, mm
  SurfaceRecord surface;
};

/// The segment of curvature `kappa` between two hits, in flight direction.
///
/// Flown from one of them, `anchor`, to the surface of the other. Newton's
/// method turns the direction at the anchor until the track meets the hit,
///
///   x_hit - x_arrival = dx/dtheta eta_theta + dx/dphi eta_phi  (in the
///   surface)
///
/// and the same derivatives, exact ones from the variational equations, answer
/// for shifts of both hits and for a change of kappa. A shift out of a surface
/// counts along the track.
/// @param frame   polar axis of the angles; gradients are along the user's axes
/// @param b_ref   Field::reference: q/p = -kappa/b_ref
/// @param anchor  0: flown from the start, 1: backwards from the end
/// @return        nothing if there is no such track: the field map is left,
///                the surface not met, or Newton's method does not converge
/// Source  [GTTF] section on the general field, corrected;
///         docs/theory/general-field.md
std::optional<DirectedSegment<double>> flown_segment(
    const Propagator& propagator, const Frame& frame,
    const std::array<FieldHit, 2>& hits, double b_ref, double kappa,
    std::size_t anchor);

/// The triplet of three hits, linearised at the common curvature `kappa`: both
/// segments are flown from the middle hit.
///
///   Psi = kink - rho kappa
std::optional<Triplet<double>> make_triplet(const Propagator& propagator,
                                            const Frame& frame,
                                            const std::array<FieldHit, 3>& hits,
                                            double b_ref, double kappa);

}  // namespace gttf
