// SPDX-License-Identifier: Apache-2.0
// Triplets in any field, from trajectories integrated with their derivatives.
#pragma once

#include <array>
#include <optional>

#include "gttf/fit/triplet/directed_segment.hpp"
#include "gttf/trajectory/flight.hpp"
#include "gttf/trajectory/frame.hpp"
#include "gttf/trajectory/surface_level.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

// Propagator: propagates a particle from surface to surface in any field.
namespace gttf {

/// A particle in the user's axes.
struct Flyer {
  Vector3 position;   ///< mm
  Vector3 direction;  ///< unit vector
  double qop = 0;     ///< q/p, e/GeV
};

/// d(position, direction, q/p)/d(position, direction, q/p at the start), on
/// the surface: a change of the start moves the crossing along the surface.
/// The direction is a unit vector: only changes orthogonal to it are
/// meaningful.
using FlyerJacobian = Eigen::Matrix<double, 7, 7>;

/// The reason why a flight did not reach its surface.
enum class FlightEnd {
  reached,
  missed,       ///< the path does not cross the surface
  turned_back,  ///< it has turned by pi before
  left_map,     ///< the field map ends before
};

/// End point of a flight: on the surface, or where it ended.
struct Arrival {
  Flyer flyer;
  FlightEnd end = FlightEnd::missed;
  double path = 0;  ///< mm
  explicit operator bool() const { return end == FlightEnd::reached; }
};

/// Propagates particles through the field of a detector, without material.
class Propagator {
 public:
  explicit Propagator(const TrackingGeometry& geometry);

  /// Propagates to the next crossing of `surface`, extended beyond its edges,
  /// from either side. A crossing within 1 nm of the start is ignored.
  /// @param jacobian  set if the surface is reached, unless null
  Arrival to(const SurfaceRecord& surface, const Flyer& start,
             FlyerJacobian* jacobian = nullptr) const;

 private:
  template <int N>
  Arrival fly(const SurfaceLevel& surface, const FlightState<N>& start,
              FlyerJacobian* jacobian) const;

  const Field* field_;
  FlightBounds bounds_;
};

/// A hit and its surface.
struct FieldHit {
  Vector3 position;  ///< user's axes, mm
  SurfaceRecord surface;
};

/// The segment of curvature `kappa` between two hits, in flight direction.
///
/// Propagated from one of them, `anchor`, to the surface of the other. Newton's
/// method varies the direction at the anchor until the track hits it,
///
///   x_hit - x_arrival = dx/dtheta eta_theta + dx/dphi eta_phi  (in the
///   surface)
///
/// and the same derivatives, exact ones from the variational equations, also
/// give the effect of shifts of both hits and of a change of kappa. A shift out
/// of a surface is projected along the track.
/// @param frame   polar axis of the angles; gradients are along the user's axes
/// @param b_ref   Field::reference: q/p = -kappa/b_ref
/// @param anchor  0: from the start, 1: backwards from the end
/// @return nothing if there is no such track: it leaves the field map, does not
///         cross the surface, or Newton's method does not converge
/// Source  [GTTF] section on the general field, corrected;
///         docs/theory/general-field.md
std::optional<DirectedSegment<double>> flown_segment(
    const Propagator& propagator, const Frame& frame,
    const std::array<FieldHit, 2>& hits, double b_ref, double kappa,
    std::size_t anchor);

/// The triplet of three hits, linearised at the common curvature `kappa`: both
/// segments start at the middle hit.
///
///   Psi = kink - rho kappa
std::optional<Triplet<double>> make_triplet(const Propagator& propagator,
                                            const Frame& frame,
                                            const std::array<FieldHit, 3>& hits,
                                            double b_ref, double kappa);

}  // namespace gttf
