// SPDX-License-Identifier: Apache-2.0
// FiveEquations: what the outer part of a track says about its line, as five
// independent weighted equations; the two operations on them.
#pragma once

#include <array>
#include <type_traits>

#include "gttf/core/scalar.hpp"
#include "gttf/core/unroll.hpp"
#include "gttf/trajectory/derivatives.hpp"

namespace gttf {

/// Equation i says s_i + sum_{j>i} r_ij s_j = z_i +- sqrt(v_i) about the line
/// s = (d0, z0, phi0, theta, kappa) at the start point, errors independent.
///
/// This is a unit upper triangular square root of the information matrix,
/// r^T diag(1/v) r. All variances are made of products and sums of positive
/// terms, never of a difference: nothing cancels, and a variance may be zero
/// (exact) or `nothing` (no equation). Derivation: docs/theory/streaming.md.
template <class S>
struct FiveEquations {
  /// Variance of an equation that does not exist: not a soft prior, since
  /// variances enter only products and ratios of positive numbers.
  static constexpr double nothing = 1e60;
  /// Added to variances where 0/0 of two exact equations must keep the old one.
  static constexpr double exact = 1e-80;

  std::array<S, 5> v;   ///< variances
  std::array<S, 10> r;  ///< r_01 r_02 r_03 r_04 r_12 r_13 r_14 r_23 r_24 r_34

  FiveEquations() {
    v.fill(S(nothing));
    r.fill(S(0));
  }

  /// Index of r_ij, i < j.
  static constexpr std::size_t at(std::size_t i, std::size_t j) {
    return i * 5 - i * (i + 1) / 2 + (j - i - 1);
  }
};

/// Are variances of measurements allowed to be exactly zero?
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

/// No right-hand sides: a covariance needs none. See ResidualColumn.
struct NoColumn {
  template <class... Arguments>
  void rotate(const Arguments&...) {}
  template <class... Arguments>
  void finish(const Arguments&...) {}
  template <class... Arguments>
  void start_kinks(const Arguments&...) {}
  template <class... Arguments>
  void scatter(const Arguments&...) {}
};

namespace detail {

/// What the rotation of an equation with x . s = y +- sqrt(v) starts from.
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

/// Rotates the equation `i` with the equation x . s, which loses its
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
  for (std::size_t j = i + 1; j < 5; ++j) {
    S& r = e.r[FiveEquations<S>::at(i, j)];
    const S xj = x[j];
    x[j] = xj - x[i] * r;
    // not r + s x[j], which is wrong by order 1 near noise pivots
    r = c * r + s * xj;
  }
}

/// Rotates the equations `i` and `i + 1`. Both pivots are known before either
/// equation changes: one division does for the two.
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

/// Adds two equations, the second one behind the first: no chain of operations
/// waits for a division. The last equation takes up both with one.
template <ZeroVariance Z, class S>
[[gnu::always_inline]] inline void measure_pair(FiveEquations<S>& e, Row<S> x,
                                                S vx, Row<S> y, S vy) {
  NoColumn none;
  detail::rotate_two<Z>(e, 0, x, vx, none);
  detail::rotate_two<Z>(e, 2, x, vx, none);
  detail::rotate_two<Z>(e, 0, y, vy, none);
  detail::rotate_two<Z>(e, 2, y, vy, none);
  const detail::Pivot<S> a = detail::pivot<Z>(e, 4, x[4], vx);
  const S w = e.v[4] * a.v, wy = detail::guarded<Z>(vy);
  e.v[4] = w * wy / (wy * a.sum + w * y[4] * y[4]);
}

/// Takes up what other equations, with independent errors, say about the same
/// line. What is known exactly, kappa without field, is left as it is.
template <class S>
void join(FiveEquations<S>& e, const FiveEquations<S>& other) {
  GTTF_UNROLL
  for (std::size_t i = 0; i < 5; ++i) {
    if (e.v[i] == S(0)) continue;
    Row<S> equation{S(0), S(0), S(0), S(0), S(0)};
    equation[i] = S(1);
    GTTF_UNROLL
    for (std::size_t j = i + 1; j < 5; ++j)
      equation[j] = other.r[FiveEquations<S>::at(i, j)];
    measure<ZeroVariance::excluded>(e, equation, other.v[i]);
  }
}

/// kinks = -G s + noise: how the two kinks of a crossing follow from the line
/// inside; needed on the way back.
template <class S>
struct KinkGain {
  Row<S> theta{}, phi{};
};

namespace detail {

/// One kink on its way through the equations, from the bottom one upwards: its
/// variance given the equations it has passed, and what it then is, -gain . s.
template <class S>
struct PassingKink {
  S variance;
  Row<S> gain;
};

/// Where a kink meets an equation: f, the equation applied to the column of the
/// kink; t = variance f; the variance of the equation afterwards.
template <class S>
struct KinkPivot {
  S f, t, sum;
};

/// @param column     of the kink
/// @param components of it that are not 0, the last one being 1 if it is theta
template <std::size_t i, bool theta, class S>
[[gnu::always_inline]] inline KinkPivot<S> kink_pivot(
    const FiveEquations<S>& e, const std::array<S, 3>& column,
    const S& variance) {
  const auto r = [&e](std::size_t j) {
    return e.r[FiveEquations<S>::at(i, j)];
  };
  S f = column[i];
  GTTF_UNROLL
  for (std::size_t j = i + 1; j < 3; ++j) f = f + r(j) * column[j];
  if constexpr (theta) f = f + r(3);
  const S t = variance * f;
  return {f, t, e.v[i] + t * f};
}

/// Equation `i` takes up the kink and tells about it.
/// @param first    first component of the gain so far
/// @param inverse  1/pivot.sum; not used if this is the end of the kink's way
template <std::size_t i, std::size_t first, bool last, class S>
[[gnu::always_inline]] inline void pass_kink(FiveEquations<S>& e,
                                             const KinkPivot<S>& p,
                                             const S& inverse,
                                             PassingKink<S>& kink) {
  S k;
  if constexpr (!last) {
    k = p.t * inverse;
    kink.variance = (kink.variance * e.v[i]) * inverse;
    kink.gain[i] = k;
  }
  e.v[i] = p.sum;
  GTTF_UNROLL
  for (std::size_t j = i + 1; j < 5; ++j) {
    S& r = e.r[FiveEquations<S>::at(i, j)];
    if (j >= first) r = r - p.f * kink.gain[j];
    if constexpr (!last)
      kink.gain[j] = j >= first ? kink.gain[j] + k * r : k * r;
  }
}

/// scatter() with one kink after the other: a sixth fewer products than both
/// together. Not for variances of zero: near 90 degrees the first kink may
/// depend on the second so weakly that its elimination divides by rounding.
template <bool keep_gain, class S>
[[gnu::always_inline]] inline void scatter_in_turn(FiveEquations<S>& e,
                                                   const Kink<S>& b, const S& w,
                                                   const S& w_phi,
                                                   KinkGain<S>* gain) {
  constexpr bool last = !keep_gain;
  PassingKink<S> theta, phi;
  phi.variance = w_phi;
  const auto p2 = kink_pivot<2, false>(e, b.phi, phi.variance);
  pass_kink<2, 5, false>(e, p2, S(1) / p2.sum, phi);
  const S sum = e.v[3] + w, k = w / sum;
  theta.variance = k * e.v[3];
  theta.gain[3] = k;
  theta.gain[4] = k * e.r[FiveEquations<S>::at(3, 4)];
  e.v[3] = sum;
  // theta follows phi one equation behind: one division does for both
  const auto t2 = kink_pivot<2, true>(e, b.theta, theta.variance);
  const auto p1 = kink_pivot<1, false>(e, b.phi, phi.variance);
  const S both = S(1) / (t2.sum * p1.sum);
  pass_kink<2, 3, false>(e, t2, p1.sum * both, theta);
  pass_kink<1, 2, false>(e, p1, t2.sum * both, phi);
  const auto t1 = kink_pivot<1, true>(e, b.theta, theta.variance);
  const auto p0 = kink_pivot<0, false>(e, b.phi, phi.variance);
  if constexpr (keep_gain) {
    const S inverse = S(1) / (t1.sum * p0.sum);
    pass_kink<1, 2, false>(e, t1, p0.sum * inverse, theta);
    pass_kink<0, 1, last>(e, p0, t1.sum * inverse, phi);
  } else {
    pass_kink<1, 2, false>(e, t1, S(1) / t1.sum, theta);
    pass_kink<0, 1, last>(e, p0, p0.sum, phi);
  }
  const auto t0 = kink_pivot<0, true>(e, b.theta, theta.variance);
  if constexpr (keep_gain) {
    pass_kink<0, 1, last>(e, t0, S(1) / t0.sum, theta);
    // the gain of phi is about the line between the two kinks
    S shift = phi.gain[3];
    GTTF_UNROLL
    for (std::size_t i = 0; i < 3; ++i)
      shift = shift + phi.gain[i] * b.theta[i];
    GTTF_UNROLL
    for (std::size_t i = 0; i < 5; ++i)
      phi.gain[i] = phi.gain[i] - shift * theta.gain[i];
    *gain = {theta.gain, phi.gain};
  } else {
    pass_kink<0, 1, last>(e, t0, t0.sum, theta);
  }
}

}  // namespace detail

/// Turns equations for the line outside a scatterer into equations for the line
/// inside: s_outside = s_inside + b_theta k_theta + b_phi k_phi. The two kinks
/// are eliminated together, from the bottom equation upwards.
///
/// @param b      columns of the kinks; their theta components are 1 and 0
/// @param w      theta0^2; 0 changes nothing
/// @param w_phi  theta0^2/sin^2(theta)
/// @param gain   filled if not null
/// @param column right-hand sides, scattered along
template <ZeroVariance Z, bool keep_gain, class S, class Column = NoColumn>
[[gnu::always_inline]] inline void scatter(FiveEquations<S>& e,
                                           const Kink<S>& b, const S& w,
                                           const S& w_phi,
                                           KinkGain<S>* gain = nullptr,
                                           Column&& column = {}) {
  if constexpr (Z == ZeroVariance::excluded &&
                std::is_same_v<std::remove_cvref_t<Column>, NoColumn>) {
    detail::scatter_in_turn<keep_gain>(e, b, w, w_phi, gain);
    return;
  }
  const auto r = [&e](std::size_t i, std::size_t j) -> S& {
    return e.r[FiveEquations<S>::at(i, j)];
  };
  // left-hand sides of the equations applied to the two columns
  const S et[3] = {
      b.theta[0] + r(0, 1) * b.theta[1] + r(0, 2) * b.theta[2] + r(0, 3),
      b.theta[1] + r(1, 2) * b.theta[2] + r(1, 3), b.theta[2] + r(2, 3)};
  const S ep[3] = {b.phi[0] + r(0, 1) * b.phi[1] + r(0, 2) * b.phi[2],
                   b.phi[1] + r(1, 2) * b.phi[2], b.phi[2]};
  // covariance of the kinks = U diag(dt, dp) U^T, U = [1 u; 0 1]
  S dt = w, dp = w_phi, u(0);
  Row<S> gt, gp;
  {
    const S v3 = detail::guarded<Z>(e.v[3]);
    const S a = v3 + dt, k = dt / a;
    e.v[3] = e.v[3] + dt;
    dt = k * v3;
    gt[3] = k;
    gt[4] = k * r(3, 4);
    gp[3] = gp[4] = S(0);
    column.start_kinks(k);
  }
  GTTF_UNROLL
  for (std::size_t step = 0; step < 3; ++step) {
    const std::size_t i = 2 - step;
    const S ft = et[i], fp = ep[i] + u * ft;
    const S vt = dt * ft, vp = dp * fp, v = detail::guarded<Z>(e.v[i]);
    const S a1 = v + vt * ft, a2 = a1 + vp * fp;
    // The next step waits for dt, u and dp, that is for inv: as much as can be
    // is multiplied before.
    const S inv = S(1) / (a1 * a2), i2 = a1 * inv;
    const S kt = (vt + u * vp) * i2, kp = vp * i2;
    // without the guard: w = 0 changes nothing, not by a bit
    e.v[i] = Z == ZeroVariance::allowed ? e.v[i] + vt * ft + vp * fp : a2;
    dt = dt * v * a2 * inv;
    u = u - vt * fp * a2 * inv;
    dp = dp * a1 * i2;
    column.scatter(i, ft, ep[i], kt, kp);
    GTTF_UNROLL
    for (std::size_t j = i + 1; j < 5; ++j) {
      S& rij = r(i, j);
      rij = rij - ft * gt[j] - ep[i] * gp[j];
      if (keep_gain || i > 0) {
        gt[j] = gt[j] + kt * rij;
        gp[j] = gp[j] + kp * rij;
      }
    }
    gt[i] = kt;
    gp[i] = kp;
  }
  if constexpr (keep_gain) *gain = {gt, gp};
}

/// A linear function a . s in the basis of the independent errors:
/// a . s = sum_k z_k error_k with Var(error_k) = v_k.
template <class S>
[[gnu::always_inline]] inline Row<S> express(const FiveEquations<S>& e,
                                             const Row<S>& a) {
  Row<S> z;
  GTTF_UNROLL
  for (std::size_t j = 0; j < 5; ++j) {
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
using Covariance5 = std::array<Row<S>, 5>;

/// Covariance of five linear functions of s (default: s itself),
/// Cov(a, a') = sum_k v_k z_k z'_k: always positive semidefinite.
template <class S>
Covariance5<S> covariance(const FiveEquations<S>& e,
                          const std::array<Row<S>, 5>& functions) {
  std::array<Row<S>, 5> z;
  GTTF_UNROLL
  for (std::size_t i = 0; i < 5; ++i) z[i] = express(e, functions[i]);
  Covariance5<S> c;
  GTTF_UNROLL
  for (std::size_t i = 0; i < 5; ++i) GTTF_UNROLL
  for (std::size_t j = 0; j <= i; ++j) {
    S sum = e.v[0] * z[i][0] * z[j][0];
    GTTF_UNROLL
    for (std::size_t k = 1; k < 5; ++k) sum = sum + e.v[k] * z[i][k] * z[j][k];
    c[i][j] = c[j][i] = sum;
  }
  return c;
}

template <class S>
Covariance5<S> covariance(const FiveEquations<S>& e) {
  // row i of the inverse of r: what express() makes of a unit vector
  std::array<Row<S>, 5> z;
  GTTF_UNROLL
  for (std::size_t i = 0; i < 5; ++i) {
    z[i][i] = S(1);
    GTTF_UNROLL
    for (std::size_t j = i + 1; j < 5; ++j) {
      S sum = -e.r[FiveEquations<S>::at(i, j)];
      GTTF_UNROLL
      for (std::size_t k = i + 1; k < j; ++k)
        sum = sum - z[i][k] * e.r[FiveEquations<S>::at(k, j)];
      z[i][j] = sum;
    }
  }
  Covariance5<S> c;
  GTTF_UNROLL
  for (std::size_t i = 0; i < 5; ++i) GTTF_UNROLL
  for (std::size_t j = 0; j <= i; ++j) {
    S sum = i == j ? e.v[i] : e.v[i] * z[j][i];
    GTTF_UNROLL
    for (std::size_t k = i + 1; k < 5; ++k)
      sum = sum + e.v[k] * z[i][k] * z[j][k];
    c[i][j] = c[j][i] = sum;
  }
  return c;
}

}  // namespace gttf
