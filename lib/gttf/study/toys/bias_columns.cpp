// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/toys/bias_columns.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "gttf/fit/triplet/bias.hpp"

namespace gttf {

namespace {

std::optional<BiasedFit> biased_fit(const ToyFit& fit) {
  switch (fit.kind) {
    case FitKind::regularised:
      return BiasedFit::regularised;
    case FitKind::common_curvature:
      return BiasedFit::common_curvature;
    case FitKind::scattering:
      if (fit.weights == WeightSource::local) return BiasedFit::unregularised;
      if (fit.weights == WeightSource::update) return BiasedFit::updated;
      break;
    case FitKind::general:
    case FitKind::hits:
      break;
  }
  return std::nullopt;
}

}  // namespace

BiasColumns bias_columns(const ToyFit& fit, int n, double relative) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (n < 1) return {{none, none}, {none, none}};
  if (const auto biased = biased_fit(fit)) {
    const double r = relative * std::sqrt(n);
    return {predicted_bias(*biased, r, n), printed_bias(*biased, r, n)};
  }
  // with the true weights the estimate is linear
  if (fit.kind == FitKind::scattering) return {{0, 0}, {0, 0}};
  return {{none, none}, {none, none}};
}

}  // namespace gttf
