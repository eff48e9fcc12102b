// SPDX-License-Identifier: Apache-2.0
// The beam-spot constraint: an additional hit at the start of the track.
#pragma once

#include "gttf/trajectory/derivatives.hpp"

namespace gttf {

/// A beam spot as two independent measurements of the line at its start.
template <class S>
struct StartHit {
  Row<S> transverse, longitudinal;
  S transverse_variance, longitudinal_variance;
};

/// Direction of a track at its start.
template <class S>
struct StartDirection {
  S cos_phi, sin_phi, cot_theta;
};

/// The displacement (x, y, z) of the true start from the nominal one appears in
///
///   d0 = n0 . (x, y),    z0 = z - cot(theta) e0 . (x, y)
///
/// with e0 the transverse direction and n0 = z x e0: the spot constrains each
/// of them once. They are correlated if x and y have different errors; the
/// second measurement is z0 - r d0, independent of d0, with variance sigma_z^2
/// + cot^2(theta) sigma_x^2 sigma_y^2/Var(d0).
/// @param x, y, z  errors as in BeamSpot, in the axes of the direction
template <class S>
StartHit<S> make_start_hit(const StartDirection<S>& l, const S& x, const S& y,
                           const S& z) {
  const S x2 = x * x, y2 = y * y, z2 = z * z;
  const S variance = x2 * l.sin_phi * l.sin_phi + y2 * l.cos_phi * l.cos_phi;
  const S covariance = l.cot_theta * (x2 - y2) * l.sin_phi * l.cos_phi;
  const S zero(0), one(1);
  return {.transverse = {one, zero, zero, zero, zero},
          .longitudinal = {-(covariance / variance), one, zero, zero, zero},
          .transverse_variance = variance,
          .longitudinal_variance =
              z2 + l.cot_theta * l.cot_theta * x2 * y2 / variance};
}

template <class S>
StartHit<S> make_start_hit(const Line<S>& l, const S& x, const S& y,
                           const S& z) {
  return make_start_hit(StartDirection<S>{l.cos_phi, l.sin_phi, l.cot_theta}, x,
                        y, z);
}

template <class S>
StartHit<S> make_start_hit(const Line<S>& l, const BeamSpot& spot) {
  return make_start_hit(l, S(spot.x), S(spot.y), S(spot.z));
}

}  // namespace gttf
