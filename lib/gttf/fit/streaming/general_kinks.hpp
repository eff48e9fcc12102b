// SPDX-License-Identifier: Apache-2.0
// Scattering and energy loss in a layer that may change all five parameters of
// the line, as in a general field.
#pragma once

#include "gttf/fit/streaming/kink_elimination.hpp"

namespace gttf {

/// The random changes of the line in one layer and their variances,
///
///   s_outside = s_inside + b_theta k_theta + b_phi k_phi + b_loss k_loss
template <class S>
struct GeneralKinks {
  Row<S> theta, phi;  ///< b_theta, b_phi
  S w, w_phi;         ///< variances of the two angles
  Row<S> loss;        ///< b_loss: of the curvature
  S w_loss;           ///< its variance; may be 0

  bool any() const { return w > S(0) || w_loss > S(0); }
};

/// kinks = -G s + noise: theta and phi follow from the line between them and
/// the change of curvature, which follows from the line inside.
template <class S>
struct GeneralGain {
  Row<S> theta{}, phi{}, loss{};
  S loss_variance{};  ///< of the noise of the change of curvature
};

namespace detail {

/// Left-hand side of equation i applied to a column.
template <class S>
[[gnu::always_inline]] inline S applied(const FiveEquations<S>& e,
                                        std::size_t i, const Row<S>& column) {
  S sum = column[i];
  GTTF_UNROLL
  for (std::size_t j = i + 1; j < track_dim; ++j)
    sum = sum + e.r[FiveEquations<S>::at(i, j)] * column[j];
  return sum;
}

/// Both angles together, from the bottom equation upwards; see scatter().
template <ZeroVariance Z, class S, class Column>
void scatter_angles(FiveEquations<S>& e, const GeneralKinks<S>& kinks,
                    Row<S>& gain_theta, Row<S>& gain_phi, Column& column) {
  // covariance of the kinks = U diag(dt, dp) U^T, U = [1 u; 0 1]
  S dt = kinks.w, dp = kinks.w_phi, u(0);
  GTTF_UNROLL
  for (std::size_t step = 0; step < track_dim; ++step) {
    const std::size_t i = track_dim - 1 - step;
    const S ft = applied(e, i, kinks.theta), ep = applied(e, i, kinks.phi);
    const S fp = ep + u * ft;
    const S vt = dt * ft, vp = dp * fp, v = guarded<Z>(e.v[i]);
    const S a1 = v + vt * ft, a2 = a1 + vp * fp;
    const S inv = S(1) / (a1 * a2), i1 = a2 * inv, i2 = a1 * inv;
    const S kt = (vt + u * vp) * i2, kp = vp * i2;
    e.v[i] = a2;
    dt = dt * (v * i1);
    u = u - vt * fp * i1;
    dp = dp * (a1 * i2);
    column.scatter(i, ft, ep, kt, kp);
    GTTF_UNROLL
    for (std::size_t j = i + 1; j < track_dim; ++j) {
      S& r = e.r[FiveEquations<S>::at(i, j)];
      r = r - ft * gain_theta[j] - ep * gain_phi[j];
      gain_theta[j] = gain_theta[j] + kt * r;
      gain_phi[j] = gain_phi[j] + kp * r;
    }
    gain_theta[i] = kt;
    gain_phi[i] = kp;
  }
}

/// One random change along b with variance w.
/// @return  remaining variance if the line inside is known
template <ZeroVariance Z, class S, class Column>
S scatter_loss(FiveEquations<S>& e, const Row<S>& b, S w, Row<S>& gain,
               Column& column) {
  GTTF_UNROLL
  for (std::size_t step = 0; step < track_dim; ++step) {
    const std::size_t i = track_dim - 1 - step;
    const S f = applied(e, i, b), v = guarded<Z>(e.v[i]);
    const S t = w * f, a = v + t * f, inv = S(1) / a, k = t * inv;
    e.v[i] = a;
    w = w * (v * inv);
    column.scatter_loss(i, f, k);
    GTTF_UNROLL
    for (std::size_t j = i + 1; j < track_dim; ++j) {
      S& r = e.r[FiveEquations<S>::at(i, j)];
      r = r - f * gain[j];
      gain[j] = gain[j] + k * r;
    }
    gain[i] = k;
  }
  return w;
}

}  // namespace detail

/// Turns equations for the line outside a layer into equations for the line
/// inside. Like scatter() for a helix, with all components of the columns, and
/// with an additional change for straggling.
/// @param gain  filled if keep_gain
/// Source: docs/theory/streaming.md, kinks in any field
template <ZeroVariance Z, bool keep_gain, class S>
void scatter(FiveEquations<S>& e, const GeneralKinks<S>& kinks,
             GeneralGain<S>* gain = nullptr) {
  GeneralGain<S> g;
  NoColumn none;
  detail::scatter_angles<Z>(e, kinks, g.theta, g.phi, none);
  if (kinks.w_loss > S(0))
    g.loss_variance =
        detail::scatter_loss<Z>(e, kinks.loss, kinks.w_loss, g.loss, none);
  if constexpr (keep_gain) *gain = g;
}

}  // namespace gttf
