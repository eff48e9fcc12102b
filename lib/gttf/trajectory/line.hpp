// SPDX-License-Identifier: Apache-2.0
// Line: the reference helix of a track in the form the formulas need.
#pragma once

#include <cmath>

#include "gttf/core/scalar.hpp"
#include "gttf/core/units.hpp"
#include "gttf/trajectory/track.hpp"

namespace gttf {

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
  S scatter_scale;    ///< (13.6 MeV q/(beta p))^2
  S log_charge_beta;  ///< ln(q^2/beta^2)
  bool on_axis;       ///< start point on the z axis (all lanes)
};

/// A Track as numbers of another type: one per lane, or with derivatives.
template <class S>
struct TrackValues {
  S p, theta, phi, mass, charge, x, y, z;
};

/// The reference helix of a track in a field bz [GeV/(e mm)] along z.
///
/// @param on_axis    the start point is on the z axis (all lanes)
/// @param cos_floor  |cos(theta)| below it counts as 0: keeps tan(theta) finite
///                   where theta is 90 deg but for rounding
template <class S>
Line<S> make_line(const TrackValues<S>& t, double bz, bool on_axis,
                  double cos_floor = 1e-12) {
  using std::abs, std::cos, std::sin, std::log;
  Line<S> l;
  l.sin_theta = sin(t.theta);
  l.cos_theta = cos(t.theta);
  l.cos_theta = select(abs(l.cos_theta) < S(cos_floor), S(0), l.cos_theta);
  l.inv_sin_theta = S(1) / l.sin_theta;
  l.cot_theta = l.cos_theta * l.inv_sin_theta;
  l.cot2_theta = l.cot_theta * l.cot_theta;
  l.tan_theta = l.sin_theta / l.cos_theta;
  const S inv_p = S(1) / t.p, charge_over_p = t.charge * inv_p;
  l.kappa = -(charge_over_p * S(bz));
  l.c = l.kappa * l.inv_sin_theta;
  l.kappa_column = bz == 0 ? S(0) : l.inv_sin_theta;
  l.cos_phi = cos(t.phi);
  l.sin_phi = sin(t.phi);
  l.along = t.x * l.cos_phi + t.y * l.sin_phi;
  l.across = t.y * l.cos_phi - t.x * l.sin_phi;
  l.z = t.z;
  l.r2 = t.x * t.x + t.y * t.y;
  l.on_axis = on_axis;
  const S m_over_p = t.mass * inv_p;
  const S inv_beta2 = S(1) + m_over_p * m_over_p;
  const S k = S(13.6 * unit::MeV) * charge_over_p;
  l.scatter_scale = k * k * inv_beta2;
  l.log_charge_beta = log(t.charge * t.charge * inv_beta2);
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
