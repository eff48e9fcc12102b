// SPDX-License-Identifier: Apache-2.0
// Batched fits against TrackFitter.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "gttf/core/simd.hpp"
#include "support/at_level.hpp"
#include "support/hit_list.hpp"

namespace gttf::test {

struct Wanted {
  FitKind kind;
  WeightSource weights;
};

/// check(wanted, options) for all fits with all kinds of vectors.
template <class Check>
void at_all_levels(std::span<const Wanted> fits, const Check& check) {
  for (const SimdLevel level : available_simd_levels()) {
    const AtLevel use(level);
    for (const Wanted& wanted : fits) {
      CAPTURE(to_string(level));
      CAPTURE(to_string(wanted.kind));
      CAPTURE(to_string(wanted.weights));
      FitOptions options;
      options.weights = wanted.weights;
      check(wanted, options);
    }
  }
}

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
      // scattering fits of detectors without inner material measure d0 exactly
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

/// Whether a track has the same bits in any vector element, next to any others,
/// by any thread.
inline void check_any_company(HitList& list, std::span<const Wanted> fits) {
  const std::size_t n = list.size();
  const HitArrays hits = list.views();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937_64(3));
  const auto mixed = [&](std::span<const double> rows) {
    std::vector<double> to(rows.size());
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = rows[i / n * n + order[i % n]];
    return to;
  };
  const auto x = mixed(hits.x), y = mixed(hits.y), z = mixed(hits.z),
             theta0_2 = mixed(hits.theta0_2), kappa = mixed(hits.kappa_ref);
  const HitArrays other{n, hits.surfaces, x, y, z, theta0_2, kappa};
  at_all_levels(fits, [&](const Wanted& wanted, const FitOptions& options) {
    FitOutput one(n), two(n);
    const BatchStatistics s = fit(hits, wanted.kind, options, one.views());
    fit(other, wanted.kind, options, two.views(), 3);
    CHECK(s.vectorised + s.unsupported > 4 * n / 5);
    const auto same = [&](const std::vector<double>& a,
                          const std::vector<double>& b) {
      const std::vector<double> moved = mixed(a);
      return std::memcmp(moved.data(), b.data(), b.size() * sizeof(double)) ==
             0;
    };
    CHECK(same(one.kappa, two.kappa));
    CHECK(same(one.sigma, two.sigma));
    CHECK(same(one.chi2, two.chi2));
    CHECK(same(one.kappa_weights, two.kappa_weights));
    CHECK(same(one.perigee, two.perigee));
    CHECK(same(one.covariance, two.covariance));
    for (std::size_t i = 0; i < n; ++i)
      CHECK(two.status[i] == one.status[order[i]]);
  });
}

}  // namespace gttf::test
