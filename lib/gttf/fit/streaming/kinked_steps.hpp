// SPDX-License-Identifier: Apache-2.0
// How small changes of a kinked helix pass from surface to surface, for one
// track or one per lane.
#pragma once

#include "gttf/fit/track/helix_steps.hpp"
#include "gttf/trajectory/derivatives.hpp"

namespace gttf::detail {

/// Rows (across, vertical, phi) of a point against the five parameters of the
/// line at the start: displacement along the left normal of the direction and
/// along z, with the part along the track slid away.
template <class S>
struct LineTransport {
  S row[3][5];
};

template <class S>
LineTransport<S> no_transport() {
  const S zero(0), one(1);
  return {{{one, zero, zero, zero, zero},
           {zero, one, zero, zero, zero},
           {zero, zero, one, zero, zero}}};
}

/// After the arc s: (across, vertical, phi) there as function of (across,
/// vertical, phi, theta, kappa) before; see docs/theory/crossings.md.
/// @param t  arc_turn() of the arc
template <class S>
void transport_along(const HelixPoint<S>& from, const S& inv_sine, const S& s,
                     const ArcTurn<S>& t, LineTransport<S>& transport) {
  using std::abs;
  const S &c = from.c, &ct = from.cot, two(2), one(1);
  const S half_chord = S(0.5) * s * t.sinc;  // D
  const S f = two * half_chord * t.cosine, g = two * half_chord * t.sine;
  const S sin_turn = two * t.sine * t.cosine;
  const S cos_turn = one - two * t.sine * t.sine;
  // (s - f)/c = s^2 (1 - sin 2X/2X)/2X
  const S x2 = t.x * t.x;
  constexpr double terms[] = {1. / 3, -1. / 15, 2. / 315, -1. / 2835,
                              2. / 155925};
  S excess = s * s * t.x * polynomial(terms, x2);
  const auto large = !(abs(t.x) < S(0.1));
  if (any(large))
    excess = select(large, (s - f) / select(large, c, one), excess);
  const S d2 = two * half_chord * half_chord;
  const S along[4] = {sin_turn, g, ct * f, excess * inv_sine};
  const S across_phi = f, across_theta = -(ct * g),
          across_kappa = d2 * inv_sine;
  S(&row)[3][5] = transport.row;
  for (std::size_t j = 0; j < 5; ++j) {
    const S across = row[0][j], vertical = row[1][j], phi = row[2][j];
    row[0][j] = cos_turn * across + across_phi * phi;
    // by how much the point slides along the track
    const S slid = along[0] * across + along[1] * phi;
    row[1][j] = vertical - ct * slid;
    row[2][j] = phi - c * slid;
  }
  row[0][3] = row[0][3] + across_theta;
  row[0][4] = row[0][4] + across_kappa;
  row[1][3] = row[1][3] - s - ct * along[2];
  row[1][4] = row[1][4] - ct * along[3];
  row[2][3] = row[2][3] - c * along[2];
  row[2][4] = row[2][4] + s * inv_sine - c * along[3];
}

/// Where a track that is displaced along its left normal, or along z, meets a
/// surface: the displacement, and the arc by which it slides.
template <class S>
struct OnPlane {
  Cartesian<S> displacement;
  S slide;
};

/// @param inverse  1/(normal . slope)
template <class S>
OnPlane<S> slid_onto(const Cartesian<S>& normal, const Cartesian<S>& slope,
                     const S& inverse, const Cartesian<S>& displacement) {
  const S slide = -(dot(normal, displacement) * inverse);
  return {displacement + slide * slope, slide};
}

/// (across, vertical, phi) after a finite kink on a surface as function of
/// those before, both slid along their track.
template <class S>
void transport_through_kink(const Cartesian<S>& normal,
                            const HelixPoint<S>& before,
                            const HelixPoint<S>& after,
                            LineTransport<S>& transport) {
  const Cartesian<S> left = after.left(), t = after.slope();
  const Cartesian<S> slope = before.slope();
  const S inverse = S(1) / dot(normal, slope);
  const Cartesian<S> basis[2] = {before.left(), {S(0), S(0), S(1)}};
  S m[3][2];
  for (int i = 0; i < 2; ++i) {
    const OnPlane<S> p = slid_onto(normal, slope, inverse, basis[i]);
    const S along = transverse_dot(p.displacement, t);
    m[0][i] = dot(p.displacement, left);
    m[1][i] = p.displacement.z - t.z * along;
    m[2][i] = before.c * p.slide - after.c * along;
  }
  S(&row)[3][5] = transport.row;
  for (std::size_t j = 0; j < 5; ++j) {
    const S across = row[0][j], vertical = row[1][j];
    row[0][j] = m[0][0] * across + m[0][1] * vertical;
    row[1][j] = m[1][0] * across + m[1][1] * vertical;
    row[2][j] = row[2][j] + m[2][0] * across + m[2][1] * vertical;
  }
}

/// Kinks behind a surface as changes of the start parameters: of the equations
/// transport . s = (changes of across, vertical, phi) solved for d0, z0, phi.
template <class S>
Kink<S> kink_columns(const LineTransport<S>& transport) {
  const S(&t)[3][5] = transport.row;
  const auto column = [&t](std::size_t j) -> Cartesian<S> {
    return {t[0][j], t[1][j], t[2][j]};
  };
  const Cartesian<S> a = column(0), b = column(1), c = column(2);
  const Cartesian<S> bc = cross(b, c), ca = cross(c, a), ab = cross(a, b);
  const S inverse = S(1) / dot(a, bc);
  // a theta kink that leaves the point where it is
  const Cartesian<S> theta = -inverse * column(3);
  return {{dot(bc, theta), dot(ca, theta), dot(ab, theta)},
          {bc.z * inverse, ca.z * inverse, ab.z * inverse}};
}

/// Derivative of the coordinate along `axis`, a vector in the plane.
template <class S>
Row<S> plane_row(const Cartesian<S>& axis, const Cartesian<S>& normal,
                 const HelixPoint<S>& at, const LineTransport<S>& transport) {
  const Cartesian<S> t = at.slope();
  const S slide = dot(axis, t) / dot(normal, t);
  const S across = dot(axis, at.left()) - slide * dot(normal, at.left());
  const S vertical = axis.z - slide * normal.z;
  Row<S> r;
  for (std::size_t j = 0; j < 5; ++j)
    r[j] = across * transport.row[0][j] + vertical * transport.row[1][j];
  return r;
}

/// Position, then (theta, phi), of a state on its surface against the start
/// parameters (d0, z0, phi, theta, kappa).
template <class S>
std::array<Row<S>, 5> surface_derivatives(const Cartesian<S>& normal,
                                          const HelixPoint<S>& at,
                                          const LineTransport<S>& transport) {
  const Cartesian<S> slope = at.slope();
  const S inverse = S(1) / dot(normal, slope);
  const OnPlane<S> across = slid_onto(normal, slope, inverse, at.left());
  const OnPlane<S> vertical =
      slid_onto(normal, slope, inverse, {S(0), S(0), S(1)});
  std::array<Row<S>, 5> d;
  const auto sum = [&](const S& a, const S& b, Row<S>& row) {
    for (std::size_t j = 0; j < 5; ++j)
      row[j] = a * transport.row[0][j] + b * transport.row[1][j];
  };
  sum(across.displacement.x, vertical.displacement.x, d[0]);
  sum(across.displacement.y, vertical.displacement.y, d[1]);
  sum(across.displacement.z, vertical.displacement.z, d[2]);
  d[3] = {S(0), S(0), S(0), S(1), S(0)};
  sum(at.c * across.slide, at.c * vertical.slide, d[4]);
  for (std::size_t j = 0; j < 5; ++j) d[4][j] = d[4][j] + transport.row[2][j];
  return d;
}

}  // namespace gttf::detail
