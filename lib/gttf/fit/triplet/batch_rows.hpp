// SPDX-License-Identifier: Apache-2.0
// Rows of the kinks' equations from hits, for any scalar: neighbouring triplets
// share chords, arcs follow from the sines of their turns.
#pragma once

#include "gttf/core/pack_functions.hpp"
#include "gttf/core/series.hpp"
#include "gttf/fit/triplet/band_system.hpp"
#include "gttf/fit/triplet/batch_track.hpp"
#include "gttf/fit/triplet/passive_turns.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf::detail {

/// A hit with the axes u', v' of its surface.
template <class S>
struct RowHit {
  const GroupPoint* point;
  Cartesian<S> at;
  AxisComponents<S> axes;

  /// v' is along z and u' transverse; otherwise both are transverse, except v'
  /// of a cone.
  bool upright() const { return point->surface.is_upright(); }
  /// The shift by one standard deviation of a coordinate.
  Cartesian<S> error(int c) const {
    const S u(point->error[c][0]), v(point->error[c][1]);
    return {u * axes.u[0] + v * axes.v[0], u * axes.u[1] + v * axes.v[1],
            u * axes.u[2] + v * axes.v[2]};
  }
};

/// Fills a hit in place; a copy of so many numbers is a function call.
template <class S>
void set_hit(const GroupPoint& point, const double* const* position,
             RowHit<S>& h) {
  using L = PackAccess<S>;
  h.point = &point;
  h.at = {L::load(position[0]), L::load(position[1]), L::load(position[2])};
  h.axes = axis_components(point.surface, h.at.x, h.at.y);
}

/// A transverse axis relative to a chord: its component along the chord, and
/// the rotation of the chord per shift of its end along the axis, 1/mm.
template <class S>
struct SeenAxis {
  S along, turn;
};

/// From a hit to the next one.
template <class S>
struct RowChord {
  Cartesian<S> step;
  S length2, inverse;  ///< d^2, 1/d; transverse
  MaskOf<S> good;      ///< long, also in units of the errors
};

/// @param sigma  the largest of the errors at both ends
template <class S>
void set_chord(const Cartesian<S>& start, const Cartesian<S>& end, double sigma,
               RowChord<S>& c) {
  using std::sqrt;
  c.step = end - start;
  c.length2 = transverse_dot(c.step, c.step);
  c.inverse = S(1) / sqrt(c.length2);
  constexpr double closest2 = 1e-12;
  c.good = both(c.length2 > S(closest2),
                c.length2 + c.step.z * c.step.z >=
                    S(sigma * sigma / (coarse_share * coarse_share)));
}

inline double largest_sigma(const GroupPoint& a, const GroupPoint& b) {
  return std::max(a.largest_sigma, b.largest_sigma);
}

/// The axes u', v' of both hits of a chord; v' unless upright.
template <class S>
struct SeenAxes {
  SeenAxis<S> start[2], end[2];
};

template <class S>
void set_axes(const RowHit<S>& start, const RowHit<S>& end,
              const RowChord<S>& c, SeenAxes<S>& axes) {
  const S cosine = c.step.x * c.inverse, sine = c.step.y * c.inverse;
  const auto see = [&](const S(&axis)[3]) -> SeenAxis<S> {
    return {axis[0] * cosine + axis[1] * sine,
            (axis[1] * cosine - axis[0] * sine) * c.inverse};
  };
  axes.start[0] = see(start.axes.u);
  axes.end[0] = see(end.axes.u);
  if (!start.upright()) axes.start[1] = see(start.axes.v);
  if (!end.upright()) axes.end[1] = see(end.axes.v);
}

/// A segment of a triplet: see Segment, SegmentDerivatives and make_triplet.
template <class S>
struct RowArc {
  S half_turn, length, sin_theta, cos_theta, index;
  S bending;      ///< n sin cos X^2 g
  S polar_slope;  ///< d(theta)/d(kappa)
  /// Gradients of Phi/2 and of theta along the chord and along z.
  S bend_along, bend_z, polar_along, polar_z;
  MaskOf<S> good;
};

/// With u = sin X and R = asin_excess(u^2):
///
///   X/sin X = 1 + u^2 R,   X^2 g = u^2 w,   w = 1/(1 + cos X) - R cos X
///
/// @param kappa_perp  2 sin X/d
template <class S>
RowArc<S> arc_on(const RowChord<S>& chord, const S& sine, const S& cosine,
                 const S& kappa_perp) {
  using std::sqrt;
  RowArc<S> a;
  const S u2 = sine * sine;
  const S excess = short_excess(u2, [&] { return asin_excess(u2, cosine); });
  const S stretch = S(1) + u2 * excess;
  a.half_turn = sine * stretch;
  const S &z = chord.step.z, arc2 = chord.length2 * (stretch * stretch);
  const S length2 = arc2 + z * z;
  a.length = sqrt(length2);
  // w = w_p/p, n = L^2 p/pole
  const S p = S(1) + cosine, w_p = S(1) - cosine * p * excess;
  const S pl2 = p * length2, pole = pl2 - arc2 * u2 * w_p;
  // one division for 1/L and L^2/pole
  const S quotient = S(1) / (a.length * pole), inverse = quotient * pole;
  const S l2_pole = quotient * (a.length * length2);
  a.sin_theta = chord.length2 * chord.inverse * stretch * inverse;
  a.cos_theta = z * inverse;
  a.index = p * l2_pole;
  const S nw_cosine = w_p * l2_pole * a.cos_theta;
  a.bending = a.sin_theta * u2 * nw_cosine;
  a.polar_slope = S(0.25) * kappa_perp * chord.length2 * nw_cosine;
  const S bend = S(0.5) * a.index * kappa_perp * a.sin_theta;
  a.bend_along = bend * a.sin_theta * stretch;
  a.bend_z = bend * a.cos_theta;
  const S polar = a.index * a.sin_theta * chord.inverse;
  a.polar_along = polar * a.cos_theta;
  a.polar_z = -(polar * a.sin_theta * cosine);
  constexpr double least_inverse_index = 0.05;
  a.good = both(cosine > S(0), pole > S(least_inverse_index) * pl2);
  return a;
}

/// Change of theta and phi of an arc by a shift along an axis.
template <class S>
struct AxisGradient {
  S theta, phi;
};

/// @param sign  +1: phi at the end of the arc, -1: at its start
template <int sign, class S>
AxisGradient<S> axis_gradient(const RowArc<S>& arc, const SeenAxis<S>& axis) {
  const S bend = arc.bend_along * axis.along;
  return {arc.polar_along * axis.along,
          sign > 0 ? axis.turn + bend : axis.turn - bend};
}

template <int sign, class S>
AxisGradient<S> z_gradient(const RowArc<S>& arc) {
  return {arc.polar_z, sign > 0 ? arc.bend_z : -arc.bend_z};
}

/// Change of theta and phi of an arc by a shift along v'.
/// @param seen v' relative to the chord; not set if upright
template <int sign, class S>
AxisGradient<S> v_gradient(const RowHit<S>& hit, const RowArc<S>& arc,
                           const SeenAxis<S>& seen) {
  if (hit.upright()) return z_gradient<sign>(arc);
  const AxisGradient<S> across = axis_gradient<sign>(arc, seen);
  if (!hit.point->surface.leans()) return across;
  const AxisGradient<S> rise = z_gradient<sign>(arc);
  const S& z = hit.axes.v[2];
  return {across.theta + z * rise.theta, across.phi + z * rise.phi};
}

/// A piece of a helix.
template <class S>
struct HelixStretch {
  HelixPoint<S> start;
  S arc;  ///< transverse
};

template <class S>
HelixStretch<S> stretch_of(const Cartesian<S>& start, const RowChord<S>& chord,
                           const RowArc<S>& arc) {
  const ArcShape<S> shape = arc_shape(arc.half_turn);
  const S sine = arc.half_turn / shape.stretch, &cosine = shape.cosine;
  const S c = chord.step.x * chord.inverse, d = chord.step.y * chord.inverse;
  HelixStretch<S> h;
  h.arc = arc.length * arc.sin_theta;
  h.start = {start, c * cosine + d * sine, d * cosine - c * sine,
             arc.cos_theta / arc.sin_theta,
             (arc.half_turn + arc.half_turn) / h.arc};
  return h;
}

/// Adds a layer with kinks of variance theta0^2 on the arc between two hits.
/// @return  tracks whose hits lie on both sides of it, with the crossing
/// between
///          them. An arc with both hits on one side may cross the layer twice;
///          the scalar path selects the crossing.
template <class S>
[[gnu::noinline, gnu::flatten]] MaskOf<S> add_passive(
    const SurfaceRecord& surface, const S& theta0_2,
    const HelixStretch<S>& helix, const Cartesian<S>& end, const RowArc<S>& arc,
    PassiveSums<S>& sums) {
  using std::abs;
  const auto level = [&](const HelixPoint<S>& p) {
    return level_on_path(surface, p.position, p.slope());
  };
  const S before = level(helix.start).value;
  const S behind = level(advanced(helix.start, helix.arc)).value;
  S s = helix.arc * (before / (before - behind));
  MaskOf<S> moving = PackAccess<S>::mask(all_in_pack<S>);
  for (int i = 0; i < 20 && any(moving); ++i) {
    const LevelOnPath<S> d = level(advanced(helix.start, s));
    const S move = d.value / d.slope;
    s = select(moving, s - move, s);
    moving = both(moving, abs(move) > S(1e-13) * (S(1) + abs(s)));
  }
  const S share = s / helix.arc;
  constexpr double at_hit = 1e-9;
  const auto between = both(both(share > S(at_hit), share < S(1 - at_hit)),
                            before * behind <= S(0));
  const Cartesian<S> at = advanced(helix.start, s).position;
  const PassiveTurns<S> t = passive_turns(
      make_segment(helix.start.position, at, share * arc.half_turn,
                   helix.start.c),
      make_segment(at, end, (S(1) - share) * arc.half_turn, helix.start.c),
      axis_components(surface, at.x, at.y));
  const S variance[2] = {theta0_2, theta0_2 / (arc.sin_theta * arc.sin_theta)};
  add_layer(t.leaving, t.arriving, variance, sums);
  return between;
}

/// Sets the sums of one segment.
/// @param first, last  its passive layers among the points
/// @return             tracks where all of them lie on it
template <class S>
MaskOf<S> set_passive_sums(const HitGroup& in, std::size_t first,
                           std::size_t last, const RowChord<S>& chord,
                           const RowArc<S>& arc, const Cartesian<S>& start,
                           const Cartesian<S>& end, PassiveSums<S>& sums) {
  MaskOf<S> good = PackAccess<S>::mask(all_in_pack<S>);
  clear(sums);
  if (first == last) return good;
  const HelixStretch<S> helix = stretch_of(start, chord, arc);
  for (std::size_t i = first; i < last; ++i) {
    const S theta0_2 = PackAccess<S>::load(in.theta0_2[i]);
    if (any(theta0_2 > S(0)))
      good = both(good, add_passive(in.points[i].surface, theta0_2, helix, end,
                                    arc, sums));
  }
  return good;
}

/// The part of the track that determines the perigee.
template <class S>
struct TrackHead {
  RowHit<S> first, second;
  S length;                ///< 3D, of the arc between them
  PassiveSums<S> passive;  ///< between them; set if there are any on the track
};

/// Sets the rows of shifts of one hit from the shifts along its axes.
template <class S>
void set_shift(const RowHit<S>& hit, const AxisGradient<S>& u,
               const AxisGradient<S>& v, S (&shift)[2][2]) {
  const GroupPoint& at = *hit.point;
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
struct RowTriplet {
  RowArc<S> first, second;
  S psi[2], rho[2];
  S inv_sin2;  ///< of the mean polar angle
};

/// @return  tracks for which it is valid: without strong bending or hits too
///          coarse for their distances, which require the scalar path
template <class S>
MaskOf<S> set_triplet(const RowChord<S>& a, const RowChord<S>& b,
                      RowTriplet<S>& t) {
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
  const RowArc<S>&first = t.first, &second = t.second;
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
  const MaskOf<S> usual = both(abs(kink_sine) <= S(tan_steep) * kink_cosine,
                               abs(t.psi[0] + t.psi[1] + t.rho[1]) <
                                   S(std::numeric_limits<double>::max()));
  return both(both(both(a.good, b.good), both(first.good, second.good)),
              both(usual, chord2 > S(closest2)));
}

/// Sets the row of one triplet.
/// @return tracks for which it is valid
template <class S>
MaskOf<S> set_row(const RowHit<S>& hit0, const RowHit<S>& hit1,
                  const RowHit<S>& hit2, const RowChord<S>& a,
                  const RowChord<S>& b, const SeenAxes<S>& from_a,
                  const SeenAxes<S>& from_b, RowTriplet<S>& t, KinkRows<S>& r) {
  const MaskOf<S> good = set_triplet(a, b, t);
  for (int i = 0; i < 2; ++i) {
    r.psi[i] = t.psi[i];
    r.rho[i] = t.rho[i];
  }
  r.inv_sin2 = t.inv_sin2;
  const RowArc<S>&first = t.first, &second = t.second;
  const auto v0 = v_gradient<1>(hit0, first, from_a.start[1]);
  set_shift(hit0, axis_gradient<1>(first, from_a.start[0]), v0, r.shift[0]);
  // a common shift has no effect
  const auto lost = [](const AxisGradient<S>& x, const AxisGradient<S>& y) {
    return AxisGradient<S>{-(x.theta + y.theta), -(x.phi + y.phi)};
  };
  const auto u1 = lost(axis_gradient<1>(first, from_a.end[0]),
                       axis_gradient<-1>(second, from_b.start[0]));
  const auto v1 = lost(v_gradient<1>(hit1, first, from_a.end[1]),
                       v_gradient<-1>(hit1, second, from_b.start[1]));
  set_shift(hit1, u1, v1, r.shift[1]);
  const auto v2 = v_gradient<-1>(hit2, second, from_b.end[1]);
  set_shift(hit2, axis_gradient<-1>(second, from_b.end[0]), v2, r.shift[2]);
  return good;
}

/// Sets the rows of all triplets.
/// @tparam layers  between hits scatter: `passive` is also set
/// @return tracks for which they are valid
template <bool layers, class S>
[[gnu::flatten]] MaskOf<S> set_rows(const HitGroup& in, KinkRows<S>* rows,
                                    [[maybe_unused]] PassiveRows<S>* passive,
                                    TrackHead<S>& head) {
  MaskOf<S> good = PackAccess<S>::mask(all_in_pack<S>);
  RowHit<S> hits[3];
  RowChord<S> chords[2];
  SeenAxes<S> axes[2];
  std::size_t places[3]{};  // of the hits among the points
  std::size_t k = 0;
  for (std::size_t i = 0; i < in.n_points; ++i) {
    if (!in.points[i].measures) continue;
    RowHit<S>& hit = hits[k % 3];
    places[k % 3] = i;
    set_hit(in.points[i], in.hits + 3 * k, hit);
    if (k > 0) {
      const RowHit<S>& before = hits[(k + 2) % 3];
      set_chord(before.at, hit.at, largest_sigma(*before.point, *hit.point),
                chords[k % 2]);
      set_axes(before, hit, chords[k % 2], axes[k % 2]);
    }
    if (k == 0) head.first = hit;
    if (k == 1) head.second = hit;
    if (k >= 2) {
      const RowHit<S>&hit0 = hits[(k + 1) % 3], &hit1 = hits[(k + 2) % 3];
      const RowChord<S>&a = chords[(k + 1) % 2], &b = chords[k % 2];
      RowTriplet<S> t;
      good = both(good, set_row(hit0, hit1, hit, a, b, axes[(k + 1) % 2],
                                axes[k % 2], t, rows[k - 2]));
      if (k == 2) head.length = t.first.length;
      if constexpr (layers) {
        const auto add = [&](std::size_t segment, const RowHit<S>& from,
                             const RowHit<S>& to, const RowChord<S>& chord,
                             const RowArc<S>& arc) {
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

/// Sets only the kinks theta, phi of all triplets at a curvature.
/// @return tracks for which they are valid
template <class S>
[[gnu::flatten]] MaskOf<S> set_kinks(const HitGroup& in, const S& kappa,
                                     S (*kinks)[2], TrackHead<S>& head) {
  using L = PackAccess<S>;
  MaskOf<S> good = L::mask(all_in_pack<S>);
  RowChord<S> chords[2];
  Cartesian<S> before{};
  const GroupPoint* point_before = nullptr;
  std::size_t k = 0;
  for (std::size_t i = 0; i < in.n_points; ++i) {
    const GroupPoint& point = in.points[i];
    if (!point.measures) continue;
    const double* const* x = in.hits + 3 * k;
    const Cartesian<S> at = {L::load(x[0]), L::load(x[1]), L::load(x[2])};
    if (k == 0) set_hit(point, x, head.first);
    if (k == 1) set_hit(point, x, head.second);
    if (k > 0)
      set_chord(before, at, largest_sigma(*point_before, point), chords[k % 2]);
    if (k > 1) {
      RowTriplet<S> t;
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
