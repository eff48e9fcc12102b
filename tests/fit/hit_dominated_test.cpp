// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/fit/triplet/solenoid.hpp"
#include "support/dense.hpp"
#include "support/fit_tracks.hpp"

namespace gttf::test::GTTF_TEST_FILE {

// The matrices of the appendix of [GTTF] written out: K_hit is the inverse of
// H V H^T, what the fit never forms.
TEST_CASE("hits only: the fit is that of the matrices written out") {
  RandomTracks random(23);
  for (int i = 0; i < 30; ++i) {
    CAPTURE(i);
    RandomTracks::Options o;
    o.n_points = 4 + i % 5;
    o.theta = random.uniform(0.5, 2.6);
    const TrackHits t = random.track(o);
    std::vector<Triplet<double>> triplets;
    for (std::size_t j = 0; j + 2 < t.points.size(); ++j) {
      const auto at = [&](std::size_t k) {
        const Vector3& x = t.points[j + k].position;
        return Cartesian<double>{x[0], x[1], x[2]};
      };
      triplets.push_back(make_triplet(at(0), at(1), at(2)));
    }
    // a column per coordinate and standard deviation: H V^(1/2)
    const auto rows = static_cast<Eigen::Index>(2 * triplets.size());
    const auto columns = static_cast<Eigen::Index>(2 * t.points.size());
    Eigen::MatrixXd g = Eigen::MatrixXd::Zero(rows, columns);
    Eigen::VectorXd psi(rows), rho(rows);
    for (std::size_t j = 0; j < triplets.size(); ++j) {
      const Triplet<double>& x = triplets[j];
      const auto row = static_cast<Eigen::Index>(2 * j);
      psi.segment<2>(row) << x.theta_tilde, x.phi_tilde;
      rho.segment<2>(row) << x.rho_theta, x.rho_phi;
      for (std::size_t k = 0; k < 3; ++k) {
        const TrackHit& h = t.points[j + k];
        for (std::size_t c = 0; c < 2; ++c) {
          const CoordinateAxis& a = h.coordinates[c];
          const Vector3 e =
              std::sqrt(a.variance) * (a.cosine * h.u + a.sine * h.v);
          const auto at = static_cast<Eigen::Index>(2 * (j + k) + c);
          const auto along = [&](const Cartesian<double>& gradient) {
            return gradient.x * e[0] + gradient.y * e[1] + gradient.z * e[2];
          };
          g(row, at) = along(x.h_theta[k]);
          g(row + 1, at) = along(x.h_phi[k]);
        }
      }
    }
    const Eigen::MatrixXd k_hit = inverse(product(g, g.transpose()));
    const Eigen::VectorXd weighted_rho = product(k_hit, rho);
    const double precision = rho.dot(weighted_rho);
    const Eigen::MatrixXd k_rho =
        k_hit - product(weighted_rho, weighted_rho.transpose()) / precision;
    const double kappa = -weighted_rho.dot(psi) / precision;
    const Eigen::VectorXd weighted_psi = product(k_rho, psi);
    const Eigen::VectorXd shift = product(g.transpose(), weighted_psi);
    const Eigen::MatrixXd covariance =
        Eigen::MatrixXd::Identity(columns, columns) -
        transformed(g.transpose(), k_rho);

    FitOptions options;
    options.detail = FitDetail::hits;
    const GlobalFit f = fit_global(t, FitKind::hits, options);
    REQUIRE(f.status == FitStatus::ok);
    // the inverse loses the condition of H V H^T, up to 1e5 here
    CHECK(std::abs(f.kappa - kappa) < 1e-8 * f.sigma);
    CHECK(f.sigma == doctest::Approx(1 / std::sqrt(precision)).epsilon(1e-8));
    CHECK(std::abs(f.chi2 - shift.squaredNorm()) < 1e-7 * (1 + f.chi2));
    CHECK(std::abs(f.chi2 - psi.dot(weighted_psi)) < 1e-7 * (1 + f.chi2));
    for (std::size_t k = 0; k < t.points.size(); ++k)
      for (int c = 0; c < 2; ++c) {
        const auto at = static_cast<Eigen::Index>(2 * k) + c;
        const double sigma = std::sqrt(
            t.points[k].coordinates[static_cast<std::size_t>(c)].variance);
        CHECK(std::abs(f.hits[k].residual[c] / sigma - shift[at]) < 1e-7);
        CHECK(std::abs(f.hits[k].fitted_covariance(c, c) / (sigma * sigma) -
                       covariance(at, at)) < 1e-7);
      }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
