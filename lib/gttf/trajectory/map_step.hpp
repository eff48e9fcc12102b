// SPDX-License-Identifier: Apache-2.0
// MapStep: a step of the integration of paths through a field map with their
// derivatives, for any scalar.
#pragma once

#include <cmath>

#include "gttf/core/unroll.hpp"
#include "gttf/detector/field_lookup.hpp"
#include "gttf/trajectory/uniform_path.hpp"

namespace gttf::detail {

/// A vector that is not initialised.
template <class S>
struct StoredVector {
  S x, y, z;

  StoredVector() = default;
  StoredVector(const Cartesian<S>& v) : x(v.x), y(v.y), z(v.z) {}
  operator Cartesian<S>() const { return {x, y, z}; }
};

/// The formulas of Dormand and Prince of order 5 with their error estimate of
/// order 4 [DormandPrince80]; the last stage is the first of the next step.
struct DormandPrince {
  static constexpr int stages = 7;
  static constexpr double node[stages][stages - 1] = {
      {},
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
      {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  static constexpr double error_weight[stages] = {
      71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
      -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

  /// Sum of the slopes before stage i.
  template <int i, class S>
  [[gnu::always_inline]] static Cartesian<S> sum(
      const StoredVector<S> (&slope)[stages]) {
    Cartesian<S> total = S(node[i][0]) * Cartesian<S>(slope[0]);
    GTTF_UNROLL
    for (int j = 1; j < i; ++j)
      if (node[i][j] != 0)
        total = total + S(node[i][j]) * Cartesian<S>(slope[j]);
    return total;
  }
};

/// Tolerated errors of one step. Single tracks and vectors step differently
/// through a map: their fits must agree to 1e-9 of the errors of a track, also
/// where the field changes within ten nodes. There the errors add up to 7e-10.
inline constexpr double position_tolerance = 1e-10;   // mm
inline constexpr double direction_tolerance = 1e-13;  // rad
/// A share of the turn: of stiff tracks, the derivative by q/p.
inline constexpr double turn_tolerance = 2e-12;
/// The turn in a uniform field that has this estimate.
inline constexpr double turn_in_step = 0.007;  // rad

/// A derivative of a path at a fixed length.
template <class S>
struct FlightChange {
  Cartesian<S> position, direction;
  /// q/p changes by a number of the flight; false: it is fixed.
  bool charged = false;
};

/// A step along x' = t, t' = q/p t x B(x), and of the variational equations.
template <class S>
class MapStep {
 public:
  /// The next step begins at this point.
  /// @return  those in the map
  template <bool gradient>
  MaskOf<S> begin_at(const FieldMapView& map, const Cartesian<S>& x) {
    return look_up<gradient>(map, x, begin_);
  }
  void begin_with(const FieldAt<S>& here) { begin_ = here; }
  /// The next step begins where this one ends.
  void begin_at_end() { begin_ = end_; }

  /// Takes a step from where it begins.
  /// @return  those that stay in the map
  template <bool gradient>
  [[gnu::noinline, gnu::flatten]] MaskOf<S> take(const FieldMapView& map,
                                                 const Cartesian<S>& x,
                                                 const Cartesian<S>& t,
                                                 const S& qop,
                                                 const S& length) {
    length_ = length;
    qop_ = qop;
    from_ = x;
    direction_[0] = t;
    set_slope<gradient>(0, begin_);
    auto inside = all_true<S>();
    take_stages<gradient, 1>(map, inside);
    return inside;
  }

  const S& length() const { return length_; }
  const Cartesian<S>& position() const { return to_; }  ///< at the end
  Cartesian<S> direction() const { return direction_[last]; }
  /// Cosine of the turn of the direction.
  S turn_cosine() const { return inner<S>(direction_[0], direction_[last]); }
  const FieldAt<S>& at_begin() const { return begin_; }
  const FieldAt<S>& at_end() const { return end_; }
  /// Integral of B over the step.
  Cartesian<S> field_integral() const {
    // its weights are those of the last stage
    return length_ * DormandPrince::sum<last>(field_);
  }
  /// Square of the error of the end, in units of the tolerances.
  S error2() const {
    const Cartesian<S> x = length_ * error_of(direction_),
                       t = length_ * error_of(bend_);
    const S zero(0), length2 = length_ * length_;
    // of a uniform field with the mean of the squares at both ends
    const S turn2 =
        S(0.5) * length2 *
        (inner<S>(bend_[0], bend_[0]) + inner<S>(bend_[last], bend_[last]));
    const auto larger = [](const S& a, const S& b) {
      return select(a < b, b, a);
    };
    const S least_t = S(turn_tolerance * turn_tolerance) * turn2;
    const S limit_t(direction_tolerance * direction_tolerance);
    const S allowed_x(position_tolerance * position_tolerance);
    const S allowed_t = select(least_t < limit_t, least_t, limit_t);
    const auto bends = allowed_t > zero;
    return larger(
        inner(x, x) / allowed_x,
        select(bends, inner(t, t) / select(bends, allowed_t, S(1)), zero));
  }

  /// Position and direction within the step: the polynomial of degree 5 with
  /// position, direction and bend of both ends.
  void look(const S& l, Cartesian<S>& position, Cartesian<S>& direction) const {
    const S h = length_, s = l / h, half(0.5);
    const Cartesian<S> t0 = direction_[0], t1 = direction_[last], a0 = bend_[0],
                       a1 = bend_[last];
    // deviation at the end of the parabola from the beginning
    const Cartesian<S> dx = to_ - from_ - h * t0 - (half * h * h) * a0;
    const Cartesian<S> dt = h * (t1 - t0 - h * a0);
    const Cartesian<S> da = (h * h) * (a1 - a0);
    const Cartesian<S> c3 = S(10) * dx - S(4) * dt + half * da;
    const Cartesian<S> c4 = S(-15) * dx + S(7) * dt - da;
    const Cartesian<S> c5 = S(6) * dx - S(3) * dt + half * da;
    position = from_ + l * t0 + (half * l * l) * a0 +
               (s * s * s) * (c3 + s * (c4 + s * c5));
    direction = t0 + l * a0 +
                (s * s / h) * (S(3) * c3 + s * (S(4) * c4 + (S(5) * s) * c5));
  }

  /// Takes a change of the path through the step, for one with a gradient.
  /// @param d_qop  the change of q/p
  /// @param bend   set to the change of t' at the end
  [[gnu::always_inline]] void pass(FlightChange<S>& change, const S& d_qop,
                                   Cartesian<S>& bend) const {
    StoredVector<S> turn[stages], bends[stages];
    turn[0] = change.direction;
    bends[0] = slope_[0].change(change.position, turn[0], d_qop);
    Cartesian<S> moved;
    pass_stages<1>(change, d_qop, turn, bends, moved);
    change.position = moved;
    change.direction = turn[last];
    bend = bends[last];
  }

 private:
  static constexpr int stages = DormandPrince::stages, last = stages - 1;

  /// t' as a linear function of changes.
  struct Slope {
    StoredVector<S> row[3];  ///< of position
    StoredVector<S> field;   ///< q/p B
    StoredVector<S> force;   ///< t x B

    Cartesian<S> change(const Cartesian<S>& dx, const Cartesian<S>& dt,
                        const S& d_qop) const {
      const Cartesian<S> by_position = {
          inner<S>(row[0], dx), inner<S>(row[1], dx), inner<S>(row[2], dx)};
      return by_position + cross_of<S>(dt, field) + d_qop * Cartesian<S>(force);
    }
  };

  static Cartesian<S> error_of(const StoredVector<S> (&slope)[stages]) {
    Cartesian<S> sum =
        S(DormandPrince::error_weight[0]) * Cartesian<S>(slope[0]);
    GTTF_UNROLL
    for (int i = 2; i < stages; ++i)
      sum = sum + S(DormandPrince::error_weight[i]) * Cartesian<S>(slope[i]);
    return sum;
  }

  template <bool gradient>
  void set_slope(int stage, const FieldAt<S>& at) {
    const Cartesian<S> t = direction_[stage];
    field_[stage] = at.field;
    const Cartesian<S> force = cross_of(t, at.field);
    bend_[stage] = qop_ * force;
    if constexpr (!gradient) return;
    Slope& slope = slope_[stage];
    slope.field = qop_ * at.field;
    slope.force = force;
    const Cartesian<S> by_x = qop_ * cross_of(t, at.by_x),
                       by_y = qop_ * cross_of(t, at.by_y),
                       by_z = qop_ * cross_of(t, at.by_z);
    slope.row[0] = Cartesian<S>{by_x.x, by_y.x, by_z.x};
    slope.row[1] = Cartesian<S>{by_x.y, by_y.y, by_z.y};
    slope.row[2] = Cartesian<S>{by_x.z, by_y.z, by_z.z};
  }

  template <bool gradient, int stage>
  void take_stages(const FieldMapView& map, MaskOf<S>& inside) {
    to_ = from_ + length_ * DormandPrince::sum<stage>(direction_);
    direction_[stage] = Cartesian<S>(direction_[0]) +
                        length_ * DormandPrince::sum<stage>(bend_);
    inside = both(inside, look_up<gradient>(map, to_, end_));
    set_slope<gradient>(stage, end_);
    if constexpr (stage < last) take_stages<gradient, stage + 1>(map, inside);
  }

  template <int stage>
  [[gnu::always_inline]] void pass_stages(const FlightChange<S>& begin,
                                          const S& d_qop,
                                          StoredVector<S> (&turn)[stages],
                                          StoredVector<S> (&bends)[stages],
                                          Cartesian<S>& moved) const {
    moved = begin.position + length_ * DormandPrince::sum<stage>(turn);
    turn[stage] = begin.direction + length_ * DormandPrince::sum<stage>(bends);
    bends[stage] = slope_[stage].change(moved, turn[stage], d_qop);
    if constexpr (stage < last)
      pass_stages<stage + 1>(begin, d_qop, turn, bends, moved);
  }

  S length_, qop_;
  Cartesian<S> from_, to_;
  FieldAt<S> begin_, end_;
  StoredVector<S> direction_[stages], bend_[stages], field_[stages];
  Slope slope_[stages];
};

}  // namespace gttf::detail
