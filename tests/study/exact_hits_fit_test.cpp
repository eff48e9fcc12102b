// SPDX-License-Identifier: Apache-2.0
// Fits of the crossings of a track give its parameters, with the errors
// expected from its resolution.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "gttf/resolution/resolution.hpp"
#include "support/crossing_hits.hpp"
#include "support/fitted_files.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

struct Case {
  std::string particle = "muon";
  double p = 1, theta = 1.4, phi = 0.1;
  std::array<double, 3> vertex = {};
  std::optional<BeamSpot> beam_spot = {};
  EnergyLoss loss = EnergyLoss::off;
  Scattering scattering = Scattering::highland;
  double shift = 0;  ///< of hits_of()
  double turns = 0;
  std::string fitted_as = {};  ///< another particle
};

struct Compared {
  Resolution expected;
  Fitted found;
  Resolution slower;  ///< by the error
};

Compared compare(const Detector& d, const Case& c) {
  StudyRequest request;
  request.particle = *find_particle(c.particle);
  request.vertex = c.vertex;
  request.beam_spot = c.beam_spot;
  request.energy_loss = c.loss;
  request.scattering = c.scattering;
  request.turns = c.turns;
  Track t;
  t.p = c.p;
  t.theta = c.theta;
  t.phi = c.phi;
  t.vertex = c.vertex;
  t.charge = request.particle.charge;
  t.mass = request.particle.mass;
  if (!c.fitted_as.empty()) request.particle = *find_particle(c.fitted_as);
  Model model;
  model.loss = c.loss;
  model.scattering = c.scattering;
  model.beam_spot = c.beam_spot;
  FitStudyOptions options = usual();
  options.hits.order = HitOrder::as_given;
  Compared compared;
  compared.expected = resolve(TrackingGeometry(d), t, model);
  REQUIRE(compared.expected.status == Status::ok);
  compared.found =
      fit(hits_of(d, compared.expected, c.shift), d, request, options);
  t.p /= 1 + compared.expected.sigma_p_rel;
  compared.slower = resolve(TrackingGeometry(d), t, model);
  return compared;
}

Compared fit_exact_hits(const Detector& d, const Case& c) {
  Compared compared = compare(d, c);
  REQUIRE(compared.found.tracks.text("status") == "ok");
  if (c.shift != 0) return compared;
  CHECK(compared.found.tracks.real("p_GeV") ==
        doctest::Approx(c.p).epsilon(1e-4));
  CHECK(compared.found.tracks.real("chi2") < 1e-3);
  return compared;
}

/// Compares an error with the square root of the diagonal of a covariance.
void check_error(const Compared& c, const char* column, double unit,
                 const Matrix5& covariance, int i, double tolerance) {
  CAPTURE(column);
  CHECK(c.found.tracks.real(column) * unit ==
        doctest::Approx(std::sqrt(covariance(i, i))).epsilon(tolerance));
}

void check_perigee(const Compared& c, double tolerance) {
  const Matrix5& m = c.expected.perigee;
  check_error(c, "sigma_d0_um", unit::um, m, Perigee::d0, tolerance);
  check_error(c, "sigma_z0_um", unit::um, m, Perigee::z0, tolerance);
  check_error(c, "sigma_phi0_mrad", unit::mrad, m, Perigee::phi, tolerance);
  check_error(c, "sigma_theta_mrad", unit::mrad, m, Perigee::theta, tolerance);
  check_error(c, "sigma_qop_per_GeV", 1, m, Perigee::qop, tolerance);
}

/// Planes behind a magnet, or around it.
Detector spectrometer(bool planes_before) {
  std::string text =
      "gttf-detector: 1\n"
      "name: s\n"
      "field: { dipole: { entrance: 200 mm, exit: 500 mm, field: 1.7 T, "
      "direction: y } }\n"
      "layers:\n";
  int n = 0;
  for (const int z : {20, 60, 100, 600, 700, 800, 1000, 1300, 1500}) {
    if (z < 200 && !planes_before) continue;
    text += "  - { name: P" + std::to_string(++n) +
            ", plane: { z: " + std::to_string(z) +
            " mm, x: [-1 m, 1 m], y: [-1 m, 1 m] }, material: 0.1 %, "
            "measures: { u: 10 um, v: 10 um } }\n";
  }
  return parse_detector(text, "s.yaml").detector;
}

}  // namespace

TEST_CASE("exact hits: a track from outside crosses layers twice") {
  const Detector d = shipped("barrel");
  for (const EnergyLoss loss :
       {EnergyLoss::off, EnergyLoss::mean, EnergyLoss::straggling})
    for (const double p : {5.0, 50.0})
      for (const std::array<double, 3>& vertex :
           {std::array{-650.0, 30.0, 20.0}, std::array{-70.0, 10.0, 20.0},
            std::array{-25.0, 1.0, 0.0}}) {
        CAPTURE(p);
        CAPTURE(vertex[0]);
        CAPTURE(static_cast<int>(loss));
        const Compared c = fit_exact_hits(
            d, {.p = p, .theta = 1.4, .vertex = vertex, .loss = loss});
        check_perigee(c, 1e-3);
      }
}

TEST_CASE("exact hits: a track from outside does not reach the inner layers") {
  // inclined crossings of the innermost layer that it reaches
  struct Outside {
    double p, offset;  ///< of the line from the vertex, at the axis, mm
    int n_hits;
  };
  const Detector d = shipped("barrel");
  for (const double turns : {0.0, 1.0})
    for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean})
      for (const Outside& o :
           {Outside{1, 0, 6}, Outside{3, -260, 6}, Outside{0.7, 120, 4}}) {
        CAPTURE(turns);
        CAPTURE(static_cast<int>(loss));
        CAPTURE(o.p);
        const Compared c = fit_exact_hits(
            d, {.p = o.p,
                .theta = 85 * unit::deg,
                .phi = -90 * unit::deg + std::asin(o.offset / 800),
                .vertex = {0, 800, 5},
                .loss = loss,
                .turns = turns});
        CHECK(c.expected.n_hits == o.n_hits);
        check_perigee(c, 1e-3);
      }
}

TEST_CASE("exact hits: losses are those of the fitted momentum") {
  const Detector d = shipped("barrel");
  const auto loss = EnergyLoss::mean;
  for (const Case& track :
       {Case{.particle = "proton", .p = 0.4, .theta = 1.05, .loss = loss},
        Case{.particle = "proton", .p = 0.3, .theta = 1.05, .loss = loss},
        Case{.particle = "kaon", .p = 0.25, .theta = 1.05, .loss = loss},
        Case{.particle = "pion", .p = 0.2, .theta = 1.05, .loss = loss}}) {
    CAPTURE(track.particle);
    CAPTURE(track.p);
    const Compared c = fit_exact_hits(d, track);
    check_perigee(c, 1e-3);
  }
}

// Electrons and positrons of the same momentum lose different energies.
TEST_CASE("exact hits: losses are those of the measured charge") {
  const Detector d = shipped("barrel");
  for (const EnergyLoss loss : {EnergyLoss::mean, EnergyLoss::straggling})
    for (const char* particle : {"electron", "positron"})
      for (const char* fitted_as : {"electron", "positron"}) {
        CAPTURE(static_cast<int>(loss));
        CAPTURE(particle);
        CAPTURE(fitted_as);
        const Compared c = fit_exact_hits(d, {.particle = particle,
                                              .p = 0.1,
                                              .loss = loss,
                                              .fitted_as = fitted_as});
        CHECK(std::abs(c.found.tracks.real("p_GeV") / 0.1 - 1) <
              1e-3 * c.expected.sigma_p_rel);
        CHECK(c.found.tracks.real("charge") == find_particle(particle)->charge);
        check_perigee(c, 1e-3);
      }
}

// The loss depends so strongly on the momentum that a linear model of it around
// another momentum has a solution of its own. If a particle that is slower by
// the error stops before its last hit, the error means nothing; one that curls
// up there is fitted.
TEST_CASE("exact hits: particles that stop soon after their last hit") {
  struct Slow {
    const char* detector;
    const char* particle;
    double p;
  };
  int n_fitted = 0;
  for (const EnergyLoss loss : {EnergyLoss::mean, EnergyLoss::straggling})
    for (const Slow& slow :
         {Slow{"alice_its2", "proton", 0.185},
          Slow{"alice_its2", "proton", 0.21},
          Slow{"alice_its2", "proton", 0.22},
          Slow{"alice_its2", "proton", 0.23},
          Slow{"alice_its2", "proton", 0.26}, Slow{"alice_its2", "kaon", 0.14},
          Slow{"alice_its2", "kaon", 0.15}, Slow{"alice_its2", "kaon", 0.18},
          Slow{"alice_its2", "pion", 0.06}, Slow{"alice_its2", "pion", 0.075},
          Slow{"alice_its2", "alpha", 0.85}, Slow{"cld", "muon", 0.055},
          Slow{"cld", "proton", 0.19}, Slow{"cld", "proton", 0.45},
          Slow{"barrel", "kaon", 0.13}, Slow{"barrel", "proton", 0.25}}) {
      CAPTURE(slow.detector);
      CAPTURE(slow.particle);
      CAPTURE(slow.p);
      CAPTURE(static_cast<int>(loss));
      const Compared c =
          compare(shipped(slow.detector), {.particle = slow.particle,
                                           .p = slow.p,
                                           .theta = 80 * unit::deg,
                                           .phi = 10 * unit::deg,
                                           .loss = loss});
      REQUIRE(c.expected.status == Status::ok);
      if (c.slower.stopped && c.slower.n_hits < c.expected.n_hits) {
        CHECK(c.found.tracks.text("status") == "stops");
        continue;
      }
      ++n_fitted;
      REQUIRE(c.found.tracks.text("status") == "ok");
      CHECK(std::abs(c.found.tracks.real("p_GeV") / slow.p - 1) <
            1e-3 * c.expected.sigma_p_rel);
      check_perigee(c, 0.01);
    }
  CHECK(n_fitted >= 10);
}

// A track with the losses of a bad guess turns back before the last hit,
// crosses other layers, or the two layers of a corner in the opposite order.
TEST_CASE("exact hits: slow particles with a long last arc") {
  const BeamSpot spot{10 * unit::um, 10 * unit::um, 50 * unit::mm};
  const Detector cld = shipped("cld"), idea = shipped("idea");
  const auto mean = EnergyLoss::mean, straggling = EnergyLoss::straggling;
  struct Slow {
    const Detector* detector;
    Case track;
  };
  for (const Slow& slow :
       {Slow{&cld, {"kaon", 0.51985, 1.05801859, 0.22921409, {}, spot, mean}},
        Slow{&cld, {"kaon", 0.26314, 0.88648763, -2.20173285, {}, {}, mean}},
        Slow{&idea,
             {"antiproton",
              0.296885,
              2.3621810,
              -1.0259709,
              {},
              {},
              straggling}}}) {
    CAPTURE(slow.track.p);
    check_perigee(fit_exact_hits(*slow.detector, slow.track), 0.01);
  }
}

TEST_CASE("exact hits: a proton loses half of its kinetic energy") {
  // a first guess without losses would stop in L2
  const Detector d = parse_detector(R"(gttf-detector: 1
name: thick layers
field: { solenoid: 0.5 T }
layers:
  - { name: L0, cylinder: { radius: 112.512 mm, half_length: 3 m }, material: { of: iron, thickness: 0.6969 mm } }
  - { name: L1, cylinder: { radius: 343.712 mm, half_length: 3 m }, measures: { rphi: 45.8 um } }
  - { name: L2, cylinder: { radius: 208.614 mm, half_length: 3 m }, material: 0.07678, measures: { rphi: 19.5 um, z: 9.84 um } }
  - { name: L3, cylinder: { radius: 429.492 mm, half_length: 3 m }, material: 0.03458, measures: { rphi: 3.73 um, z: 29.6 um } }
  - { name: L4, cylinder: { radius: 680.455 mm, half_length: 3 m }, material: 0.0001548, measures: [{ angle: 0.000 deg, sigma: 15.2 um }, { angle: 5.730 deg, sigma: 1.88 um }] }
  - { name: L5, cylinder: { radius: 84.771 mm, half_length: 3 m }, material: 0.0002204, measures: [{ angle: -5.000 deg, sigma: 2.58 um }, { angle: 0.000 deg, sigma: 3.53 um }, { angle: 7.100 deg, sigma: 50.8 um }] }
  - { name: L6, cylinder: { radius: 593.111 mm, half_length: 3 m }, material: 0.0006274, measures: { rphi: 1.26 um, z: 8.71 um } }
  - { name: L7, cylinder: { radius: 447.006 mm, half_length: 3 m }, material: { of: silicon, thickness: 0.9374 mm }, measures: { z: 1.84 um } }
  - { name: L8, cylinder: { radius: 139.959 mm, half_length: 3 m }, material: { of: water, thickness: 0.8939 mm }, measures: [{ angle: -5.000 deg, sigma: 48.9 um }, { angle: 0.000 deg, sigma: 1.14 um }, { angle: 7.100 deg, sigma: 1.08 um }] }
  - { name: L9, cylinder: { radius: 209.862 mm, half_length: 3 m }, material: { of: iron, thickness: 0.04346 mm }, measures: { rphi: 21.5 um } }
  - { name: L10, cylinder: { radius: 889.566 mm, half_length: 3 m }, measures: [{ angle: 10.000 deg, sigma: 10.6 um }, { angle: 0.454 deg, sigma: 4.03 um }] }
)",
                                    "thick.yaml")
                         .detector;
  const Compared c = fit_exact_hits(d, {.particle = "proton",
                                        .p = 0.3165,
                                        .theta = 1.6802,
                                        .phi = -1.3132,
                                        .loss = EnergyLoss::mean,
                                        .scattering = Scattering::off});
  check_error(c, "sigma_qop_per_GeV", 1, c.expected.perigee, Perigee::qop,
              0.01);
}

// Flown backwards to its first hit or to the beam pipe, a stiff track crosses
// the cylinder twice within a small part of its half turn.
TEST_CASE("exact hits: stiff tracks with energy loss, hits displaced or not") {
  const Detector d = shipped("barrel");
  for (const EnergyLoss loss : {EnergyLoss::mean, EnergyLoss::straggling})
    for (const double p : {30.0, 100.0, 1000.0})
      for (const double shift : {0.0, 5 * unit::um, -5 * unit::um}) {
        CAPTURE(p);
        CAPTURE(shift);
        CAPTURE(static_cast<int>(loss));
        const Compared c =
            fit_exact_hits(d, {.p = p, .loss = loss, .shift = shift});
        check_error(c, "sigma_d0_um", unit::um, c.expected.perigee, Perigee::d0,
                    shift == 0 ? 1e-5 : 1e-3);
      }
}

TEST_CASE("exact hits: a beam spot before a magnet") {
  for (const bool planes_before : {false, true})
    for (const double theta : {0.0, 0.02, 0.1}) {
      CAPTURE(planes_before);
      CAPTURE(theta);
      const Compared c =
          fit_exact_hits(spectrometer(planes_before),
                         {.p = 3,
                          .theta = theta,
                          .phi = 0.5,
                          .beam_spot = BeamSpot{0.004, 0.004, 0.17}});
      const Matrix5& m = c.expected.start_plane;
      check_error(c, "sigma_x_um", unit::um, m, 0, 1e-3);
      check_error(c, "sigma_y_um", unit::um, m, 1, 1e-3);
      check_error(c, "sigma_tx_mrad", unit::mrad, m, 2, 1e-3);
      check_error(c, "sigma_ty_mrad", unit::mrad, m, 3, 1e-3);
      check_error(c, "sigma_qop_per_GeV", 1, m, 4, 1e-3);
    }
}

TEST_CASE("exact hits: the first hit is in a magnet") {
  std::string text =
      "gttf-detector: 1\n"
      "name: s\n"
      "field: { dipole: { entrance: 69 mm, exit: 283 mm, field: 0.5 T, "
      "direction: x } }\n"
      "layers:\n";
  for (const int z : {122, 130, 269, 277, 379, 527})
    text += "  - { name: P" + std::to_string(z) +
            ", plane: { z: " + std::to_string(z) +
            " mm, x: [-1 m, 1 m], y: [-1 m, 1 m] }, material: 0.1 %, "
            "measures: { u: 10 um, v: 10 um } }\n";
  const Detector d = parse_detector(text, "s.yaml").detector;
  for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean})
    // it turns towards the axis, or away from it
    for (const double phi : {1.0, -2.0}) {
      CAPTURE(phi);
      const Compared c = fit_exact_hits(
          d, {.p = 0.2, .theta = 0.0175, .phi = phi, .loss = loss});
      const auto& t = c.found.tracks;
      CHECK(t.real("theta_rad") == doctest::Approx(0.0175).epsilon(1e-6));
      CHECK(t.real("phi0_rad") == doctest::Approx(phi).epsilon(1e-6));
      CHECK(std::abs(t.real("d0_um")) < 0.01);
      check_perigee(c, 1e-3);
    }
}

// A particle slower by what is not known yet turns back before the last plane.
TEST_CASE("exact hits: muons turn far behind an absorber in a magnet") {
  std::string text =
      "gttf-detector: 1\n"
      "name: s\n"
      "field: { dipole: { entrance: 200 mm, exit: 500 mm, field: 0.6 T, "
      "direction: y } }\n"
      "layers:\n"
      "  - { name: A, plane: { z: 225 mm, x: [-1 m, 1 m], y: [-1 m, 1 m] }, "
      "material: { of: iron, thickness: 8 mm } }\n";
  for (const int z : {20, 60, 100, 250, 350, 600, 800})
    text += "  - { name: P" + std::to_string(z) +
            ", plane: { z: " + std::to_string(z) +
            " mm, x: [-1 m, 1 m], y: [-1 m, 1 m] }, material: 0.1 %, "
            "measures: { u: 10 um, v: 10 um } }\n";
  const Detector d = parse_detector(text, "s.yaml").detector;
  struct Direction {
    double p, theta, phi;  // GeV, deg
  };
  for (const Direction& start :
       {Direction{0.08981, 3.8143, 246.55}, Direction{0.084317, 4.6499, 271.7},
        Direction{0.088502, 4.6834, 162.6}}) {
    CAPTURE(start.p);
    const Compared c = fit_exact_hits(d, {.particle = "muon",
                                          .p = start.p,
                                          .theta = start.theta * unit::deg,
                                          .phi = start.phi * unit::deg,
                                          .loss = EnergyLoss::mean});
    CHECK(std::abs(c.found.tracks.real("p_GeV") / start.p - 1) <
          1e-3 * c.expected.sigma_p_rel);
  }
}

TEST_CASE("exact hits: two layers and a beam spot, with energy loss") {
  Detector d = shipped("barrel");
  std::erase_if(d.layers, [](const Layer& l) {
    return l.measures() && l.name != "L2" && l.name != "L6";
  });
  const Compared c = fit_exact_hits(d, {.p = 0.8,
                                        .beam_spot = BeamSpot{0.01, 0.01, 5},
                                        .loss = EnergyLoss::straggling});
  CHECK(c.found.tracks.integer("n_hits") == 2);
  check_perigee(c, 1e-3);
}

}  // namespace gttf::test::GTTF_TEST_FILE
