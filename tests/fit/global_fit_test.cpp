// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/global_fit.hpp"

#include <doctest/doctest.h>

#include "gttf/detector/read.hpp"
#include "gttf/fit/streaming/streaming_fit.hpp"
#include "support/compare.hpp"
#include "support/fit_tracks.hpp"
#include "support/hit_list.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("global fit: rotations and shifts change nothing, mirrors kappa") {
  RandomTracks random(10);
  for (int i = 0; i < 20; ++i) {
    const TrackHits t = some_track(random, i);
    TrackHits turned = t, mirrored = t;
    const Eigen::AngleAxisd turn(random.uniform(-3, 3), Vector3::UnitZ());
    const Vector3 shift(0, 0, random.uniform(-500, 500));
    const Eigen::DiagonalMatrix<double, 3> mirror(1, -1, 1);
    for (TrackHit& h : turned.points) {
      h.position = turn * h.position + shift;
      h.u = turn * h.u;
      h.v = turn * h.v;
    }
    turned.origin = turn * t.origin + shift;
    for (TrackHit& h : mirrored.points) {
      h.position = mirror * h.position;
      h.u = mirror * h.u;
      h.v = mirror * h.v;
    }
    mirrored.origin = mirror * t.origin;
    mirrored.kappa_ref = -t.kappa_ref;
    for (const FitKind kind :
         {FitKind::general, FitKind::scattering, FitKind::common_curvature}) {
      const GlobalFit a = fit_global(t, kind);
      const GlobalFit b = fit_global(turned, kind);
      const GlobalFit c = fit_global(mirrored, kind);
      REQUIRE(a.status == FitStatus::ok);
      // positions of 500 mm and arcs of 300 mm round to 1e-13
      CHECK(std::abs(a.kappa - b.kappa) < 1e-9 * a.sigma);
      CHECK(std::abs(a.kappa + c.kappa) < 1e-9 * a.sigma);
      CHECK(std::abs(a.chi2 - b.chi2) < 1e-8 * (1 + a.chi2));
      CHECK(std::abs(a.chi2 - c.chi2) < 1e-8 * (1 + a.chi2));
      for (const int p : {int{Perigee::d0}, int{Perigee::z0}}) {
        const double sigma = std::sqrt(a.perigee_covariance(p, p));
        CHECK(std::abs(a.perigee[p] - b.perigee[p]) < 1e-8 * sigma);
      }
      CHECK(std::abs(a.perigee[Perigee::d0] + c.perigee[Perigee::d0]) <
            1e-8 * std::sqrt(a.perigee_covariance(0, 0)));
    }
  }
}

TEST_CASE("global fit: weights follow their source") {
  RandomTracks random(14);
  RandomTracks::Options o;
  o.bend = 0.1;
  TrackHits t = random.track(o);
  FitOptions given;
  given.kappa = 2 * t.kappa_ref;
  TrackHits twice = t;
  for (TrackHit& h : twice.points) h.theta0_2 *= 4;
  CHECK(relative(fit_global(t, FitKind::general, given).chi2,
                 fit_global(twice, FitKind::general).chi2) < 1e-12);
  FitOptions update;
  update.weights = WeightSource::update;
  update.relinearisations = 20;
  const GlobalFit f = fit_global(t, FitKind::general, update);
  CHECK(f.status == FitStatus::ok);
  // the weights were taken at the result
  CHECK(relative(f.kappa_weights, f.kappa) < 1e-9);
  // and do not depend on where theta0 was quoted
  TrackHits other = t;
  other.kappa_ref *= 3;
  for (TrackHit& h : other.points) h.theta0_2 *= 9;
  CHECK(relative(fit_global(other, FitKind::general, update).kappa, f.kappa) <
        1e-10);
  FitOptions local;
  local.weights = WeightSource::local;
  CHECK(relative(fit_global(other, FitKind::general, local).kappa,
                 fit_global(t, FitKind::general, local).kappa) < 1e-10);
}

TEST_CASE("global fit: without field, straight tracks have the right chi2") {
  RandomTracks random(16);
  double sum = 0;
  int ndf = 0;
  constexpr int toys = 400;
  for (int i = 0; i < toys; ++i) {
    RandomTracks::Options o;
    o.n_points = 5;
    o.bend = 0;
    TrackHits t = random.track(o);
    t.kappa_ref = 0;
    t.field = false;
    FitOptions again = with_hits();
    again.relinearisations = 8;
    const GlobalFit f = fit_global(t, FitKind::general, again);
    const GlobalFit g = StreamingFitter(again).fit(t);
    REQUIRE(f.status == FitStatus::ok);
    REQUIRE(g.status == FitStatus::ok);
    CHECK(f.kappa == 0);
    CHECK(f.ndf == 6);
    CHECK(g.ndf == 6);
    CHECK(std::abs(f.chi2 - g.chi2) < 1e-9 * (1 + f.chi2));
    CHECK(std::abs(f.perigee[Perigee::d0] - g.perigee[Perigee::d0]) <
          1e-8 * std::sqrt(f.perigee_covariance(0, 0)));
    CHECK(f.perigee_covariance(0, 0) ==
          doctest::Approx(g.perigee_covariance(0, 0)).epsilon(1e-8));
    CHECK(f.perigee_covariance(4, 4) == 0);
    for (std::size_t k = 0; k < 5; ++k) {
      const Matrix6 &a = f.hits[k].before.covariance,
                    &b = g.hits[k].before.covariance;
      CHECK((a - b).norm() < 1e-7 * a.norm());
      CHECK((f.hits[k].residual - g.hits[k].residual).norm() < 1e-9);
    }
    sum += f.chi2;
    ndf += f.ndf;
  }
  CHECK(std::abs(sum - ndf) < 4 * std::sqrt(2.0 * ndf));
}

TEST_CASE("global fit: curvature and chi2 of scattered, smeared tracks") {
  // pull of unit width, chi2 of mean ndf: 4 standard errors of 2000 toys
  RandomTracks random(17);
  double sum = 0, squares = 0, chi2 = 0;
  constexpr int toys = 2000;
  for (int i = 0; i < toys; ++i) {
    RandomTracks::Options o;
    o.n_points = 6;
    TrackHits t = random.track(o);
    // the simulation scatters with the error the fit believes in
    const GlobalFit f = fit_global(t, FitKind::general);
    REQUIRE(f.status == FitStatus::ok);
    const double pull = (f.kappa - t.kappa_ref) / f.sigma;
    sum += pull;
    squares += pull * pull;
    chi2 += f.chi2;
  }
  CHECK(std::abs(sum / toys) < 4 / std::sqrt(toys));
  CHECK(std::abs(squares / toys - 1) < 4 * std::sqrt(2.0 / toys));
  CHECK(std::abs(chi2 / toys - 7) < 4 * std::sqrt(14.0 / toys));
}

TEST_CASE("global fit: passive layers do not exist for a fit of hits only") {
  RandomTracks random(16);
  RandomTracks::Options o;
  o.n_points = 10;
  o.passive = 0.4;
  int checked = 0;
  for (int i = 0; i < 20; ++i) {
    const TrackHits all = random.track(o);
    TrackHits measured = all;
    std::erase_if(measured.points,
                  [](const TrackHit& h) { return !h.measures(); });
    if (measured.points.size() < 4 ||
        measured.points.size() == all.points.size())
      continue;
    const GlobalFit a = fit_global(all, FitKind::hits, with_hits());
    const GlobalFit b = fit_global(measured, FitKind::hits, with_hits());
    REQUIRE(a.status == FitStatus::ok);
    CHECK(a.kappa == doctest::Approx(b.kappa).epsilon(1e-12));
    CHECK(a.chi2 == doctest::Approx(b.chi2).epsilon(1e-9));
    REQUIRE(a.hits.size() == b.hits.size());
    for (std::size_t k = 0; k < a.hits.size(); ++k) {
      const auto& x = a.hits[k].after.covariance;
      const auto& y = b.hits[k].after.covariance;
      CHECK((x - y).norm() <= 1e-9 * y.norm());
    }
    ++checked;
  }
  CHECK(checked > 10);
}

// the factor of all scattering variances cancels in the curvature, and the one
// of the fitted curvature is that of a fit with this assumption
TEST_CASE("global fit: passive kinks of a common curvature have its weights") {
  const TrackingGeometry geometry(shipped("cld"));
  HitList list(geometry, 20, 0.5, 5);
  for (std::size_t t = 0; t < list.size(); ++t) {
    const TrackHits hits = list.views().track(t);
    const GlobalFit common = fit_global(hits, FitKind::common_curvature);
    REQUIRE(common.status == FitStatus::ok);
    FitOptions options;
    options.kappa = common.kappa;
    const GlobalFit given = fit_global(hits, FitKind::scattering, options);
    CHECK(std::abs(given.kappa - common.kappa) < 1e-9 * common.sigma);
    CHECK(given.chi2 == doctest::Approx(common.chi2).epsilon(1e-9));
    for (int i = 0; i < 5; ++i) {
      const double v = given.perigee_covariance(i, i);
      CHECK(common.perigee_covariance(i, i) ==
            doctest::Approx(v).epsilon(1e-9));
      CHECK(std::abs(given.perigee[i] - common.perigee[i]) <
            1e-9 * std::sqrt(v) + 1e-12);
    }
  }
}

TEST_CASE("global fit: a fitter does not depend on earlier fits") {
  RandomTracks random(15);
  TrackFitter fitter(with_hits());
  for (int i = 0; i < 20; ++i) {
    const TrackHits t = some_track(random, 7 * i);
    const GlobalFit fresh = fit_global(t, FitKind::general, with_hits());
    const GlobalFit& used = fitter.fit(t, FitKind::general);
    CHECK(used.kappa == fresh.kappa);
    CHECK(used.chi2 == fresh.chi2);
    CHECK(used.hits.size() == fresh.hits.size());
    CHECK(used.perigee == fresh.perigee);
    CHECK(used.perigee_covariance == fresh.perigee_covariance);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
