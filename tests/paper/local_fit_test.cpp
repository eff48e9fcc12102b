// SPDX-License-Identifier: Apache-2.0
#include "gttf/paper/local_fit.hpp"

#include <doctest/doctest.h>

#include "gttf/fit/triplet/solenoid.hpp"
#include "support/fit_tracks.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

struct Local {
  Triplet<double> triplet;
  TripletErrors errors;
};

Local local_of(const TrackHits& t, std::size_t j) {
  Local l;
  Cartesian<double> x[3];
  for (std::size_t k = 0; k < 3; ++k) {
    const TrackHit& h = t.points[j + k];
    x[k] = {h.position[0], h.position[1], h.position[2]};
    l.errors.hits[k].setZero();
    for (const CoordinateAxis& a : h.axes()) {
      const Vector3 e = a.cosine * h.u + a.sine * h.v;
      l.errors.hits[k] += a.variance * e * e.transpose();
    }
  }
  l.triplet = make_triplet(x[0], x[1], x[2]);
  l.errors.theta0_2 = t.points[j + 1].theta0_2;
  return l;
}

}  // namespace

TEST_CASE("local fit: reference triplets to twelve digits") {
  const auto file = read_json("golden-triplets.json");
  const auto& reference = file.at("tracks").at(0);
  const TrackHits t = golden_track(reference);
  for (std::size_t j = 0; j < 3; ++j) {
    const auto& r = reference.at("local").at(j);
    const Local l = local_of(t, j);
    const LocalFit f = fit_local(l.triplet, l.errors);
    REQUIRE(f.status == FitStatus::ok);
    const auto near = [](double a, const nlohmann::json& b) {
      return std::abs(a / b.get<double>() - 1);
    };
    CHECK(near(f.kappa, r.at("kappa")) < 1e-12);
    CHECK(near(f.sigma, r.at("sigma")) < 1e-12);
    CHECK(near(f.chi2, r.at("chi2")) < 1e-11);  // q cancels two digits
    CHECK(f.passes(200));
    CHECK_FALSE(f.passes(1));
    const LocalResiduals residuals = local_residuals(l.triplet, l.errors);
    for (std::size_t k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i)
        CHECK(std::abs(residuals.residual[k][i] -
                       r.at("delta")
                           .at(3 * k + static_cast<std::size_t>(i))
                           .get<double>()) < 1e-13);
  }
}

TEST_CASE("local fit: equals the global fit of one triplet") {
  RandomTracks random(21);
  for (int i = 0; i < 60; ++i) {
    CAPTURE(i);
    RandomTracks::Options o;
    o.n_points = 3;
    o.theta = random.uniform(0.4, 2.7);
    o.bend = random.uniform(0.05, 0.5);
    o.scattering = i % 2 ? 1e-2 : 1e-3;
    TrackHits t = random.track(o);
    const Local l = local_of(t, 0);
    for (const FitKind kind :
         {FitKind::general, FitKind::hits, FitKind::scattering,
          FitKind::regularised, FitKind::common_curvature}) {
      CAPTURE(to_string(kind));
      TripletErrors errors = l.errors;
      if (kind == FitKind::regularised || kind == FitKind::common_curvature)
        errors.theta0_2 /= t.kappa_ref * t.kappa_ref;
      const LocalFit a = fit_local(l.triplet, errors, kind);
      const GlobalFit b = fit_global(t, kind);
      REQUIRE(a.status == FitStatus::ok);
      REQUIRE(b.status == FitStatus::ok);
      CHECK(std::abs(a.kappa - b.kappa) < 1e-10 * b.sigma);
      CHECK(a.sigma == doctest::Approx(b.sigma).epsilon(1e-10));
      CHECK(std::abs(a.chi2 - b.chi2) < 1e-9 * (1 + b.chi2));
    }
    FitOptions all;
    all.detail = FitDetail::hits;
    const GlobalFit f = fit_global(t, FitKind::general, all);
    const LocalResiduals r = local_residuals(l.triplet, l.errors);
    for (std::size_t k = 0; k < 3; ++k) {
      const TrackHit& h = t.points[k];
      const auto& c = f.hits[k];
      CHECK(std::abs(r.residual[k].dot(h.u) - c.residual[0]) < 1e-12);
      CHECK(std::abs(r.residual[k].dot(h.v) - c.residual[1]) < 1e-12);
      CHECK(std::abs(h.u.dot(r.residual_covariance[k] * h.v) -
                     c.residual_covariance(0, 1)) < 1e-14);
      CHECK(std::abs(h.v.dot(r.fitted_covariance[k] * h.v) -
                     c.fitted_covariance(1, 1)) < 1e-14);
    }
  }
}

TEST_CASE("local fit: a perfect triplet has chi2 and residuals of zero") {
  HelixState<double> s{{10, -4, 2}, 0.4, 1.2};
  Cartesian<double> x[3];
  for (auto& point : x) {
    point = s.position;
    s = propagate(s, -0.004, 35.0);
  }
  TripletErrors errors;
  for (auto& v : errors.hits) v = Eigen::Matrix3d::Identity() * 1e-4;
  errors.theta0_2 = 1e-6;
  const auto t = make_triplet(x[0], x[1], x[2]);
  const LocalFit f = fit_local(t, errors);
  CHECK(f.kappa == doctest::Approx(-0.004).epsilon(1e-12));
  CHECK(f.chi2 < 1e-18);
  const LocalResiduals r = local_residuals(t, errors);
  CHECK(r.residual[1].norm() < 1e-12);
  CHECK(r.residual_covariance[1].trace() > 0);
}

TEST_CASE("local fit: gives the reason for a missing result") {
  const Cartesian<double> a{0, 0, 0}, b{30, 0.1, 5}, c{60, 0.1, 10};
  TripletErrors none;
  for (auto& v : none.hits) v.setZero();
  CHECK(fit_local(make_triplet(a, b, c), none).status == FitStatus::singular);
  none.theta0_2 = 1e-6;
  CHECK(fit_local(make_triplet(a, b, c), none).status == FitStatus::ok);
  // middle hit beyond the last one
  CHECK(fit_local(make_triplet(a, c, b), none).status ==
        FitStatus::wrong_order);
  none.theta0_2 = std::nan("");
  CHECK(fit_local(make_triplet(a, b, c), none).status == FitStatus::not_finite);
  // a straight triplet has no scattering that scales with its curvature
  none.theta0_2 = 1;
  const Cartesian<double> straight{60, 0.2, 10};
  CHECK(fit_local(make_triplet(a, b, straight), none, FitKind::regularised)
            .status == FitStatus::no_curvature);
}

}  // namespace gttf::test::GTTF_TEST_FILE
