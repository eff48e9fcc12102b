// SPDX-License-Identifier: Apache-2.0
// Toys that draw azimuths, vertices and hits, against the averages.
#include "gttf/resolution/drawn_toys.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "gttf/detector/read.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/toys/toy_study.hpp"
#include "gttf/study/toys/toy_table.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Tilted rings with gaps, of which 60 % of the tracks meet all three.
Detector tilted_rings(const std::string& efficiency) {
  return parse_detector(
             "gttf-detector: 1\nname: rings\nfield: { solenoid: 2 T "
             "}\nlayers:\n"
             "  - { name: a, cylinder: { radius: 40 mm, half_length: 400 mm }, "
             "material: 1 %, measures: { rphi: 5 um, z: 10 um }, efficiency: " +
                 efficiency +
                 ", dead: { phi: [100 deg, 130 deg] } }\n"
                 "  - { name: b, ring: { radius: 120 mm, z: 40 mm, count: 14, "
                 "size: [46 mm, 150 mm], tilt: 30 deg, turn: 6 deg }, "
                 "material: "
                 "1 %, measures: { u: 8 um, v: 20 um }, efficiency: " +
                 efficiency +
                 " }\n"
                 "  - { name: c, ring: { radius: 220 mm, z: 70 mm, count: 24, "
                 "size: [50 mm, 220 mm], tilt: 25 deg, turn: 4 deg }, "
                 "material: "
                 "1 %, measures: { u: 8 um, v: 20 um }, efficiency: " +
                 efficiency +
                 ", dead: { module: 5 } }\n"
                 "  - { name: d, cylinder: { radius: 350 mm, half_length: 900 "
                 "mm "
                 "}, material: 1 %, measures: { rphi: 8 um, z: 20 um }, "
                 "efficiency: " +
                 efficiency + " }\n",
             "rings.yaml")
      .detector;
}

Table toys(const StudyRequest& request, const Detector& detector,
           unsigned threads = 2) {
  ToyState state = plan_toys(request, {&detector, 1}, {});
  ToyRunOptions options;
  options.threads = threads;
  run_toys(request, {&detector, 1}, options, state);
  return toy_table(state);
}

double number(const Table& table, const std::string& name) {
  const Column* column = table.find(name);
  REQUIRE(column != nullptr);
  if (const auto* reals = std::get_if<Reals>(&column->cells))
    return reals->front();
  return static_cast<double>(std::get<Integers>(column->cells).front());
}

StudyRequest request_of(std::uint64_t n) {
  StudyRequest r;
  r.momentum.values = {3};
  r.angle.values = {72 * unit::deg};
  r.toys.toys = n;
  return r;
}

}  // namespace

// 4000 toys: pulls to 0.011, so that one in two thousand tests may miss four
// errors; 100,000 are of docs/theory/averages.md.
TEST_CASE("drawn toys: efficiency and pulls through tilted rings with gaps") {
  StudyRequest r = request_of(4000);
  r.average = AverageRequest{.phi = true, .vertex = true, .tracks = 2048};
  r.luminous_region = {0.02, 0.02, 20};
  const Table table = toys(r, tilted_rings("92 %"));
  CHECK(number(table, "efficiency") < 0.95);
  CHECK(number(table, "efficiency") > 0.6);
  CHECK(std::abs(number(table, "efficiency_deviation")) < 4);
  CHECK(number(table, "n_missed") == 0);
  for (const char* q : {"d0", "z0", "phi0", "theta", "qop"}) {
    const std::string name(q);
    CHECK(std::abs(number(table, "pull_width_" + name) - 1) <
          4 * number(table, "pull_width_error_" + name));
    CHECK(std::abs(number(table, "pull_mean_" + name)) <
          4 * number(table, "pull_mean_error_" + name));
  }
}

TEST_CASE("drawn toys: lost hits at one azimuth, all patterns known") {
  const StudyRequest r = request_of(4000);
  const Table table = toys(r, tilted_rings("80 %"));
  // a, b, c and d are there at phi = 0: three of four, or all
  const double expected = std::pow(0.8, 4) + 4 * std::pow(0.8, 3) * 0.2;
  CHECK(std::abs(number(table, "expected_efficiency") - expected) < 1e-12);
  CHECK(std::abs(number(table, "efficiency") - expected) <
        4 * std::sqrt(expected * (1 - expected) / 4000));
  CHECK(std::abs(number(table, "width_deviation_d0")) < 4);
  CHECK(std::abs(number(table, "pull_width_qop") - 1) <
        4 * number(table, "pull_width_error_qop"));
}

TEST_CASE("drawn toys: the same for any threads; none without losses") {
  StudyRequest r = request_of(600);
  r.average = AverageRequest{.phi = true, .vertex = false, .tracks = 64};
  const Detector d = tilted_rings("90 %");
  const Table one = toys(r, d, 1), two = toys(r, d, 2);
  for (const char* name : {"pull_width_d0", "efficiency", "chi2_per_ndf"})
    CHECK(number(one, name) == number(two, name));
  const Table plain = toys(request_of(600), tilted_rings("100 %"));
  CHECK(number(plain, "expected_efficiency") == 1);
}

}  // namespace gttf::test::GTTF_TEST_FILE
