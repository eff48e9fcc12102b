// SPDX-License-Identifier: Apache-2.0
// Series of few terms for the small turns between neighbouring surfaces; the
// full functions where lanes turn by more.
#pragma once

#include "gttf/core/series.hpp"

namespace gttf::detail {

/// (asin(u)/u - 1)/u^2: for u^2 <= 0.01 a polynomial with an error of 4e-17 of
/// asin(u)/u.
/// @param full  makes what to take for larger u^2
template <class S, class Full>
S short_excess(const S& u2, const Full& full) {
  constexpr double c[] = {0.16666666666667013, 0.07499999998271115,
                          0.04464287096224251, 0.030378082245879665,
                          0.02281171524781535};
  const S series = polynomial(c, u2);
  const auto large = !(u2 <= S(0.01));
  if (!any(large)) [[likely]]
    return series;
  return select(large, full(), series);
}

}  // namespace gttf::detail
