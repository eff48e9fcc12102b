// SPDX-License-Identifier: Apache-2.0
// In which order the hits of a track are fitted.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "support/fitted_files.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"
#include "support/toy_hits.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Pixels, and pairs of strips a few mm apart that measure along z (cylinders)
/// or along r (disks) to a centimetre and a half; between them a support.
Detector strip_pairs() {
  Detector d;
  d.name = "pairs of strips";
  d.field = {FieldKind::solenoid, 3.8 * unit::T};
  const auto add = [&d](const char* name, Surface surface, double x_over_x0,
                        std::vector<Coordinate> coordinates) {
    d.layers.push_back(make_layer(name, surface, x_over_x0, coordinates));
  };
  const auto pixels = pixel(0.006, 0.02), strips = pixel(0.026, 14.5);
  const Interval short_z{-270, 270}, long_z{-700, 700};
  add("B1", make_cylinder(30, short_z), 0.02, pixels);
  add("B2", make_cylinder(70, short_z), 0.02, pixels);
  add("B3", make_cylinder(110, short_z), 0.02, pixels);
  add("F1", make_disk(320, {45, 170}), 0.02, pixels);
  add("F2", make_disk(400, {45, 170}), 0.02, pixels);
  add("support", make_cylinder(185, {-1200, 1200}), 0.01, {});
  add("S1a", make_cylinder(250, long_z), 0.0175, strips);
  add("S1b", make_cylinder(252, long_z), 0.0175, strips);
  add("S2a", make_cylinder(400, long_z), 0.0175, strips);
  add("S2b", make_cylinder(402, long_z), 0.0175, strips);
  add("E1a", make_disk(720, {100, 1500}), 0.0175, strips);
  add("E1b", make_disk(724, {100, 1500}), 0.0175, strips);
  add("E2a", make_disk(900, {100, 1500}), 0.0175, strips);
  add("E2b", make_disk(904, {100, 1500}), 0.0175, strips);
  return d;
}

/// Fits tracks in order of flight with `--keep-order`, and sorts them when they
/// are mixed up: the results must be the same.
void check_order(const Detector& detector, const std::vector<ToyHits>& toys) {
  std::mt19937_64 engine(3);
  std::string in_order = header, mixed = header;
  for (std::size_t k = 0; k < toys.size(); ++k) {
    ToyHits hits = toys[k];
    in_order += lines_of(k, hits, &detector);
    std::ranges::shuffle(hits, engine);
    mixed += lines_of(k, hits, &detector);
  }
  FitStudyOptions sort = usual();
  sort.hits.max_distance = 60;  // coarse coordinates end beyond the layer
  FitStudyOptions keep = sort;
  keep.hits.order = HitOrder::as_given;
  const Fitted expected = fit(in_order, detector, {}, keep);
  const Fitted sorted = fit(mixed, detector, {}, sort);
  CHECK(expected.counts.fitted == toys.size());
  CHECK(sorted.counts.fitted == toys.size());
  double chi2 = 0, ndf = 0;
  for (std::size_t k = 0; k < toys.size(); ++k) {
    CAPTURE(k);
    CHECK(sorted.tracks.text("status", k) == expected.tracks.text("status", k));
    for (const char* column : {"p_GeV", "d0_um", "sigma_p_rel", "chi2"})
      CHECK(sorted.tracks.real(column, k) == expected.tracks.real(column, k));
    chi2 += sorted.tracks.real("chi2", k);
    ndf += static_cast<double>(sorted.tracks.integer("ndf", k));
  }
  // 4 standard deviations of sqrt(2/ndf)
  CHECK(std::abs(chi2 / ndf - 1) < 4 * std::sqrt(2 / ndf));
}

}  // namespace

TEST_CASE("fit: strips as long as their distance is short are put in order") {
  const Detector detector = shipped("cms_phase2");
  check_order(detector, toy_hits(detector, 200, {1, 20}, {0.9, 2.2}));
}

TEST_CASE("fit: strips on disks, and where barrel and disks meet") {
  const Detector detector = strip_pairs();
  check_order(detector, toy_hits(detector, 200, {2, 20}, {0.3, 0.5}));
  check_order(detector, toy_hits(detector, 200, {2, 20}, {0.5, 0.7}));
}

TEST_CASE("fit: any point of a wire will do to put it in order") {
  Detector detector = make_barrel(3, 20, 60, 2, 0.004, 0.01);
  for (int i = 0; i < 12; ++i)
    detector.layers.push_back(make_layer(
        "W" + std::to_string(i), make_cylinder(200 + 15 * i, {-3e3, 3e3}), 1e-4,
        {{i % 2 == 0 ? 0.06 : -0.06, 0.1}}));
  std::vector<ToyHits> toys = toy_hits(detector, 100, {1, 20}, {0.9, 2.2});
  std::mt19937_64 engine(4);
  for (ToyHits& hits : toys)
    for (std::size_t i = 3; i < hits.size(); ++i) {
      // along the wire, on the cylinder
      const double step = std::uniform_real_distribution<>(-60, 60)(engine);
      const double angle = (i - 3) % 2 == 0 ? 0.06 : -0.06;
      Vector3& x = hits[i].at;
      const double r = x.head<2>().norm();
      const double phi = std::atan2(x.y(), x.x()) - step * std::tan(angle) / r;
      x = {r * std::cos(phi), r * std::sin(phi), x.z() + step};
    }
  check_order(detector, toys);
}

// As cosmic rays do; the pipe is met between two hits outside of it.
TEST_CASE("fit: tracks from outside are put in order, through the pipe, too") {
  const Detector detector = shipped("alice_its2");
  std::vector<ToyHits> toys;
  std::mt19937_64 engine(6);
  const auto uniform = [&engine](double a, double b) {
    return std::uniform_real_distribution<>(a, b)(engine);
  };
  std::normal_distribution<> error(0, 5e-3);
  for (int k = 0; k < 50; ++k) {
    const double phi = uniform(-3, 3), d0 = uniform(-15, 15),
                 cot = uniform(-0.3, 0.3);
    ToyHits& hits = toys.emplace_back();
    for (const double side : {-1., 1.}) {
      ToyHits half;
      for (std::size_t layer = 0; layer < detector.layers.size(); ++layer) {
        if (!detector.layers[layer].measures()) continue;
        const double r = detector.layers[layer].surface.position;
        // a straight line: at 10 TeV it bends by 4 nm
        const double s = side * std::sqrt(r * r - d0 * d0);
        const double at = std::atan2(s * std::sin(phi) + d0 * std::cos(phi),
                                     s * std::cos(phi) - d0 * std::sin(phi)) +
                          error(engine) / r;
        const double z = 20 + s * cot + error(engine);
        half.push_back({layer, {r * std::cos(at), r * std::sin(at), z}});
      }
      if (side < 0) std::ranges::reverse(half);
      hits.insert(hits.end(), half.begin(), half.end());
    }
    // in order from the end that is nearer to the vertex
    if (hits.front().at.norm() > hits.back().at.norm())
      std::ranges::reverse(hits);
  }
  check_order(detector, toys);
}

TEST_CASE("fit: one track beyond half a turn, vectorised and scalar") {
  Detector detector = make_barrel(3, 20, 60, 2, 0.004, 0.01);
  detector.layers.push_back(
      make_layer("wall", make_cylinder(345, {-3e3, 3e3}), 0.001, {}));
  for (int i = 0; i < 5; ++i)
    detector.layers.push_back(make_layer(
        "W" + std::to_string(i), make_cylinder(360 + 15 * i, {-3e3, 3e3}), 1e-4,
        {{i % 2 == 0 ? 0.06 : -0.06, 0.1}}));
  // on a circle of this radius through the origin, out and back to 360 mm
  constexpr double radius = 212, cot = 1;
  ToyHits hits;
  const auto add = [&hits](double r, bool back) {
    const double half_turn = std::asin(0.5 * r / radius);
    const double turn = back ? 2 * (unit::pi - half_turn) : 2 * half_turn;
    hits.push_back({0,
                    {radius * std::sin(turn), radius * (1 - std::cos(turn)),
                     radius * turn * cot}});
  };
  for (const double r : {20., 40., 60., 360., 375., 390., 405., 420.})
    add(r, false);
  for (const double r : {420., 405., 390., 375., 360.}) add(r, true);
  FitStudyOptions keep = usual();
  keep.hits.order = HitOrder::as_given;
  const std::string text = no_layers + lines_of(1, hits);
  const Fitted vectorised = fit(text, detector, {}, keep);
  const Fitted scalar = fit(text, detector, {}, keep, true);
  CHECK(vectorised.counts.batch.vectorised == 1);
  CHECK(scalar.counts.batch.vectorised == 0);
  CHECK(vectorised.tracks.text("status") == "ok");
  CHECK(scalar.tracks.text("status") == "ok");
  for (const char* column : {"p_GeV", "sigma_p_rel", "sigma_d0_um", "chi2"})
    CHECK(vectorised.tracks.real(column) ==
          doctest::Approx(scalar.tracks.real(column)).epsilon(1e-9));
  const double p = 0.299792458e-3 * 2 * radius * std::sqrt(1 + cot * cot);
  // exact hits to 0.1 nm
  CHECK(vectorised.tracks.real("p_GeV") == doctest::Approx(p).epsilon(1e-5));
}

}  // namespace gttf::test::GTTF_TEST_FILE
