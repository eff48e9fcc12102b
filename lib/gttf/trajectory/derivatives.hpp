// SPDX-License-Identifier: Apache-2.0
// Derivatives at a crossing with respect to the track parameters at the start.
#pragma once

#include <array>
#include <cstddef>

#include "gttf/trajectory/crossing.hpp"

namespace gttf {

/// Coefficients of a linear function of (d0, z0, phi0, theta, kappa), the
/// perigee parameters with respect to the start point.
template <class S>
using Row = std::array<S, 5>;

/// Displacement of the crossing on the surface: `across` along the horizontal
/// normal of the track, `vertical` along z; see docs/theory/crossings.md.
template <class S>
struct Mixture {
  S across, vertical;
};

/// across * A_n + vertical * A_z with the two basis rows
///
///   A_n = (cos Phi, 0, f, -cot g, 2D^2/sin)
///   A_z = (-cot sin Phi, 1, -cot g, -(s + cot^2 f), -cot E/sin)
template <class S>
Row<S> displacement_row(const Line<S>& l, const Crossing<S>& x,
                        const Mixture<S>& m) {
  const S cot_g = l.cot_theta * x.sideward;
  return {m.across * x.cos_turn - m.vertical * l.cot_theta * x.sin_turn,
          m.vertical, m.across * x.forward - m.vertical * cot_g,
          -(m.across * cot_g) -
              m.vertical * (x.arc + l.cot_theta * l.cot_theta * x.forward),
          l.kappa_column * (m.across * x.half_chord2 -
                            m.vertical * l.cot_theta * x.arc_excess)};
}

/// How the coordinate cos(al) u + sin(al) v of the surface mixes the two rows.
template <class S>
Mixture<S> coordinate_mixture(const Line<S>& l, const SurfaceRecord& s,
                              const Crossing<S>& x, double cosine,
                              double sine) {
  const S ca(cosine), sa(sine);
  if (s.kind == SurfaceRecord::Kind::cylinder ||
      s.kind == SurfaceRecord::Kind::plane)
    return {(ca + sa * l.cot_theta * x.sin_psi) * x.inv_cos_psi, sa};
  return {ca * x.cos_psi - sa * x.sin_psi,
          -(l.tan_theta * (ca * x.sin_psi + sa * x.cos_psi))};
}

/// Derivatives of the coordinate cosine * u + sine * v (SurfaceRecord axes).
template <class S>
Row<S> coordinate_row(const Line<S>& l, const SurfaceRecord& s,
                      const Crossing<S>& x, double cosine, double sine) {
  return displacement_row(l, x, coordinate_mixture(l, s, x, cosine, sine));
}

/// What a kink at a crossing adds to the line outside, written in the start
/// parameters. Components (d0, z0, phi0); a theta kink also adds 1 to theta, no
/// kink touches kappa.
template <class S>
struct Kink {
  std::array<S, 3> theta, phi;
};

///   b_theta = (-cot g, s + cot^2 f, cot sin Phi, 1, 0)
///   b_phi   = (-f, -cot g, cos Phi, 0, 0)
template <class S>
Kink<S> kink(const Line<S>& l, const Crossing<S>& x) {
  const S cot_g = l.cot_theta * x.sideward;
  return {{-cot_g, x.arc + l.cot_theta * l.cot_theta * x.forward,
           l.cot_theta * x.sin_turn},
          {-x.forward, -cot_g, x.cos_turn}};
}

/// d(u, v, phi, theta, kappa on the surface)/d(start parameters), the order of
/// OnSurface (with kappa). u, v are the axes of the detector's Surface.
template <class S>
std::array<Row<S>, 5> surface_jacobian(const Line<S>& l, const SurfaceRecord& s,
                                       const Crossing<S>& x) {
  const bool upright = s.kind == SurfaceRecord::Kind::cylinder ||
                       s.kind == SurfaceRecord::Kind::plane;
  // the direction's azimuth changes by the turn per path and the displacement
  const Mixture<S> slip =
      upright ? Mixture<S>{-(x.sin_psi * x.inv_cos_psi * l.inv_sin_theta),
                           -l.cos_theta}
              : Mixture<S>{S(0), S(1) / l.cos_theta - l.cos_theta};
  const Row<S> n = displacement_row(l, x, slip);
  const Row<S> along = {l.sin_theta * x.sin_turn, l.cos_theta,
                        l.sin_theta * x.sideward,
                        -(l.cos_theta * (x.arc - x.forward)), x.arc_excess};
  Row<S> phi = {S(0), S(0), S(1), S(0), x.arc * l.inv_sin_theta};
  for (std::size_t i = 0; i < 5; ++i)
    phi[i] = phi[i] - l.kappa * (along[i] + n[i]);
  const Row<S> theta = {S(0), S(0), S(0), S(1), S(0)};
  const Row<S> kappa = {S(0), S(0), S(0), S(0), S(1)};
  const auto [u, v] = s.user_axes();
  return {coordinate_row(l, s, x, u.cosine, u.sine),
          coordinate_row(l, s, x, v.cosine, v.sine), phi, theta, kappa};
}

}  // namespace gttf
