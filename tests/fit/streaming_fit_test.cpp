// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/streaming/streaming_fit.hpp"

#include <doctest/doctest.h>

#include "gttf/fit/track/hit_surface.hpp"
#include "support/exact_chi2.hpp"
#include "support/fit_tracks.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

FitOptions converged() {
  FitOptions o;
  o.relinearisations = 12;
  o.detail = FitDetail::hits;
  return o;
}

ExactChi2 minimum(const TrackHits& t, const GlobalFit& near) {
  const auto& s = near.hits.front().before.parameters;
  return {t, s[StateIndex::phi], s[StateIndex::theta], near.kappa};
}

}  // namespace

TEST_CASE("streaming fit: finds the minimum of the exact chi2") {
  RandomTracks random(11);
  for (int i = 0; i < 40; ++i) {
    CAPTURE(i);
    RandomTracks::Options o;
    o.n_points = 3 + i % 8;
    o.theta = random.uniform(0.5, 2.6);
    o.bend = i % 5 == 0 ? 1e-5 : random.uniform(0.02, 0.4);
    o.passive = i % 3 == 0 ? 0.3 : 0;
    const TrackHits t = random.track(o);
    const GlobalFit f = StreamingFitter(converged()).fit(t);
    if (f.status == FitStatus::too_few_hits) continue;
    REQUIRE(f.status == FitStatus::ok);
    const ExactChi2 exact = minimum(t, f);
    CHECK(std::abs(f.kappa - exact.kappa) < 1e-9 * exact.sigma);
    CHECK(std::abs(f.chi2 - exact.chi2) < 1e-9 * (1 + exact.chi2));
    CHECK(f.sigma == doctest::Approx(exact.sigma).epsilon(1e-9));
  }
}

TEST_CASE("streaming fit: equals the triplet fit after convergence") {
  RandomTracks random(12);
  for (int i = 0; i < 40; ++i) {
    CAPTURE(i);
    RandomTracks::Options o;
    o.n_points = 3 + i % 8;
    o.theta = random.uniform(0.5, 2.6);
    o.bend = i % 5 == 0 ? 1e-5 : random.uniform(0.02, 0.4);
    const TrackHits t = random.track(o);
    const GlobalFit a = StreamingFitter(converged()).fit(t);
    const GlobalFit b = fit_global(t, FitKind::general, converged());
    REQUIRE(a.status == FitStatus::ok);
    REQUIRE(b.status == FitStatus::ok);
    CHECK(std::abs(a.kappa - b.kappa) < 1e-9 * a.sigma);
    CHECK(std::abs(a.chi2 - b.chi2) < 1e-9 * (1 + a.chi2));
    CHECK(a.sigma == doctest::Approx(b.sigma).epsilon(1e-9));
    for (int p = 0; p < 5; ++p)
      for (int q = 0; q < 5; ++q) {
        const double scale =
            std::sqrt(a.perigee_covariance(p, p) * a.perigee_covariance(q, q));
        CHECK(std::abs(a.perigee_covariance(p, q) -
                       b.perigee_covariance(p, q)) < 1e-8 * scale);
        CHECK(std::abs(a.perigee_covariance_without_inner(p, q) -
                       b.perigee_covariance_without_inner(p, q)) <
              1e-8 * scale);
      }
    for (int p = 0; p < 5; ++p)
      CHECK(std::abs(a.perigee[p] - b.perigee[p]) <
            1e-8 * std::sqrt(a.perigee_covariance(p, p)));
  }
}

TEST_CASE("streaming fit: a helix reaches a surface from a guess") {
  RandomTracks random(13);
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    // straight tracks, too, and turns of up to 1 rad
    const double radius = random.uniform(300, 3000);
    const Helix<double> start{{20, -10, 5},
                              random.uniform(0.5, 2.6),
                              random.uniform(-0.5, 0.5),
                              i % 7 == 0 ? 0 : 1 / radius};
    const HelixPoint<double> from = point_of(start, direction_of(start));
    const double arc = random.uniform(10, 250);
    const HelixPoint<double> at = detail::advanced(from, arc);
    // a plane, a cylinder and a cone through this point
    TrackHit hit;
    hit.position = vector_of(at.position);
    const double phi = std::atan2(at.position.y, at.position.x);
    hit.u = Vector3(-std::sin(phi), std::cos(phi), 0);
    hit.v = Vector3(0, 0, 1);
    hit.curved = i % 3 > 0;
    const double slope = i % 3 == 2 ? 0.3 : 0;
    if (i % 3 == 0) hit.u = Vector3(-std::sin(0.4), std::cos(0.4), 0);
    hit.v = Vector3(slope * std::cos(phi), slope * std::sin(phi), 1);
    hit.v.normalize();
    const auto surface = detail::surface_of(hit);
    // the remaining error of a crossing with a cone is only estimated roughly
    const double tolerance = slope == 0 ? 1e-10 : 1e-9;
    for (const double off : {0., 1e-7, -0.003, 0.1, -0.4, 3.}) {
      CAPTURE(off);
      const auto x = detail::cross_surface(from, surface, arc + off);
      CHECK(std::abs(x.arc - arc) < tolerance);
      CHECK((vector_of(x.at.position) - hit.position).norm() < tolerance);
      CHECK(std::abs(x.at.cos_phi - at.cos_phi) < 1e-13);
      CHECK(std::abs(x.at.sin_phi - at.sin_phi) < 1e-13);
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
