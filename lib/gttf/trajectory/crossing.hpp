// SPDX-License-Identifier: Apache-2.0
// Crossing: where and how a helix meets a cylinder, a disk or a plane.
#pragma once

#include <cmath>

#include "gttf/core/cartesian.hpp"
#include "gttf/core/series.hpp"
#include "gttf/trajectory/line.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

/// Seven numbers from which every derivative at a crossing follows, the
/// incidence and the material. The half chord D and the half turn X give
/// u = sin X = c D: no formula divides by the curvature or by D, which is 0 for
/// a surface at the start, and negative if that lies behind it by rounding.
template <class S>
struct Crossing {
  S forward;      ///< f = 2 D cos X: position along e0 from the start, mm
  S sideward;     ///< g = 2 D sin X: position along n0 from the start, mm
  S arc;          ///< transverse arc length, mm; path = arc/sin(theta)
  S sin_turn;     ///< sine and
  S cos_turn;     ///< cosine of the turn Phi of the direction
  S arc_excess;   ///< E = (arc - forward)/c without the cancellation, mm^2
  S half_chord2;  ///< 2 D^2, mm^2
  S cos_psi;      ///< psi: from the surface's normal (disk: e_r, plane normal
  S sin_psi;      ///< to z: x axis) to the transverse direction
  S inv_cos_psi;  ///< 1 for disks
  S tan2_half;    ///< tan^2(psi/2), psi or pi - psi; 0 for disks
  S x_over_x0;    ///< along the track
};

/// Position of a crossing, mm.
template <class S>
Cartesian<S> position_at(const Line<S>& l, const Crossing<S>& x) {
  const S a = l.along + x.forward, b = l.across + x.sideward;
  return {l.cos_phi * a - l.sin_phi * b, l.sin_phi * a + l.cos_phi * b,
          l.z + x.arc * l.cot_theta};
}

namespace detail {

template <class S>
void set_from_half_chord(const S& d, const S& u, const S& h, const S& inv_1ph,
                         const S& excess, Crossing<S>& x) {
  const S u2 = u * u;
  x.forward = S(2) * d * h;
  x.sideward = S(2) * d * u;
  x.half_chord2 = S(2) * d * d;
  x.arc = S(2) * d * (S(1) + u2 * excess);
  x.sin_turn = S(2) * u * h;
  x.cos_turn = S(1) - S(2) * u2;
  x.arc_excess = x.half_chord2 * u * (inv_1ph + excess);
}

/// From W = D/cos(X): where the equation of the surface is linear in D cos X.
template <class S>
void set_from_chord_tangent(const Line<S>& l, const S& chord, Crossing<S>& x) {
  using std::sqrt;
  const S w = l.c * chord;
  const S h = S(1) / sqrt(S(1) + w * w);
  const S u = w * h;
  set_from_half_chord(chord * h, u, h, S(1) / (S(1) + h), asin_excess(u * u, h),
                      x);
}

/// From cos(psi) of an upright surface: one division.
template <class S>
void set_incidence(const Line<S>& l, const S& x_over_x0, Crossing<S>& x) {
  using std::abs;
  const S cosine = abs(x.cos_psi), sum = S(1) + cosine;
  const S inv = S(1) / (x.cos_psi * sum);
  x.inv_cos_psi = inv * sum;
  x.tan2_half = (S(1) - cosine) * (inv * x.cos_psi);
  x.x_over_x0 = x_over_x0 * l.inv_sin_theta * abs(x.inv_cos_psi);
}

/// The start point is on the axis: half the turn is psi.
template <class S>
void cross_cylinder_from_axis(const Line<S>& l, const S& radius,
                              const S& x_over_x0, Crossing<S>& x) {
  using std::sqrt;
  const S d = S(0.5) * radius, u = l.c * d, h = sqrt(S(1) - u * u);
  const S h1 = S(1) + h, inv = S(1) / (h * h1), inv_1ph = inv * h;
  set_from_half_chord(d, u, h, inv_1ph, asin_excess(u * u, h), x);
  x.cos_psi = h;
  x.sin_psi = u;
  x.inv_cos_psi = inv * h1;
  x.tan2_half = (S(1) - h) * inv_1ph;
  x.x_over_x0 = x_over_x0 * l.inv_sin_theta * x.inv_cos_psi;
}

template <class S>
void cross_cylinder(const Line<S>& l, const S& radius, const S& x_over_x0,
                    Crossing<S>& x) {
  using std::abs, std::sqrt;
  if (l.on_axis) {
    cross_cylinder_from_axis(l, radius, x_over_x0, x);
  } else {
    // |start + chord| = r is quadratic in W: A W^2 + 4 a W - De = 0
    const S de = radius * radius - l.r2;
    const S a2 = S(2) * l.along;
    const S quad = S(4) * (S(1) + l.across * l.c) - de * l.c * l.c;
    const S root = sqrt(a2 * a2 + quad * de);
    const S chord =
        select(l.along > S(0), de / (root + abs(a2)), (root - a2) / quad);
    set_from_chord_tangent(l, chord, x);
    const S inv_r = S(1) / radius;
    x.cos_psi =
        (l.along * x.cos_turn + l.across * x.sin_turn + x.forward) * inv_r;
    x.sin_psi =
        (l.along * x.sin_turn - l.across * x.cos_turn + x.sideward) * inv_r;
    set_incidence(l, x_over_x0, x);
  }
}

template <class S>
void cross_plane(const Line<S>& l, const SurfaceRecord& s, const S& position,
                 const S& x_over_x0, Crossing<S>& x) {
  using std::abs, std::sqrt;
  // direction at the start relative to the plane's normal
  const S cn(s.normal_cos), sn(s.normal_sin);
  const S cos0 = l.cos_phi * cn + l.sin_phi * sn;
  const S sin0 = l.sin_phi * cn - l.cos_phi * sn;
  const S gap = position - (l.along * cos0 - l.across * sin0);
  // m W^2 - 2 gap cos0 W + gap^2 = 0; a track that starts away from the plane
  // meets it if it bends towards it (m < 0), one that starts on it does there
  const S m = gap * l.c * (gap * l.c + S(2) * sin0);
  const S sum = abs(cos0) + sqrt(cos0 * cos0 - m);
  const auto near = either(gap * cos0 > S(0), abs(gap) <= S(same_place));
  set_from_chord_tangent(
      l,
      S(select(near, S(S(select(cos0 > S(0), gap, S(-gap))) / sum),
               S(abs(gap) * sum / -m))),
      x);
  x.cos_psi = cos0 * x.cos_turn - sin0 * x.sin_turn;
  x.sin_psi = sin0 * x.cos_turn + cos0 * x.sin_turn;
  set_incidence(l, x_over_x0, x);
}

template <class S>
void cross_disk(const Line<S>& l, const SurfaceRecord& s, const S& position,
                const S& x_over_x0, Crossing<S>& x) {
  using std::abs, std::sqrt;
  const S arc = (position - l.z) * l.tan_theta;
  const S half_turn = S(0.5) * l.c * arc, x2 = half_turn * half_turn;
  const SineSeries<S> sine = sine_series(x2);
  const S sinc = S(1) - x2 * sine.deficit;
  const S d = S(0.5) * arc * sinc;
  set_from_half_chord(d, half_turn * sinc, sine.cosine,
                      S(1) / (S(1) + sine.cosine),
                      sine.deficit / (sinc * sinc * sinc), x);
  x.arc = arc;
  const auto from_x_axis = [&] {
    x.cos_psi = l.cos_phi * x.cos_turn - l.sin_phi * x.sin_turn;
    x.sin_psi = l.sin_phi * x.cos_turn + l.cos_phi * x.sin_turn;
  };
  if (s.kind == SurfaceRecord::Kind::disk) {
    const S px = l.along + x.forward, py = l.across + x.sideward;
    const S r2 = px * px + py * py;
    // e_r is the x axis at the centre, as in axis_components()
    const auto centre = r2 <= S(0);
    if (any(centre)) [[unlikely]]
      from_x_axis();
    const S inv_r = S(1) / sqrt(r2);
    x.cos_psi = select(
        centre, x.cos_psi,
        S((l.along * x.cos_turn + l.across * x.sin_turn + x.forward) * inv_r));
    x.sin_psi = select(
        centre, x.sin_psi,
        S((l.along * x.sin_turn - l.across * x.cos_turn + x.sideward) * inv_r));
  } else {
    from_x_axis();
  }
  x.inv_cos_psi = S(1);
  x.tan2_half = S(0);
  x.x_over_x0 = x_over_x0 / abs(l.cos_theta);
}

}  // namespace detail

/// The first outward crossing of `l` with `s` before half a turn.
///
/// Garbage or NaN where there is none: ask is_crossed() first (per surface and
/// lane; lists of crossings are made once and shared).
/// @param position, x_over_x0  in place of those of the record: with a dual
///                             number, the derivative with respect to them
/// Source: docs/theory/crossings.md.
template <class S>
Crossing<S> cross(const Line<S>& l, const SurfaceRecord& s, const S& position,
                  const S& x_over_x0) {
  using Kind = SurfaceRecord::Kind;
  Crossing<S> x;
  switch (s.kind) {
    case Kind::cylinder:
      detail::cross_cylinder(l, position, x_over_x0, x);
      break;
    case Kind::plane:
      detail::cross_plane(l, s, position, x_over_x0, x);
      break;
    case Kind::disk:
    case Kind::disk_plane:
      detail::cross_disk(l, s, position, x_over_x0, x);
      break;
  }
  return x;
}

template <class S>
Crossing<S> cross(const Line<S>& l, const SurfaceRecord& s) {
  return cross(l, s, S(s.position), S(s.x_over_x0));
}

}  // namespace gttf
