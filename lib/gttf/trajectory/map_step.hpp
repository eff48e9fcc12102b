// SPDX-License-Identifier: Apache-2.0
// MapStep: a step of the integration of paths through a field map with their
// derivatives, for any scalar.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

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

/// The nodes of Lobatto of a step from 0 to 1, of which the first is its begin
/// and the last its end; weights of the values there.
struct LobattoNodes {
  static constexpr std::size_t nodes = 5;
  using Weights = std::array<double, nodes>;
  using Table = std::array<Weights, nodes>;
  static constexpr std::array<long double, nodes> places = {
      0, 0.172673164646011428100853771876570822L, 0.5L,
      0.827326835353988571899146228123429178L, 1};

  using Powers = std::array<long double, 2 * nodes>;  ///< coefficients

  /// Multiplied by constant + slope x.
  static constexpr Powers times(const Powers& a, long double constant,
                                long double slope) {
    Powers p{};
    for (std::size_t i = 0; i < p.size(); ++i)
      p[i] = constant * a[i] + (i > 0 ? slope * a[i - 1] : 0);
    return p;
  }
  /// The polynomial that is 1 at a node and 0 at the others, or a power of it.
  static constexpr Powers basis(std::size_t node, int power) {
    Powers p{1};
    for (std::size_t k = 0; k < nodes; ++k)
      for (int i = 0; k != node && i < power; ++i) {
        const long double inverse = 1 / (places[node] - places[k]);
        p = times(p, -places[k] * inverse, inverse);
      }
    return p;
  }
  /// The integral from 0 to x, or the integral of that.
  static constexpr long double integral(const Powers& a, int order,
                                        long double x) {
    long double sum = 0;
    for (std::size_t i = a.size(); i-- > 0;) {
      const auto n = static_cast<long double>(i + 1);
      sum = sum * x + a[i] / (order == 1 ? n : n * (n + 1));
    }
    return order == 1 ? sum * x : sum * x * x;
  }
  static constexpr Weights rounded(const std::array<long double, nodes>& a) {
    Weights w{};
    for (std::size_t i = 0; i < nodes; ++i) w[i] = static_cast<double>(a[i]);
    return w;
  }
  static constexpr Table integrals(int order) {
    Table w{};
    for (std::size_t i = 0; i < nodes; ++i)
      for (std::size_t j = 0; j < nodes; ++j)
        w[i][j] = static_cast<double>(integral(basis(j, 1), order, places[i]));
    return w;
  }
  static constexpr Table coefficients() {
    Table w{};
    for (std::size_t j = 0; j < nodes; ++j)
      for (std::size_t i = 0; i < nodes; ++i)
        w[i][j] = static_cast<double>(basis(j, 1)[i]);
    return w;
  }

  /// An integral over the step from the values and slopes at the nodes, minus
  /// that from the values, which is exact up to degree 7, the former up to 9.
  struct Error {
    Weights value{}, slope{};

    explicit constexpr Error(int order) {
      for (std::size_t j = 0; j < nodes; ++j) {
        long double steep = 0;  // slope of the basis at its own node
        for (std::size_t k = 0; k < nodes; ++k)
          if (k != j) steep += 1 / (places[j] - places[k]);
        const Powers square = basis(j, 2), odd = times(square, -places[j], 1);
        const long double by_slope = integral(odd, order, 1);
        slope[j] = static_cast<double>(by_slope);
        value[j] = static_cast<double>(integral(square, order, 1) -
                                       2 * steep * by_slope -
                                       integral(basis(j, 1), order, 1));
      }
    }
  };
};

/// Polynomials of a step by their values at the nodes of Lobatto. A template,
/// so that the tables of vectors are local to their object files.
template <class S>
struct Lobatto : LobattoNodes {
  /// The nodes; weights of the integral from 0 to a node, and of the integral
  /// of that.
  static constexpr Weights at = rounded(places);
  static constexpr Table once = integrals(1), twice = integrals(2);
  /// Weights of the coefficients of powers.
  static constexpr Table powers = coefficients();
  static constexpr Error of_once = Error(1), of_twice = Error(2);

  /// Sum of vectors at the nodes.
  template <class Vector>
  [[gnu::always_inline]] static Cartesian<S> sum(
      const Weights& weights, const Vector (&at_node)[nodes]) {
    Cartesian<S> total = S(weights[0]) * Cartesian<S>(at_node[0]);
    GTTF_UNROLL
    for (std::size_t j = 1; j < nodes; ++j)
      total = total + S(weights[j]) * Cartesian<S>(at_node[j]);
    return total;
  }
};

/// Tolerated errors of one step. Single tracks and vectors step differently
/// through a map: their fits must agree to 1e-9 of the errors of a track, also
/// where the field changes within ten nodes.
inline constexpr double position_tolerance = 1e-10;   // mm
inline constexpr double direction_tolerance = 1e-13;  // rad
/// A share of the turn in the largest field of the map: of stiff tracks, the
/// derivative by q/p.
inline constexpr double turn_tolerance = 1e-12;
/// Of the derivative of the direction by the position, 1/mm.
inline constexpr double derivative_tolerance = 5e-12;
/// The longest turn of a step in a uniform field.
inline constexpr double turn_in_step = 0.03;  // rad

/// A derivative of a path at a fixed length.
template <class S>
struct FlightChange {
  Cartesian<S> position, direction;
  /// q/p changes by a number of the flight; false: it is fixed.
  bool charged = false;
};

/// A point of a step of collocation, and the weights of the bends at its nodes.
template <class S>
class PointInStep {
 public:
  PointInStep(const S& l, const S& length) : l_(l) {
    const S s = l / length;
    GTTF_UNROLL
    for (std::size_t j = 0; j < nodes; ++j) {
      S value(0), once(0), twice(0);
      GTTF_UNROLL
      for (std::size_t i = 0; i < nodes; ++i) {
        const double power = Lobatto<S>::powers[nodes - 1 - i][j];
        const auto n = static_cast<double>(nodes - i);
        value = value * s + S(power);
        once = once * s + S(power / n);
        twice = twice * s + S(power / (n * (n + 1)));
      }
      value_[j] = value;
      once_[j] = l * once;
      twice_[j] = (l * l) * twice;
    }
  }

  Cartesian<S> position(
      const Cartesian<S>& begin, const Cartesian<S>& direction,
      const StoredVector<S> (&bends)[LobattoNodes::nodes]) const {
    return begin + l_ * direction + sum(twice_, bends);
  }
  Cartesian<S> direction(
      const Cartesian<S>& begin,
      const StoredVector<S> (&bends)[LobattoNodes::nodes]) const {
    return begin + sum(once_, bends);
  }
  Cartesian<S> bend(const StoredVector<S> (&bends)[LobattoNodes::nodes]) const {
    return sum(value_, bends);
  }

 private:
  static constexpr std::size_t nodes = LobattoNodes::nodes;

  static Cartesian<S> sum(const S (&weights)[nodes],
                          const StoredVector<S> (&vectors)[nodes]) {
    Cartesian<S> total = weights[0] * Cartesian<S>(vectors[0]);
    GTTF_UNROLL
    for (std::size_t j = 1; j < nodes; ++j)
      total = total + weights[j] * Cartesian<S>(vectors[j]);
    return total;
  }

  S l_;
  S value_[nodes], once_[nodes], twice_[nodes];
};

/// A derivative of a path within a step: at its begin, and the changes of t' at
/// the nodes.
template <class S>
struct ChangeInStep {
  Cartesian<S> position, direction;
  StoredVector<S> bends[LobattoNodes::nodes];

  /// Sets position and direction of a derivative.
  void look(const PointInStep<S>& at, FlightChange<S>& change) const {
    change.position = at.position(position, direction, bends);
    change.direction = at.direction(direction, bends);
  }
};

/// A step along x' = t, t' = q/p t x B(x), and of the variational equations, by
/// collocation: t' is the polynomial with its values at the nodes.
///
/// The field is looked up with its derivatives at the nodes of a path predicted
/// from those at the begin, and is linear around them. Then the equations are
/// solved by sweeps over the nodes, without looking up the field again.
template <class S>
class MapStep {
 public:
  /// The next step begins at this point.
  /// @return  those in the map
  MaskOf<S> begin_at(const FieldMapView& map, const Cartesian<S>& x) {
    return look_up<true>(map, x, begin_);
  }
  void begin_with(const FieldAt<S>& here) { begin_ = here; }
  /// The next step begins where this one ends.
  void begin_at_end() { begin_ = at_end(); }

  /// Takes a step from where it begins.
  /// @return  those that stay in the map
  [[gnu::noinline, gnu::flatten]] MaskOf<S> take(const FieldMapView& map,
                                                 const Cartesian<S>& x,
                                                 const Cartesian<S>& t,
                                                 const S& qop,
                                                 const S& length) {
    length_ = length;
    qop_ = qop;
    const S turn_at_most =
        (S(std::abs(map.scale) * map.largest) * qop) * length;
    most_turn2_ = turn_at_most * turn_at_most;
    position_[0] = x;
    direction_[0] = t;
    const auto inside = look_ahead(map);
    sweep(
        1e-12, most_turn2_, [this](std::size_t i) { return bend_at_node(i); },
        bend_);
    // of the same bends for every track, whatever others need
    Cartesian<S> bend;
    for (std::size_t i = 1; i < nodes; ++i) bend = bend_at_node(i);
    last_turn_ = length_ * (bend - Cartesian<S>(bend_[last]));
    bend_[last] = bend;
    return inside;
  }

  const S& length() const { return length_; }
  Cartesian<S> position() const { return position_[last]; }  ///< at the end
  Cartesian<S> direction() const { return direction_[last]; }
  /// Cosine of the turn of the direction.
  S turn_cosine() const { return inner<S>(direction_[0], direction_[last]); }
  const FieldAt<S>& at_begin() const { return begin_; }
  FieldAt<S> at_end() const {
    FieldAt<S> at = ahead_[last];
    at.field = field_[last];
    return at;
  }
  /// Integral of B over the step.
  Cartesian<S> field_integral() const {
    return length_ * Lobatto<S>::sum(Lobatto<S>::once[last], field_);
  }

  /// Square of the error of the end, in units of the tolerances.
  S error2() const {
    StoredVector<S> slopes[nodes];  // of the bend
    for (std::size_t i = 0; i < nodes; ++i) {
      const Cartesian<S> t = direction_[i];
      slopes[i] = qop_ * (cross_of<S>(bend_[i], field_[i]) +
                          cross_of(t, (i == 0 ? begin_ : ahead_[i]).along(t)));
    }
    const auto error = [&](const LobattoNodes::Error& e) {
      return Lobatto<S>::sum(e.value, bend_) +
             length_ * Lobatto<S>::sum(e.slope, slopes);
    };
    const Cartesian<S> t = length_ * error(Lobatto<S>::of_once),
                       x = (length_ * length_) * error(Lobatto<S>::of_twice);
    // of a uniform field with the mean of the squares at both ends
    const S turn2 =
        S(0.5) * (length_ * length_) *
        (inner<S>(bend_[0], bend_[0]) + inner<S>(bend_[last], bend_[last]));
    // another sweep reduces the last change by a share of the turn
    const S sweep2 = inner<S>(last_turn_, last_turn_) * turn2;
    // the field is linear up to the difference of its derivatives at both ends
    const Cartesian<S> missed = position() - Cartesian<S>(predicted_[last]);
    const S missed2 = inner(missed, missed);
    const FieldAt<S>& end = ahead_[last];
    const Cartesian<S> by_x = end.by_x - begin_.by_x,
                       by_y = end.by_y - begin_.by_y,
                       by_z = end.by_z - begin_.by_z;
    const S uneven2 =
        qop_ * qop_ *
        (inner(by_x, by_x) + inner(by_y, by_y) + inner(by_z, by_z));
    const auto square = [](double a) { return S(a * a); };
    const auto larger = [](const S& a, const S& b) {
      return select(a < b, b, a);
    };
    const S least_t = square(turn_tolerance) * most_turn2_;
    const S limit_t = square(direction_tolerance);
    const S allowed_t = select(least_t < limit_t, least_t, limit_t);
    const auto bends = allowed_t > S(0);
    // two estimates, because either may be 0 for a knot at some place
    const S t2 = inner(t, t) + inner(x, x) / (length_ * length_) + sweep2 +
                 uneven2 * missed2 * missed2;
    const S of_turn = select(bends, t2 / select(bends, allowed_t, S(1)), S(0));
    return larger(larger(inner(x, x) / square(position_tolerance), of_turn),
                  uneven2 * missed2 / square(derivative_tolerance));
  }

  /// The same up to a point of the step.
  Cartesian<S> field_integral(const PointInStep<S>& at) const {
    return at.direction(Cartesian<S>{S(0), S(0), S(0)}, field_);
  }

  /// The path, as a derivative.
  ChangeInStep<S> path() const {
    ChangeInStep<S> path{position_[0], direction_[0], {}};
    for (std::size_t i = 0; i < nodes; ++i) path.bends[i] = bend_[i];
    return path;
  }
  /// Where the path is within the step.
  PointInStep<S> at(const S& l) const { return {l, length_}; }
  /// Position and direction there.
  void look(const PointInStep<S>& at, Cartesian<S>& position,
            Cartesian<S>& direction) const {
    position = at.position(Cartesian<S>(position_[0]),
                           Cartesian<S>(direction_[0]), bend_);
    direction = at.direction(Cartesian<S>(direction_[0]), bend_);
  }

  /// To be called before pass().
  [[gnu::noinline, gnu::flatten]] void linearise() {
    for (std::size_t i = 0; i < nodes; ++i) {
      const FieldAt<S>& at = i == 0 ? begin_ : ahead_[i];
      const Cartesian<S> t = direction_[i];
      Slope& slope = slope_[i];
      slope.field = qop_ * Cartesian<S>(field_[i]);
      slope.force = cross_of<S>(t, field_[i]);
      const Cartesian<S> by_x = qop_ * cross_of(t, at.by_x),
                         by_y = qop_ * cross_of(t, at.by_y),
                         by_z = qop_ * cross_of(t, at.by_z);
      slope.row[0] = Cartesian<S>{by_x.x, by_y.x, by_z.x};
      slope.row[1] = Cartesian<S>{by_x.y, by_y.y, by_z.y};
      slope.row[2] = Cartesian<S>{by_x.z, by_y.z, by_z.z};
    }
  }
  /// Takes a change of the path through the step.
  /// @param d_qop  the change of q/p
  [[gnu::noinline, gnu::flatten]] ChangeInStep<S> pass(
      const FlightChange<S>& change, const S& d_qop) const {
    ChangeInStep<S> in_step{change.position, change.direction, {}};
    auto& bends = in_step.bends;
    const Cartesian<S> first =
        slope_[0].change(change.position, change.direction, d_qop);
    const Cartesian<S> second = cross_of<S>(first, slope_[0].field) +
                                cross_of<S>(change.direction, field_slope_);
    for (std::size_t i = 0; i < nodes; ++i)
      bends[i] = first + (S(Lobatto<S>::at[i]) * length_) * second;
    sweep(
        1e-10, most_turn2_,
        [&](std::size_t i) {
          return slope_[i].change(
              moved_to(i, in_step.position, in_step.direction, bends),
              turned_to(i, in_step.direction, bends), d_qop);
        },
        bends);
    return in_step;
  }
  FlightChange<S> end_of(const ChangeInStep<S>& change) const {
    return {moved_to(last, change.position, change.direction, change.bends),
            turned_to(last, change.direction, change.bends)};
  }

 private:
  static constexpr std::size_t nodes = LobattoNodes::nodes, last = nodes - 1;

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

  /// From the begin to a node with these bends.
  Cartesian<S> turned_to(std::size_t i, const Cartesian<S>& direction,
                         const StoredVector<S> (&bends)[nodes]) const {
    return direction + length_ * Lobatto<S>::sum(Lobatto<S>::once[i], bends);
  }
  Cartesian<S> moved_to(std::size_t i, const Cartesian<S>& position,
                        const Cartesian<S>& direction,
                        const StoredVector<S> (&bends)[nodes]) const {
    return position +
           length_ * (S(Lobatto<S>::at[i]) * direction +
                      length_ * Lobatto<S>::sum(Lobatto<S>::twice[i], bends));
  }

  /// Predicts the nodes, and looks up the field there.
  MaskOf<S> look_ahead(const FieldMapView& map) {
    const Cartesian<S> x = position_[0], t = direction_[0], b = begin_.field,
                       slope = begin_.along(t);
    // derivatives of the bend in a field that changes uniformly
    const Cartesian<S> bend = qop_ * cross_of(t, b);
    const Cartesian<S> second = qop_ * (cross_of(bend, b) + cross_of(t, slope));
    const Cartesian<S> third =
        qop_ * (cross_of(second, b) + S(2) * cross_of(bend, slope));
    const Cartesian<S> fourth =
        qop_ * (cross_of(third, b) + S(3) * cross_of(second, slope));
    field_slope_ = qop_ * slope;
    field_[0] = b;
    bend_[0] = bend;
    auto inside = all_true<S>();
    for (std::size_t i = 1; i < nodes; ++i) {
      const S l = S(Lobatto<S>::at[i]) * length_;
      direction_[i] =
          t + l * (bend +
                   l * (S(1. / 2) * second +
                        l * (S(1. / 6) * third + l * (S(1. / 24) * fourth))));
      predicted_[i] =
          x + l * (t + l * (S(1. / 2) * bend +
                            l * (S(1. / 6) * second +
                                 l * (S(1. / 24) * third +
                                      l * (S(1. / 120) * fourth)))));
      inside = both(inside,
                    look_up<true>(map, Cartesian<S>(predicted_[i]), ahead_[i]));
      field_[i] = ahead_[i].field;
      bend_[i] = qop_ * cross_of<S>(direction_[i], field_[i]);
    }
    return inside;
  }

  /// Sets the bends at the nodes by sweeps; of every track until another one
  /// would change little: by the change of the last times the turn, or less.
  /// @param little   relative
  /// @param turn2    square of the turn
  /// @param bend_at  the bend at a node, from those of all
  template <class BendAt>
  [[gnu::always_inline]] static void sweep(double little, const S& turn2,
                                           const BendAt& bend_at,
                                           StoredVector<S> (&bends)[nodes]) {
    constexpr int most = 5;
    auto open = all_true<S>();
    for (int n = 0; n < most && any(open); ++n) {
      Cartesian<S> change;
      for (std::size_t i = 1; i < nodes; ++i) {
        const Cartesian<S> old = bends[i], now = bend_at(i);
        bends[i] =
            Cartesian<S>{select(open, now.x, old.x), select(open, now.y, old.y),
                         select(open, now.z, old.z)};
        change = now - old;
      }
      open = both(open,
                  turn2 * inner(change, change) >
                      S(little * little) * inner<S>(bends[last], bends[last]));
    }
  }

  Cartesian<S> bend_at_node(std::size_t i) {
    direction_[i] = turned_to(i, direction_[0], bend_);
    position_[i] = moved_to(i, position_[0], direction_[0], bend_);
    const Cartesian<S> missed =
        Cartesian<S>(position_[i]) - Cartesian<S>(predicted_[i]);
    field_[i] = ahead_[i].field + ahead_[i].along(missed);
    return qop_ * cross_of<S>(direction_[i], field_[i]);
  }

  S length_, qop_;
  S most_turn2_;  ///< square of the turn in the largest field of the map
  FieldAt<S> begin_;
  FieldAt<S> ahead_[nodes];  ///< at the predicted positions
  StoredVector<S> predicted_[nodes];
  StoredVector<S> position_[nodes], direction_[nodes], bend_[nodes],
      field_[nodes];
  Cartesian<S> field_slope_;  ///< d(q/p B)/d(path) at the begin
  Cartesian<S> last_turn_;    ///< by the last sweep
  Slope slope_[nodes];
};

}  // namespace gttf::detail
