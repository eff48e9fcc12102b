// SPDX-License-Identifier: Apache-2.0
// BatchOutcome: what became of a fit of one track, or of one in each element of
// a vector.
#pragma once

#include <cmath>
#include <limits>

#include "gttf/core/scalar.hpp"
#include "gttf/fit/track/hits.hpp"

namespace gttf::detail {

/// Lanes that have done well so far; of a single track, why it has not.
template <class S>
struct BatchOutcome {
  MaskOf<S> good = S(0) <= S(0);
  FitStatus status = FitStatus::ok;

  void require(const MaskOf<S>& condition, FitStatus otherwise) {
    good = both(good, condition);
    if (status == FitStatus::ok && !any(good)) status = otherwise;
  }
  /// Is there nothing to go on with?
  bool failed() const { return status != FitStatus::ok; }
};

template <class S>
MaskOf<S> is_finite(const S& x) {
  using std::abs;
  return abs(x) <= S(std::numeric_limits<double>::max());
}

}  // namespace gttf::detail
