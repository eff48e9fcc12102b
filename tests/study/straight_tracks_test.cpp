// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/show/detector_view.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr double rounding = 1e-12;

Layer layer(Surface surface, bool measures, double x_over_x0 = 0.01) {
  Layer l;
  l.name = "layer";
  l.surface = surface;
  l.material = {{"", 0, x_over_x0}};
  if (measures) l.coordinates = {{0, 0.01}, {90 * unit::deg, 0.01}};
  return l;
}

const Reals& reals(const Table& table, const char* name) {
  return std::get<Reals>(table.find(name)->cells);
}
const Integers& integers(const Table& table, const char* name) {
  return std::get<Integers>(table.find(name)->cells);
}

}  // namespace

TEST_CASE("coverage: a symmetric cylinder covers |eta| up to asinh(z/r)") {
  const PolarRange range = polar_range(make_cylinder(30, {-120, 120}));
  CHECK(range.eta_max() == doctest::Approx(std::asinh(4.0)).epsilon(rounding));
  CHECK(range.eta_min() == doctest::Approx(-std::asinh(4.0)).epsilon(rounding));
}

TEST_CASE("coverage: a forward disk covers the angles of its two radii") {
  const PolarRange range = polar_range(make_disk(500, {50, 100}));
  CHECK(range.theta_min == doctest::Approx(std::atan(0.1)).epsilon(rounding));
  CHECK(range.theta_max == doctest::Approx(std::atan(0.2)).epsilon(rounding));
  const PolarRange back = polar_range(make_disk(-500, {50, 100}));
  CHECK(back.eta_min() == doctest::Approx(-range.eta_max()).epsilon(rounding));
  CHECK(back.eta_max() == doctest::Approx(-range.eta_min()).epsilon(rounding));
}

TEST_CASE("coverage: a disk without a hole reaches the axis") {
  CHECK(polar_range(make_disk(500, {0, 100})).theta_min == 0);
  CHECK(std::isinf(polar_range(make_disk(500, {0, 100})).eta_max()));
  CHECK(std::isinf(polar_range(make_disk(-500, {0, 100})).eta_min()));
}

TEST_CASE("coverage: the range of a plane holds all its points and is tight") {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> place(-100, 100), length(1, 100);
  for (int i = 0; i < 50; ++i) {
    const double u = place(random), v = place(random);
    const Interval iu{u, u + length(random)}, iv{v, v + length(random)};
    for (const Axis axis : {Axis::x, Axis::y, Axis::z}) {
      const double at = place(random);
      const PolarRange range = polar_range(make_plane(axis, at, iu, iv));
      double least = 4, most = 0;
      constexpr int n = 60;
      for (int a = 0; a <= n; ++a)
        for (int b = 0; b <= n; ++b) {
          const double pu = iu.lower + iu.length() * a / n;
          const double pv = iv.lower + iv.length() * b / n;
          const double x = axis == Axis::x ? at : axis == Axis::y ? pv : pu;
          const double y = axis == Axis::x ? pu : axis == Axis::y ? at : pv;
          const double z = axis == Axis::x ? pv : axis == Axis::y ? pu : at;
          const double theta = std::atan2(std::hypot(x, y), z);
          least = std::min(least, theta);
          most = std::max(most, theta);
        }
      CHECK(range.theta_min <= least + rounding);
      CHECK(range.theta_max >= most - rounding);
      // The extremes may lie between the sampled points: 1/60 of 100 mm.
      CHECK(range.theta_min > least - 0.3);
      CHECK(range.theta_max < most + 0.3);
    }
  }
}

TEST_CASE("coverage: material grows with 1/sin(theta) on cylinders") {
  Detector d;
  d.field = {FieldKind::solenoid, 2 * unit::T};  // straight all the same
  d.layers = {layer(make_cylinder(20, {-1000, 1000}), false, 0.002),
              layer(make_cylinder(30, {-60, 60}), true, 0.01),
              layer(make_cylinder(60, {-60, 60}), true, 0.02)};
  const Table t = material_profile(d);
  CHECK(reals(t, "eta").front() == 0);
  CHECK(reals(t, "eta").back() == 1.5);  // asinh(2) = 1.44
  for (std::size_t i = 0; i < t.rows(); ++i) {
    const double eta = reals(t, "eta")[i];
    const bool first = eta < std::asinh(2.0), second = eta < std::asinh(1.0);
    const double expected =
        (0.002 + (first ? 0.01 : 0) + (second ? 0.02 : 0)) * std::cosh(eta);
    CHECK(reals(t, "x_over_x0")[i] ==
          doctest::Approx(expected).epsilon(rounding));
    CHECK(integers(t, "n_hits")[i] == first + second);
    CHECK(integers(t, "n_layers")[i] == 1 + first + second);
    if (first)
      CHECK(reals(t, "x_over_x0_tracker")[i] ==
            doctest::Approx(expected).epsilon(rounding));
    else
      CHECK(std::isnan(reals(t, "x_over_x0_tracker")[i]));
    if (first)
      CHECK(reals(t, "x_over_x0_inner")[i] ==
            doctest::Approx(0.012 * std::cosh(eta)).epsilon(rounding));
    else
      CHECK(std::isnan(reals(t, "x_over_x0_inner")[i]));
  }
}

TEST_CASE("coverage: a forward detector is described in its range of eta") {
  Detector d;
  d.layers = {layer(make_disk(500, {50, 100}), true)};
  const Table t = material_profile(d);
  CHECK(reals(t, "eta").front() == 2.25);  // asinh(5) = 2.31
  CHECK(reals(t, "eta").back() == 3);      // asinh(10) = 2.998
}

TEST_CASE("coverage: without measuring layers there is nothing to report") {
  Detector d;
  d.layers = {layer(make_cylinder(20, {-1000, 1000}), false)};
  CHECK(material_profile(d).rows() == 0);
}

TEST_CASE(
    "coverage: material is given by region, never both endcaps together") {
  Detector d;
  d.layers = {layer(make_cylinder(30, {-60, 60}), true, 0.01),
              layer(make_disk(100, {10, 80}), true, 0.02),
              layer(make_disk(-100, {10, 80}), true, 0.02),
              layer(make_cylinder(200, {-1000, 1000}), false, 0.5)};
  const char* groups[] = {"barrel", "disks", "disks", ""};
  for (std::size_t i = 0; i < 4; ++i) d.layers[i].group = groups[i];
  const Table t = group_table(d);
  REQUIRE(t.rows() == 2);  // a layer without group has no row
  CHECK(integers(t, "n_layers")[1] == 2);
  const double at_2 = 0.02 * std::cosh(2.) / std::sinh(2.);
  CHECK(reals(t, "x_over_x0_eta_0")[0] == doctest::Approx(0.01));
  CHECK(reals(t, "x_over_x0_eta_0")[1] == 0);
  CHECK(reals(t, "x_over_x0_eta_2")[0] == 0);
  CHECK(reals(t, "x_over_x0_eta_2")[1] ==
        doctest::Approx(at_2).epsilon(rounding));
  CHECK(t.find("x_over_x0_eta_3") == nullptr);  // asinh(10) = 2.998
  CHECK(material_text(d) == "1 % at eta 0, 1.54 % at eta 1, 2.07 % at eta 2");
}

TEST_CASE("coverage: planes across a beam are described along it") {
  Detector d;
  const Interval wide{-20, 20};
  for (int i = 1; i < 4; ++i)
    d.layers.push_back(
        layer(make_plane(Axis::z, 100 * i, wide, wide), true, 0.01));
  d.layers.push_back(layer(make_plane(Axis::z, 500, wide, wide), false, 1));
  // planes reach to 20 mm: at eta 3 the last one is missed
  CHECK(material_text(d) == "3 % at eta 4, 3 % along z");
}

}  // namespace gttf::test::GTTF_TEST_FILE
