// SPDX-License-Identifier: Apache-2.0
// Relative errors of p and pT from the covariance of q/p and theta.
#pragma once

#include <cmath>

namespace gttf::detail {

template <class S>
struct MomentumErrors {
  S p;   ///< sigma(p)/p
  S pt;  ///< sigma(pT)/pT; pT = sin(theta) p: correlated errors
};

/// @param variance, covariance  of q/p; of theta with q/p
/// @param theta_variance        of theta
template <class S>
MomentumErrors<S> momentum_errors(const S& variance, const S& covariance,
                                  const S& theta_variance, const S& qop,
                                  const S& cot_theta) {
  using std::abs, std::sqrt;
  // avoids the square of q/p in a denominator, which is 0 at 1e200 GeV
  const S per_theta = cot_theta * qop, inverse = S(1) / abs(qop);
  return {sqrt(variance) * inverse,
          sqrt(variance +
               per_theta * (per_theta * theta_variance - S(2) * covariance)) *
              inverse};
}

}  // namespace gttf::detail
