// SPDX-License-Identifier: Apache-2.0
// Vectorised covariances against 113 bits.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gttf/core/simd.hpp"
#include "gttf/fit/streaming/streaming.hpp"
#include "support/at_level.hpp"
#include "support/batch.hpp"
#include "support/layouts.hpp"
#include "support/wide.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Covariances of the lines of tracks, geometry included.
std::vector<Covariance5<Wide>> wide_covariances(
    const TrackingGeometry& geometry, const TrackList& tracks) {
  std::vector<Covariance5<Wide>> all;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const Track track = tracks.views().track(t);
    const auto c = with_scalar(
        geometry, find_crossings(geometry, track, Scattering::highland),
        make_line<Wide>(track, geometry.bz()), Scattering::highland);
    const HelixPath<Wide> path(geometry, c);
    all.push_back(covariance(filter<Errors::all>(path)));
    add_inner_material(path, all.back());
  }
  return all;
}

/// Largest deviation of the batch from wide numbers, in standard deviations:
/// covariance in q/p.
double deviation(const TrackingGeometry& geometry, const TrackList& tracks,
                 const std::vector<Covariance5<Wide>>& expected) {
  BatchOutput r(tracks.size(), 0);
  const BatchStatistics s = resolve(geometry, tracks.views(), {}, r.views());
  REQUIRE(s.vectorised == tracks.size());
  double worst = 0;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const Covariance5<Wide>& wide = expected[t];
    const Matrix5 m = r.perigee.matrix(t);
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j) {
        const auto a = static_cast<std::size_t>(i);
        const auto b = static_cast<std::size_t>(j);
        const Wide factor = Wide((i == 4 ? -1 / geometry.bz() : 1)) *
                            Wide((j == 4 ? -1 / geometry.bz() : 1));
        const Wide scale = sqrt(wide[a][a] * wide[b][b]) * abs(factor);
        worst = std::max(worst,
                         std::abs(static_cast<double>(
                             (Wide(m(i, j)) - wide[a][b] * factor) / scale)));
      }
  }
  return worst;
}

}  // namespace

TEST_CASE("batch: 1e-12 against 113 bits up to 1000 hits and 1 TeV") {
  TrackList tracks;
  for (const double p : {1.0, 30.0, 1000.0})
    for (const double theta : {40.0, 90.0})
      tracks.add({.p = p, .theta = theta * unit::deg});
  for (const int n : {3, 10, 100, 1000})
    for (const double x0 : {0.0, 1e-5, 1e-3, 1e-2}) {
      CAPTURE(n);
      CAPTURE(x0);
      const TrackingGeometry geometry(make_barrel(n, 30, 1000, 2, x0, 0.01));
      const auto wide = wide_covariances(geometry, tracks);
      for (const SimdLevel level : available_simd_levels()) {
        CAPTURE(to_string(level));
        const AtLevel at(level);
        CHECK(deviation(geometry, tracks, wide) < 1e-12);
      }
    }
}

}  // namespace gttf::test::GTTF_TEST_FILE
