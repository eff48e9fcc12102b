// SPDX-License-Identifier: Apache-2.0
// Finds surfaces out of reach of a group of tracks, by comparing bounds of the
// group with the extents of many surfaces at a time.
#pragma once

#include <limits>

#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/turn.hpp"

namespace gttf {

/// Bounds of the lines of a group of tracks. start = NaN: no surface is far.
struct LineBounds {
  double start;  ///< largest distance of a start point from the axis, mm
  double c;      ///< largest |transverse curvature|, 1/mm
  double z_min, z_max;
  double cot_min, cot_max;
};

/// Surfaces of one kind with positions from `first` to `last`, which extend at
/// most from `lower` to `upper`; or one surface. Disks on one side of z = 0.
template <class S>
struct SurfaceRange {
  S first, last, lower, upper;
};

namespace detail {

/// Minimum arc per mm along z for |cot(theta)| up to `cot`; finite, so that its
/// product with zero is zero.
[[gnu::always_inline]] inline double shortest_arc(double cot) {
  constexpr double very_long = 1e12;
  return cot * very_long > 1 ? 1 / cot : very_long;
}
/// Maximum arc per mm along z for cot(theta) from `cot` on.
[[gnu::always_inline]] inline double longest_arc(double cot) {
  return cot > 0 ? 1 / cot : std::numeric_limits<double>::infinity();
}

}  // namespace detail

/// For several ranges of disks, one per vector element: whether all disks of
/// the range are far, in the sense of detail::is_far, from every track of the
/// group. Ranges that are not far must be checked for each track.
///
/// A track with arc a up to the plane of the disk is there at most a + start
/// and at least 2/c sin(a c/2) - start from the axis, if it turns by less than
/// pi before.
template <class S>
MaskOf<S> are_far_disks(const LineBounds& b, const SurfaceRange<S>& disks) {
  constexpr double more = 1 + 1e-9;  // rounding must not decide
  const S gap_min = disks.first - S(b.z_max);
  const S gap_max = disks.last - S(b.z_min);
  // a track crosses a disk on which it starts, in either direction
  const MaskOf<S> above = gap_min > S(detail::same_place),
                  below = gap_max < S(-detail::same_place);
  const S longest = select(above, gap_max * S(detail::longest_arc(b.cot_min)),
                           -(gap_min * S(detail::longest_arc(-b.cot_max))));
  const S c(b.c), start(b.start * more);
  const MaskOf<S> inside = both((longest + start) * S(more) < disks.lower,
                                longest * c < S(half_a_turn));
  // the distance grows up to half a turn: any shorter arc is a bound
  const S enough(2.8 / b.c);
  S arc = select(above, gap_min * S(detail::shortest_arc(b.cot_max)),
                 -(gap_max * S(detail::shortest_arc(-b.cot_min))));
  arc = select(arc < enough, arc, enough);
  const S turn = arc * c, limit = disks.upper * S(more) + start;
  // after half a turn it is still outside
  const MaskOf<S> outside =
      both(arc - arc * (turn * turn) * S(1. / 24) > limit, limit * c < S(2));
  return both(either(above, below), either(inside, outside));
}

/// The same for cylinders: the arc up to one is at least the difference of the
/// radii and at most pi/2 times their sum.
template <class S>
MaskOf<S> are_far_cylinders(const LineBounds& b,
                            const SurfaceRange<S>& cylinders) {
  constexpr double more = 1 + 1e-9, half_turn = 0.5 * unit::pi * more;
  const S start(b.start), shortest = cylinders.first - start;
  const S sum = cylinders.last + start;
  const auto rise = [&](double cot, bool far) {
    return far ? sum * S(cot * half_turn) : shortest * S(cot * (2 - more));
  };
  const S z_max = S(b.z_max) + rise(b.cot_max, b.cot_max > 0);
  const S z_min = S(b.z_min) + rise(b.cot_min, b.cot_min < 0);
  const MaskOf<S> beside = either(
      z_max<cylinders.lower - S(detail::same_place), z_min> cylinders.upper +
      S(detail::same_place));
  return both(beside,
              both(shortest > S(detail::same_place), S(b.c) * sum < S(2)));
}

}  // namespace gttf
