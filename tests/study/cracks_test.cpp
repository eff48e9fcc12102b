// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/cracks.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

/// Three whole barrels, and a fourth one of two halves.
Detector cracked(double left, double right) {
  Detector d = make_barrel(3, 100, 300, 2, 0.01, 0.005);
  d.layers.push_back(make_layer("D", make_cylinder(400, {-1000, left}), 0.01,
                                pixel(0.005, 0.005)));
  d.layers.push_back(make_layer("E", make_cylinder(400, {right, 1000}), 0.01,
                                pixel(0.005, 0.005)));
  return d;
}

StudyRequest range_of_eta(std::vector<double> values) {
  StudyRequest grid;
  grid.momentum.variable = MomentumAxis::Variable::pt;
  grid.momentum.values = {0.5, 10};
  grid.angle.variable = AngleAxis::Variable::eta;
  grid.angle.values = std::move(values);
  grid.angle.is_range = true;
  return grid;
}

}  // namespace

TEST_CASE("cracks: one between the points of a grid is found with its ends") {
  const Detector d = cracked(251, 253);
  const StudyRequest grid = range_of_eta({0, 0.5, 1});
  const std::vector<Crack> cracks = find_cracks(grid, d);
  REQUIRE(cracks.size() == 1);  // at both momenta, reported once
  const Crack& crack = cracks[0];
  CHECK(grid.momentum.values[crack.momentum] == 10);
  // pT = 10 GeV in 2 T: 40 cm are an arc longer by 6e-5
  CHECK(crack.from == doctest::Approx(std::asinh(251. / 400)).epsilon(1e-4));
  CHECK(crack.to == doctest::Approx(std::asinh(253. / 400)).epsilon(1e-4));
  CHECK(crack.n_hits == 3);
  CHECK(crack.n_before == 4);
  CHECK(crack.n_after == 4);
  const Diagnostics warnings = crack_warnings(grid, d);
  REQUIRE(warnings.items().size() == 1);
  CHECK(warnings.items()[0].severity == Severity::warning);
  CHECK(warnings.items()[0].problem ==
        "between the points of the grid, eta 0.59225 to 0.59648: 3 hits, 4 at "
        "both points of the grid next to it (pT = 10 GeV)");
}

TEST_CASE("cracks: the same in theta, from the other side, and displaced") {
  const Detector d = cracked(251, 253);
  StudyRequest grid = range_of_eta({0.5, 1.5});
  grid.angle.variable = AngleAxis::Variable::theta;
  grid.momentum.values = {10};
  const auto theta = [](double z) { return std::atan2(400, z); };
  const std::vector<Crack> cracks = find_cracks(grid, d);
  REQUIRE(cracks.size() == 1);
  CHECK(cracks[0].from == doctest::Approx(theta(253)).epsilon(1e-4));
  CHECK(cracks[0].to == doctest::Approx(theta(251)).epsilon(1e-4));
  grid.vertex = {0, 0, 100};
  const std::vector<Crack> moved = find_cracks(grid, d);
  REQUIRE(moved.size() == 1);
  CHECK(moved[0].from == doctest::Approx(theta(153)).epsilon(1e-4));
}

TEST_CASE("cracks: none if a point of the grid is in it, or if disabled") {
  const Detector d = cracked(251, 253);
  StudyRequest inside = range_of_eta({0, std::asinh(252. / 400), 1});
  inside.momentum.values = {10};  // the crack of 0.5 GeV is elsewhere
  CHECK(find_cracks(inside, d).empty());
  // fewer hits on one side only: an edge
  CHECK(find_cracks(range_of_eta({0, 2}), cracked(251, 251)).empty());
  StudyRequest list = range_of_eta({0, 0.5, 1});
  list.angle.is_range = false;
  CHECK(find_cracks(list, d).empty());
}

TEST_CASE("cracks: the widest are listed, the others counted") {
  Detector d = make_barrel(3, 100, 300, 2, 0.01, 0.005);
  double from = -1000;
  for (int i = 0; i < 6; ++i) {
    const double to = 100 + 100 * i;
    d.layers.push_back(make_layer("D" + std::to_string(i),
                                  make_cylinder(400, {from, to}), 0.01,
                                  pixel(0.005, 0.005)));
    from = to + 1 + i;
  }
  const StudyRequest grid = range_of_eta({0, 1.1});
  CHECK(find_cracks(grid, d).size() == 5);
  const Diagnostics warnings = crack_warnings(grid, d);
  REQUIRE(warnings.items().size() == 3);
  CHECK(warnings.items()[2].suggestion.starts_with("2 more such intervals"));
}

}  // namespace gttf::test::GTTF_TEST_FILE
