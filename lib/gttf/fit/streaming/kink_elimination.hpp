// SPDX-License-Identifier: Apache-2.0
// Transforms five equations for the line outside a scatterer into equations for
// the line inside, and propagates its kinks into functions of the line.
#pragma once

#include <array>
#include <type_traits>

#include "gttf/fit/streaming/five_equations.hpp"

namespace gttf {

/// kinks = -G s + noise: the two kinks of a crossing as function of the line
/// inside; needed in the backward pass.
template <class S>
struct KinkGain {
  Row<S> theta{}, phi{};
};

namespace detail {

/// One kink during elimination from the equations, from the bottom upwards: its
/// variance given the equations so far, and its estimate, -gain . s.
template <class S>
struct PassingKink {
  S variance;
  Row<S> gain;
};

/// Elimination of a kink in one equation: f, the equation applied to the column
/// of the kink; t = variance f; the variance of the equation afterwards.
template <class S>
struct KinkPivot {
  S f, t, sum;
};

/// @param column  of the kink; that of theta also has a 1 for theta
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

/// Folds the kink into equation `i`; updates the variance and the gain of the
/// kink. @tparam first   first component of the gain so far
/// @tparam last    the kink is not needed any further
/// @param inverse  1/pivot.sum; unused if it is the last equation
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
  for (std::size_t j = i + 1; j < track_dim; ++j) {
    S& r = e.r[FiveEquations<S>::at(i, j)];
    if (j >= first) r = r - p.f * kink.gain[j];
    if constexpr (!last)
      kink.gain[j] = j >= first ? kink.gain[j] + k * r : k * r;
  }
}

/// One kink after the other: a sixth fewer products than both together. Not for
/// variances of zero: near 90 degrees the first kink may depend so weakly on
/// the second that its elimination divides by rounding.
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
  // theta follows phi one equation later, so that one division serves both
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
    // the gain of phi refers to the line between the two kinks
    S shift = phi.gain[3];
    GTTF_UNROLL
    for (std::size_t i = 0; i < 3; ++i)
      shift = shift + phi.gain[i] * b.theta[i];
    GTTF_UNROLL
    for (std::size_t i = 0; i < track_dim; ++i)
      phi.gain[i] = phi.gain[i] - shift * theta.gain[i];
    *gain = {theta.gain, phi.gain};
  } else {
    pass_kink<0, 1, last>(e, t0, t0.sum, theta);
  }
}

/// Both kinks together, from the bottom equation upwards.
template <ZeroVariance Z, bool keep_gain, class S, class Column>
[[gnu::always_inline]] inline void scatter_together(FiveEquations<S>& e,
                                                    const Kink<S>& b,
                                                    const S& w, const S& w_phi,
                                                    KinkGain<S>* gain,
                                                    Column& column) {
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
    const S v3 = guarded<Z>(e.v[3]);
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
    const S vt = dt * ft, vp = dp * fp, v = guarded<Z>(e.v[i]);
    const S a1 = v + vt * ft, a2 = a1 + vp * fp;
    // The next step depends on dt, u and dp, i.e. on inv: all other products
    // are computed before.
    const S inv = S(1) / (a1 * a2), i2 = a1 * inv;
    const S kt = (vt + u * vp) * i2, kp = vp * i2;
    // without the guard: w = 0 leaves every bit unchanged
    e.v[i] = Z == ZeroVariance::allowed ? e.v[i] + vt * ft + vp * fp : a2;
    dt = dt * v * a2 * inv;
    u = u - vt * fp * a2 * inv;
    dp = dp * a1 * i2;
    column.scatter(i, ft, ep[i], kt, kp);
    GTTF_UNROLL
    for (std::size_t j = i + 1; j < track_dim; ++j) {
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

}  // namespace detail

/// Turns equations for the line outside a scatterer into equations for the line
/// inside: s_outside = s_inside + b_theta k_theta + b_phi k_phi. The kinks are
/// eliminated from the bottom equation upwards.
///
/// @param b      columns of the kinks; their theta components are 1 and 0
/// @param w      theta0^2; 0: no change
/// @param w_phi  theta0^2/sin^2(theta)
/// @param gain   filled if needed
/// @param column right-hand sides, scattered along
template <ZeroVariance Z, bool keep_gain, class S, class Column = NoColumn>
[[gnu::always_inline]] inline void scatter(FiveEquations<S>& e,
                                           const Kink<S>& b, const S& w,
                                           const S& w_phi,
                                           KinkGain<S>* gain = nullptr,
                                           Column&& column = {}) {
  if constexpr (Z == ZeroVariance::excluded &&
                std::is_same_v<std::remove_cvref_t<Column>, NoColumn>)
    detail::scatter_in_turn<keep_gain>(e, b, w, w_phi, gain);
  else
    detail::scatter_together<Z, keep_gain>(e, b, w, w_phi, gain, column);
}

/// The two kinks of a layer on a helix and their variances.
template <class S>
struct HelixKinks {
  Kink<S> columns;
  S w, w_phi;

  bool any() const { return w > S(0); }
};

template <ZeroVariance Z, bool keep_gain, class S>
[[gnu::always_inline]] inline void scatter(FiveEquations<S>& e,
                                           const HelixKinks<S>& kinks,
                                           KinkGain<S>* gain = nullptr) {
  scatter<Z, keep_gain>(e, kinks.columns, kinks.w, kinks.w_phi, gain);
}

/// Adds w b_theta b_theta^T + w_phi b_phi b_phi^T: kinks inside all hits.
template <class S>
void add_kink_variance(const Kink<S>& b, const S& w, const S& w_phi,
                       Covariance5<S>& covariance) {
  GTTF_UNROLL
  for (std::size_t i = 0; i < 3; ++i) {
    const S theta = w * b.theta[i], phi = w_phi * b.phi[i];
    GTTF_UNROLL
    for (std::size_t j = 0; j <= i; ++j)
      covariance[i][j] = covariance[j][i] =
          covariance[i][j] + theta * b.theta[j] + phi * b.phi[j];
    covariance[3][i] = covariance[i][3] = covariance[3][i] + theta;
  }
  covariance[3][3] = covariance[3][3] + w;
}

/// M linear functions, each given by its covariance with the line (a row of
/// `inside`), with a linear function `a` of the line.
template <class S, std::size_t M>
std::array<S, M> covariance_with(const std::array<Row<S>, M>& inside,
                                 const Row<S>& a) {
  std::array<S, M> y;
  for (std::size_t i = 0; i < M; ++i) {
    y[i] = inside[i][0] * a[0];
    for (std::size_t j = 1; j < track_dim; ++j)
      y[i] = y[i] + inside[i][j] * a[j];
  }
  return y;
}

/// Covariances of M functions with the two kinks of a layer.
template <class S, std::size_t M>
struct KinkCovariance {
  std::array<S, M> theta, phi;
};

/// Propagates outwards through a layer: `inside` becomes the covariance with
/// the line outside, s_outside = s_inside + b_theta k_theta + b_phi k_phi.
template <class S, std::size_t M>
KinkCovariance<S, M> pass_outwards(const Kink<S>& b, const KinkGain<S>& gain,
                                   std::array<Row<S>, M>& inside) {
  KinkCovariance<S, M> with = {covariance_with(inside, gain.theta),
                               covariance_with(inside, gain.phi)};
  for (std::size_t i = 0; i < M; ++i) {
    with.theta[i] = -with.theta[i];
    with.phi[i] = -with.phi[i];
    for (std::size_t j = 0; j < 3; ++j)
      inside[i][j] =
          inside[i][j] + with.theta[i] * b.theta[j] + with.phi[i] * b.phi[j];
    inside[i][3] = inside[i][3] + with.theta[i];
  }
  return with;
}

}  // namespace gttf
