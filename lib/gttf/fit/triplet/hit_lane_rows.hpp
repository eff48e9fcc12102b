// SPDX-License-Identifier: Apache-2.0
// Rows of the kinks' equations from hits, for any scalar: KinkSystem in lanes.
#pragma once

#include "gttf/core/pack_functions.hpp"
#include "gttf/fit/triplet/hit_lane_passive.hpp"

namespace gttf::detail {

/// kinks = psi + rho kappa - G u of one triplet, rows theta and phi.
template <class S>
struct KinkRows {
  S psi[2], rho[2];
  S shift[3][2][2];  ///< G: of each hit, [angle][coordinate]
  S inv_sin2;        ///< of the mean polar angle
};

/// What of the track the perigee is made from.
template <class S>
struct TrackHead {
  LaneHit<S> first, second;
  S length;                ///< 3D, of the arc between them
  PassiveSums<S> passive;  ///< between them; set if there are any on the track
};

/// Sets the rows of shifts of one hit from those along its axes.
template <class S>
void set_shift(const LaneHit<S>& hit, const AxisGradient<S>& u,
               const AxisGradient<S>& v, S (&shift)[2][2]) {
  const HitLanePoint& at = *hit.point;
  if (at.along_axes) {
    shift[0][0] = S(at.error[0][0]) * u.theta;
    shift[1][0] = S(at.error[0][0]) * u.phi;
    shift[0][1] = S(at.error[1][1]) * v.theta;
    shift[1][1] = S(at.error[1][1]) * v.phi;
    return;
  }
  for (int c = 0; c < 2; ++c) {
    const S along_u(hit.point->error[c][0]), along_v(hit.point->error[c][1]);
    shift[0][c] = along_u * u.theta + along_v * v.theta;
    shift[1][c] = along_u * u.phi + along_v * v.phi;
  }
}

/// The arcs of a triplet on the circle through its hits, and its kinks
/// psi + rho kappa.
template <class S>
struct LaneTriplet {
  LaneArc<S> first, second;
  S psi[2], rho[2];
  S inv_sin2;  ///< of the mean polar angle
};

/// @return  lanes for which it can be used: neither a strong bend nor a hit
///          that is coarse for its place, which need more care
template <class S>
LaneMask<S> set_triplet(const LaneChord<S>& a, const LaneChord<S>& b,
                        LaneTriplet<S>& t) {
  using std::abs, std::sqrt;
  const S dot = transverse_dot(a.step, b.step);
  const S chord2 = a.length2 + b.length2 + (dot + dot);
  const S inverse_c = S(1) / sqrt(chord2);
  // the turn of each arc is the angle between the two other chords
  const S across = transverse_cross(a.step, b.step) * inverse_c;
  const S of_a = across * b.inverse, of_b = across * a.inverse;
  const S kappa_perp = S(2) * of_a * a.inverse;
  t.first =
      arc_on(a, of_a, (dot + b.length2) * (inverse_c * b.inverse), kappa_perp);
  t.second =
      arc_on(b, of_b, (dot + a.length2) * (inverse_c * a.inverse), kappa_perp);
  const LaneArc<S>&first = t.first, &second = t.second;
  const S kink_sine =
      second.sin_theta * first.cos_theta - first.sin_theta * second.cos_theta;
  const S kink_cosine =
      first.sin_theta * second.sin_theta + first.cos_theta * second.cos_theta;
  const S kink2 = kink_sine * kink_sine;
  const S excess =
      short_excess(kink2, [&] { return asin_excess_small(kink2); });
  const S polar_kink = kink_sine + kink_sine * (kink2 * excess);
  t.psi[0] = polar_kink - second.bending + first.bending;
  t.psi[1] = first.index * first.half_turn + second.index * second.half_turn;
  t.rho[0] = second.polar_slope - first.polar_slope;
  t.rho[1] =
      S(-0.5) * (first.index * first.length + second.index * second.length);
  const S sines = first.sin_theta + second.sin_theta;
  t.inv_sin2 = (S(2) + (kink_cosine + kink_cosine)) / (sines * sines);
  constexpr double closest2 = 1e-12;
  constexpr double tan_steep = 0.30933624960962325;  // of 0.3
  const LaneMask<S> usual = both(abs(kink_sine) <= S(tan_steep) * kink_cosine,
                                 abs(t.psi[0] + t.psi[1] + t.rho[1]) <
                                     S(std::numeric_limits<double>::max()));
  return both(both(both(a.good, b.good), both(first.good, second.good)),
              both(usual, chord2 > S(closest2)));
}

/// Sets the row of one triplet.
/// @return  lanes for which it can be used
template <class S>
LaneMask<S> set_row(const LaneHit<S>& hit0, const LaneHit<S>& hit1,
                    const LaneHit<S>& hit2, const LaneChord<S>& a,
                    const LaneChord<S>& b, const SeenAxes<S>& from_a,
                    const SeenAxes<S>& from_b, LaneTriplet<S>& t,
                    KinkRows<S>& r) {
  const LaneMask<S> good = set_triplet(a, b, t);
  for (int i = 0; i < 2; ++i) {
    r.psi[i] = t.psi[i];
    r.rho[i] = t.rho[i];
  }
  r.inv_sin2 = t.inv_sin2;
  const LaneArc<S>&first = t.first, &second = t.second;
  const auto v0 = hit0.upright() ? z_gradient<1>(first)
                                 : axis_gradient<1>(first, from_a.start[1]);
  set_shift(hit0, axis_gradient<1>(first, from_a.start[0]), v0, r.shift[0]);
  // a common shift changes nothing
  const auto lost = [](const AxisGradient<S>& x, const AxisGradient<S>& y) {
    return AxisGradient<S>{-(x.theta + y.theta), -(x.phi + y.phi)};
  };
  const auto u1 = lost(axis_gradient<1>(first, from_a.end[0]),
                       axis_gradient<-1>(second, from_b.start[0]));
  const auto v1 = hit1.upright()
                      ? lost(z_gradient<1>(first), z_gradient<-1>(second))
                      : lost(axis_gradient<1>(first, from_a.end[1]),
                             axis_gradient<-1>(second, from_b.start[1]));
  set_shift(hit1, u1, v1, r.shift[1]);
  const auto v2 = hit2.upright() ? z_gradient<-1>(second)
                                 : axis_gradient<-1>(second, from_b.end[1]);
  set_shift(hit2, axis_gradient<-1>(second, from_b.end[0]), v2, r.shift[2]);
  return good;
}

/// Adds what the passive layers of segment k say about its triplets.
template <class S>
void add_passive_rows(const PassiveSums<S>& sums, std::size_t k,
                      std::size_t n_triplets, PassiveRows<S>* rows) {
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) {
      if (k < n_triplets) rows[k].self[r][c] = sums.arriving[r][c];
      if (k == 0) continue;
      PassiveRows<S>& before = rows[k - 1];
      before.self[r][c] = before.self[r][c] + sums.leaving[r][c];
      before.next[r][c] = -sums.mixed[c][r];
    }
}

/// Sets the rows of all triplets.
/// @tparam layers  between hits scatter: `passive` is set, too
/// @return         lanes for which they can be used
template <bool layers, class S>
[[gnu::flatten]] LaneMask<S> set_rows(const HitLanes& in, KinkRows<S>* rows,
                                      [[maybe_unused]] PassiveRows<S>* passive,
                                      TrackHead<S>& head) {
  LaneMask<S> good = Lane<S>::mask(all_lanes<S>);
  LaneHit<S> hits[3];
  LaneChord<S> chords[2];
  SeenAxes<S> axes[2];
  std::size_t places[3]{};  // of the hits among the points
  std::size_t k = 0;
  for (std::size_t i = 0; i < in.n_points; ++i) {
    if (!in.points[i].measures) continue;
    LaneHit<S>& hit = hits[k % 3];
    places[k % 3] = i;
    set_hit(in.points[i], in.hits + 3 * k, hit);
    if (k > 0) {
      const LaneHit<S>& before = hits[(k + 2) % 3];
      set_chord(before.at, hit.at, largest_sigma(*before.point, *hit.point),
                chords[k % 2]);
      set_axes(before, hit, chords[k % 2], axes[k % 2]);
    }
    if (k == 0) head.first = hit;
    if (k == 1) head.second = hit;
    if (k >= 2) {
      const LaneHit<S>&hit0 = hits[(k + 1) % 3], &hit1 = hits[(k + 2) % 3];
      const LaneChord<S>&a = chords[(k + 1) % 2], &b = chords[k % 2];
      LaneTriplet<S> t;
      good = both(good, set_row(hit0, hit1, hit, a, b, axes[(k + 1) % 2],
                                axes[k % 2], t, rows[k - 2]));
      if (k == 2) head.length = t.first.length;
      if constexpr (layers) {
        const auto add = [&](std::size_t segment, const LaneHit<S>& from,
                             const LaneHit<S>& to, const LaneChord<S>& chord,
                             const LaneArc<S>& arc) {
          PassiveSums<S> sums;
          good = both(good, set_passive_sums(in, places[segment % 3] + 1,
                                             places[(segment + 1) % 3], chord,
                                             arc, from.at, to.at, sums));
          add_passive_rows(sums, segment, in.n_hits - 2, passive);
          if (segment == 0) head.passive = sums;
        };
        add(k - 2, hit0, hit1, a, t.first);
        if (k + 1 == in.n_hits) add(k - 1, hit1, hit, b, t.second);
      }
    }
    ++k;
  }
  return good;
}

/// Sets the kinks theta, phi of all triplets at a curvature, and nothing else.
/// @return  lanes for which they can be used
template <class S>
[[gnu::flatten]] LaneMask<S> set_kinks(const HitLanes& in, const S& kappa,
                                       S (*kinks)[2], TrackHead<S>& head) {
  using L = Lane<S>;
  LaneMask<S> good = L::mask(all_lanes<S>);
  LaneChord<S> chords[2];
  Cartesian<S> before{};
  const HitLanePoint* point_before = nullptr;
  std::size_t k = 0;
  for (std::size_t i = 0; i < in.n_points; ++i) {
    const HitLanePoint& point = in.points[i];
    if (!point.measures) continue;
    const double* const* x = in.hits + 3 * k;
    const Cartesian<S> at = {L::load(x[0]), L::load(x[1]), L::load(x[2])};
    if (k == 0) set_hit(point, x, head.first);
    if (k == 1) set_hit(point, x, head.second);
    if (k > 0)
      set_chord(before, at, largest_sigma(*point_before, point), chords[k % 2]);
    if (k > 1) {
      LaneTriplet<S> t;
      good = both(good, set_triplet(chords[(k + 1) % 2], chords[k % 2], t));
      for (int r = 0; r < 2; ++r) kinks[k - 2][r] = t.psi[r] + t.rho[r] * kappa;
      if (k == 2) head.length = t.first.length;
    }
    before = at;
    point_before = &point;
    ++k;
  }
  return good;
}

}  // namespace gttf::detail
