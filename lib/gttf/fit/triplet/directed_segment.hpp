// SPDX-License-Identifier: Apache-2.0
// DirectedSegment: directions of a track of given curvature at two hits, in any
// field, and the triplet of two segments.
#pragma once

#include "gttf/fit/triplet/triplet.hpp"

namespace gttf {

/// An angle at an end of a segment: its value, gradients with respect to both
/// end points at fixed curvature [rad/mm], slope with the curvature at fixed
/// end points [rad mm].
template <class S>
struct SegmentAngle {
  S value{};
  Cartesian<S> at_start, at_end;
  S slope{};
};

/// A segment between two hits, with the angles at both ends. Derivatives are
/// symmetric for helices (SegmentDerivatives), not with a magnet.
template <class S>
struct DirectedSegment {
  S kappa{};  ///< the curvature -q B_ref/p of the track, 1/mm
  SegmentAngle<S> azimuth_start, azimuth_end;  ///< direction at the ends
  SegmentAngle<S> polar_start, polar_end;
  Segment<S> path;  ///< lengths and angles; index as if there were no field
};

/// The straight segment between two hits.
template <class S>
DirectedSegment<S> straight_segment(const Cartesian<S>& start,
                                    const Cartesian<S>& end) {
  using std::atan2;
  DirectedSegment<S> s;
  s.path = make_segment(start, end, S(0), S(0));
  const SegmentDerivatives<S> d = derivatives(s.path);
  s.azimuth_start = {.value = atan2(s.path.chord_sin, s.path.chord_cos),
                     .at_start = -d.azimuth_start,
                     .at_end = d.azimuth_start};
  s.azimuth_end = s.azimuth_start;
  s.polar_start = {.value = atan2(s.path.sin_theta, s.path.cos_theta),
                   .at_start = -d.polar,
                   .at_end = d.polar};
  s.polar_end = s.polar_start;
  return s;
}

/// The triplet of two adjacent segments, linearised at their common curvature:
///
///   kink = direction after - direction before,  Psi = kink - rho kappa
///
/// Without field in either of them, rho = 0 and the triplet contains no
/// information about the curvature.
/// Source  [GTTF] eq:linearization_phi, sections on dipole and general field
template <class S>
Triplet<S> make_triplet(const DirectedSegment<S>& first,
                        const DirectedSegment<S>& second) {
  using std::atan2, std::cos, std::sin, std::sqrt;
  Triplet<S> t;
  t.first = first.path;
  t.second = second.path;
  t.kappa_perp = second.kappa / second.path.sin_theta;
  t.rho_theta = second.polar_start.slope - first.polar_end.slope;
  t.rho_phi = second.azimuth_start.slope - first.azimuth_end.slope;
  t.h_theta = {-first.polar_end.at_start,
               second.polar_start.at_start - first.polar_end.at_end,
               second.polar_start.at_end};
  t.h_phi = {-first.azimuth_end.at_start,
             second.azimuth_start.at_start - first.azimuth_end.at_end,
             second.azimuth_start.at_end};
  const S turn = second.azimuth_start.value - first.azimuth_end.value;
  t.phi_tilde = atan2(sin(turn), cos(turn)) - t.rho_phi * second.kappa;
  t.theta_tilde = second.polar_start.value - first.polar_end.value -
                  t.rho_theta * second.kappa;
  return t;
}

}  // namespace gttf
