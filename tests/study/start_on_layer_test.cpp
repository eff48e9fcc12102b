// SPDX-License-Identifier: Apache-2.0
// Tracks that start on a layer: their expected errors agree with fits of their
// hits.
#include <doctest/doctest.h>

#include <cmath>

#include "gttf/resolution/resolution.hpp"
#include "support/crossing_hits.hpp"
#include "support/fitted_files.hpp"
#include "support/telescope.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

double sigma(const Matrix5& m, int i) { return std::sqrt(m(i, i)); }

}  // namespace

TEST_CASE("start on a layer: a telescope's fit is as good as expected") {
  const Detector d = make_telescope();
  StudyRequest request;
  request.particle = *find_particle("electron");
  Track t;
  t.p = 4;
  t.mass = request.particle.mass;
  FitStudyOptions options = usual();
  options.hits.momentum = t.p;
  for (const double theta : {0.0, 0.01})
    for (const double z : {0.0, -10.0}) {
      t.theta = theta;
      t.vertex = request.vertex = {0.3, -0.2, z};
      const Resolution r = resolve(TrackingGeometry(d), t);
      CHECK(r.n_hits == 6);
      const Fitted f = fit(hits_of(d, r), d, request, options);
      REQUIRE(f.tracks.text("status") == "ok");
      const char* const columns[] = {"sigma_x_um", "sigma_y_um"};
      for (int i = 0; i < 2; ++i)
        CHECK(f.tracks.real(columns[i]) * unit::um ==
              doctest::Approx(sigma(r.start_plane, i)).epsilon(1e-6));
      const char* const slopes[] = {"sigma_tx_mrad", "sigma_ty_mrad"};
      for (int i = 0; i < 2; ++i)
        CHECK(f.tracks.real(slopes[i]) * unit::mrad ==
              doctest::Approx(sigma(r.start_plane, 2 + i)).epsilon(1e-6));
    }
}

TEST_CASE("start on a layer: a fit in a solenoid agrees") {
  const Detector d = make_barrel(6, 30, 330, 2, 0.01, 10 * unit::um);
  StudyRequest request;
  Track t;
  t.p = 2;
  t.theta = 1.1;
  t.phi = 0.4;
  t.charge = request.particle.charge;
  t.mass = request.particle.mass;
  FitStudyOptions options = usual();
  options.hits.momentum = t.p;
  options.fit.weights = WeightSource::estimate;
  for (const double r : {30.0, 29.0, 20.0}) {
    t.vertex = request.vertex = {r * std::cos(0.5), r * std::sin(0.5), 4};
    for (const Engine engine : {Engine::streaming, Engine::triplet}) {
      Model model;
      model.engine = engine;
      const Resolution expected = resolve(TrackingGeometry(d), t, model);
      REQUIRE(expected.status == Status::ok);
      CHECK(expected.n_hits == 6);
      CHECK(expected.crossings.front().path < 30.0);
      const Fitted f = fit(hits_of(d, expected), d, request, options);
      REQUIRE(f.tracks.text("status") == "ok");
      // the fit finds the path from its hits
      const auto agrees = [&](const char* column, double unit, int i) {
        CHECK(f.tracks.real(column) * unit ==
              doctest::Approx(sigma(expected.perigee, i)).epsilon(1e-5));
      };
      agrees("sigma_d0_um", unit::um, Perigee::d0);
      agrees("sigma_z0_um", unit::um, Perigee::z0);
      agrees("sigma_phi0_mrad", unit::mrad, Perigee::phi);
      agrees("sigma_theta_mrad", unit::mrad, Perigee::theta);
      agrees("sigma_qop_per_GeV", 1, Perigee::qop);
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
