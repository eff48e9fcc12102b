// SPDX-License-Identifier: Apache-2.0
// Does a track cross a surface: for one track or one in each element of a
// vector.
#pragma once

#include <cmath>
#include <limits>

#include "gttf/trajectory/crossing.hpp"

namespace gttf {

/// How a track gets to a surface; neither: it passes beside it.
template <class S>
struct Reached {
  MaskOf<S> crossed;
  MaskOf<S> turned_back;  ///< would have crossed it if it did not bend back
};

namespace detail {

inline constexpr double min_cos_incidence = 0.01;

/// The transverse arc to a surface that the track starts on, at most: the
/// start is up to same_place away from it, on either side, mm.
inline constexpr double longest_arc_at_start = same_place / min_cos_incidence;

template <class S>
MaskOf<S> within(const Interval& interval, const S& x) {
  return both(x >= S(interval.lower), x <= S(interval.upper));
}

/// Is the point of the track within the extent of the surface?
template <class S>
MaskOf<S> inside(const Line<S>& l, const SurfaceRecord& s, const S& forward,
                 const S& sideward, const S& arc) {
  using std::sqrt;
  using Kind = SurfaceRecord::Kind;
  const S a = l.along + forward, b = l.across + sideward;
  const S z = l.z + arc * l.cot_theta;
  if (s.kind == Kind::cylinder) return within(s.v, z);
  if (s.kind == Kind::disk) return within(s.v, S(sqrt(a * a + b * b)));
  const S x = l.cos_phi * a - l.sin_phi * b;
  const S y = l.sin_phi * a + l.cos_phi * b;
  if (s.kind == Kind::disk_plane) return both(within(s.u, x), within(s.v, y));
  return s.normal == Axis::x ? both(within(s.u, y), within(s.v, z))
                             : both(within(s.u, z), within(s.v, x));
}

/// Can the formulas of crossing.hpp be used at all? `ahead` is false where the
/// surface lies behind the start, `reachable` where the track bends back before
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
    case SurfaceRecord::Kind::disk:
    case SurfaceRecord::Kind::disk_plane:
      break;
  }
  const S gap = S(s.position) - l.z;
  return {both(abs(l.cos_theta) > zero,
               gap * l.cos_theta >= -(S(same_place) * abs(l.cos_theta))),
          abs(l.c) * (gap * l.tan_theta) < S(unit::pi)};
}

/// Is the surface neither crossed nor, but for bending back, would be: as far
/// as a look at lengths tells? Up to half a turn, the distance flown is at most
/// the arc, at least 2/pi of it and at least arc (1 - X^2/6), X half the turn.
template <class S>
MaskOf<S> is_far(const Line<S>& l, const SurfaceRecord& s) {
  using std::abs, std::sqrt;
  constexpr double more = 1 + 1e-9;  // rounding must not decide
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
  const auto reachable = turn < S(unit::pi);
  return either(
      behind,
      either(both(reachable, either((arc + start) * S(more) < S(s.v.lower),
                                    chord - start * S(more) > upper)),
             both(!reachable, (upper + start * S(more)) * abs(l.c) < S(2))));
}

}  // namespace detail

/// Is `x`, which cross() has made, a crossing: outward, before the track has
/// turned by pi, within the extent of the surface? A track that starts on a
/// surface (within 1 nm) crosses it there. Crossings closer than 0.57 deg to
/// the surface (cos of incidence below 0.01) are left out: a thin layer is no
/// model of them.
template <class S>
MaskOf<S> is_on_surface(const Line<S>& l, const SurfaceRecord& s,
                        const Crossing<S>& x) {
  using std::abs;
  using Kind = SurfaceRecord::Kind;
  const bool upright = s.kind == Kind::cylinder || s.kind == Kind::plane;
  const S cos_incidence = upright ? l.sin_theta * x.cos_psi : l.cos_theta;
  // from the axis, a cylinder that is not reached gives cos(psi) = NaN
  if (l.on_axis && s.kind == Kind::cylinder)
    return both(detail::within(s.v, S(l.z + x.arc * l.cot_theta)),
                cos_incidence >= S(detail::min_cos_incidence));
  const MaskOf<S> real =
      both(x.arc >= S(-detail::longest_arc_at_start),
           abs(x.arc_excess) < S(std::numeric_limits<double>::infinity()));
  return both(real, both(detail::inside(l, s, x.forward, x.sideward, x.arc),
                         abs(cos_incidence) >= S(detail::min_cos_incidence)));
}

/// The same with all that cross() takes for granted.
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

/// Sets `x` to the crossing of `l` with `s` where there is one, see
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
  // Out of reach only because the track bends back: after half a turn it still
  // is within the extent of the surface, which it would not have met at too
  // small an angle.
  if (any(reached.turned_back)) {
    const bool upright = s.kind == SurfaceRecord::Kind::cylinder ||
                         s.kind == SurfaceRecord::Kind::plane;
    const auto steep = abs(upright ? l.sin_theta : l.cos_theta) >=
                       S(detail::min_cos_incidence);
    reached.turned_back =
        both(both(reached.turned_back, steep),
             detail::inside(l, s, S(0), S(2) / l.c, S(unit::pi) / abs(l.c)));
  }
  if (!any(reached.crossed)) return reached;
  x = cross(l, s);
  reached.crossed = both(reached.crossed, is_on_surface(l, s, x));
  return reached;
}

}  // namespace gttf
