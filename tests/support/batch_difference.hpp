// SPDX-License-Identifier: Apache-2.0
// Batched fits against TrackFitter.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/hit_list.hpp"

namespace gttf::test {

struct Wanted {
  FitKind kind;
  WeightSource weights;
};
/// Largest difference of a batch from TrackFitter: of parameters in standard
/// deviations, of errors and chi2 relative.
inline double largest_difference(HitList& list, FitOutput& out,
                                 const Wanted& wanted,
                                 const FitOptions& options) {
  const HitArrays hits = list.views();
  const std::size_t n = list.size();
  double largest = 0;
  for (std::size_t t = 0; t < n; ++t) {
    const GlobalFit f = fit_global(hits.track(t), wanted.kind, options);
    CHECK(f.status == out.status[t]);
    if (f.status != FitStatus::ok) continue;
    const auto compare = [&](double got, double expected, double scale) {
      const double d = std::abs(got - expected) / scale;
      largest = std::max(largest, std::isnan(d) ? 1e300 : d);
    };
    compare(out.kappa[t], f.kappa, f.sigma);
    compare(out.sigma[t], f.sigma, f.sigma);
    compare(out.chi2[t], f.chi2, f.chi2);
    if (!std::isnan(f.kappa_weights))
      compare(out.kappa_weights[t], f.kappa_weights, f.sigma);
    const Matrix5& v = f.perigee_covariance;
    std::size_t plane = 0;
    for (int i = 0; i < 5; ++i) {
      // scattering fits of detectors without inner material know d0 exactly
      const double sigma = std::max(std::sqrt(v(i, i)), 1e-9);
      compare(out.perigee[static_cast<std::size_t>(i) * n + t], f.perigee[i],
              sigma);
      for (int j = 0; j <= i; ++j, ++plane)
        compare(out.covariance[plane * n + t], v(i, j),
                std::sqrt(v(i, i) * v(j, j)) + 1e-18);
    }
  }
  return largest;
}

}  // namespace gttf::test
