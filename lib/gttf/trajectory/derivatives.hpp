// SPDX-License-Identifier: Apache-2.0
// Derivatives at a crossing with respect to the track parameters at the start.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "gttf/core/track_dim.hpp"
#include "gttf/trajectory/crossing.hpp"

namespace gttf {

/// Coefficients of a linear function of (d0, z0, phi0, theta, kappa), the
/// perigee parameters with respect to the start point.
template <class S>
using Row = std::array<S, track_dim>;

/// Effect of a kink at a crossing on the line outside, in terms of the start
/// parameters. Components (d0, z0, phi0); a theta kink also adds 1 to theta;
/// kappa is not affected.
template <class S>
struct Kink {
  std::array<S, 3> theta, phi;
};

///   b_theta = (-cot g, s + cot^2 f, cot sin Phi, 1, 0)
///   b_phi   = (-f, -cot g, cos Phi, 0, 0)
template <class S>
Kink<S> kink(const Line<S>& l, const Crossing<S>& x) {
  const S cot_g = l.cot_theta * x.sideward;
  return {{-cot_g, x.arc + l.cot2_theta * x.forward, l.cot_theta * x.sin_turn},
          {-x.forward, -cot_g, x.cos_turn}};
}

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
///
/// @param k kink() of this crossing, which has the same terms
template <class S>
Row<S> displacement_row(const Line<S>& l, const Crossing<S>& x,
                        const Kink<S>& k, const Mixture<S>& m) {
  return {m.across * k.phi[2] - m.vertical * k.theta[2], m.vertical,
          m.vertical * k.theta[0] - m.across * k.phi[0],
          m.across * k.phi[1] - m.vertical * k.theta[1],
          l.kappa_column * (m.across * x.half_chord2 -
                            m.vertical * l.cot_theta * x.arc_excess)};
}

/// The same for a displacement along the horizontal normal of the track.
template <class S>
Row<S> across_row(const Line<S>& l, const Crossing<S>& x, const Kink<S>& k,
                  const S& across) {
  return {across * k.phi[2], S(0), -(across * k.phi[0]), across * k.phi[1],
          l.kappa_column * (across * x.half_chord2)};
}

/// coordinate_row() of a cone or an inclined plane: a displacement slides along
/// the track onto the plane normal to n_r e_r + n_z e_z.
/// @param s  a SurfaceRecord, or numbers of the same names in vectors
template <class S, class Plane>
[[gnu::noinline]] Row<S> leaning_row(const Line<S>& l, const Plane& s,
                                     const Crossing<S>& x, const Kink<S>& k,
                                     const S& cosine, const S& sine) {
  const S nr(s.normal_r), nz(s.normal_z);
  const S inverse = S(1) / detail::cos_on_leaning(l, s, x);
  return displacement_row(
      l, x, k,
      Mixture<S>{(cosine * (nr * l.sin_theta + nz * l.cos_theta * x.cos_psi) +
                  sine * l.cos_theta * x.sin_psi) *
                     inverse,
                 (sine * x.cos_psi - cosine * nz * x.sin_psi) * l.sin_theta *
                     inverse});
}

/// Derivatives of the coordinate cosine * u + sine * v (SurfaceRecord axes).
/// @param k  kink() of this crossing
template <class S>
Row<S> coordinate_row(const Line<S>& l, const SurfaceRecord& s,
                      const Crossing<S>& x, const Kink<S>& k, double cosine,
                      double sine) {
  const S ca(cosine), sa(sine);
  if (!s.is_upright()) {
    if (s.leans()) return leaning_row(l, s, x, k, ca, sa);
    return displacement_row(
        l, x, k,
        Mixture<S>{ca * x.cos_psi - sa * x.sin_psi,
                   -(l.tan_theta * (ca * x.sin_psi + sa * x.cos_psi))});
  }
  if (sine == 0) return across_row(l, x, k, S(ca * x.inv_cos_psi));
  return displacement_row(
      l, x, k,
      Mixture<S>{(ca + sa * l.cot_theta * x.sin_psi) * x.inv_cos_psi, sa});
}

template <class S>
Row<S> coordinate_row(const Line<S>& l, const SurfaceRecord& s,
                      const Crossing<S>& x, double cosine, double sine) {
  return coordinate_row(l, s, x, kink(l, x), cosine, sine);
}

/// The rows of phi and theta of surface_jacobian(), and of kappa.
/// @param slip  the displacement of the crossing on the surface per
///              displacement of the track
template <class S>
std::array<Row<S>, 3> direction_rows(const Line<S>& l, const Crossing<S>& x,
                                     const Kink<S>& k, const Mixture<S>& slip) {
  const Row<S> n = displacement_row(l, x, k, slip);
  const Row<S> along = {l.sin_theta * x.sin_turn, l.cos_theta,
                        l.sin_theta * x.sideward,
                        -(l.cos_theta * (x.arc - x.forward)), x.arc_excess};
  // the direction's azimuth changes by the turn per path and the displacement
  Row<S> phi = {S(0), S(0), S(1), S(0), x.arc * l.inv_sin_theta};
  for (std::size_t i = 0; i < track_dim; ++i)
    phi[i] = phi[i] - l.kappa * (along[i] + n[i]);
  return {phi, Row<S>{S(0), S(0), S(0), S(1), S(0)},
          Row<S>{S(0), S(0), S(0), S(0), S(1)}};
}

/// The displacement of a crossing with a cone or an inclined plane.
/// @param s  as for leaning_row()
template <class S, class Plane>
Mixture<S> leaning_slip(const Line<S>& l, const Plane& s,
                        const Crossing<S>& x) {
  const S inverse = S(1) / detail::cos_on_leaning(l, s, x);
  return {-(S(s.normal_r) * x.sin_psi * inverse),
          S(s.normal_z) * inverse - l.cos_theta};
}

/// d(u, v, phi, theta, kappa on the surface)/d(start parameters), the order of
/// OnSurface (with kappa). u, v are the axes of the detector's Surface.
template <class S>
std::array<Row<S>, track_dim> surface_jacobian(const Line<S>& l,
                                               const SurfaceRecord& s,
                                               const Crossing<S>& x) {
  const Mixture<S> slip =
      s.leans() ? leaning_slip(l, s, x)
      : s.is_upright()
          ? Mixture<S>{-(x.sin_psi * x.inv_cos_psi * l.inv_sin_theta),
                       -l.cos_theta}
          : Mixture<S>{S(0), S(1) / l.cos_theta - l.cos_theta};
  const Kink<S> k = kink(l, x);
  const auto [phi, theta, kappa] = direction_rows(l, x, k, slip);
  const auto [u, v] = s.user_axes();
  return {coordinate_row(l, s, x, k, u.cosine, u.sine),
          coordinate_row(l, s, x, k, v.cosine, v.sine), phi, theta, kappa};
}

}  // namespace gttf
