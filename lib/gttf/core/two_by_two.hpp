// SPDX-License-Identifier: Apache-2.0
// TwoByTwo: a small matrix for formulas that are templates over the scalar, and
// the inverse of one of 2x2 blocks.
#pragma once

#include <utility>

#include "gttf/core/cartesian.hpp"

namespace gttf::detail {

/// Solves a x = b for two unknowns.
template <class S>
struct TwoByTwo {
  S m[2][2];

  TwoByTwo inverse() const {
    const S ahead = m[0][0] * m[1][1];
    const S scale = S(1) / (ahead - m[0][1] * m[1][0]);
    return {{{m[1][1] * scale, -(m[0][1] * scale)},
             {-(m[1][0] * scale), m[0][0] * scale}}};
  }
  InPlane<S> operator*(const InPlane<S>& x) const {
    const S u = m[0][0] * x.u, v = m[1][0] * x.u;
    return {u + m[0][1] * x.v, v + m[1][1] * x.v};
  }
};

/// Two columns of the inverse of a matrix of 2x2 blocks [a b; c d], those of
/// the lower rows.
template <class S>
struct LowerColumns {
  TwoByTwo<S> upper, lower;

  LowerColumns(const TwoByTwo<S>& a, const TwoByTwo<S>& b, const TwoByTwo<S>& c,
               const TwoByTwo<S>& d)
      : inverse_a_(a.inverse()), c_(c) {
    // lower = (d - c a^-1 b)^-1, upper = -a^-1 b lower
    const TwoByTwo<S> across = product(inverse_a_, b);
    const TwoByTwo<S> through = product(c, across);
    TwoByTwo<S> rest;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) rest.m[i][j] = d.m[i][j] - through.m[i][j];
    lower = rest.inverse();
    upper = product(across, lower);
    for (auto& row : upper.m)
      for (S& x : row) x = -x;
  }

  /// The inverse applied to a column: its upper and lower rows.
  std::pair<InPlane<S>, InPlane<S>> applied(const InPlane<S>& above,
                                            const InPlane<S>& below) const {
    const InPlane<S> first = inverse_a_ * above, through = c_ * first;
    const InPlane<S> rest = {below.u - through.u, below.v - through.v};
    const InPlane<S> by_rest = upper * rest;
    return {{first.u + by_rest.u, first.v + by_rest.v}, lower * rest};
  }

 private:
  static TwoByTwo<S> product(const TwoByTwo<S>& a, const TwoByTwo<S>& b) {
    TwoByTwo<S> c;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        const S sum = a.m[i][0] * b.m[0][j];
        c.m[i][j] = sum + a.m[i][1] * b.m[1][j];
      }
    return c;
  }

  TwoByTwo<S> inverse_a_, c_;
};

}  // namespace gttf::detail
