// SPDX-License-Identifier: Apache-2.0
// The flight of toys to the next surface, in lanes: with one root and one
// division, where find_crossing() and its frame take a dozen.
#pragma once

#include "gttf/resolution/toy_flight.hpp"
#include "gttf/trajectory/reach.hpp"

namespace gttf::detail {

/// A piece of a helix from t to where it has turned by Phi: t * along +
/// (z x t) * across, and path t_z along z. With the 3D curvature kappa
///
///   along = sin(Phi)/kappa,  across = (1 - cos(Phi))/kappa,  path = Phi/kappa
template <class S>
struct HelixPiece {
  S along, across, path;
};

template <class S>
[[gnu::always_inline]] inline void fly(const Flight<S>& from,
                                       const HelixPiece<S>& piece,
                                       const S& kappa, Flight<S>& to) {
  const Cartesian<S>&p = from.position, &t = from.direction;
  // 1 - cos(Phi), and one product after the other: which of two is fused with
  // their sum could differ between lanes
  const S lag = kappa * piece.across, sine = kappa * piece.along;
  to.position = {p.x + piece.along * t.x - piece.across * t.y,
                 p.y + piece.along * t.y + piece.across * t.x,
                 p.z + piece.path * t.z};
  to.direction = {t.x - lag * t.x - sine * t.y, t.y - lag * t.y + sine * t.x,
                  t.z};
}

/// The piece with tan(Phi/2) = kappa n/r, of which r > 0 is a root of the
/// equation of the surface. No angle is needed but for the path.
/// @return  lanes that turn by less than 30 deg
template <class S>
[[gnu::always_inline]] inline MaskOf<S> set_piece(const S& n, const S& r,
                                                  const S& kappa,
                                                  HelixPiece<S>& piece) {
  const S kappa_n = kappa * n;
  const S scaled = (n + n) / (r * r + kappa_n * kappa_n);
  piece.along = scaled * r;
  piece.across = scaled * kappa_n;
  const S sine = kappa * piece.along, sine2 = sine * sine;
  piece.path = piece.along + piece.along * (sine2 * asin_excess_small(sine2));
  return both(sine2 < S(0.25), kappa * piece.across < S(0.5));
}

/// With W sin(theta)^-1 = n/r for W of docs/theory/crossings.md: so nothing is
/// divided by sin(theta).
template <class S>
[[gnu::always_inline]] inline MaskOf<S> fly_to_cylinder(const Flight<S>& from,
                                                        const SurfaceRecord& s,
                                                        const S& kappa,
                                                        Flight<S>& to) {
  using std::sqrt;
  const Cartesian<S>&p = from.position, &t = from.direction;
  const S r2 = p.x * p.x + p.y * p.y;
  const S along2 = S(2) * (p.x * t.x + p.y * t.y);
  const S across = p.y * t.x - p.x * t.y;
  const S gap = S(s.position * s.position) - r2;
  const S sine2 = t.x * t.x + t.y * t.y;
  const S quad = S(4) * (sine2 + across * kappa) - gap * (kappa * kappa);
  HelixPiece<S> piece;
  const auto short_arc =
      set_piece(gap, along2 + sqrt(along2 * along2 + quad * gap), kappa, piece);
  fly(from, piece, kappa, to);
  const double ahead = std::max(s.position - same_place, 0.0);
  const S out = to.position.x * to.direction.x + to.position.y * to.direction.y;
  return both(both(both(along2 > S(0), r2 <= S(ahead * ahead)), short_arc),
              both(within(s.v, to.position.z),
                   out >= S(min_cos_incidence * s.position)));
}

template <class S>
[[gnu::always_inline]] inline MaskOf<S> fly_to_plane(const Flight<S>& from,
                                                     const SurfaceRecord& s,
                                                     const S& kappa,
                                                     Flight<S>& to) {
  using std::abs, std::sqrt;
  const Cartesian<S>&p = from.position, &t = from.direction;
  const S nx(s.normal_cos), ny(s.normal_sin);
  const S gap = S(s.position) - nx * p.x - ny * p.y;
  const S towards = nx * t.x + ny * t.y, beside = nx * t.y - ny * t.x;
  const S m = gap * kappa * (gap * kappa + (beside + beside));
  HelixPiece<S> piece;
  const auto short_arc = set_piece(
      abs(gap), abs(towards) + sqrt(towards * towards - m), kappa, piece);
  fly(from, piece, kappa, to);
  const Cartesian<S>& at = to.position;
  const auto inside = s.normal == Axis::x
                          ? both(within(s.u, at.y), within(s.v, at.z))
                          : both(within(s.u, at.z), within(s.v, at.x));
  const S through = nx * to.direction.x + ny * to.direction.y;
  return both(both(short_arc, inside),
              both(both(abs(gap) > S(same_place), gap * towards > S(0)),
                   abs(through) >= S(min_cos_incidence)));
}

template <class S>
[[gnu::always_inline]] inline MaskOf<S> fly_to_disk(const Flight<S>& from,
                                                    const SurfaceRecord& s,
                                                    const S& kappa,
                                                    Flight<S>& to) {
  using std::abs;
  const Cartesian<S>&p = from.position, &t = from.direction;
  const S gap = S(s.position) - p.z;
  HelixPiece<S> piece;
  piece.path = gap / t.z;
  const S half_turn = S(0.5) * kappa * piece.path, x2 = half_turn * half_turn;
  const SineSeries<S> series = sine_series(x2);
  const S sinc = S(1) - x2 * series.deficit, chord = piece.path * sinc;
  piece.along = chord * series.cosine;
  piece.across = chord * (half_turn * sinc);
  fly(from, piece, kappa, to);
  const S &x = to.position.x, &y = to.position.y, r2 = x * x + y * y;
  const auto inside =
      s.kind == SurfaceRecord::Kind::disk
          ? both(r2 >= S(s.v.lower * s.v.lower), r2 <= S(s.v.upper * s.v.upper))
          : both(within(s.u, x), within(s.v, y));
  return both(both(x2 < S(1), inside),
              both(piece.path > S(0), both(abs(gap) > S(same_place),
                                           abs(t.z) >= S(min_cos_incidence))));
}

/// Sets `to` to the crossing with `s`, and the lanes in which it is one beyond
/// doubt: the others have to be looked at by find_crossing().
template <class S>
[[gnu::noinline, gnu::flatten]] void fly_to(const Flight<S>& from,
                                            const SurfaceRecord& s,
                                            const S& kappa, Flight<S>& to,
                                            MaskOf<S>& good) {
  using Kind = SurfaceRecord::Kind;
  switch (s.kind) {
    case Kind::cylinder:
      good = fly_to_cylinder(from, s, kappa, to);
      return;
    case Kind::plane:
      good = fly_to_plane(from, s, kappa, to);
      return;
    case Kind::disk:
    case Kind::disk_plane:
      break;
  }
  good = fly_to_disk(from, s, kappa, to);
}

}  // namespace gttf::detail
