// SPDX-License-Identifier: Apache-2.0
// Delphes' exact track covariance against resolve(): CLD and a 10-layer barrel.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "gttf/resolution/resolution.hpp"
#include "support/reference.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Our covariance in Delphes' parameters (D, phi0, C, z0, cot theta), metres:
/// C = half curvature = c/2 = kappa/(2 sin theta).
Matrix5 in_delphes_parameters(const Matrix5& m, const Track& t, double bz) {
  const double kappa = -t.charge * bz / t.p, sin = std::sin(t.theta);
  const double c = kappa / sin, cot = std::cos(t.theta) / sin;
  Matrix5 j = Matrix5::Zero();
  j(0, Perigee::d0) = 1 / unit::m;
  j(1, Perigee::phi) = 1;
  j(2, Perigee::qop) = -bz / (2 * sin) * unit::m;
  j(2, Perigee::theta) = -0.5 * c * cot * unit::m;
  j(3, Perigee::z0) = 1 / unit::m;
  j(4, Perigee::theta) = -1 / (sin * sin);
  return j * m * j.transpose();
}

/// Delphes ends a track at disks once it has turned by 2 rad, we at pi. Two of
/// the 64 points (0.5 GeV at 30 and 20 deg) reach disks between the two.
Detector as_delphes_sees(Detector d, const Track& t) {
  const double c = t.charge * d.field.bz / (t.p * std::sin(t.theta));
  std::erase_if(d.layers, [&](const Layer& layer) {
    return layer.surface.shape == Shape::disk &&
           std::abs(c * layer.surface.position * std::tan(t.theta)) >= 2;
  });
  return d;
}

}  // namespace

TEST_CASE("resolve: equals Delphes' exact covariance on CLD and a barrel") {
  for (const std::string name : {"CLD_2023_fbceebd", "barrel10"}) {
    CAPTURE(name);
    const auto file = read_json("delphes/" + name + ".json");
    const Detector detector = delphes_detector(file);
    int points = 0;
    double worst = 0;
    for (const auto& e : file.at("results")) {
      Track t;
      t.p = e.at("p_GeV");
      t.theta = e.at("theta_deg").get<double>() * unit::deg;
      t.mass = file.at("conventions").at("mass_GeV");
      t.charge = 1;
      const TrackingGeometry geometry(as_delphes_sees(detector, t));
      const Resolution r = resolve(geometry, t);
      REQUIRE(r.status == Status::ok);
      CHECK(r.n_hits == e.at("n_meas_layers").get<int>());
      const Matrix5 m = in_delphes_parameters(r.perigee, t, detector.field.bz);
      std::size_t k = 0;
      double reference[5][5];
      for (int i = 0; i < 5; ++i)
        for (int j = i; j < 5; ++j)
          reference[i][j] = reference[j][i] = e.at("covariance")[k++];
      for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j)
          worst =
              std::max(worst, std::abs(m(i, j) - reference[i][j]) /
                                  std::sqrt(reference[i][i] * reference[j][j]));
      const auto relative = [&](const char* key, double value) {
        worst = std::max(worst, std::abs(value / e.at(key).get<double>() - 1));
      };
      relative("sigma_pT_over_pT", r.sigma_pt_rel);
      relative("sigma_p_over_p", r.sigma_p_rel);
      relative("sigma_d0_m", std::sqrt(r.perigee(0, 0)) / unit::m);
      relative("sigma_z0_m", std::sqrt(r.perigee(1, 1)) / unit::m);
      relative("sigma_phi_rad", std::sqrt(r.perigee(2, 2)));
      relative("sigma_theta_rad", std::sqrt(r.perigee(3, 3)));
      ++points;
    }
    CHECK(points == 32);
    CAPTURE(worst);
    // the files have 10 to 13 digits; the requirement is 1e-7
    CHECK(worst < 2e-9);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
