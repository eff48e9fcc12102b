// SPDX-License-Identifier: Apache-2.0
// FiveEquations: the information of the outer part of a track about its line,
// as five independent weighted equations; adding a measurement.
#pragma once

#include <array>

#include "gttf/core/scalar.hpp"
#include "gttf/core/unroll.hpp"
#include "gttf/trajectory/derivatives.hpp"

namespace gttf {

/// Equation i is s_i + sum_{j>i} r_ij s_j = z_i +- sqrt(v_i) for the line s =
/// (d0, z0, phi0, theta, kappa) at the start point, errors independent.
///
/// This is a unit upper triangular square root of the information matrix, r^T
/// diag(1/v) r. All variances are products and sums of positive terms, never
/// differences: there is no cancellation, and a variance may be zero (exact) or
/// `nothing` (no equation). Derivation: docs/theory/streaming.md.
template <class S>
struct FiveEquations {
  using Scalar = S;

  /// Variance of an equation that does not exist. Not a weak prior: variances
  /// enter only products and ratios of positive numbers.
  static constexpr double nothing = 1e60;
  /// Added to variances so that 0/0 of two exact equations keeps the old one.
  static constexpr double exact = 1e-80;

  std::array<S, track_dim> v;  ///< variances
  std::array<S, 10> r;  ///< r_01 r_02 r_03 r_04 r_12 r_13 r_14 r_23 r_24 r_34

  FiveEquations() {
    v.fill(S(nothing));
    r.fill(S(0));
  }

  /// Index of r_ij, i < j.
  static constexpr std::size_t at(std::size_t i, std::size_t j) {
    return i * track_dim - i * (i + 1) / 2 + (j - i - 1);
  }
};

/// Whether variances of measurements may be exactly zero.
enum class ZeroVariance { excluded, allowed };

namespace detail {
template <ZeroVariance Z, class S>
S guarded(const S& v) {
  if constexpr (Z == ZeroVariance::allowed)
    return v + S(FiveEquations<S>::exact);
  else
    return v;
}
}  // namespace detail

/// No right-hand sides; a covariance does not need them. See ResidualColumn.
struct NoColumn {
  template <class... Arguments>
  void rotate(const Arguments&...) {}
  template <class... Arguments>
  void finish(const Arguments&...) {}
  template <class... Arguments>
  void start_kinks(const Arguments&...) {}
  template <class... Arguments>
  void scatter(const Arguments&...) {}
  template <class... Arguments>
  void scatter_loss(const Arguments&...) {}
};

namespace detail {

/// Input of the rotation of an equation with x . s = y +- sqrt(v).
template <class S>
struct Pivot {
  S v;    ///< of the new equation
  S t;    ///< v_i x_i
  S sum;  ///< v + v_i x_i^2, its variance afterwards
};

template <ZeroVariance Z, class S>
[[gnu::always_inline]] inline Pivot<S> pivot(const FiveEquations<S>& e,
                                             std::size_t i, const S& x,
                                             const S& v) {
  const S ve = guarded<Z>(v), t = e.v[i] * x;
  return {ve, t, ve + t * x};
}

/// Rotates the equation `i` with the equation x . s, eliminating its
/// coefficient of s_i.
/// @param inverse  1/p.sum
template <class S, class Column>
[[gnu::always_inline]] inline void rotate(FiveEquations<S>& e, std::size_t i,
                                          Row<S>& x, const Pivot<S>& p,
                                          const S& inverse, Column& column) {
  const S c = p.v * inverse, s = p.t * inverse;
  e.v[i] = e.v[i] * c;
  column.rotate(i, x[i], c, s);
  GTTF_UNROLL
  for (std::size_t j = i + 1; j < track_dim; ++j) {
    S& r = e.r[FiveEquations<S>::at(i, j)];
    const S xj = x[j];
    x[j] = xj - x[i] * r;
    // not r + s x[j], which has an error of order 1 for pivots that are noise
    r = c * r + s * xj;
  }
  if constexpr (requires { column.on_rotated(e, i); }) column.on_rotated(e, i);
}

/// Rotates the equations `i` and `i + 1`. Both pivots are known before either
/// equation changes, so one division is sufficient.
template <ZeroVariance Z, class S, class Column>
[[gnu::always_inline]] inline void rotate_two(FiveEquations<S>& e,
                                              std::size_t i, Row<S>& x, S& v,
                                              Column& column) {
  const Pivot<S> a = pivot<Z>(e, i, x[i], v);
  const S next = x[i + 1] - x[i] * e.r[FiveEquations<S>::at(i, i + 1)];
  const Pivot<S> b = pivot<Z>(e, i + 1, next, a.sum);
  const S inverse = S(1) / (a.sum * b.sum);
  rotate(e, i, x, a, b.sum * inverse, column);
  rotate(e, i + 1, x, b, a.sum * inverse, column);
  v = b.sum;
}

}  // namespace detail

/// Adds the equation x . s = y +- sqrt(v): weighted rotations downwards.
/// @param column  right-hand sides, rotated along
template <ZeroVariance Z, class S, class Column = NoColumn>
[[gnu::always_inline]] inline void measure(FiveEquations<S>& e, Row<S> x, S v,
                                           Column&& column = {}) {
  detail::rotate_two<Z>(e, 0, x, v, column);
  detail::rotate_two<Z>(e, 2, x, v, column);
  const detail::Pivot<S> last = detail::pivot<Z>(e, 4, x[4], v);
  detail::rotate(e, 4, x, last, S(1) / last.sum, column);
  column.finish(last.sum);
}

/// Adds two equations, the second delayed by one step, so that no chain of
/// operations waits for a division. The last absorbs both with one division.
/// @param column  rotated along, but not with the last equation
template <ZeroVariance Z, class S, class Column = NoColumn>
[[gnu::always_inline]] inline void measure_pair(FiveEquations<S>& e, Row<S> x,
                                                S vx, Row<S> y, S vy,
                                                Column&& column = {}) {
  detail::rotate_two<Z>(e, 0, x, vx, column);
  detail::rotate_two<Z>(e, 2, x, vx, column);
  detail::rotate_two<Z>(e, 0, y, vy, column);
  detail::rotate_two<Z>(e, 2, y, vy, column);
  const detail::Pivot<S> a = detail::pivot<Z>(e, 4, x[4], vx);
  const S w = e.v[4] * a.v, wy = detail::guarded<Z>(vy);
  e.v[4] = w * wy / (wy * a.sum + w * y[4] * y[4]);
}

/// Adds other equations for the same line with independent errors. An exactly
/// known parameter (kappa without field) is not modified.
template <class S>
void join(FiveEquations<S>& e, const FiveEquations<S>& other) {
  GTTF_UNROLL
  for (std::size_t i = 0; i < track_dim; ++i) {
    if (e.v[i] == S(0)) continue;
    Row<S> equation{S(0), S(0), S(0), S(0), S(0)};
    equation[i] = S(1);
    GTTF_UNROLL
    for (std::size_t j = i + 1; j < track_dim; ++j)
      equation[j] = other.r[FiveEquations<S>::at(i, j)];
    measure<ZeroVariance::excluded>(e, equation, other.v[i]);
  }
}

/// A linear function a . s in the basis of the independent errors:
/// a . s = sum_k z_k error_k with Var(error_k) = v_k.
template <class S>
[[gnu::always_inline]] inline Row<S> express(const FiveEquations<S>& e,
                                             const Row<S>& a) {
  Row<S> z;
  GTTF_UNROLL
  for (std::size_t j = 0; j < track_dim; ++j) {
    S sum = a[j];
    GTTF_UNROLL
    for (std::size_t i = 0; i < j; ++i)
      sum = sum - z[i] * e.r[FiveEquations<S>::at(i, j)];
    z[j] = sum;
  }
  return z;
}

/// Symmetric 5x5 matrix, as rows.
template <class S>
using Covariance5 = std::array<Row<S>, track_dim>;

/// Covariance of five linear functions of s (default: s itself),
/// Cov(a, a') = sum_k v_k z_k z'_k: always positive semidefinite.
template <class S>
Covariance5<S> covariance(const FiveEquations<S>& e,
                          const std::array<Row<S>, track_dim>& functions) {
  std::array<Row<S>, track_dim> z;
  GTTF_UNROLL
  for (std::size_t i = 0; i < track_dim; ++i) z[i] = express(e, functions[i]);
  Covariance5<S> c;
  GTTF_UNROLL
  for (std::size_t i = 0; i < track_dim; ++i) GTTF_UNROLL
  for (std::size_t j = 0; j <= i; ++j) {
    S sum = e.v[0] * z[i][0] * z[j][0];
    GTTF_UNROLL
    for (std::size_t k = 1; k < track_dim; ++k)
      sum = sum + e.v[k] * z[i][k] * z[j][k];
    c[i][j] = c[j][i] = sum;
  }
  return c;
}

template <class S>
Covariance5<S> covariance(const FiveEquations<S>& e) {
  // row i of the inverse of r: express() of a unit vector
  std::array<Row<S>, track_dim> z;
  GTTF_UNROLL
  for (std::size_t i = 0; i < track_dim; ++i) {
    z[i][i] = S(1);
    GTTF_UNROLL
    for (std::size_t j = i + 1; j < track_dim; ++j) {
      S sum = -e.r[FiveEquations<S>::at(i, j)];
      GTTF_UNROLL
      for (std::size_t k = i + 1; k < j; ++k)
        sum = sum - z[i][k] * e.r[FiveEquations<S>::at(k, j)];
      z[i][j] = sum;
    }
  }
  Covariance5<S> c;
  GTTF_UNROLL
  for (std::size_t i = 0; i < track_dim; ++i) GTTF_UNROLL
  for (std::size_t j = 0; j <= i; ++j) {
    S sum = i == j ? e.v[i] : e.v[i] * z[j][i];
    GTTF_UNROLL
    for (std::size_t k = i + 1; k < track_dim; ++k)
      sum = sum + e.v[k] * z[i][k] * z[j][k];
    c[i][j] = c[j][i] = sum;
  }
  return c;
}

}  // namespace gttf
