// SPDX-License-Identifier: Apache-2.0
// Relative errors of p and pT from the covariance of q/p and theta.
#pragma once

#include <cmath>

#include "gttf/fit/streaming/determination.hpp"

namespace gttf::detail {

template <class S>
struct MomentumErrors {
  S p;   ///< sigma(p)/p
  S pt;  ///< sigma(pT)/pT; pT = sin(theta) p: correlated errors
  /// Whether pT is known so much better than p and theta that its error is lost
  /// in the rounding of their covariance.
  MaskOf<S> pt_is_lost;
};

/// @param variance, covariance  of q/p; of theta with q/p
/// @param theta_variance        of theta
template <class S>
MomentumErrors<S> momentum_errors(const S& variance, const S& covariance,
                                  const S& theta_variance, const S& qop,
                                  const S& cot_theta) {
  using std::abs, std::sqrt;
  // three terms, four times the variance of p in all, each with a few roundings
  constexpr double largest = 2 * determined_to / (12 * unit_rounding);
  // avoids the square of q/p in a denominator, which is 0 at 1e200 GeV
  const S per_theta = cot_theta * qop, inverse = S(1) / abs(qop);
  const S pt_variance =
      variance + per_theta * (per_theta * theta_variance - S(2) * covariance);
  return {sqrt(variance) * inverse, sqrt(pt_variance) * inverse,
          variance > S(largest) * pt_variance};
}

}  // namespace gttf::detail
