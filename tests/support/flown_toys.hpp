// SPDX-License-Identifier: Apache-2.0
// Simulated tracks in any field, fitted: pulls and chi2.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "gttf/core/statistics.hpp"
#include "gttf/fit/streaming/streaming_fit.hpp"
#include "gttf/resolution/toys.hpp"

namespace gttf::test {

/// Statistics of fitted toys; in the parameters of the plane through the start
/// (x, y, slopes, kappa) or of the perigee.
struct FlownToys {
  std::array<ExactMoments, 5> pulls;
  ExactMoments chi2_per_ndf;
  std::uint64_t simulated = 0, missed = 0, failed = 0;

  using Fit = std::function<const GlobalFit&(const TrackHits&)>;

  void run(const ToySimulator& simulator, std::uint64_t n, bool at_plane,
           const Fit& fit) {
    ToyTrack toy = simulator.prototype();
    for (std::uint64_t i = 0; i < n; ++i, ++simulated) {
      if (!simulator.simulate({5, 0, i}, toy)) {
        ++missed;
        continue;
      }
      const GlobalFit& f = fit(toy.hits);
      if (f.status != FitStatus::ok) {
        ++failed;
        continue;
      }
      const Vector5& truth = at_plane ? toy.truth_at_plane : toy.truth;
      const Vector5& x = at_plane ? f.start_plane : f.perigee;
      const Matrix5& v =
          at_plane ? f.start_plane_covariance : f.perigee_covariance;
      for (int k = 0; k < (toy.hits.field ? 5 : 4); ++k)
        pulls[static_cast<std::size_t>(k)].add((x[k] - truth[k]) /
                                               std::sqrt(v(k, k)));
      chi2_per_ndf.add(f.chi2 / f.ndf);
    }
  }

  /// Widths of 1 and means of 0 within `errors` standard errors.
  void check(double errors, int n_parameters) const {
    for (std::size_t k = 0; k < static_cast<std::size_t>(n_parameters); ++k) {
      CAPTURE(k);
      CHECK(std::abs(pulls[k].width() - 1) < errors * pulls[k].width_error());
      CHECK(std::abs(pulls[k].mean()) < errors * pulls[k].mean_error());
    }
    CHECK(std::abs(chi2_per_ndf.mean() - 1) <
          errors * chi2_per_ndf.mean_error());
  }
};

}  // namespace gttf::test
