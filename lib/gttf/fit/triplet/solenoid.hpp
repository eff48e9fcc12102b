// SPDX-License-Identifier: Apache-2.0
// make_triplet: triplet parameters in a uniform field along z, or without one.
#pragma once

#include <cmath>

#include "gttf/fit/triplet/triplet.hpp"

namespace gttf {

/// Linearised at the circle through the hits, whose azimuthal kink is zero.
///
///   Phi~ = n01 X01 + n12 X12
///   Theta~ = theta12 - theta01 - [n sin cos X^2 g]_12 + [n sin cos X^2 g]_01
///   rho_phi = -1/2 (n01 L01 + n12 L12)
///   rho_theta = kappa_perp/4 ([n cos s^2 g]_12 - [n cos s^2 g]_01)
///
/// with X = Phi/2 from the angles between the chords, never from two absolute
/// azimuths. Each segment is linearised at its own 3D curvature
/// kappa_perp sin(theta); the gradients are derivatives at that curvature.
///
/// @param x0,x1,x2  hits in order of flight [mm], transverse distances > 0,
///                  each segment turns by less than 2 pi
/// @return          singular (inverse_index -> 0) where a segment reaches the
///                  pole of its index; no other error path
/// Source           [GTTF] eq:circle1 to eq:def_index_par, in an equivalent
/// form that is stable for straight tracks
template <class S>
Triplet<S> make_triplet(const Cartesian<S>& x0, const Cartesian<S>& x1,
                        const Cartesian<S>& x2) {
  using std::atan2, std::sqrt;
  const Cartesian<S> a = x1 - x0, b = x2 - x1, c = x2 - x0;
  const S half_turn01 = atan2(transverse_cross(c, b), transverse_dot(c, b));
  const S half_turn12 = atan2(transverse_cross(a, c), transverse_dot(a, c));
  Triplet<S> t;
  t.kappa_perp =
      S(2) * transverse_cross(a, b) /
      sqrt(transverse_dot(a, a) * transverse_dot(b, b) * transverse_dot(c, c));
  t.first = make_segment(x0, x1, half_turn01, t.kappa_perp);
  t.second = make_segment(x1, x2, half_turn12, t.kappa_perp);
  detail::join_segments(t);
  // kappa_seg d(theta)/d(kappa) of each segment, subtracted from the kink
  const auto bending = [](const Segment<S>& s) {
    return s.index * s.sin_theta * s.cos_theta * s.half_turn * s.half_turn *
           s.shape.index_term;
  };
  t.phi_tilde = t.first.index * half_turn01 + t.second.index * half_turn12;
  t.theta_tilde = detail::polar_kink(t.first, t.second) - bending(t.second) +
                  bending(t.first);
  return t;
}

/// Linearised at a common 3D curvature `kappa`, with exact segments: used for
/// further steps of the fit, and with kappa = 0 the triplet without field (the
/// kinks themselves; rho then multiplies a curvature that is zero).
///
///   Psi = kink(kappa) - rho kappa
///
/// @param kappa  3D curvature [1/mm]; both segments must exist for it
/// Source        [GTTF] eq:phikink, eq:thetakink, eq:linearization_phi
template <class S>
Triplet<S> make_triplet(const Cartesian<S>& x0, const Cartesian<S>& x1,
                        const Cartesian<S>& x2, const S& kappa) {
  using std::atan2, std::sqrt;
  const Cartesian<S> a = x1 - x0, b = x2 - x1, c = x2 - x0;
  Triplet<S> t;
  t.kappa_perp =
      S(2) * transverse_cross(a, b) /
      sqrt(transverse_dot(a, a) * transverse_dot(b, b) * transverse_dot(c, c));
  t.first = segment_at_curvature(x0, x1, kappa);
  t.second = segment_at_curvature(x1, x2, kappa);
  detail::join_segments(t);
  const S kink_phi = atan2(transverse_cross(a, b), transverse_dot(a, b)) -
                     (t.first.half_turn + t.second.half_turn);
  t.phi_tilde = kink_phi - t.rho_phi * kappa;
  t.theta_tilde = detail::polar_kink(t.first, t.second) - t.rho_theta * kappa;
  return t;
}

}  // namespace gttf
