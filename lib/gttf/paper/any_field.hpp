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

// Propagator: flies a particle from surface to surface in any field.
namespace gttf {

/// A particle in the user's axes.
struct Flyer {
  Vector3 position;   ///< mm
  Vector3 direction;  ///< unit vector
  double qop = 0;     ///< q/p, e/GeV
};

/// d(position, direction, q/p)/d(position, direction, q/p at the start), on the
/// surface: a change of the start moves the crossing along the surface. The
/// three components of a direction are those of a unit vector: only changes
/// across it have a meaning.
using FlyerJacobian = Eigen::Matrix<double, 7, 7>;

/// Why a flight did not reach its surface.
enum class FlightEnd {
  reached,
  missed,       ///< the path does not meet the surface
  turned_back,  ///< it has turned by pi before
  left_map,     ///< the field map ends before
};

/// Where a flight has got to: on the surface, or where it ended.
struct Arrival {
  Flyer flyer;
  FlightEnd end = FlightEnd::missed;
  double path = 0;  ///< mm
  explicit operator bool() const { return end == FlightEnd::reached; }
};

/// Flies particles through the field of a detector; without material.
class Propagator {
 public:
  explicit Propagator(const TrackingGeometry& geometry);

  /// To the next crossing of `surface`, extended beyond its edges, from either
  /// side. A flight that starts within 1 nm of it does not meet it there.
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
