// SPDX-License-Identifier: Apache-2.0
// Probability of a chi2 at least as large.
#pragma once

namespace gttf {

/// Q(ndf/2, chi2/2), the upper tail of the chi2 distribution: uniform in (0, 1)
/// for a right model.
///
///   ndf = 2 m:      e^-x sum_{k=0}^{m-1} x^k/k!,                x = chi2/2
///   ndf = 2 m + 1:  erfc(sqrt x) + e^-x sum_{k=0}^{m-1} x^(k+1/2)/Gamma(k+3/2)
///
/// @param ndf  >= 1
/// @return     relative error below 1e-12; NaN if chi2 is NaN or negative
double chi2_probability(double chi2, int ndf);

}  // namespace gttf
