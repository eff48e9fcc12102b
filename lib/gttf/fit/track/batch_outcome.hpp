// SPDX-License-Identifier: Apache-2.0
// BatchOutcome: the outcome of a fit of one track, or of one track per vector
// element.
#pragma once

#include <cmath>
#include <limits>

#include "gttf/core/scalar.hpp"
#include "gttf/fit/track/hits.hpp"

namespace gttf::detail {

/// Tracks without failure so far; for a single track, the reason of failure.
template <class S>
struct BatchOutcome {
  MaskOf<S> good = S(0) <= S(0);
  FitStatus status = FitStatus::ok;

  void require(const MaskOf<S>& condition, FitStatus otherwise) {
    good = both(good, condition);
    if (status == FitStatus::ok && !any(good)) status = otherwise;
  }
  /// Whether nothing remains to be fitted.
  bool failed() const { return status != FitStatus::ok; }
};

template <class S>
MaskOf<S> is_finite(const S& x) {
  using std::abs;
  return abs(x) <= S(std::numeric_limits<double>::max());
}

}  // namespace gttf::detail
