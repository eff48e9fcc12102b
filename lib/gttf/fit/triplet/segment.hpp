// SPDX-License-Identifier: Apache-2.0
// Segment: the helix arc between two hits, and its response to their shifts.
#pragma once

#include <cmath>
#include <limits>

#include "gttf/core/cartesian.hpp"
#include "gttf/core/scalar.hpp"
#include "gttf/core/series.hpp"

namespace gttf {

/// A helix arc around z between two points, as function of its end points.
/// Regular for a straight arc (kappa = 0) and at theta = 90 deg; singular only
/// if the points differ only in z (chord = 0) or the arc closes (|Phi| = 2 pi).
/// Lengths in mm, angles in rad.
template <class S>
struct Segment {
  S chord;  ///< d: transverse distance of the end points
  S inverse_chord;
  S rise;       ///< z: their difference along z
  S chord_cos;  ///< cos(varphi), varphi = azimuth of the chord
  S chord_sin;  ///< sin(varphi)
  S half_turn;  ///< X = Phi/2, half the bending angle, signed
  ArcShape<S> shape;
  S arc;        ///< s: transverse arc length, > 0
  S length;     ///< L: 3D arc length, > 0
  S sin_theta;  ///< theta = polar angle of the direction, constant on the arc
  S cos_theta;
  S kappa;          ///< signed 3D curvature d(phi)/dL [1/mm]
  S inverse_index;  ///< 1/n; 0 at the pole, where the direction is undefined
  S index;          ///< n = dln(Phi)/dln(kappa) at fixed end points
};

/// The arc from `start` to `end`.
///
///   s = d X/sin X,  L^2 = s^2 + z^2,  sin(theta) = s/L,  cos(theta) = z/L,
///   1/n = 1 - sin^2(theta) X^2 g(X),  g(X) = (1 - X cot X)/X^2
///
/// @param half_turn   X = Phi/2 [rad], |X| < pi
/// @param kappa_perp  transverse curvature kappa/sin(theta) [1/mm]; consistent
///                    with X, as 2X/s loses precision on straight arcs
/// Source             [GTTF] eq:def_index_par, eq:theta_c1
template <class S>
Segment<S> make_segment(const Cartesian<S>& start, const Cartesian<S>& end,
                        const S& half_turn, const S& kappa_perp) {
  using std::sqrt;
  const Cartesian<S> difference = end - start;
  Segment<S> segment;
  segment.chord = sqrt(transverse_dot(difference, difference));
  segment.inverse_chord = S(1) / segment.chord;
  segment.rise = difference.z;
  segment.chord_cos = difference.x * segment.inverse_chord;
  segment.chord_sin = difference.y * segment.inverse_chord;
  segment.half_turn = half_turn;
  segment.shape = arc_shape(half_turn);
  segment.arc = segment.chord * segment.shape.stretch;
  segment.length =
      sqrt(segment.arc * segment.arc + segment.rise * segment.rise);
  const S inverse_length = S(1) / segment.length;
  segment.sin_theta = segment.arc * inverse_length;
  segment.cos_theta = segment.rise * inverse_length;
  segment.kappa = kappa_perp * segment.sin_theta;
  segment.inverse_index = S(1) - segment.sin_theta * segment.sin_theta *
                                     half_turn * half_turn *
                                     segment.shape.index_term;
  segment.index = S(1) / segment.inverse_index;
  return segment;
}

namespace detail {

/// Excess of the length of an arc between two points, by Newton's
/// method.
/// @param chord2, rise2  squared distances across and along z, mm^2
template <class S>
S length_step(const S& length, const S& kappa, const S& chord2,
              const S& rise2) {
  const S half_turn = S(0.5) * kappa * length;
  const ArcShape<S> shape = arc_shape(half_turn);
  const S arc2 = length * length - rise2;
  const S excess = arc2 - chord2 * shape.stretch * shape.stretch;
  const S slope = length - S(0.5) * kappa * arc2 * half_turn * shape.index_term;
  return S(0.5) * excess / slope;
}

template <class S>
Segment<S> segment_of_length(const Cartesian<S>& start, const Cartesian<S>& end,
                             const S& kappa, const S& length) {
  using std::sqrt;
  const S rise = end.z - start.z;
  const S arc = sqrt(length * length - rise * rise);
  return make_segment(start, end, S(S(0.5) * kappa * length),
                      S(kappa * length / arc));
}

}  // namespace detail

/// The arc from `start` to `end` of a given curvature: solves
///
///   d^2 = (L^2 - z^2) (sin X/X)^2,  X = kappa L/2
///
/// for L by Newton's method for d^2(L), which increases up to the pole of the
/// index, starting at the straight line.
///
/// @param kappa  signed 3D curvature [1/mm]; the solution with |Phi| < pi or
///               below the pole of the index parameter is found
/// @return       NaN or undefined if no such arc exists (d kappa too large)
/// Source        [GTTF] eq:condphi1
template <class S>
Segment<S> segment_at_curvature(const Cartesian<S>& start,
                                const Cartesian<S>& end, const S& kappa) {
  using std::sqrt;
  const Cartesian<S> difference = end - start;
  const S chord2 = transverse_dot(difference, difference);
  const S rise2 = difference.z * difference.z;
  S length = sqrt(chord2 + rise2);
  // Quadratic convergence: enough for 113 bits except at the pole itself.
  constexpr int iterations = 12;
  for (int i = 0; i < iterations; ++i)
    length -= detail::length_step(length, kappa, chord2, rise2);
  return detail::segment_of_length(start, end, kappa, length);
}

/// The same from the length of an arc nearby.
///
/// @param length  of that arc [mm]
/// @return        NaN if Newton's method does not converge
template <class S>
Segment<S> segment_near(const Cartesian<S>& start, const Cartesian<S>& end,
                        const S& kappa, S length) {
  using std::abs;
  const Cartesian<S> step = end - start;
  const S chord2 = transverse_dot(step, step), rise2 = step.z * step.z;
  MaskOf<S> moving = all_true<S>();
  for (int i = 0; i < 12 && any(moving); ++i) {
    const S move = detail::length_step(length, kappa, chord2, rise2);
    length = select(moving, length - move, length);
    // quadratic: remaining error 1e-18
    moving = both(moving, !(abs(move) < S(1e-9) * length));
  }
  if (any(moving)) [[unlikely]]
    length =
        select(moving, S(std::numeric_limits<double>::quiet_NaN()), length);
  return detail::segment_of_length(start, end, kappa, length);
}

/// First derivatives of the directions at the ends of a segment. Gradients are
/// with respect to the vector end - start at fixed curvature [rad/mm], slopes
/// with respect to the curvature at fixed end points [rad mm].
template <class S>
struct SegmentDerivatives {
  Cartesian<S> azimuth_start;  ///< grad of phi at the start
  Cartesian<S> azimuth_end;    ///< grad of phi at the end
  Cartesian<S> polar;          ///< grad of theta
  S azimuth_slope;  ///< d(phi at the end)/d(kappa) = -d(phi at the start)/...
  S polar_slope;    ///< d(theta)/d(kappa)
};

/// grad Phi/2 of a segment: of half its bending angle.
template <class S>
Cartesian<S> half_bend(const Segment<S>& segment) {
  const Cartesian<S> along{segment.chord_cos, segment.chord_sin, S(0)};
  const Cartesian<S> z{S(0), S(0), S(1)};
  return (S(0.5) * segment.index * segment.kappa) *
         ((segment.sin_theta * segment.shape.stretch) * along +
          segment.cos_theta * z);
}

/// phi = varphi -+ Phi/2 with
///
///   grad varphi = t/d                          e, t: unit vectors along and
///   grad Phi = n kappa (sin(theta) X/sin X e + cos(theta) z)   left of chord
///   grad theta = n/d sin(theta) (cos(theta) e - sin(theta) cos X z)
///   dPhi/dkappa = n L,   dtheta/dkappa = (n-1) cot(theta)/kappa
///
/// written without division by kappa or cot(theta).
/// Source  [GTTF] eq:condphi1, eq:condtheta1 differentiated; docs/theory
template <class S>
SegmentDerivatives<S> derivatives(const Segment<S>& segment) {
  const S& sine = segment.sin_theta;
  const S& cosine = segment.cos_theta;
  const Cartesian<S> along{segment.chord_cos, segment.chord_sin, S(0)};
  const Cartesian<S> left{-segment.chord_sin, segment.chord_cos, S(0)};
  const Cartesian<S> z{S(0), S(0), S(1)};
  const Cartesian<S> chord_azimuth = segment.inverse_chord * left;
  const Cartesian<S> bend = half_bend(segment);
  const S turning = segment.kappa * segment.length * segment.length;
  return {
      .azimuth_start = chord_azimuth - bend,
      .azimuth_end = chord_azimuth + bend,
      .polar = (segment.index * sine * segment.inverse_chord) *
               (cosine * along - (sine * segment.shape.cosine) * z),
      .azimuth_slope = S(0.5) * segment.index * segment.length,
      .polar_slope = S(0.25) * segment.index * sine * cosine *
                     segment.shape.index_term * turning,
  };
}

}  // namespace gttf
