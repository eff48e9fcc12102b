// SPDX-License-Identifier: Apache-2.0
// PivotSpread: whether exact coordinates were divided by coefficients that are
// small, or only rounding.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "gttf/core/scalar.hpp"
#include "gttf/fit/streaming/five_equations.hpp"

namespace gttf {

/// Sum of the squared coefficients of all equations that exact coordinates gave
/// rise to, in units of the distance to the outermost hit.
///
/// An exact coordinate replaces the equation of the first parameter on which it
/// depends. Where its coefficient of that parameter is small compared with the
/// others, or is left over from a subtraction, the new equation has large
/// coefficients, and the old one, which is now the small difference of two, is
/// lost in their rounding. Coordinates with errors are weighted instead.
template <class S>
struct PivotSpread : NoColumn {
  /// Largest sum for which the result is right: rounding, 1e-16, grows with it.
  static constexpr double largest = 1e8;

  static constexpr double least2 = 1e-20;
  S reach2{least2};  ///< squared distance to the outermost hit so far
  S by_reach2{1 / least2};
  S sum{0};

  void add_reach(const Row<S>& a) {
    const S reach = a[2] * a[2] + a[3] * a[3];
    const MaskOf<S> is_longer = reach2 < reach;
    if (!any(is_longer)) [[likely]]  // without a division
      return;
    reach2 = select(is_longer, reach, reach2);
    by_reach2 = S(1) / reach2;
  }
  MaskOf<S> is_small() const { return sum <= S(largest); }
};

namespace detail {

/// Sums of the squared coefficients that one coordinate gave rise to, of those
/// that have the unit 1, 1/mm and 1/mm^2.
template <class S>
struct PivotSquares : NoColumn {
  std::array<S, 3> of{S(0), S(0), S(0)};

  [[gnu::always_inline]] void on_rotated(const FiveEquations<S>& e,
                                         std::size_t i) {
    // d0 and z0 in mm; phi and theta by the distance, kappa by its square
    constexpr std::array<std::size_t, track_dim> power = {0, 0, 1, 1, 2};
    GTTF_UNROLL
    for (std::size_t j = i + 1; j < track_dim; ++j) {
      const S& r = e.r[FiveEquations<S>::at(i, j)];
      S& sum = of[power[j] - power[i]];
      sum = sum + r * r;
    }
  }
  [[gnu::always_inline]] S sum(const S& by_reach2) const {
    return of[0] + by_reach2 * (of[1] + by_reach2 * of[2]);
  }
};

/// The coefficient of the first parameter, or 0 if it is only rounding, like
/// that of z on a plane that the track crosses at right angles.
template <class S>
S without_rounding(const Row<S>& row) {
  using std::abs;
  constexpr double rounding = 1e-14;
  return select(abs(row[0]) < abs(row[1]) * S(rounding), S(0), row[0]);
}

}  // namespace detail

/// Adds an exact coordinate as it is, and the size of its equations to
/// `spread`.
template <class S>
void add_exactly(FiveEquations<S>& e, const Row<S>& a, const S& va,
                 PivotSpread<S>& spread) {
  detail::PivotSquares<S> squares;
  measure<ZeroVariance::allowed>(e, a, va, squares);
  spread.sum = spread.sum + squares.sum(spread.by_reach2);
}

/// Adds exact coordinates, without what is only rounding in their rows.
template <class S>
void measure_exactly(FiveEquations<S>& e, Row<S> a, const S& va,
                     PivotSpread<S>& spread) {
  a[0] = detail::without_rounding(a);
  add_exactly(e, a, va, spread);
}
template <class S>
void measure_exactly(FiveEquations<S>& e, Row<S> a, const S& va, Row<S> b,
                     const S& vb, PivotSpread<S>& spread) {
  detail::PivotSquares<S> squares;
  a[0] = detail::without_rounding(a);
  b[0] = detail::without_rounding(b);
  measure_pair<ZeroVariance::allowed>(e, a, va, b, vb, squares);
  spread.sum = spread.sum + squares.sum(spread.by_reach2);
}

}  // namespace gttf
