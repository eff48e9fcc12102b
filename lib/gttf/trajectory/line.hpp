// SPDX-License-Identifier: Apache-2.0
// Line: the reference helix of a track in the form used by the formulas.
#pragma once

#include <cmath>

#include "gttf/core/cartesian.hpp"
#include "gttf/core/scalar.hpp"
#include "gttf/core/units.hpp"
#include "gttf/trajectory/track.hpp"

namespace gttf {

/// Of the formulas of Highland and Rossi, see scattering.hpp.
inline constexpr double scatter_energy = 13.6 * unit::MeV;

/// With the charge q in e and beta = p/sqrt(p^2 + m^2).
template <class S>
struct ScatterStrength {
  S scale;            ///< (scatter_energy q/(beta p))^2, rad^2
  S log_charge_beta;  ///< ln(q^2/beta^2)
};

/// @param inv_p   1/p, 1/GeV
/// @param mass    GeV
/// @param charge  e
template <class S>
ScatterStrength<S> scatter_strength(const S& inv_p, const S& mass,
                                    const S& charge) {
  using std::log;
  const S m_over_p = mass * inv_p;
  const S inv_beta2 = S(1) + m_over_p * m_over_p;
  const S k = S(scatter_energy) * (charge * inv_p);
  return {k * k * inv_beta2, log(charge * charge * inv_beta2)};
}

/// A helix around z (or a straight line) from its start point.
///
/// Transverse frame at the start: e0 along the initial transverse direction,
/// n0 = z x e0. Curvatures: kappa = d(phi)/d(path) = -q B/p, counter-clockwise
/// positive; transverse curvature c = kappa/sin(theta). mm, GeV, rad.
template <class S>
struct Line {
  S sin_theta, cos_theta, cot_theta, cot2_theta, tan_theta;
  S inv_sin_theta;
  S kappa;          ///< 3D curvature, 1/mm
  S c;              ///< transverse curvature, 1/mm
  S kappa_column;   ///< 1/sin(theta), or 0 if p is not a fit parameter (B = 0)
  S along, across;  ///< start point along e0 and n0, mm
  S z;              ///< start point, mm
  S r2;             ///< squared distance of the start point from the axis
  S cos_phi, sin_phi;
  ScatterStrength<S> strength;
  bool on_axis;  ///< start point on the z axis (all tracks)
};

/// Sets the polar angle of a line of known kappa, except its tan and cot^2.
template <class S>
void set_polar(const S& sin_theta, const S& cos_theta, Line<S>& l) {
  l.sin_theta = sin_theta;
  l.cos_theta = cos_theta;
  l.inv_sin_theta = S(1) / sin_theta;
  l.cot_theta = cos_theta * l.inv_sin_theta;
  l.c = l.kappa * l.inv_sin_theta;
}

/// Sets the start point, mm, of a line of known azimuth.
template <class S>
void set_start(const S& x, const S& y, const S& z, Line<S>& l) {
  l.along = x * l.cos_phi + y * l.sin_phi;
  l.across = y * l.cos_phi - x * l.sin_phi;
  l.z = z;
  l.r2 = x * x + y * y;
}

/// The reference helix of curvature kappa from an arbitrary point.
///
/// @param start      mm
/// @param kappa      1/mm; p is a parameter
/// @param cos_floor  |cos(theta)| below it is treated as 0, to keep tan(theta)
///                   finite if theta is 90 deg except for rounding
template <class S>
Line<S> line_from(const Cartesian<S>& start, const Direction<S>& direction,
                  const S& kappa, const ScatterStrength<S>& strength,
                  double cos_floor = 1e-12) {
  using std::abs;
  Line<S> l;
  l.kappa = kappa;
  const S& cosine = direction.cos_theta;
  set_polar(direction.sin_theta,
            S(select(abs(cosine) < S(cos_floor), S(0), cosine)), l);
  l.cot2_theta = l.cot_theta * l.cot_theta;
  l.tan_theta = l.sin_theta / l.cos_theta;
  l.kappa_column = l.inv_sin_theta;
  l.cos_phi = direction.cos_phi;
  l.sin_phi = direction.sin_phi;
  set_start(start.x, start.y, start.z, l);
  l.strength = strength;
  l.on_axis = false;
  return l;
}

/// A Track with another number type: one track per vector element, or with
/// derivatives.
template <class S>
struct TrackValues {
  S p, theta, phi, mass, charge, x, y, z;
};

/// The reference helix of a track in a field bz [GeV/(e mm)] along z.
///
/// @param on_axis    the start point is on the z axis (all tracks)
/// @param cos_floor  see line_from()
template <class S>
Line<S> make_line(const TrackValues<S>& t, double bz, bool on_axis,
                  double cos_floor = 1e-12) {
  using std::cos, std::sin;
  const S inv_p = S(1) / t.p;
  Line<S> l = line_from(
      Cartesian<S>{t.x, t.y, t.z},
      Direction<S>{sin(t.theta), cos(t.theta), sin(t.phi), cos(t.phi)},
      S(-(t.charge * inv_p * S(bz))), scatter_strength(inv_p, t.mass, t.charge),
      cos_floor);
  if (bz == 0) l.kappa_column = S(0);
  l.on_axis = on_axis;
  return l;
}

template <class S>
Line<S> make_line(const Track& track, double bz, double cos_floor = 1e-12) {
  const auto& v = track.vertex;
  return make_line(
      TrackValues<S>{S(track.p), S(track.theta), S(track.phi), S(track.mass),
                     S(track.charge), S(v[0]), S(v[1]), S(v[2])},
      bz, v[0] == 0 && v[1] == 0, cos_floor);
}

}  // namespace gttf
