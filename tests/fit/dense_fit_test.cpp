// SPDX-License-Identifier: Apache-2.0
// The fits of a track against dense linear algebra and reference values.
#include <doctest/doctest.h>

#include "gttf/fit/streaming/streaming_fit.hpp"
#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/fit/triplet/solenoid.hpp"
#include "gttf/paper/triplet_equations.hpp"
#include "support/compare.hpp"
#include "support/dense.hpp"
#include "support/exact_chi2.hpp"
#include "support/fit_tracks.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Cartesian<double> point(const TrackHits& t, std::size_t k) {
  const Vector3& x = t.points[k].position;
  return {x[0], x[1], x[2]};
}

/// Triplets of neighbouring points, for dense checks.
std::vector<Triplet<double>> triplets(const TrackHits& t) {
  std::vector<Triplet<double>> list;
  for (std::size_t j = 0; j + 2 < t.points.size(); ++j)
    list.push_back(make_triplet(point(t, j), point(t, j + 1), point(t, j + 2)));
  return list;
}

/// Dense linear system of a track: rows theta_0, phi_0, ...; V = 1.
struct Dense {
  Eigen::VectorXd psi, rho, scattering;
  Eigen::MatrixXd g;

  explicit Dense(const TrackHits& t) {
    const auto list = triplets(t);
    const auto n = static_cast<Eigen::Index>(list.size());
    psi = rho = scattering = Eigen::VectorXd::Zero(2 * n);
    g = Eigen::MatrixXd::Zero(2 * n, 2 * (n + 2));
    for (Eigen::Index j = 0; j < n; ++j) {
      const auto& r = list[static_cast<std::size_t>(j)];
      psi.segment<2>(2 * j) << r.theta_tilde, r.phi_tilde;
      rho.segment<2>(2 * j) << r.rho_theta, r.rho_phi;
      const double sine = sin_mean_theta(r);
      const double w = t.points[static_cast<std::size_t>(j + 1)].theta0_2;
      scattering.segment<2>(2 * j) << w, w / (sine * sine);
      for (Eigen::Index k = 0; k < 3; ++k) {
        const TrackHit& h = t.points[static_cast<std::size_t>(j + k)];
        const auto& ht = r.h_theta[static_cast<std::size_t>(k)];
        const auto& hp = r.h_phi[static_cast<std::size_t>(k)];
        for (Eigen::Index q = 0; q < 2; ++q) {
          const auto& a = h.coordinates[static_cast<std::size_t>(q)];
          const Vector3 e =
              (a.cosine * h.u + a.sine * h.v) * std::sqrt(a.variance);
          g(2 * j, 2 * (j + k) + q) = ht.x * e[0] + ht.y * e[1] + ht.z * e[2];
          g(2 * j + 1, 2 * (j + k) + q) =
              hp.x * e[0] + hp.y * e[1] + hp.z * e[2];
        }
      }
    }
  }
};

/// Shifts of the hits in standard deviations.
Eigen::VectorXd shifts(const TrackHits& t, const GlobalFit& f) {
  Eigen::VectorXd s(2 * static_cast<Eigen::Index>(f.hits.size()));
  for (std::size_t k = 0; k < f.hits.size(); ++k)
    for (int q = 0; q < 2; ++q)
      s[2 * static_cast<Eigen::Index>(k) + q] =
          f.hits[k].residual[q] /
          std::sqrt(
              t.points[k].coordinates[static_cast<std::size_t>(q)].variance);
  return s;
}

}  // namespace

TEST_CASE("global fit: reference track to twelve digits") {
  const auto file = read_json("golden-triplets.json");
  const auto& reference = file.at("tracks").at(0);
  const TrackHits track = golden_track(reference);
  const GlobalFit f = fit_global(track, FitKind::general, with_hits());
  REQUIRE(f.status == FitStatus::ok);
  CHECK(f.ndf == 5);
  // the condition of K^-1 here is about 100
  CHECK(relative(f.kappa, reference.at("kappa")) < 1e-12);
  CHECK(relative(f.sigma, reference.at("sigma")) < 1e-12);
  CHECK(relative(f.chi2, reference.at("chi2")) < 1e-12);
  for (std::size_t k = 0; k < f.hits.size(); ++k) {
    const Vector3 delta = track.points[k].u * f.hits[k].residual[0] +
                          track.points[k].v * f.hits[k].residual[1];
    for (int i = 0; i < 3; ++i)
      CHECK(std::abs(delta[i] - reference.at("delta")
                                    .at(3 * k + static_cast<std::size_t>(i))
                                    .get<double>()) < 1e-13);
  }
  const GlobalFit s = fit_global(track, FitKind::scattering);
  CHECK(relative(s.kappa, reference.at("kappa_MS")) < 1e-12);
  CHECK(relative(s.sigma, reference.at("sigma_MS_fit")) < 1e-12);
  CHECK(relative(s.chi2, reference.at("chi2_MS")) < 1e-12);
}

TEST_CASE("global fit: dense least squares gives the same, covariances too") {
  // chi2(kappa, u) = |D^(1/2) (psi + rho kappa - G u)|^2 + |u|^2 solved as one
  // overdetermined system, without K
  RandomTracks random(3);
  for (int i = 0; i < 60; ++i) {
    CAPTURE(i);
    const TrackHits t = some_track(random, i);
    const Dense d(t);
    const Eigen::Index rows = d.psi.size(), n = d.g.cols();
    const Eigen::VectorXd w = d.scattering.cwiseSqrt().cwiseInverse();
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(rows + n, 1 + n);
    a.topLeftCorner(rows, 1) = w.cwiseProduct(d.rho);
    a.topRightCorner(rows, n) = -(w.asDiagonal() * d.g);
    a.bottomRightCorner(n, n).setIdentity();
    Eigen::VectorXd b = Eigen::VectorXd::Zero(rows + n);
    b.head(rows) = -w.cwiseProduct(d.psi);
    const double scale = 1 / a.col(0).norm();
    a.col(0) *= scale;
    Eigen::VectorXd y = least_squares(a, b);
    const double chi2 = (product(a, y) - b).squaredNorm();
    Eigen::MatrixXd c = solve_symmetric(
        product(a.transpose(), a), Eigen::MatrixXd::Identity(1 + n, 1 + n));
    y[0] *= scale;
    c.row(0) *= scale;
    c.col(0) *= scale;

    const GlobalFit f = fit_global(t, FitKind::general, with_hits());
    REQUIRE(f.status == FitStatus::ok);
    CHECK(std::abs(f.kappa - y[0]) < 1e-9 * f.sigma);
    CHECK(relative(f.sigma, std::sqrt(c(0, 0))) < 1e-9);
    CHECK(std::abs(f.chi2 - chi2) < 1e-9 * (1 + chi2));
    CHECK((shifts(t, f) - y.tail(n)).norm() < 1e-9);
    for (std::size_t k = 0; k < f.hits.size(); ++k) {
      const HitFit& h = f.hits[k];
      for (int p = 0; p < 2; ++p) {
        const auto column = 1 + 2 * static_cast<Eigen::Index>(k) + p;
        const auto sigma = [&](int q) {
          return std::sqrt(
              t.points[k].coordinates[static_cast<std::size_t>(q)].variance);
        };
        // fitted = measured - shift, errors turn sign
        CHECK(std::abs(h.fitted_with_kappa[p] / sigma(p) + c(0, column)) <
              1e-9 * f.sigma);
        for (int q = 0; q < 2; ++q) {
          const auto other = 1 + 2 * static_cast<Eigen::Index>(k) + q;
          CHECK(std::abs(h.fitted_covariance(p, q) / (sigma(p) * sigma(q)) -
                         c(column, other)) < 1e-9);
          // Cov(residual) + Cov(fitted) = V
          const double v = p == q ? sigma(p) * sigma(p) : 0;
          CHECK(std::abs(h.residual_covariance(p, q) +
                         h.fitted_covariance(p, q) - v) <
                1e-14 * sigma(p) * sigma(q));
        }
      }
    }
  }
}

TEST_CASE("global fit: re-linearised, it finds the minimum of the exact chi2") {
  RandomTracks random(5);
  for (const FitKind kind : {FitKind::general, FitKind::hits})
    for (int i = 0; i < 25; ++i) {
      CAPTURE(i);
      TrackHits t = some_track(random, i);
      if (kind == FitKind::hits && t.points.size() == 3) continue;
      FitOptions o = with_hits();
      o.relinearisations = 30;
      const GlobalFit f = fit_global(t, kind, o);
      REQUIRE(f.status == FitStatus::ok);
      if (kind == FitKind::hits)
        for (TrackHit& h : t.points) h.theta0_2 = 0;
      const auto& s = f.hits.front().before.parameters;
      const ExactChi2 exact(t, s[StateIndex::phi], s[StateIndex::theta],
                            f.kappa);
      CHECK(std::abs(f.kappa - exact.kappa) < 1e-9 * exact.sigma);
      CHECK(std::abs(f.chi2 - exact.chi2) < 1e-9 * (1 + exact.chi2));
    }
}

TEST_CASE("global fit: scattering fits minimise their chi2") {
  RandomTracks random(8);
  for (int i = 0; i < 40; ++i) {
    CAPTURE(i);
    RandomTracks::Options o;
    o.n_points = 3 + i % 8;
    o.theta = random.uniform(0.4, 2.7);
    o.sigma_u = o.sigma_v = 1e-9;
    const TrackHits t = random.track(o);
    const Dense d(t);
    const auto chi2 = [&](double kappa, bool scaled) {
      const double ratio = scaled ? kappa / t.kappa_ref : 1;
      return (d.psi + d.rho * kappa)
                 .cwiseAbs2()
                 .cwiseQuotient(d.scattering)
                 .sum() /
             (ratio * ratio);
    };
    const GlobalFit s = fit_global(t, FitKind::scattering);
    const GlobalFit r = fit_global(t, FitKind::regularised);
    const GlobalFit c = fit_global(t, FitKind::common_curvature);
    for (const auto& [f, scaled] : {std::pair{s, false}, std::pair{r, true}}) {
      REQUIRE(f.status == FitStatus::ok);
      CHECK(f.chi2 == doctest::Approx(chi2(f.kappa, scaled)).epsilon(1e-9));
      const double h = 1e-4 * f.sigma;
      CHECK(chi2(f.kappa + h, scaled) > f.chi2);
      CHECK(chi2(f.kappa - h, scaled) > f.chi2);
    }
    // sigma: chi2 rises by 1; of 1/kappa in the regularised fit
    CHECK(chi2(s.kappa + s.sigma, false) ==
          doctest::Approx(s.chi2 + 1).epsilon(1e-9));
    const double u = 1 / r.kappa + r.sigma / (r.kappa * r.kappa);
    CHECK(chi2(1 / u, true) == doctest::Approx(r.chi2 + 1).epsilon(1e-9));
    // the common curvature does not depend on the weights' scale, its error and
    // chi2 belong to theta0 = b |kappa|
    CHECK(relative(c.kappa, s.kappa) < 1e-11);
    CHECK(c.chi2 == doctest::Approx(chi2(c.kappa, true)).epsilon(1e-9));
    CHECK(relative(c.sigma, s.sigma * std::abs(c.kappa / t.kappa_ref)) < 1e-9);
    // and it is where updating arrives
    FitOptions update;
    update.weights = WeightSource::update;
    const GlobalFit up = fit_global(t, FitKind::scattering, update);
    CHECK(relative(up.kappa, c.kappa) < 1e-11);
    CHECK(relative(up.sigma, c.sigma) < 1e-9);
  }
}

TEST_CASE("global fit: chi2 relations between general, scattering and local") {
  RandomTracks random(9);
  for (int i = 0; i < 60; ++i) {
    CAPTURE(i);
    const TrackHits t = some_track(random, i);
    const Dense d(t);
    const GlobalFit g = fit_global(t, FitKind::general, with_hits());
    const GlobalFit s = fit_global(t, FitKind::scattering);
    CHECK(g.chi2 <= s.chi2 * (1 + 1e-12));
    // chi2_min = chi2_MS + (kappa - kappa_MS)^2/sigma_MS^2 - delta P delta
    const Eigen::VectorXd u = shifts(t, g), kinks = product(d.g, u);
    const double p =
        u.squaredNorm() + kinks.cwiseAbs2().cwiseQuotient(d.scattering).sum();
    const double pull = (g.kappa - s.kappa) / s.sigma;
    CHECK(std::abs(g.chi2 - (s.chi2 + pull * pull - p)) < 1e-9 * (1 + s.chi2));
    // K_rho rho = 0: adding a multiple of rho to psi changes only kappa,
    // because kappa is at its minimum: residual kinks are orthogonal to it
    const Eigen::VectorXd rest = d.psi + d.rho * g.kappa - kinks;
    const Eigen::VectorXd weighted = rest.cwiseQuotient(d.scattering);
    CHECK(std::abs(d.rho.dot(weighted)) <
          1e-9 * d.rho.cwiseAbs().dot(weighted.cwiseAbs()));
    // local scattering fits, same variances
    std::vector<LocalCurvature> local;
    std::vector<double> general;
    for (std::size_t j = 0; j + 2 < t.points.size(); ++j) {
      TrackHits one = t;
      one.points = {t.points[j], t.points[j + 1], t.points[j + 2]};
      const GlobalFit f = fit_global(one, FitKind::scattering);
      local.push_back({f.kappa, f.sigma, f.chi2});
      general.push_back(fit_global(one, FitKind::general).chi2);
    }
    const LocalCurvature all = combine(local);
    CHECK(std::abs(all.kappa - s.kappa) < 1e-10 * s.sigma);
    CHECK(relative(all.sigma, s.sigma) < 1e-12);
    CHECK(std::abs(all.chi2 - s.chi2) < 1e-9 * (1 + s.chi2));
    CHECK(scattering_lower_bound(local) <= s.chi2 * (1 + 1e-12));
    CHECK(general_lower_bound(general) <= g.chi2 * (1 + 1e-12));
    CHECK(general_lower_bound(general) >=
          *std::max_element(general.begin(), general.end()));
    CHECK(fails_by_triplets(general, g.chi2 * (1 + 1e-12)) == false);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
