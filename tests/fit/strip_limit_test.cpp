// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "gttf/fit/triplet/solenoid.hpp"
#include "gttf/paper/local_fit.hpp"
#include "support/fit_tracks.hpp"

// The appendix of [GTTF] on strips writes the fit of one triplet in a barrel of
// long axial strips as that of its azimuths, corrected for the rotation of the
// triplet when the fit moves its hits along the strips. With full gradients the
// general formula contains the rotation: docs/theory/local-fit.md.

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Hits of a helix on three cylinders, moved along their strips.
struct Strips {
  Triplet<double> triplet;
  TripletErrors errors;
  std::array<double, 3> rotation{};  ///< g_k along the strip, 1/mm
  double gamma_theta = 0;            ///< of the hits
  double gamma_phi = 0;              ///< strips and scattering, no rotation
  double crossed = 0;                ///< sum g_k V_k h_theta,k
  double rotated = 0;                ///< sum g_k V_k g_k
  double theta = 0;
};

constexpr double sigma_u = 0.01, sigma_z = 2, theta0 = 1e-4;

Strips make_strips(const std::array<double, 3>& radii, double theta,
                   const std::array<double, 3>& moved) {
  Strips s;
  s.theta = theta;
  Cartesian<double> x[3];
  std::array<Vector3, 3> across;
  for (std::size_t k = 0; k < 3; ++k) {
    // transverse radius of curvature 1668 mm: 1 GeV transverse in 2 T
    const double half = std::asin(radii[k] / (2 * 1668.));
    const double z = 2 * half * 1668 / std::tan(theta) + moved[k];
    x[k] = {radii[k] * std::cos(half), radii[k] * std::sin(half), z};
    across[k] = {-std::sin(half), std::cos(half), 0};
    s.errors.hits[k] = sigma_u * sigma_u * across[k] * across[k].transpose();
    s.errors.hits[k](2, 2) = sigma_z * sigma_z;
  }
  s.errors.theta0_2 = theta0 * theta0;
  const Triplet<double>& t = s.triplet = make_triplet(x[0], x[1], x[2]);
  const double s01 = t.first.arc, s12 = t.second.arc;
  s.rotation = {-s01 / (s01 + s12) * t.h_theta[0].z, 0,
                s12 / (s01 + s12) * t.h_theta[2].z};
  const double sine = std::sin(theta);
  s.gamma_phi = s.errors.theta0_2 / (sine * sine);
  for (std::size_t k = 0; k < 3; ++k) {
    const double h_theta = t.h_theta[k].z, v = sigma_z * sigma_z;
    const Vector3 h_phi(t.h_phi[k].x, t.h_phi[k].y, 0);
    s.gamma_theta += h_theta * h_theta * v;
    s.gamma_phi += std::pow(sigma_u * h_phi.dot(across[k]), 2);
    s.crossed += s.rotation[k] * v * h_theta;
    s.rotated += s.rotation[k] * v * s.rotation[k];
  }
  return s;
}

/// Variance of the curvature by the rotation of the triplet.
/// @param cotangent  factor of it: cot^2(theta)
double strip_variance(const Strips& s, double cotangent) {
  const Triplet<double>& t = s.triplet;
  const double kappa = t.phi_tilde / t.rho_phi;
  const double turn = s.rotated - s.crossed * s.crossed / s.gamma_theta;
  return s.gamma_phi / (t.rho_phi * t.rho_phi) +
         kappa * kappa * cotangent * turn;
}

}  // namespace

TEST_CASE(
    "long strips: the rotation of the triplet is in the general formula") {
  // terms left out: (sigma_z/length)^2 and Gamma_phi/Gamma_theta, 1e-3 here
  for (const auto& radii :
       {std::array{100., 150., 200.}, std::array{100., 150., 230.}})
    for (const double theta : {0.5, 0.9, 2.4}) {
      CAPTURE(radii[2]);
      CAPTURE(theta);
      const Strips s = make_strips(radii, theta, {1.5, -1, 0.8});
      const Triplet<double>& t = s.triplet;
      const LocalFit f = fit_local(t, s.errors);
      REQUIRE(f.status == FitStatus::ok);
      const double cot = 1 / std::tan(theta);
      const double turn = -t.theta_tilde / s.gamma_theta * s.crossed;
      const double plain = -t.phi_tilde / t.rho_phi;
      CHECK(f.kappa == doctest::Approx(plain * (1 + cot * turn)).epsilon(5e-4));
      CHECK(f.sigma * f.sigma ==
            doctest::Approx(strip_variance(s, cot * cot)).epsilon(2e-2));
      CHECK(f.chi2 ==
            doctest::Approx(t.theta_tilde * t.theta_tilde / s.gamma_theta)
                .epsilon(2e-2));
    }
}

TEST_CASE("long strips: the printed correction fails") {
  // F11: cot(theta) for its square
  const Strips s = make_strips({100, 150, 200}, 0.5, {0, 0, 0});
  const LocalFit f = fit_local(s.triplet, s.errors);
  const double printed = strip_variance(s, 1 / std::tan(s.theta));
  CHECK(printed / (f.sigma * f.sigma) < 0.9);
  // F12, F14: factors 1/2 for s01/s02 and s12/s02 and a factor Theta~/(2 Gamma)
  // times residuals that contain it already, so that the correction is of
  // second order in the polar kink and never changes its sign with it
  const auto correction = [](double sign) {
    const Strips a =
        make_strips({100, 150, 230}, 0.5, {1.5 * sign, -sign, 0.8 * sign});
    const LocalFit fit = fit_local(a.triplet, a.errors);
    const LocalResiduals r = local_residuals(a.triplet, a.errors);
    const Triplet<double>& t = a.triplet;
    const double exact =
        (fit.kappa / (-t.phi_tilde / t.rho_phi) - 1) * std::tan(a.theta);
    const double as_printed =
        t.theta_tilde / (2 * a.gamma_theta) *
        (r.residual[2][2] * t.h_theta[2].z - r.residual[0][2] * t.h_theta[0].z);
    return std::pair(exact, as_printed);
  };
  const auto up = correction(1), down = correction(-1);
  CHECK(up.first * down.first < 0);
  CHECK(up.second * down.second > 0);
}

}  // namespace gttf::test::GTTF_TEST_FILE
