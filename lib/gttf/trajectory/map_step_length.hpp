// SPDX-License-Identifier: Apache-2.0
// MapStepLength: how long steps through a field map are, for any scalar.
#pragma once

#include <cmath>

#include "gttf/trajectory/map_step.hpp"

namespace gttf::detail {

/// How far the knots of the splines of a map are ahead along a path. At a knot
/// third derivatives of the field jump.
template <class S>
class KnotsAhead {
 public:
  /// @param bend  t', 1/mm; the path is a parabola
  KnotsAhead(const FieldMapView& map, const Cartesian<S>& x,
             const Cartesian<S>& t, const Cartesian<S>& bend) {
    using std::sqrt;
    const Cartesian<S> at = {x.x - S(map.offset[0]), x.y - S(map.offset[1]),
                             x.z - S(map.offset[2])};
    const FieldMapView::Axis* const axes = map.axes;
    if (map.around_z) {
      const S r2 = transverse_dot(at, at), r = sqrt(r2),
              outwards = transverse_dot(at, t);
      const S knot = next(axes[0], r, outwards);
      meet(axes[0], knot * knot - r2, S(2) * outwards,
           S(2) * (transverse_dot(t, t) + transverse_dot(at, bend)));
      meet(axes[1], next(axes[1], at.z, t.z) - at.z, t.z, bend.z);
      return;
    }
    meet(axes[0], next(axes[0], at.x, t.x) - at.x, t.x, bend.x);
    meet(axes[1], next(axes[1], at.y, t.y) - at.y, t.y, bend.y);
    meet(axes[2], next(axes[2], at.z, t.z) - at.z, t.z, bend.z);
  }

  /// The path to the first, mm.
  const S& path() const { return path_; }

 private:
  /// Of a cell: what is as near has been reached, but for the parabola.
  static constexpr double reached = 2e-3;

  /// The next knot of a coordinate that changes in this direction.
  static S next(const FieldMapView::Axis& axis, const S& x,
                const S& direction) {
    // adding 1.5 * 2^52 rounds to a whole number
    constexpr double magic = 6755399441055744.0;
    const S one(1), sign = select(direction < S(0), -one, one);
    const S place = (x - S(axis.first)) * S(axis.inv_spacing);
    const S cell = (sign * place + S(reached - 0.5) + S(magic)) - S(magic);
    return S(axis.first) + sign * (cell + one) * S(1 / axis.inv_spacing);
  }

  /// A function of the path that changes so far up to the knot, with its first
  /// and second derivatives. A path that turns back before is followed to where
  /// it is nearest, such as to the axis of a map in r and z.
  void meet(const FieldMapView::Axis& axis, const S& change, const S& first,
            const S& second) {
    using std::sqrt;
    const S zero(0), square = first * first + S(2) * (second * change);
    const auto arrives = square > zero;
    const S root = sqrt(select(arrives, square, zero));
    const S length = select(
        arrives,
        S(2) * change / select(change < zero, first - root, first + root),
        -(first / second));
    path_ = select(both(length > S(reached / axis.inv_spacing), length < path_),
                   length, path_);
  }

  S path_{1e30};  // mm
};

/// The length of steps through a map, so long as their errors allow. They begin
/// with several cells. Where the error of less than a cell is too large, which
/// is due to the jumps at knots, they end at knots from then on: within a cell
/// the field is smooth, however few digits its values have.
template <class S>
class MapStepLength {
 public:
  explicit MapStepLength(const FieldMapView& map)
      : cell_(map.coarsest_spacing),
        limit_(most_cells * map.coarsest_spacing) {}

  /// Of the next step.
  /// @param t    against that of the particle, as qop, if it flies backwards
  /// @param qop  q/p, e/GeV
  S next(const FieldMapView& map, const Cartesian<S>& x, const Cartesian<S>& t,
         const Cartesian<S>& field, const S& qop) const {
    using std::sqrt;
    S length = limit_;
    const S turn2 = length * length * qop * qop * inner(field, field);
    const auto bent = turn2 > S(turn_in_step * turn_in_step);
    if (any(bent))
      length = select(
          bent, length * S(turn_in_step) / sqrt(select(bent, turn2, S(1))),
          length);
    if (!any(to_knots_)) return length;
    const S to_knot = KnotsAhead<S>(map, x, t, qop * cross_of(t, field)).path();
    return select(both(to_knots_, to_knot < length), to_knot, length);
  }

  /// After a step.
  /// @param tried   those that took it; their steps were this long
  /// @param inside  those that stayed in the map
  /// @return        those of which the error is not too large
  MaskOf<S> accept(const MapStep<S>& step, const MaskOf<S>& tried,
                   const MaskOf<S>& inside, const S& size) {
    const S error2 = step.error2(), longest = S(most_cells) * cell_;
    const auto taken = both(both(both(tried, inside), error2 <= S(1)),
                            step.turn_cosine() >= S(least_cosine));
    // whether a step changed by a factor has a small error: that of a knot of
    // the splines is of order 5
    const auto allows = [&error2](double f) {
      const double error = f * f * f * f * f;
      return error2 * S(error * error) <= S(1);
    };
    const S shorter = select(allows(0.7), S(0.7), S(0.5)) * size;
    S longer =
        limit_ * select(allows(2.2), S(2), select(allows(1.5), S(1.4), S(1)));
    longer = select(longer < longest, longer, longest);
    const auto begin_knots =
        both(both(both(tried, inside), !either(taken, to_knots_)),
             shorter < S(least_cells) * cell_);
    to_knots_ = either(to_knots_, begin_knots);
    limit_ =
        select(taken, select(size >= limit_, longer, limit_),
               select(begin_knots, longest, select(tried, shorter, limit_)));
    return taken;
  }

  /// Those of which no step is short enough.
  MaskOf<S> is_stuck() const {
    constexpr double shortest = 1e-3;  // mm
    return limit_ < S(shortest);
  }

 private:
  static constexpr double most_cells = 4, least_cells = 0.75;
  static constexpr double least_cosine = 0.95;  ///< of a turn of 0.32 rad

  S cell_;  ///< coarsest spacing of nodes, mm
  S limit_;
  MaskOf<S> to_knots_ = S(1) < S(0);
};

}  // namespace gttf::detail
