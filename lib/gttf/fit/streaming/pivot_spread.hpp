// SPDX-License-Identifier: Apache-2.0
// PivotSpread: whether exact coordinates were divided by coefficients that are
// small, or only rounding.
#pragma once

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

  S reach2{1e-20};  ///< squared distance to the outermost hit so far
  S sum{0};

  void add_reach(const Row<S>& a) {
    const S reach = a[2] * a[2] + a[3] * a[3];
    reach2 = select(reach2 < reach, reach, reach2);
  }
  MaskOf<S> is_small() const { return sum <= S(largest); }
};

namespace detail {

/// The part of a PivotSpread that one coordinate adds.
template <class S>
struct PivotSum : NoColumn {
  S by_reach2;  ///< 1/reach2
  S sum{0};

  explicit PivotSum(const S& inverse) : by_reach2(inverse) {}

  [[gnu::always_inline]] void on_rotated(const FiveEquations<S>& e,
                                         std::size_t i) {
    const auto square = [&e, i](std::size_t j) {
      const S& r = e.r[FiveEquations<S>::at(i, j)];
      return r * r;
    };
    // d0 and z0 in mm; phi and theta, kappa by the distance and its square
    if (i == 0)
      sum = sum + square(1) +
            by_reach2 * (square(2) + square(3) + by_reach2 * square(4));
    if (i == 1)
      sum = sum + by_reach2 * (square(2) + square(3) + by_reach2 * square(4));
    if (i == 2) sum = sum + square(3) + by_reach2 * square(4);
    if (i == 3) sum = sum + by_reach2 * square(4);
  }
};

}  // namespace detail

/// Adds exact coordinates, and the size of their equations to `spread`.
template <class S>
void measure_exactly(FiveEquations<S>& e, const Row<S>& a, const S& va,
                     PivotSpread<S>& spread) {
  detail::PivotSum<S> sum(S(1) / spread.reach2);
  measure<ZeroVariance::allowed>(e, a, va, sum);
  spread.sum = spread.sum + sum.sum;
}
template <class S>
void measure_exactly(FiveEquations<S>& e, const Row<S>& a, const S& va,
                     const Row<S>& b, const S& vb, PivotSpread<S>& spread) {
  detail::PivotSum<S> sum(S(1) / spread.reach2);
  measure_pair<ZeroVariance::allowed>(e, a, va, b, vb, sum);
  spread.sum = spread.sum + sum.sum;
}

}  // namespace gttf
