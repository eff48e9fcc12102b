// SPDX-License-Identifier: Apache-2.0
// Derivatives of the perigee parameters with respect to a track state on the
// reference helix.
#pragma once

#include "gttf/fit/triplet/segment.hpp"

namespace gttf {

/// Derivatives of one perigee parameter with respect to position (x, y, z),
/// phi, theta and kappa at a point of the track.
template <class S>
struct StateRow {
  Cartesian<S> position;
  S phi, theta, kappa;
};

template <class S>
struct PerigeeRows {
  StateRow<S> d0;   ///< along n0 = z x e0 at the start
  StateRow<S> z0;   ///< z of the closest approach minus z of the start
  StateRow<S> phi;  ///< azimuth at the closest approach
};

/// Perigee parameters with respect to the start of `arc` as functions of the
/// state at its end; theta and kappa are those of the state. Valid for a
/// reference that passes through the start (d0 = 0): with u the vector from
/// start to end, X its half turn, t0 and n0 the direction and its left normal
/// at the start, c = kappa/sin(theta), s the transverse arc
///
///   d(d0)   = n0.du - d cos X dphi + d^2/2 dc
///   d(phi0) = -c t0.du + cos 2X dphi - d cos X dc
///   d(s)    = t0.du + d sin X dphi - s d X/2 (sin X/X - cos X g(X)) dc
///   d(z0)   = dz - cot(theta) ds + s/sin^2(theta) dtheta
///   dc      = dkappa/sin(theta) - c cot(theta) dtheta
///
/// Regular for straight tracks and for |X| < pi.
/// Source: docs/theory/global-fit.md, perigee
template <class S>
PerigeeRows<S> perigee_rows(const Segment<S>& arc) {
  using std::cos, std::sin;
  const S& d = arc.chord;
  const S& x = arc.half_turn;
  const S sine_x = sin(x), cosine_x = arc.shape.cosine;
  const S inv_sine = S(1) / arc.sin_theta;
  const S cot = arc.cos_theta * inv_sine, c = arc.kappa * inv_sine;
  // direction at the start: the chord turned back by X
  const Cartesian<S> t0{arc.chord_cos * cosine_x + arc.chord_sin * sine_x,
                        arc.chord_sin * cosine_x - arc.chord_cos * sine_x,
                        S(0)};
  const Cartesian<S> n0{-t0.y, t0.x, S(0)};
  const Cartesian<S> z{S(0), S(0), S(1)};
  // derivative with respect to theta and kappa follows from that to c
  const auto row = [&](const Cartesian<S>& position, const S& phi,
                       const S& curvature) {
    return StateRow<S>{position, phi, -(c * cot * curvature),
                       inv_sine * curvature};
  };
  const S forward = d * cosine_x;
  PerigeeRows<S> p;
  p.d0 = row(n0, -forward, S(0.5) * d * d);
  p.phi = row(-(c * t0), S(1) - S(2) * sine_x * sine_x, -forward);
  const StateRow<S> s =
      row(t0, d * sine_x,
          -(S(0.5) * arc.arc * d * x *
            (S(1) / arc.shape.stretch - cosine_x * arc.shape.index_term)));
  p.z0 = {z - cot * s.position, -(cot * s.phi),
          arc.arc * inv_sine * inv_sine - cot * s.theta, -(cot * s.kappa)};
  return p;
}

}  // namespace gttf
