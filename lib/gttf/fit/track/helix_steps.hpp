// SPDX-License-Identifier: Apache-2.0
// Steps along a helix and onto the surface of a hit, for one track or one per
// lane.
#pragma once

#include <cmath>
#include <limits>

#include "gttf/core/cartesian.hpp"
#include "gttf/core/pack_functions.hpp"
#include "gttf/core/series.hpp"
#include "gttf/fit/track/helix.hpp"

namespace gttf::detail {

template <class S>
S dot(const Cartesian<S>& a, const Cartesian<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class S>
Cartesian<S> cross(const Cartesian<S>& a, const Cartesian<S>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// What the transverse arc s does to a helix of curvature c, with X = c s/2.
template <class S>
struct ArcTurn {
  S x;           ///< X
  S sinc, sine;  ///< sin(X)/X, sin(X)
  S cosine;      ///< cos(X)
};

template <class S>
ArcTurn<S> arc_turn(const S& c, const S& s) {
  using std::cos, std::sin;
  const S x = S(0.5) * c * s, x2 = x * x, one(1);
  // up to a tenth: an error of 3e-17
  constexpr double sinc_terms[] = {1., -1. / 6, 1. / 120, -1. / 5040,
                                   1. / 362880};
  constexpr double cosine_terms[] = {1., -1. / 2, 1. / 24, -1. / 720,
                                     1. / 40320};
  ArcTurn<S> t{x, polynomial(sinc_terms, x2), S(0),
               polynomial(cosine_terms, x2)};
  const auto middle = x2 > S(0.01);
  if (any(middle)) {
    const auto big = x2 > one;
    const SineSeries<S> series = sine_series(select(big, one, x2));
    t.sinc = select(middle, one - x2 * series.deficit, t.sinc);
    t.cosine = select(middle, series.cosine, t.cosine);
    if (any(big)) {
      const S safe = select(big, x, one);
      t.sinc = select(big, sin(safe) / safe, t.sinc);
      t.cosine = select(big, cos(safe), t.cosine);
    }
  }
  t.sine = x * t.sinc;
  return t;
}

/// The point after the transverse arc s.
template <class S>
HelixPoint<S> advanced(const HelixPoint<S>& from, const S& s,
                       const ArcTurn<S>& t) {
  const S chord = s * t.sinc;
  // direction of the chord, and as far again
  const S cosine = from.cos_phi * t.cosine - from.sin_phi * t.sine;
  const S sine = from.sin_phi * t.cosine + from.cos_phi * t.sine;
  return {{from.position.x + chord * cosine, from.position.y + chord * sine,
           from.position.z + s * from.cot},
          cosine * t.cosine - sine * t.sine,
          sine * t.cosine + cosine * t.sine,
          from.cot,
          from.c};
}

template <class S>
HelixPoint<S> advanced(const HelixPoint<S>& from, const S& s) {
  return advanced(from, s, arc_turn(from.c, s));
}

/// The helix at the point after the transverse arc s.
inline Helix<double> advanced(const Helix<double>& from, double s) {
  const HelixPoint<double> start = point_of(from, direction_of(from));
  const ArcTurn<double> turn = arc_turn(start.c, s);
  return {advanced(start, s, turn).position, from.theta, from.phi + 2 * turn.x,
          from.kappa};
}

/// The plane of the orthogonal unit vectors u and v through a point, or the
/// cylinder around the z axis.
template <class S>
struct HitSurface {
  Cartesian<S> position, u, v;
  bool cylinder;
  S inverse_radius;  ///< of a cylinder

  static S inverse_radius_of(const Cartesian<S>& position) {
    using std::sqrt;
    return S(1) / sqrt(transverse_dot(position, position));
  }
};

/// Distance from a surface in its own measure, zero on it, and the gradient.
template <class S>
struct SurfaceGap {
  S value;
  Cartesian<S> gradient;
};

template <class S>
SurfaceGap<S> gap_to(const HitSurface<S>& s, const Cartesian<S>& x) {
  if (!s.cylinder) {
    const Cartesian<S> normal = cross(s.u, s.v);
    return {dot(normal, x - s.position), normal};
  }
  const Cartesian<S> radial = {x.x, x.y, S(0)};
  return {S(0.5) * (transverse_dot(radial, radial) -
                    transverse_dot(s.position, s.position)),
          radial};
}

/// Axes of a surface at a point of it, and its normal.
template <class S>
struct PlaneAxes {
  Cartesian<S> u, v;

  Cartesian<S> normal() const { return cross(u, v); }
};

template <class S>
PlaneAxes<S> axes_on(const HitSurface<S>& s, const Cartesian<S>& x) {
  if (!s.cylinder) return {s.u, s.v};
  // turn by the azimuth between the two points; both have the same radius
  const S inverse2 = s.inverse_radius * s.inverse_radius;
  const S c = transverse_dot(s.position, x) * inverse2;
  const S d = transverse_cross(s.position, x) * inverse2;
  const auto turn = [&c, &d](const Cartesian<S>& a) -> Cartesian<S> {
    return {c * a.x - d * a.y, d * a.x + c * a.y, a.z};
  };
  return {turn(s.u), turn(s.v)};
}

/// Azimuth of the hit minus that of a point, both on a cylinder.
template <class S>
S azimuth_between(const HitSurface<S>& s, const Cartesian<S>& x) {
  using std::atan2;
  const Cartesian<S>& m = s.position;
  const S inverse2 = s.inverse_radius * s.inverse_radius;
  const S sine = transverse_cross(x, m) * inverse2, sine2 = sine * sine;
  const S cosine = transverse_dot(x, m);
  // asin(u)/u - 1 up to u = 0.03: an error of 1e-17
  constexpr double terms[] = {1. / 6, 3. / 40, 15. / 336, 105. / 3456};
  const S angle = sine + sine * sine2 * polynomial(terms, sine2);
  const auto large = either(sine2 > S(1e-3), cosine < S(0));
  if (!any(large)) return angle;
  return select(large, atan2(transverse_cross(x, m), cosine), angle);
}

/// A point seen from a hit: hit minus point.
template <class S>
InPlane<S> seen_in_plane(const HitSurface<S>& s, const Cartesian<S>& x) {
  const Cartesian<S>& m = s.position;
  const Cartesian<S> step = m - x;
  if (!s.cylinder) return {dot(s.u, step), dot(s.v, step)};
  // u along r-phi and v along z, either way round
  const S turn = azimuth_between(s, x);
  const auto along = [&](const Cartesian<S>& axis) {
    return (axis.y * m.x - axis.x * m.y) * turn + axis.z * step.z;
  };
  return {along(s.u), along(s.v)};
}

/// Transverse arc length from a point of a helix to its crossing with a
/// surface, by Newton's method from a guess; NaN if there is none.
/// @param last  the last step may be as long, compared with the arc: the square
///              of it is left
template <class S>
[[gnu::flatten]] S arc_to(const HelixPoint<S>& from,
                          const HitSurface<S>& surface, const S& guess,
                          double last = 1e-9) {
  using std::abs;
  S s = guess;
  auto moving = PackAccess<S>::mask(all_in_pack<S>);
  for (int step = 0; step < 20; ++step) {
    const HelixPoint<S> h = advanced(from, s);
    const SurfaceGap<S> gap = gap_to(surface, h.position);
    const S move = gap.value / dot(gap.gradient, h.slope());
    s = select(moving, s - move, s);
    moving = both(moving, abs(move) > S(last) * (S(1) + abs(s)));
    if (!any(moving)) return s;
  }
  return select(moving, S(std::numeric_limits<double>::quiet_NaN()), s);
}

/// The same from the parameters of a single helix.
inline double arc_to(const Helix<double>& from,
                     const HitSurface<double>& surface, double guess) {
  return arc_to(point_of(from, direction_of(from)), surface, guess);
}

}  // namespace gttf::detail
