// SPDX-License-Identifier: Apache-2.0
// Guesses of the surfaces that tracks cross must not change anything.
#include "gttf/resolution/known_lists.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gttf/core/simd.hpp"
#include "gttf/detector/read.hpp"
#include "support/batch.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) {
    return x == y || (std::isnan(x) && std::isnan(y));
  });
}

/// Radii and lengths of cylinders larger by a factor.
Detector scaled(Detector detector, double factor) {
  for (Layer& layer : detector.layers)
    if (layer.surface.shape == Shape::cylinder) {
      layer.surface.position *= factor;
      layer.surface.v.upper *= factor * factor;
    }
  return detector;
}

}  // namespace

TEST_CASE("batch: known lists do not change a bit") {
  for (const char* name : {"alice_its2", "cld", "datura", "cms_phase2"}) {
    CAPTURE(name);
    const Detector detector = shipped(name);
    TrackList tracks;  // some have no fit, or cross other layers than others
    for (int i = 0; i < 700; ++i) {
      Track t;
      t.p = 0.05 * std::pow(2000., (i % 11) / 10.);
      t.theta = (1 + 0.25 * i) * unit::deg;
      if (i % 50 == 0) t.vertex[0] = 1;
      tracks.add(t);
    }
    KnownLists known;
    // the same again, others, and those before
    for (const double factor : {1., 1., 1.1, 1., 1.1}) {
      CAPTURE(factor);
      const TrackingGeometry geometry(scaled(detector, factor));
      for (const bool all : {true, false}) {
        BatchOutput expected(tracks.size(), 0), found(tracks.size(), 0);
        const auto views = [all](BatchOutput& output) {
          ResolutionArrays views = output.views();
          views.scattering_variance = views.hit_variance = {};
          if (all) return views;
          ResolutionArrays few;
          few.perigee = views.perigee;
          few.n_hits = views.n_hits;
          few.status = views.status;
          few.end = views.end;
          few.x_over_x0 = views.x_over_x0;
          return few;
        };
        const BatchStatistics without =
            resolve(geometry, tracks.views(), {}, views(expected));
        const BatchStatistics with = resolve(
            geometry, tracks.views(), {}, views(found), StateArrays{}, known);
        CHECK(same(found.perigee, expected.perigee));
        CHECK(same(found.without_inner, expected.without_inner));
        CHECK(same(found.first_hit, expected.first_hit));
        CHECK(same(found.sigma_pt, expected.sigma_pt));
        CHECK(same(found.x_over_x0, expected.x_over_x0));
        CHECK(same(found.hit_only, expected.hit_only));
        CHECK(same(found.ms_only, expected.ms_only));
        CHECK(same(found.mu_phi, expected.mu_phi));
        CHECK(found.n_hits == expected.n_hits);
        CHECK(found.status == expected.status);
        CHECK(found.end == expected.end);
        CHECK(with.vectorised == without.vectorised);
        CHECK(with.not_fitted == without.not_fitted);
      }
    }
  }
}

TEST_CASE("batch: groups of tracks with known lists are of one list") {
  const Detector detector = shipped("cld");
  const TrackingGeometry geometry(detector);
  TrackList tracks;
  for (int i = 0; i < 100; ++i) {
    Track t;
    t.theta = (10 + i) * unit::deg;
    tracks.add(t);
  }
  Triangles perigee(tracks.size());
  ResolutionArrays results;
  results.perigee = perigee;
  KnownLists known;
  const auto mixed = [&] {
    return resolve(geometry, tracks.views(), {}, results, StateArrays{}, known)
        .mixed;
  };
  // only vectors mix tracks
  CHECK((mixed() > 0) == (simd_level() != SimdLevel::scalar));
  CHECK(mixed() == 0);
}

}  // namespace gttf::test::GTTF_TEST_FILE
