// SPDX-License-Identifier: Apache-2.0
// Fits of files as vectors.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "support/fitted_files.hpp"
#include "support/layouts.hpp"
#include "support/measured_tracks.hpp"
#include "support/shipped.hpp"
#include "support/toy_hits.hpp"

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("fit: tracks with mixed lists of hits are vectorised, in order") {
  const Detector detector = shipped("alice_its2");
  Normals random(31);
  std::string text = header, scalar[40];
  for (int k = 0; k < 40; ++k) {
    const std::string name = std::to_string(k);
    MeasuredTrack track = simulate(its2(), 0.5 + 0.2 * k, 0.3, random);
    // some lack a hit inside, so that a layer between hits only scatters, or
    // one at an end
    if (k % 5 == 1) track.hits.erase(track.hits.begin() + 3);
    if (k % 5 == 2) track.hits.pop_back();
    if (k % 5 == 3) track.hits.erase(track.hits.begin());
    text += csv_lines(name.c_str(), track);
    scalar[k] = header + csv_lines(name.c_str(), track);
  }
  const Fitted all = fit(text, detector);
  CHECK(all.counts.fitted == 40);
  CHECK(all.counts.batch.vectorised == 40);
  for (std::size_t k = 0; k < 40; ++k) {
    CAPTURE(k);
    CHECK(all.tracks.text("track", k) == std::to_string(k));
    const Fitted one = fit(scalar[k], detector);
    for (const char* column : {"p_GeV", "d0_um", "sigma_d0_um", "chi2"})
      CHECK(all.tracks.real(column, k) == one.tracks.real(column));
    const Fitted with_hits = fit(scalar[k], detector, {}, usual(), true);
    CHECK(with_hits.counts.batch.vectorised == 0);
    for (const char* column : {"p_GeV", "sigma_p_rel", "sigma_d0_um", "chi2"})
      CHECK(all.tracks.real(column, k) ==
            doctest::Approx(with_hits.tracks.real(column)).epsilon(1e-9));
  }
}

TEST_CASE("fit: tracks with wires and passive layers are vectorised") {
  Detector detector;
  detector.name = "wires";
  detector.field = {FieldKind::solenoid, 2 * unit::T};
  constexpr const char* names[] = {"A", "B", "C", "D", "E", "F", "G",
                                   "H", "I", "J", "K", "L", "M"};
  std::vector<gttf::test::Barrel> barrels;
  const auto barrel = [&](double r, double sigma, double x_over_x0,
                          std::vector<Coordinate> coordinates) {
    const char* name = names[barrels.size()];
    detector.layers.push_back(test::make_layer(
        name, make_cylinder(r, {-3e3, 3e3}), x_over_x0, coordinates));
    barrels.push_back({name, r, x_over_x0, sigma});
  };
  for (const double r : {20., 40., 60.})
    barrel(r, 0.01, 0.004, gttf::test::pixel(0.01, 0.01));
  barrel(80, 0, 0.02, {});
  for (int i = 0; i < 9; ++i)
    barrel(200 + 60 * i, 0.1, 1e-4, {{i % 2 == 0 ? 0.06 : -0.06, 0.1}});
  Normals random(37);
  std::string text = header;
  for (int k = 0; k < 40; ++k) {
    MeasuredTrack track = simulate(barrels, 1 + 0.2 * k, 2, random);
    if (k % 4 == 1) track.hits.erase(track.hits.begin() + 1);
    if (k % 4 == 3) track.hits.erase(track.hits.begin() + 5);
    text += csv_lines(std::to_string(k).c_str(), track);
  }
  const Fitted vectorised = fit(text, detector);
  CHECK(vectorised.counts.fitted == 40);
  CHECK(vectorised.counts.batch.vectorised == 40);
  const Fitted scalar = fit(text, detector, {}, usual(), true);
  CHECK(scalar.counts.batch.vectorised == 0);
  for (std::size_t k = 0; k < 40; ++k) {
    CAPTURE(k);
    CHECK(vectorised.tracks.text("track", k) == std::to_string(k));
    CHECK(vectorised.tracks.integer("ndf", k) ==
          scalar.tracks.integer("ndf", k));
    for (const char* column :
         {"p_GeV", "sigma_p_rel", "sigma_d0_um", "sigma_z0_um", "chi2"})
      CHECK(vectorised.tracks.real(column, k) ==
            doctest::Approx(scalar.tracks.real(column, k)).epsilon(1e-9));
  }
}

// Passive layers between the hits, in ever other numbers: some tracks do not
// cross those of the first one with the same hits.
TEST_CASE("fit: tracks of real detectors vectorised equal scalar ones") {
  for (const std::string name : {"cld", "ild", "idea"}) {
    CAPTURE(name);
    const Detector detector = shipped(name);
    const std::vector<ToyHits> toys = toy_hits(detector, 300);
    std::string text = no_layers;
    for (std::size_t k = 0; k < toys.size(); ++k) text += lines_of(k, toys[k]);
    const Fitted all = fit(text, detector);
    const Fitted single = fit(text, detector, {}, usual(), true);
    CHECK(all.counts.fitted == 300);
    // hits of the TPC of ild are coarse for their distance from each other
    CHECK(all.counts.batch.unsupported == 0);
    CHECK(all.counts.batch.vectorised > 200);
    CHECK(single.counts.batch.vectorised == 0);
    const auto near = [&](const char* column, std::size_t k, double scale) {
      const double a = all.tracks.real(column, k),
                   b = single.tracks.real(column, k);
      // rounding, amplified by the condition of K^-1
      CHECK(std::abs(a - b) < 1e-8 * scale);
    };
    for (std::size_t k = 0; k < 300; ++k) {
      CAPTURE(k);
      const auto of = [&](const char* column) {
        return single.tracks.real(column, k);
      };
      near("qop_per_GeV", k, of("sigma_qop_per_GeV"));
      near("d0_um", k, of("sigma_d0_um"));
      near("z0_um", k, of("sigma_z0_um"));
      near("phi0_rad", k, of("sigma_phi0_mrad") / 1000);
      near("theta_rad", k, of("sigma_theta_mrad") / 1000);
      near("sigma_d0_um", k, of("sigma_d0_um"));
      near("sigma_p_rel", k, of("sigma_p_rel"));
      near("chi2", k, of("chi2"));
    }
    for (std::size_t k = 0; k < 300; k += 7) {
      CAPTURE(k);
      const Fitted one = fit(no_layers + lines_of(k, toys[k]), detector);
      for (const char* column : {"p_GeV", "d0_um", "sigma_d0_um", "chi2"})
        CHECK(all.tracks.real(column, k) == one.tracks.real(column));
    }
  }
}

// Both hits near the pipe are outside of it: the track crosses it twice in
// between.
TEST_CASE("fit: a track from outside through a pipe takes the scalar path") {
  Detector detector;
  detector.field = {FieldKind::solenoid, 2 * unit::T};
  detector.layers.push_back(
      test::make_layer("pipe", make_cylinder(20, {-3e3, 3e3}), 0.01, {}));
  for (const double r : {30., 60., 90.})
    detector.layers.push_back(test::make_layer(
        "r" + std::to_string(static_cast<int>(r)),
        make_cylinder(r, {-3e3, 3e3}), 0.004,
        r < 90 ? test::pixel(0.01, 0.01) : std::vector<Coordinate>{{0, 0.01}}));
  // on a circle through (0, 10 mm) along x
  constexpr double radius = 3e3, d0 = 10, cot = 0.3;
  std::string text = "track,x_mm,y_mm,z_mm\n";
  for (const double r : {-90., -60., -30., 30., 60., 90.}) {
    const double rise = (r * r - d0 * d0) / (2 * radius * (radius + d0));
    const double turn = std::copysign(std::acos(1 - rise), r);
    char line[200];
    std::snprintf(line, sizeof line, "1,%.7f,%.7f,%.7f\n",
                  radius * std::sin(turn), d0 + radius * rise,
                  radius * turn * cot);
    text += line;
  }
  FitStudyOptions options = usual();
  options.hits.order = HitOrder::as_given;
  const Fitted a = fit(text, detector, {}, options);
  const Fitted b = fit(text, detector, {}, options, true);
  CHECK(a.counts.batch.unsupported == 1);
  CHECK(a.tracks.text("status") == "ok");
  for (const char* column : {"p_GeV", "sigma_phi0_mrad", "sigma_d0_um", "chi2"})
    CHECK(a.tracks.real(column) == b.tracks.real(column));
}

TEST_CASE("fit: the result does not depend on the number of threads") {
  const Detector detector = shipped("alice_its2");
  Normals random(8);
  std::string text = header;
  for (int i = 0; i < 4000; ++i)
    text += csv_lines(std::to_string(i), simulate(its2(), 2, 0.5, random));
  FitStudyOptions options = usual();
  const Fitted a = fit(text, detector, {}, options, true);
  options.threads = 3;
  const Fitted b = fit(text, detector, {}, options, true);
  bool same = a.tracks.all.rows() == 4000;
  for (std::size_t i = 0; i < 4000 && same; ++i)
    same = a.tracks.text("track", i) == std::to_string(i) &&
           b.tracks.text("track", i) == std::to_string(i) &&
           a.tracks.real("p_GeV", i) == b.tracks.real("p_GeV", i) &&
           a.tracks.real("chi2", i) == b.tracks.real("chi2", i);
  CHECK(same);
  CHECK(b.residuals.all.rows() == 28000);
}

}  // namespace gttf::test::GTTF_TEST_FILE
