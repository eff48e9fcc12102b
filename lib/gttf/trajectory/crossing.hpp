// SPDX-License-Identifier: Apache-2.0
// Crossing: the intersection of a helix with a surface.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "gttf/core/cartesian.hpp"
#include "gttf/core/dual.hpp"
#include "gttf/core/series.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/trajectory/line.hpp"
#include "gttf/trajectory/surface_level.hpp"
#include "gttf/trajectory/turn.hpp"

namespace gttf {

/// Seven numbers that determine all derivatives at a crossing, the incidence
/// and the material. The half chord D and the half turn X give u = sin X = c D:
/// no formula divides by the curvature or by D, which is 0 for a surface at the
/// start, or negative due to rounding.
template <class S>
struct Crossing {
  S forward;      ///< f = 2 D cos X: position along e0 from the start, mm
  S sideward;     ///< g = 2 D sin X: position along n0 from the start, mm
  S arc;          ///< transverse arc length, mm; path = arc/sin(theta)
  S sin_turn;     ///< sine and
  S cos_turn;     ///< cosine of the turn Phi of the direction
  S arc_excess;   ///< E = (arc - forward)/c without the cancellation, mm^2
  S half_chord2;  ///< 2 D^2, mm^2
  S cos_psi;      ///< psi: from the surface's normal (disk, cone: e_r, plane
  S sin_psi;  ///< normal to z: x axis; inclined: its transverse part) to the
              ///< transverse direction
  S inv_cos_psi;  ///< 1 for disks, cones and inclined planes
  S tan2_half;    ///< tan^2(psi/2), psi or pi - psi; 0 for disks and cones
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

inline constexpr double min_cos_incidence = 0.01;

/// Upper bound of the transverse arc to a surface on which the track starts:
/// the start is within same_place of it, on either side, mm.
inline constexpr double longest_arc_at_start = same_place / min_cos_incidence;

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

/// From W = D/cos(X), if the equation of the surface is linear in D cos X.
template <class S>
void set_from_chord_tangent(const Line<S>& l, const S& chord, Crossing<S>& x) {
  using std::sqrt;
  const S w = l.c * chord;
  const S h = S(1) / sqrt(S(1) + w * w);
  const S u = w * h;
  set_from_half_chord(chord * h, u, h, S(1) / (S(1) + h), asin_excess(u * u, h),
                      x);
}

/// From cos(psi) of a surface parallel to z, with one division.
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
  // crosses it if it bends towards it (m < 0), else at its start
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
void set_from_arc(const Line<S>& l, const S& arc, Crossing<S>& x) {
  const S half_turn = S(0.5) * l.c * arc, x2 = half_turn * half_turn;
  const SineSeries<S> sine = sine_series(x2);
  const S sinc = S(1) - x2 * sine.deficit;
  const S d = S(0.5) * arc * sinc;
  set_from_half_chord(d, half_turn * sinc, sine.cosine,
                      S(1) / (S(1) + sine.cosine),
                      sine.deficit / (sinc * sinc * sinc), x);
  x.arc = arc;
}

/// Sets psi with respect to e_r, for a point at the distance 1/inv_r.
template <class S>
void set_psi_from_radius(const Line<S>& l, const S& inv_r, Crossing<S>& x) {
  x.cos_psi =
      (l.along * x.cos_turn + l.across * x.sin_turn + x.forward) * inv_r;
  x.sin_psi =
      (l.along * x.sin_turn - l.across * x.cos_turn + x.sideward) * inv_r;
}

template <class S>
void cross_disk(const Line<S>& l, const SurfaceRecord& s, const S& position,
                const S& x_over_x0, Crossing<S>& x) {
  using std::abs, std::sqrt;
  set_from_arc(l, S((position - l.z) * l.tan_theta), x);
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

/// The distance of a point of a line from the axis minus the radius of a cone
/// there, mm, and its derivative with respect to the arc.
template <class S>
struct ConeGap {
  S value, slope;
};

template <class S>
ConeGap<S> gap_to_cone(const Line<S>& l, const SurfaceRecord& s,
                       const S& position, const S& arc) {
  using std::sqrt;
  Crossing<S> x;
  set_from_arc(l, arc, x);
  const S px = l.along + x.forward, py = l.across + x.sideward;
  const S r = sqrt(px * px + py * py);
  const S rise = S(s.slope) * l.cot_theta;
  // from the axis, any path leads away from it
  const S away =
      select(r > S(0), S((px * x.cos_turn + py * x.sin_turn) / r), S(1));
  return {r - (position + S(s.slope) * (l.z - S(s.middle())) + rise * arc),
          away - rise};
}

/// Converts to doubles, one for each track: vector elements, values of dual
/// numbers, rounded wider types.
template <class S>
struct InDoubles {
  static constexpr std::size_t width = 1;
  static void store(const S& x, double* to) { *to = static_cast<double>(x); }
  static S load(const double* from) { return S(*from); }
};
template <class S>
requires requires { typename S::Mask; }
struct InDoubles<S> {
  static constexpr std::size_t width = S::size;
  static void store(const S& x, double* to) { x.store(to); }
  static S load(const double* from) { return S::load(from); }
};
template <int N, class T>
struct InDoubles<Dual<N, T>> {
  static constexpr std::size_t width = InDoubles<T>::width;
  static void store(const Dual<N, T>& x, double* to) {
    InDoubles<T>::store(x.value, to);
  }
  static Dual<N, T> load(const double* from) {
    return Dual<N, T>(InDoubles<T>::load(from));
  }
};

/// The distance of a point of a line from an inclined plane along its normal,
/// mm, as a function of the transverse arc, and its derivative.
template <class S>
struct PlaneGap {
  S along, across;  ///< components of the normal along e0 and n0
  S rise;           ///< n_z cot(theta)
  S start;          ///< at arc 0
  S c;              ///< transverse curvature of the line

  /// @param s  a SurfaceRecord, or numbers of the same names in vectors
  template <class Plane>
  PlaneGap(const Line<S>& l, const Plane& s, const S& position)
      : along(S(s.normal_r) *
              (l.cos_phi * S(s.normal_cos) + l.sin_phi * S(s.normal_sin))),
        across(S(s.normal_r) *
               (l.cos_phi * S(s.normal_sin) - l.sin_phi * S(s.normal_cos))),
        rise(S(s.normal_z) * l.cot_theta),
        start(along * l.along + across * l.across + S(s.normal_z) * l.z -
              position),
        c(l.c) {}

  S value(const Crossing<S>& x) const {
    return start + along * x.forward + across * x.sideward + rise * x.arc;
  }
  S slope(const Crossing<S>& x) const {
    return along * x.cos_turn + across * x.sin_turn + rise;
  }
  /// The derivative of the slope.
  S bend(const Crossing<S>& x) const {
    return c * (across * x.cos_turn - along * x.sin_turn);
  }
};

/// The last digits of the transverse arc to a plane, and derivatives if S has
/// any.
template <class S>
[[gnu::always_inline]] inline S refined_arc(const Line<S>& l,
                                            const PlaneGap<S>& gap, S arc) {
  for (int step = 0; step < 2; ++step) {
    Crossing<S> x;
    set_from_arc(l, arc, x);
    arc = arc - gap.value(x) / gap.slope(x);
  }
  return arc;
}

/// The first crossing of a line, within half a turn, with an inclined plane
/// within its edges.
struct RectangleCrossing {
  double arc;    ///< transverse, before refined_arc(); NaN: there is none
  double slope;  ///< of PlaneGap there: cosine of the incidence over sin(theta)
};

/// The gap is monotonic between the zeros of its slope, A cos(Phi - beta) +
/// rise with the turn Phi, at most two in half a turn: a line crosses the plane
/// up to three times, first maybe outside the rectangle.
RectangleCrossing cross_rectangle(const Line<double>& l, const SurfaceRecord& s,
                                  double position);

/// The transverse arc to that crossing; of vectors of tracks, or with
/// derivatives.
template <class S>
[[gnu::noinline]] S arc_to_inclined(const Line<S>& l, const SurfaceRecord& s,
                                    const S& position) {
  using Doubles = InDoubles<S>;
  constexpr std::size_t n = Doubles::width;
  std::array<double, n> along, across, z, c, cot, cosine, sine, at, arcs;
  Doubles::store(l.along, along.data());
  Doubles::store(l.across, across.data());
  Doubles::store(l.z, z.data());
  Doubles::store(l.c, c.data());
  Doubles::store(l.cot_theta, cot.data());
  Doubles::store(l.cos_phi, cosine.data());
  Doubles::store(l.sin_phi, sine.data());
  Doubles::store(position, at.data());
  for (std::size_t i = 0; i < n; ++i) {
    Line<double> one{};
    one.along = along[i];
    one.across = across[i];
    one.z = z[i];
    one.c = c[i];
    one.cot_theta = cot[i];
    one.cos_phi = cosine[i];
    one.sin_phi = sine[i];
    arcs[i] = cross_rectangle(one, s, at[i]).arc;
  }
  return refined_arc(l, PlaneGap<S>(l, s, position),
                     Doubles::load(arcs.data()));
}

/// cos_incidence() of a cone or an inclined plane. @param s  as for PlaneGap
template <class S, class Plane>
S cos_on_leaning(const Line<S>& l, const Plane& s, const Crossing<S>& x) {
  return S(s.normal_r) * l.sin_theta * x.cos_psi + S(s.normal_z) * l.cos_theta;
}

/// @param s  as for PlaneGap
template <class S, class Plane>
void cross_inclined(const Line<S>& l, const Plane& s, const S& arc,
                    const S& x_over_x0, Crossing<S>& x) {
  using std::abs;
  set_from_arc(l, arc, x);
  const S cosine = l.cos_phi * x.cos_turn - l.sin_phi * x.sin_turn;
  const S sine = l.sin_phi * x.cos_turn + l.cos_phi * x.sin_turn;
  const S nc(s.normal_cos), ns(s.normal_sin);
  x.cos_psi = cosine * nc + sine * ns;
  x.sin_psi = sine * nc - cosine * ns;
  x.inv_cos_psi = S(1);
  x.tan2_half = S(0);
  x.x_over_x0 = x_over_x0 / abs(cos_on_leaning(l, s, x));
}

/// The crossing with an inclined plane near a known arc.
/// @param s  as for PlaneGap
template <class S, class Plane>
Crossing<S> cross_near(const Line<S>& l, const Plane& s, const S& position,
                       const S& x_over_x0, const S& arc) {
  Crossing<S> x;
  cross_inclined(l, s, refined_arc(l, PlaneGap<S>(l, s, position), arc),
                 x_over_x0, x);
  return x;
}

/// The transverse arc; infinite for a straight line.
template <class S>
S arc_of_half_turn(const Line<S>& l) {
  using std::abs;
  const S bend = abs(l.c);
  return select(bend > S(0), S(half_a_turn) / bend,
                S(std::numeric_limits<double>::infinity()));
}

/// The arc between `begin` and `end`, where the gaps have opposite signs, at
/// which a line crosses a cone: Newton steps while they stay between the last
/// points on either side, else bisection.
template <class S>
[[gnu::noinline]] S zero_of_gap(const Line<S>& l, const SurfaceRecord& s,
                                const S& position, S begin, S end) {
  using std::abs;
  const S zero(0);
  const S first = gap_to_cone(l, s, position, begin).value;
  const S last = gap_to_cone(l, s, position, end).value;
  S arc = begin + (end - begin) * (first / (first - last));
  auto moving = all_true<S>();
  constexpr int most = 100;
  for (int step = 0; step < most && any(moving); ++step) {
    const ConeGap<S> gap = gap_to_cone(l, s, position, arc);
    const auto before = gap.value * first > zero;
    begin = select(before, arc, begin);
    end = select(before, end, arc);
    S next = arc - gap.value / gap.slope;
    next = select(both(begin <= next, next <= end), next,
                  S(S(0.5) * (begin + end)));
    moving = abs(next - arc) > S(1e-14) * (S(1) + abs(arc));
    arc = next;
  }
  // the last digits, and derivatives if S has any
  for (int step = 0; step < 2; ++step) {
    const ConeGap<S> gap = gap_to_cone(l, s, position, arc);
    arc = arc - gap.value / gap.slope;
  }
  return arc;
}

/// The transverse arc to the first crossing of a cone between its ends, within
/// half a turn, in either direction; NaN if there is none.
template <class S>
[[gnu::noinline]] S arc_to_cone(const Line<S>& l, const SurfaceRecord& s,
                                const S& position) {
  using std::abs;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr double before = longest_arc_at_start;
  const S zero(0), none(std::numeric_limits<double>::quiet_NaN());
  // where the track is between the ends in z
  const auto flat = abs(l.cos_theta) <= zero;
  const auto beside = either(l.z<S(s.v.lower), l.z> S(s.v.upper));
  const S a = (S(s.v.lower) - l.z) * l.tan_theta,
          b = (S(s.v.upper) - l.z) * l.tan_theta;
  S begin = select(flat, select(beside, S(infinite), S(-before)),
                   select(a < b, a, b));
  S end = select(flat, S(infinite), select(a < b, b, a));
  // beyond this it is outside, or beyond half a turn
  const double largest = s.position + std::abs(s.slope) * 0.5 * s.v.length();
  const S leaving = S(0.5 * unit::pi) *
                    (abs(l.along) + abs(l.across) + S(largest + same_place));
  const S half_turn = arc_of_half_turn(l);
  begin = select(begin < S(-before), S(-before), begin);
  end = select(leaving < end, leaving, end);
  end = select(half_turn < end, half_turn, end);
  const auto possible = begin < end;
  if (!any(possible)) return none;
  // arbitrary arcs where no crossing is searched
  begin = select(possible, begin, zero);
  end = select(possible, end, S(1 * unit::mm));
  const ConeGap<S> first = gap_to_cone(l, s, position, begin);
  const ConeGap<S> last = gap_to_cone(l, s, position, end);
  auto meets = first.value * last.value <= zero;
  // forth and back: up to the extremum of the gap
  const auto turns =
      both(both(possible, !meets),
           both(first.value * first.slope<zero, last.value * last.slope> zero));
  if (any(turns)) {
    S from = begin, to = end;
    constexpr int halvings = 60;
    for (int i = 0; i < halvings; ++i) {
      const S middle = S(0.5) * (from + to);
      const ConeGap<S> gap = gap_to_cone(l, s, position, middle);
      const auto towards = gap.slope * first.value < zero;
      from = select(towards, middle, from);
      to = select(towards, to, middle);
    }
    const auto touches = both(
        turns, gap_to_cone(l, s, position, to).value * first.value <= zero);
    end = select(touches, to, end);
    meets = either(meets, touches);
  }
  meets = both(meets, possible);
  if (!any(meets)) return none;
  const S arc = zero_of_gap(l, s, position, begin, end);
  // a surface just before the start is crossed at the start
  const S start = gap_to_cone(l, s, position, zero).value;
  const S near = S(same_place * std::sqrt(1 + s.slope * s.slope));
  return select(both(meets, either(zero <= arc, abs(start) <= near)), arc,
                none);
}

/// Whether the line initially approaches the cone, but reaches half a turn
/// between its ends without crossing it.
template <class S>
[[gnu::noinline]] MaskOf<S> ends_in_cone(const Line<S>& l,
                                         const SurfaceRecord& s) {
  using std::abs;
  const S position(s.position), zero(0), end = arc_of_half_turn(l);
  const S arc = arc_to_cone(l, s, position);
  const ConeGap<S> start = gap_to_cone(l, s, position, zero);
  return both(!either(arc < zero, zero <= arc),
              both(within(s.v, S(l.z + end * l.cot_theta)),
                   start.value * start.slope < zero));
}

/// Whether the line initially approaches an inclined plane, but reaches half a
/// turn on the same side.
template <class S>
MaskOf<S> ends_before_plane(const Line<S>& l, const SurfaceRecord& s) {
  using std::abs;
  const PlaneGap<S> gap(l, s, S(s.position));
  const S zero(0);
  const S end =
      gap.start + S(2) * gap.across / l.c + gap.rise * arc_of_half_turn(l);
  return both(both(abs(l.c) > zero, gap.start * end > zero),
              gap.start * (gap.along + gap.rise) < zero);
}

template <class S>
[[gnu::noinline]] void cross_cone(const Line<S>& l, const SurfaceRecord& s,
                                  const S& position, const S& x_over_x0,
                                  Crossing<S>& x) {
  using std::abs, std::sqrt;
  set_from_arc(l, arc_to_cone(l, s, position), x);
  const S px = l.along + x.forward, py = l.across + x.sideward;
  set_psi_from_radius(l, S(S(1) / sqrt(px * px + py * py)), x);
  x.inv_cos_psi = S(1);
  x.tan2_half = S(0);
  x.x_over_x0 = x_over_x0 / abs(cos_on_leaning(l, s, x));
}

}  // namespace detail

/// The first outward crossing of `l` with `s` before half a turn; of a cone
/// between its ends, in either direction.
///
/// Undefined or NaN if there is none: check is_crossed() first (per surface and
/// track; lists of crossings are built once and shared).
/// @param position, x_over_x0  override the values of the record; dual numbers
///                             give the derivatives with respect to them
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
    case Kind::cone:
      detail::cross_cone(l, s, position, x_over_x0, x);
      break;
    case Kind::inclined:
      detail::cross_inclined(l, s, detail::arc_to_inclined(l, s, position),
                             x_over_x0, x);
      break;
  }
  return x;
}

template <class S>
Crossing<S> cross(const Line<S>& l, const SurfaceRecord& s) {
  return cross(l, s, S(s.position), S(s.x_over_x0));
}

/// Whether a track reaches a surface; neither: it passes by.
template <class S>
struct Reached {
  MaskOf<S> crossed;
  MaskOf<S> turned_back;  ///< would cross it if it did not turn back
};

namespace detail {

/// Whether the point of the track is within the extent of the surface.
template <class S>
MaskOf<S> inside(const Line<S>& l, const SurfaceRecord& s, const S& forward,
                 const S& sideward, const S& arc) {
  using std::sqrt;
  const S a = l.along + forward, b = l.across + sideward;
  return inside(
      s, S(l.z + arc * l.cot_theta), [&] { return S(sqrt(a * a + b * b)); },
      [&] {
        return std::pair(S(l.cos_phi * a - l.sin_phi * b),
                         S(l.sin_phi * a + l.cos_phi * b));
      });
}

/// Whether the formulas of cross() are applicable. `ahead` is false if the
/// surface lies before the start, `reachable` if the track turns back before
/// it. A surface within same_place of the start is ahead: the track begins just
/// before it.
template <class S>
struct Precheck {
  MaskOf<S> ahead, reachable;
};

template <class S>
Precheck<S> precheck(const Line<S>& l, const SurfaceRecord& s) {
  using std::abs, std::sqrt;
  const S zero(0);
  switch (s.kind) {
    case SurfaceRecord::Kind::cylinder: {
      if (l.on_axis)
        return {zero <= S(s.position - same_place),
                abs(l.c) * S(0.5 * s.position) < S(1)};
      const S start = sqrt(l.r2);
      const MaskOf<S> ahead = start <= S(s.position + same_place);
      const MaskOf<S> there = start > S(s.position - same_place);
      const S de = select(there, zero, S(S(s.position * s.position) - l.r2));
      const S quad = S(4) * (S(1) + l.across * l.c) - de * l.c * l.c;
      return {ahead, both(S(4) * l.along * l.along + quad * de >= zero,
                          either(l.along > zero, quad > zero))};
    }
    case SurfaceRecord::Kind::plane: {
      const S cn(s.normal_cos), sn(s.normal_sin);
      const S cos0 = l.cos_phi * cn + l.sin_phi * sn;
      const S sin0 = l.sin_phi * cn - l.cos_phi * sn;
      const S gap = S(s.position) - (l.along * cos0 - l.across * sin0);
      const S m = gap * l.c * (gap * l.c + S(2) * sin0);
      // flying away from it, the track must bend towards it
      const MaskOf<S> towards = gap * cos0 > zero;
      const MaskOf<S> there = abs(gap) <= S(same_place);
      return {either(there, either(towards, m < zero)),
              either(there, either(!towards, m <= cos0 * cos0))};
    }
    case SurfaceRecord::Kind::cone:
      return {all_true<S>(), !ends_in_cone(l, s)};
    case SurfaceRecord::Kind::inclined:
      return {all_true<S>(), all_true<S>()};
    case SurfaceRecord::Kind::disk:
    case SurfaceRecord::Kind::disk_plane:
      break;
  }
  const S gap = S(s.position) - l.z;
  return {both(abs(l.cos_theta) > zero,
               gap * l.cos_theta >= -(S(same_place) * abs(l.cos_theta))),
          abs(l.c) * (gap * l.tan_theta) < S(half_a_turn)};
}

/// Whether lengths show that the surface is not crossed, even without turning
/// back. Up to half a turn, the distance flown is at most the arc, at least
/// 2/pi of it and at least arc (1 - X^2/6), X half the turn.
template <class S>
MaskOf<S> is_far(const Line<S>& l, const SurfaceRecord& s) {
  using std::abs, std::sqrt;
  constexpr double more = 1 + 1e-9;  // the result must not depend on rounding
  const S zero(0);
  const auto start_of = [&l, &zero] {
    return l.on_axis ? zero : S(sqrt(l.r2));
  };
  if (s.kind == SurfaceRecord::Kind::cylinder) {
    const S start = start_of();
    const S slope = l.cot_theta * S(more);
    const S near = (S(s.position) - start) * (l.cot_theta * S(2 - more));
    const S far = (S(s.position) + start) * (S(0.5 * unit::pi) * slope);
    const auto up = slope > zero;
    const auto beside =
        either(l.z + select(up, near, far) > S(s.v.upper + same_place),
               l.z + select(up, far, near) < S(s.v.lower - same_place));
    return both(beside, both(start < S(s.position - same_place),
                             abs(l.c) * (S(s.position) + start) < S(2)));
  }
  if (s.kind != SurfaceRecord::Kind::disk) return zero > zero;  // NOLINT: none
  const S gap = S(s.position) - l.z;
  const auto behind = gap * l.cos_theta < -(S(same_place) * abs(l.cos_theta));
  if (!any(!behind)) return behind;
  const S arc = abs(gap * l.tan_theta);
  const S start = start_of();
  const S turn = abs(l.c) * arc, upper(s.v.upper * more);
  const S chord = arc - arc * (turn * turn) * S(1. / 24);
  const auto reachable = turn < S(half_a_turn);
  return either(
      behind,
      either(both(reachable, either((arc + start) * S(more) < S(s.v.lower),
                                    chord - start * S(more) > upper)),
             both(!reachable, (upper + start * S(more)) * abs(l.c) < S(2))));
}

/// The squared distance from the axis, mm2, beyond which a track that ends has
/// passed an inclined plane by, instead of turning back before it.
inline double farthest_end_before(const SurfaceRecord& inclined) {
  const double r = radii(inclined).upper + same_place;
  return r * r;
}

/// Whether a surface is not reached only because the track turns back: after
/// half a turn it is still within the extent of the surface, and the crossing
/// angle would not have been too small. (Of an inclined plane, that depends on
/// where the track would cross it.)
template <class S>
MaskOf<S> ends_within(const Line<S>& l, const SurfaceRecord& s) {
  using std::abs;
  const S sideward = S(2) / l.c;
  const auto within = inside(l, s, S(0), sideward, S(half_a_turn) / abs(l.c));
  if (s.kind == SurfaceRecord::Kind::inclined) {
    const S across = l.across + sideward;
    return both(within, l.along * l.along + across * across <=
                            S(farthest_end_before(s)));
  }
  const auto steep =
      abs(s.is_upright() || s.is_curved() ? l.sin_theta : l.cos_theta) >=
      S(min_cos_incidence);
  return both(steep, within);
}

}  // namespace detail

/// Component of the direction along the normal of the surface; the normal of a
/// cylinder or cone points outwards, the normal of a plane along its axis.
template <class S>
S cos_incidence(const Line<S>& l, const SurfaceRecord& s,
                const Crossing<S>& x) {
  if (s.is_upright()) return l.sin_theta * x.cos_psi;
  if (!s.leans()) return l.cos_theta;
  return detail::cos_on_leaning(l, s, x);
}

/// Whether `x`, computed by cross(), is a crossing: outward, before the track
/// has turned by pi, within the extent of the surface. A track that starts on a
/// surface (within 1 nm) crosses it there. Crossings closer than 0.57 deg to
/// the surface (cos of incidence below 0.01) are excluded: the thin-layer model
/// does not apply to them.
template <class S>
MaskOf<S> is_on_surface(const Line<S>& l, const SurfaceRecord& s,
                        const Crossing<S>& x) {
  using std::abs;
  const S cosine = cos_incidence(l, s, x);
  // from the axis, a cylinder that is not reached gives cos(psi) = NaN
  if (l.on_axis && s.kind == SurfaceRecord::Kind::cylinder)
    return both(detail::within(s.v, S(l.z + x.arc * l.cot_theta)),
                cosine >= S(detail::min_cos_incidence));
  const MaskOf<S> real =
      both(x.arc >= S(-detail::longest_arc_at_start),
           abs(x.arc_excess) < S(std::numeric_limits<double>::infinity()));
  return both(real, both(detail::inside(l, s, x.forward, x.sideward, x.arc),
                         abs(cosine) >= S(detail::min_cos_incidence)));
}

/// The same, including the preconditions of cross().
template <class S>
MaskOf<S> is_crossed(const Line<S>& l, const SurfaceRecord& s,
                     const Crossing<S>& x) {
  // from the axis, cross() gives NaN or infinity where a cylinder is not
  // reached
  if (l.on_axis && s.kind == SurfaceRecord::Kind::cylinder)
    return is_on_surface(l, s, x);
  const detail::Precheck<S> pre = detail::precheck(l, s);
  return both(both(pre.ahead, pre.reachable), is_on_surface(l, s, x));
}

/// Sets `x` to the crossing of `l` with `s` if there is one, see
/// is_on_surface().
template <class S>
Reached<S> find_crossing(const Line<S>& l, const SurfaceRecord& s,
                         Crossing<S>& x) {
  using std::abs;
  Reached<S> reached;
  reached.crossed = reached.turned_back = S(0) > S(0);
  if (!any(!detail::is_far(l, s))) return reached;
  const detail::Precheck<S> pre = detail::precheck(l, s);
  reached.crossed = both(pre.ahead, pre.reachable);
  reached.turned_back = both(pre.ahead, !pre.reachable);
  if (s.kind == SurfaceRecord::Kind::inclined) {
    const S zero(0);
    const S arc = detail::arc_to_inclined(l, s, S(s.position));
    reached.crossed = either(arc < zero, zero <= arc);
    if (any(reached.crossed)) {
      detail::cross_inclined(l, s, arc, S(s.x_over_x0), x);
      reached.crossed = is_on_surface(l, s, x);
    }
    reached.turned_back =
        both(!reached.crossed, detail::ends_before_plane(l, s));
  }
  if (any(reached.turned_back))
    reached.turned_back = both(reached.turned_back, detail::ends_within(l, s));
  if (!any(reached.crossed) || s.kind == SurfaceRecord::Kind::inclined)
    return reached;
  x = cross(l, s);
  reached.crossed = both(reached.crossed, is_on_surface(l, s, x));
  return reached;
}

}  // namespace gttf
