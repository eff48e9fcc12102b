// SPDX-License-Identifier: Apache-2.0
// Steps along a helix and onto the surface of a hit, for one track or one per
// vector element.
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

/// Effect of the transverse arc s on a helix of curvature c, with X = c s/2.
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
  // direction of the chord, then the same angle again
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

/// The same for an arc that turns by at most `nudge_limit`: an error of 1e-17
/// of the direction and of 1e-14 s.
template <class S>
HelixPoint<S> nudged(const HelixPoint<S>& from, const S& s) {
  const S turn = from.c * s, turn2 = turn * turn, one(1);
  const S along = s - s * (turn2 * S(1. / 6));
  const S across = S(0.5) * s * turn * (one - turn2 * S(1. / 12));
  const S sine = turn - turn * (turn2 * S(1. / 6));
  const S cosine = one - turn2 * (S(0.5) - turn2 * S(1. / 24));
  const S &x = from.cos_phi, &y = from.sin_phi;
  return {{from.position.x + (along * x - across * y),
           from.position.y + (along * y + across * x),
           from.position.z + s * from.cot},
          cosine * x - sine * y,
          cosine * y + sine * x,
          from.cot,
          from.c};
}
inline constexpr double nudge_limit = 1e-3;

/// Points of `a` where the mask is set, else of b, on the same helices.
template <class S>
HelixPoint<S> choose(const MaskOf<S>& mask, const HelixPoint<S>& a,
                     const HelixPoint<S>& b) {
  return {{select(mask, a.position.x, b.position.x),
           select(mask, a.position.y, b.position.y),
           select(mask, a.position.z, b.position.z)},
          select(mask, a.cos_phi, b.cos_phi),
          select(mask, a.sin_phi, b.sin_phi),
          b.cot,
          b.c};
}

/// The helix at the point after the transverse arc s.
inline Helix<double> advanced(const Helix<double>& from, double s) {
  const HelixPoint<double> start = point_of(from, direction_of(from));
  const ArcTurn<double> turn = arc_turn(start.c, s);
  return {advanced(start, s, turn).position, from.theta, from.phi + 2 * turn.x,
          from.kappa};
}

}  // namespace gttf::detail
