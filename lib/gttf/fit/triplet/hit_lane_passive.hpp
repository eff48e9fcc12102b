// SPDX-License-Identifier: Apache-2.0
// Kinks of passive layers between hits, for any scalar: set_passive_weights()
// in lanes.
#pragma once

#include "gttf/fit/triplet/hit_lane_triplet.hpp"
#include "gttf/fit/triplet/passive_turns.hpp"

namespace gttf::detail {

/// The passive layers of one segment together, A and L of them arriving and
/// leaving (see PassiveTurns), V the variances of their kinks.
template <class S>
struct PassiveSums {
  S arriving[2][2];  ///< A V A^T, lower triangle
  S leaving[2][2];   ///< L V L^T, lower triangle
  S mixed[2][2];     ///< A V L^T
};

template <class S>
void clear(PassiveSums<S>& sums) {
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c)
      sums.arriving[r][c] = sums.leaving[r][c] = sums.mixed[r][c] = S(0);
}

/// Of one triplet: what passive layers add to K^-1.
template <class S>
struct PassiveRows {
  S self[2][2];  ///< lower triangle
  S next[2][2];  ///< to the next triplet outwards
};

/// The helix of a segment, seen from its start.
template <class S>
struct LaneHelix {
  Cartesian<S> start;
  S cos_phi, sin_phi, cot_theta, kappa_perp, arc;

  /// Position and direction after the transverse arc length s.
  struct Place {
    Cartesian<S> at;
    S cos_phi, sin_phi;
  };
  Place after(const S& s) const {
    const S half = S(0.5) * kappa_perp * s;
    const ArcShape<S> shape = arc_shape(half);
    const S inverse = S(1) / shape.stretch, chord = s * inverse;
    const S sine = half * inverse, &cosine = shape.cosine;
    const S c = cos_phi * cosine - sin_phi * sine;
    const S d = sin_phi * cosine + cos_phi * sine;
    return {{start.x + chord * c, start.y + chord * d, start.z + s * cot_theta},
            c * cosine - d * sine,
            d * cosine + c * sine};
  }
};

template <class S>
LaneHelix<S> helix_of(const Cartesian<S>& start, const LaneChord<S>& chord,
                      const LaneArc<S>& arc) {
  const ArcShape<S> shape = arc_shape(arc.half_turn);
  const S sine = arc.half_turn / shape.stretch, &cosine = shape.cosine;
  const S c = chord.step.x * chord.inverse, d = chord.step.y * chord.inverse;
  LaneHelix<S> h;
  h.start = start;
  h.cos_phi = c * cosine + d * sine;
  h.sin_phi = d * cosine - c * sine;
  h.cot_theta = arc.cos_theta / arc.sin_theta;
  h.arc = arc.length * arc.sin_theta;
  h.kappa_perp = (arc.half_turn + arc.half_turn) / h.arc;
  return h;
}

/// How far from a surface, in its own measure, and how that changes along the
/// helix.
template <class S>
struct LaneDistance {
  S value, slope;
};

template <class S>
LaneDistance<S> distance_of(const typename LaneHelix<S>::Place& p,
                            const S& cot_theta, const SurfaceRecord& surface) {
  using Kind = SurfaceRecord::Kind;
  const Cartesian<S>& at = p.at;
  switch (surface.kind) {
    case Kind::cylinder: {
      const S r2 = at.x * at.x + at.y * at.y;
      return {S(0.5) * (r2 - S(surface.position * surface.position)),
              at.x * p.cos_phi + at.y * p.sin_phi};
    }
    case Kind::plane: {
      const S nx(surface.normal_cos), ny(surface.normal_sin);
      return {nx * at.x + ny * at.y - S(surface.position),
              nx * p.cos_phi + ny * p.sin_phi};
    }
    case Kind::disk:
    case Kind::disk_plane:
      break;
  }
  return {at.z - S(surface.position), cot_theta};
}

/// Adds a layer with kinks of variance theta0^2 on the arc between two hits.
/// @return  lanes where it lies between them
template <class S>
[[gnu::noinline, gnu::flatten]] LaneMask<S> add_passive(
    const SurfaceRecord& surface, const S& theta0_2, const LaneHelix<S>& helix,
    const Cartesian<S>& end, const LaneArc<S>& arc, PassiveSums<S>& sums) {
  using std::abs;
  const S before =
      distance_of<S>(helix.after(S(0)), helix.cot_theta, surface).value;
  const S behind =
      distance_of<S>(helix.after(helix.arc), helix.cot_theta, surface).value;
  S s = helix.arc * (before / (before - behind));
  LaneMask<S> moving = Lane<S>::mask(all_lanes<S>);
  for (int i = 0; i < 20 && any(moving); ++i) {
    const LaneDistance<S> d =
        distance_of<S>(helix.after(s), helix.cot_theta, surface);
    const S move = d.value / d.slope;
    s = select(moving, s - move, s);
    moving = both(moving, abs(move) > S(1e-13) * (S(1) + abs(s)));
  }
  const S share = s / helix.arc;
  constexpr double at_hit = 1e-9;
  const auto between = both(share > S(at_hit), share < S(1 - at_hit));
  const Cartesian<S> at = helix.after(s).at;
  const PassiveTurns<S> t = passive_turns(
      make_segment(helix.start, at, share * arc.half_turn, helix.kappa_perp),
      make_segment(at, end, (S(1) - share) * arc.half_turn, helix.kappa_perp),
      axis_components(surface, at.x, at.y));
  const S variance[2] = {theta0_2, theta0_2 / (arc.sin_theta * arc.sin_theta)};
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c)
      for (int k = 0; k < 2; ++k) {
        const S a = t.arriving[r][k] * variance[k];
        const S l = t.leaving[r][k] * variance[k];
        sums.arriving[r][c] = sums.arriving[r][c] + a * t.arriving[c][k];
        sums.leaving[r][c] = sums.leaving[r][c] + l * t.leaving[c][k];
        sums.mixed[r][c] = sums.mixed[r][c] + a * t.leaving[c][k];
      }
  return between;
}

/// Sets the sums of one segment.
/// @param first, last  its passive layers among the points
/// @return             lanes where all of them lie on it
template <class S>
LaneMask<S> set_passive_sums(const HitLanes& in, std::size_t first,
                             std::size_t last, const LaneChord<S>& chord,
                             const LaneArc<S>& arc, const Cartesian<S>& start,
                             const Cartesian<S>& end, PassiveSums<S>& sums) {
  LaneMask<S> good = Lane<S>::mask(all_lanes<S>);
  clear(sums);
  if (first == last) return good;
  const LaneHelix<S> helix = helix_of(start, chord, arc);
  for (std::size_t i = first; i < last; ++i) {
    const S theta0_2 = Lane<S>::load(in.theta0_2[i]);
    if (any(theta0_2 > S(0)))
      good = both(good, add_passive(in.points[i].surface, theta0_2, helix, end,
                                    arc, sums));
  }
  return good;
}

}  // namespace gttf::detail
