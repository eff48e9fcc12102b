// SPDX-License-Identifier: Apache-2.0
// The independent helix least-squares code against resolve(), every number.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

#include "gttf/resolution/resolution.hpp"
#include "support/compare.hpp"
#include "support/reference.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

// The reference files carry 10 significant digits: 5e-10 of rounding.
constexpr double tolerance = 1e-9;

constexpr const char* cases[] = {"p1_pixel5",       "p2_pixstrip10",
                                 "p3_its2_like",    "p4_mu3e_like",
                                 "p5_forward_eta2", "p6_tpc100"};

/// Largest |a - b| over sigma_i sigma_j.
double deviation(const Matrix5& a, const nlohmann::json& b) {
  const auto entry = [&b](int i, int j) {
    return b.at(static_cast<std::size_t>(i))
        .at(static_cast<std::size_t>(j))
        .get<double>();
  };
  double worst = 0;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) {
      const double scale = std::sqrt(entry(i, i) * entry(j, j));
      worst = std::max(worst, std::abs(a(i, j) - entry(i, j)) / scale);
    }
  return worst;
}

/// Worst relative deviation of the scalars both sides have.
double scalars(const Resolution& r, const nlohmann::json& e) {
  const auto sigma = [](const Matrix5& m, int i) { return std::sqrt(m(i, i)); };
  const std::pair<const char*, double> values[] = {
      {"sigma_d0", sigma(r.perigee, Perigee::d0)},
      {"sigma_z0", sigma(r.perigee, Perigee::z0)},
      {"sigma_phi0", sigma(r.perigee, Perigee::phi)},
      {"sigma_theta", sigma(r.perigee, Perigee::theta)},
      {"sigma_qop", sigma(r.perigee, Perigee::qop)},
      {"sigma_d0_noinner", sigma(r.perigee_without_inner, Perigee::d0)},
      {"sigma_z0_noinner", sigma(r.perigee_without_inner, Perigee::z0)},
      {"sigma_phi0_noinner", sigma(r.perigee_without_inner, Perigee::phi)},
      {"sigma_theta_noinner", sigma(r.perigee_without_inner, Perigee::theta)},
      {"sigma_p_rel", r.sigma_p_rel},
      {"sigma_pt_rel", r.sigma_pt_rel},
      {"sigma_p_rel_noms", r.sigma_p_rel_hit_only},
      {"sigma_p_rel_nohit", r.sigma_p_rel_ms_only},
      {"x_over_x0_total", r.x_over_x0}};
  double worst = 0;
  int compared = 0;
  for (const auto& [key, value] : values)
    if (e.contains(key)) {
      worst = std::max(worst, relative(value, e.at(key)));
      ++compared;
    }
  REQUIRE(compared >= 7);
  return worst;
}

double crossings(const Resolution& r, const nlohmann::json& e) {
  REQUIRE(r.crossings.size() == e.at("crossings").size());
  double worst = 0;
  for (std::size_t k = 0; k < r.crossings.size(); ++k) {
    const CrossingInfo& a = r.crossings[k];
    const auto& b = e.at("crossings")[k];
    CHECK(a.layer == b.at("layer").get<std::size_t>());
    CHECK(a.measured == b.at("measured").get<bool>());
    const double s = b.at("s");
    const double x[] = {b.at("x"), b.at("y"), b.at("z")};
    for (int i = 0; i < 3; ++i)
      worst = std::max(worst, std::abs(a.position[i] - x[i]) / s);
    worst = std::max(
        {worst, relative(a.path, s), relative(a.cos_incidence, b.at("cos_inc")),
         relative(a.x_over_x0, b.at("x_over_x0")),
         relative(a.theta0, b.at("theta0")),
         std::abs(std::remainder(a.phi - b.at("phi_dir").get<double>(),
                                 2 * unit::pi))});
  }
  return worst;
}

}  // namespace

TEST_CASE("resolve: equals the helix least squares, all points and matrices") {
  for (const std::string name : cases) {
    CAPTURE(name);
    const auto file = read_json("oracle/" + name + ".json");
    const Detector detector = oracle_detector(file);
    const TrackingGeometry geometry(detector);
    double worst = 0;
    for (const auto& point : file.at("points")) {
      const auto& e = point.at("expected");
      const Track track = oracle_track(point.at("input"));
      const Resolution r = resolve(geometry, track);
      REQUIRE(r.status == Status::ok);
      CHECK(r.n_hits == e.at("n_measured").get<int>());
      worst = std::max(
          {worst, crossings(r, e), scalars(r, e),
           deviation(r.perigee, e.at("cov_perigee")),
           deviation(r.perigee_without_inner, e.at("cov_perigee_noinner")),
           deviation(r.first_hit, e.at("cov_first"))});
    }
    CAPTURE(worst);
    CHECK(worst < tolerance);
  }
}

TEST_CASE("resolve: the other scattering models equal the reference") {
  const std::pair<const char*, Scattering> models[] = {
      {"pdg_old", Scattering::highland_1991},
      {"nolog", Scattering::rossi},
      {"log_total", Scattering::highland_total}};
  for (const std::string name : cases) {
    CAPTURE(name);
    const auto file = read_json("oracle/" + name + ".json");
    const TrackingGeometry geometry(oracle_detector(file));
    for (const auto& point : file.at("points"))
      for (const auto& [name_there, model] : models) {
        const std::string key = name_there;
        CAPTURE(key);
        const Resolution r = resolve(geometry, oracle_track(point.at("input")),
                                     {.scattering = model});
        CHECK(scalars(r, point.at("expected_alt").at(key)) < tolerance);
      }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
