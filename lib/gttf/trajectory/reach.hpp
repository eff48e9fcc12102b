// SPDX-License-Identifier: Apache-2.0
// Does a track cross a surface: for one track or one per lane.
#pragma once

#include <cmath>
#include <limits>

#include "gttf/trajectory/crossing.hpp"

namespace gttf {

/// What comparing numbers of type S gives: bool, or one truth value per lane.
template <class S>
using MaskOf = decltype(S() < S());

/// How a track gets to a surface; neither: it passes beside it.
template <class S>
struct Reached {
  MaskOf<S> crossed;
  MaskOf<S> turned_back;  ///< would have crossed it if it did not bend back
};

namespace detail {

/// A track that starts this near to a surface starts on it: rounding must not
/// decide whether it crosses.
inline constexpr double same_place = 1 * unit::nm;
inline constexpr double min_cos_incidence = 0.01;

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
/// surface lies behind or under the start, `reachable` where the track bends
/// back before it.
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
      const MaskOf<S> ahead = sqrt(l.r2) <= S(s.position - same_place);
      if (l.on_axis) return {ahead, abs(l.c) * S(0.5 * s.position) < S(1)};
      const S de = S(s.position * s.position) - l.r2;
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
      return {both(abs(gap) > S(same_place), either(towards, m < zero)),
              either(!towards, m <= cos0 * cos0)};
    }
    case SurfaceRecord::Kind::disk:
    case SurfaceRecord::Kind::disk_plane:
      break;
  }
  const S gap = S(s.position) - l.z;
  return {both(abs(l.cos_theta) > zero,
               gap * l.cos_theta > S(same_place) * abs(l.cos_theta)),
          abs(l.c) * (gap * l.tan_theta) < S(unit::pi)};
}

}  // namespace detail

/// Sets `x` to the crossing of `l` with `s` where there is one: outward, before
/// the track has turned by pi, within the extent of the surface. A track that
/// starts on a surface (within 1 nm) does not cross it. Crossings closer than
/// 0.57 deg to the surface (cos of incidence below 0.01) are left out: a thin
/// layer is no model of them.
template <class S>
Reached<S> find_crossing(const Line<S>& l, const SurfaceRecord& s,
                         Crossing<S>& x) {
  using std::abs;
  using Kind = SurfaceRecord::Kind;
  const detail::Precheck<S> pre = detail::precheck(l, s);
  Reached<S> reached;
  reached.crossed = both(pre.ahead, pre.reachable);
  reached.turned_back = both(pre.ahead, !pre.reachable);
  // Out of reach only because the track bends back: after half a turn it still
  // is within the extent of the surface.
  if (any(reached.turned_back))
    reached.turned_back =
        both(reached.turned_back,
             detail::inside(l, s, S(0), S(2) / l.c, S(unit::pi) / abs(l.c)));
  if (!any(reached.crossed)) return reached;
  x = cross(l, s);
  const bool upright = s.kind == Kind::cylinder || s.kind == Kind::plane;
  const S cos_incidence = upright ? l.sin_theta * x.cos_psi : l.cos_theta;
  const MaskOf<S> real =
      both(x.arc > S(0),
           abs(x.arc_excess) < S(std::numeric_limits<double>::infinity()));
  const MaskOf<S> on_surface =
      both(detail::inside(l, s, x.forward, x.sideward, x.arc),
           abs(cos_incidence) >= S(detail::min_cos_incidence));
  reached.crossed = both(reached.crossed, both(real, on_surface));
  return reached;
}

}  // namespace gttf
