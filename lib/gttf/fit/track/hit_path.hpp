// SPDX-License-Identifier: Apache-2.0
// HitPath: a helix close to the hits of a track, and scattering along it.
#pragma once

#include <cmath>

#include "gttf/core/cartesian.hpp"
#include "gttf/core/series.hpp"
#include "gttf/fit/track/helix.hpp"
#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/scattering.hpp"

namespace gttf {

/// A helix close to the hits of a track in a field along z, or a straight line.
template <class S>
struct HitPath {
  HelixPoint<S> first;  ///< x and y of the first hit
  S cos_theta, sin_theta;
};

/// Curvature of the circle through three points, 1/mm, positive if they turn
/// counter-clockwise: 2 sin(angle at b)/|a - c|.
template <class S>
S circle_curvature(const Cartesian<S>& a, const Cartesian<S>& b,
                   const Cartesian<S>& c) {
  using std::sqrt;
  const Cartesian<S> u = b - a, v = c - b, w = c - a;
  return S(2) * transverse_cross(u, v) /
         (sqrt(transverse_dot(u, u)) * sqrt(transverse_dot(v, v)) *
          sqrt(transverse_dot(w, w)));
}

/// An arc of a circle above a chord, less than half a turn, and the sine and
/// cosine of half the angle by which it turns.
template <class S>
struct ChordArc {
  S length, sine, cosine;

  S sin_turn() const { return S(2) * sine * cosine; }
  S cos_turn() const { return S(1) - S(2) * sine * sine; }
};

/// The largest sine^2 for which arc_above<true>() holds.
inline constexpr double largest_small_sine2 = 0.25;

/// @param chord, curvature  mm, 1/mm
template <bool small, class S>
ChordArc<S> arc_above(const S& chord, const S& curvature) {
  using std::sqrt;
  S sine = S(0.5) * chord * curvature;
  if constexpr (!small) {
    sine = select(sine > S(1), S(1), sine);
    sine = select(sine < S(-1), S(-1), sine);
  }
  const S sine2 = sine * sine, cosine = sqrt((S(1) - sine) * (S(1) + sine));
  const S excess =
      small ? detail::asin_excess_small(sine2) : asin_excess(sine2, cosine);
  return {chord * (S(1) + sine2 * excess), sine, cosine};
}

/// Sums over points for the straight line of z over the arc s, mm: least
/// squares give the slope (n sum(s z) - sum(s) sum(z))/(n sum(s^2) - sum(s)^2).
template <class S>
struct ArcLine {
  S n{0}, s{0}, z{0}, ss{0}, sz{0};

  void add(const S& arc, const S& height) {
    n = n + S(1), s = s + arc, z = z + height;
    ss = ss + arc * arc, sz = sz + arc * height;
  }
  void add(const S& arc, const S& height, const S& weight) {
    n = n + weight, s = s + weight * arc, z = z + weight * height;
    ss = ss + weight * arc * arc, sz = sz + weight * arc * height;
  }
  /// 0 for points at the same arc.
  S determinant() const { return n * ss - s * s; }
};

/// The path from `first` to `last`, mm: its direction is the direction of the
/// chord turned back by half the turn of the arc, its slope cot(theta) the
/// slope of the line.
/// @param arc  above the chord between them
template <class S>
HitPath<S> make_path(const Cartesian<S>& first, const Cartesian<S>& last,
                     const S& curvature, const ChordArc<S>& arc,
                     const ArcLine<S>& line) {
  using std::sqrt;
  const Cartesian<S> d = last - first;
  const S slope = (line.n * line.sz - line.s * line.z) / line.determinant();
  const S sin_theta = S(1) / sqrt(S(1) + slope * slope);
  const S inv_chord = S(1) / sqrt(transverse_dot(d, d));
  // half the turn before the direction of the chord
  return {{{first.x, first.y, (line.z - slope * line.s) / line.n},
           (d.x * arc.cosine + d.y * arc.sine) * inv_chord,
           (d.y * arc.cosine - d.x * arc.sine) * inv_chord,
           slope,
           curvature},
          slope * sin_theta,
          sin_theta};
}

/// The point of a path that is closest to the origin of the perigee.
template <class S>
struct PathPerigee {
  Cartesian<S> position;  ///< mm
  S cos_phi, sin_phi;     ///< direction there
  S offset;               ///< arc from there to the first point, mm
};

/// With u from the origin to the first point, n the left normal there and
/// N = |n + c u|: its normal is (n + c u)/N, d0 = u (2 n + c u)/(1 + N).
template <class S>
PathPerigee<S> perigee_of_path(const HelixPoint<S>& first,
                               const Cartesian<S>& origin) {
  using std::sqrt;
  const S& c = first.c;
  const Cartesian<S> u = first.position - origin;
  const S across = first.cos_phi * u.y - first.sin_phi * u.x;  // u n
  const S bulge = c * (S(2) * across + c * transverse_dot(u, u));
  const S length = sqrt(S(1) + bulge), inverse = S(1) / length;
  PathPerigee<S> p;
  p.cos_phi = (first.cos_phi + c * u.y) * inverse;
  p.sin_phi = (first.sin_phi - c * u.x) * inverse;
  const S d0 = (S(2) * across + c * transverse_dot(u, u)) / (S(1) + length);
  p.position = {origin.x - d0 * p.sin_phi, origin.y + d0 * p.cos_phi, S(0)};
  const Cartesian<S> chord = first.position - p.position;
  const S arc =
      arc_above<false>(S(sqrt(transverse_dot(chord, chord))), c).length;
  const S forward = chord.x * p.cos_phi + chord.y * p.sin_phi;
  p.offset = select(forward < S(0), -arc, arc);
  p.position.z = first.position.z - p.offset * first.cot;
  return p;
}

/// kappa of a path, 1/mm; at least the value for 1 PeV. bz in GeV/(e mm).
template <class S>
S kappa_of_path(const HitPath<S>& path, double bz, double charge) {
  using std::abs;
  const S stiffest(std::abs(charge * bz) / (1e6 * unit::GeV));
  const S kappa = path.first.c * path.sin_theta;
  return select(abs(kappa) < stiffest,
                select(kappa < S(0), -stiffest, stiffest), kappa);
}

/// The line starting at the perigee of a path.
template <class S>
Line<S> line_of_path(const HitPath<S>& path, const PathPerigee<S>& perigee,
                     const S& kappa, const ScatterStrength<S>& strength) {
  return line_from(perigee.position,
                   Direction<S>{path.sin_theta, path.cos_theta, perigee.sin_phi,
                                perigee.cos_phi},
                   kappa, strength);
}

/// TrackHit::theta0_2 of a hit on surface `s`, from the path at that point.
/// @param turn           above the chord from the first point
/// @param log_x_over_x0 of the surface
/// @param total          x/X0 up to the last hit, for
///                       Scattering::highland_total
template <class S>
S theta0_squared(const HitPath<S>& path, const ChordArc<S>& turn,
                 const SurfaceRecord& s, double log_x_over_x0, const S& x,
                 const S& y, const ScatterStrength<S>& strength,
                 Scattering model, const S& total) {
  const detail::Incidence<S> incidence = detail::incidence_on(
      s, x, y, path.sin_theta, path.cos_theta, [&path, &turn] {
        const S sine = turn.sin_turn(), cosine = turn.cos_turn();
        const HelixPoint<S>& first = path.first;
        return std::pair(S(first.cos_phi * cosine - first.sin_phi * sine),
                         S(first.sin_phi * cosine + first.cos_phi * sine));
      });
  const S& whole = incidence.whole;
  const S least = S(detail::min_cos_incidence) * whole;
  const S part = select(incidence.part > least, incidence.part, least);
  const S secant = whole / part, t = S(s.x_over_x0) * secant;
  return theta0_squared(
      strength, model, t,
      [&] {
        return S(log_x_over_x0) +
               detail::log_secant(S((whole - part) / (whole + part)),
                                  [&secant] { return secant; });
      },
      S(select(total > t, total, t)));
}

}  // namespace gttf
