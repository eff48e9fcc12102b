// SPDX-License-Identifier: Apache-2.0
// Errors of p and pT from the covariance of the curvature and theta.
#pragma once

#include "gttf/fit/streaming/determination.hpp"

namespace gttf::detail {

/// Variances of a curvature, q/p or kappa, and of the same curvature as a
/// function of pT: divided by the square of the curvature, which may be 0 as a
/// double, they are those of p and pT.
template <class S>
struct MomentumVariances {
  S p;
  S pt;  ///< pT = sin(theta) p: correlated errors
  /// Whether pT is known so much better than p and theta that its error is lost
  /// in the rounding of their covariance.
  MaskOf<S> pt_is_lost;
};

/// @param variance, covariance  of the curvature; of theta with it
/// @param theta_variance        of theta
template <class S>
MomentumVariances<S> momentum_variances(const S& variance, const S& covariance,
                                        const S& theta_variance,
                                        const S& curvature,
                                        const S& cot_theta) {
  // three terms, four times the variance of p in all, each with a few roundings
  constexpr double largest = 2 * determined_to / (12 * unit_rounding);
  const S per_theta = cot_theta * curvature;
  const S pt =
      variance + per_theta * (per_theta * theta_variance - S(2) * covariance);
  return {variance, pt, variance > S(largest) * pt};
}

}  // namespace gttf::detail
