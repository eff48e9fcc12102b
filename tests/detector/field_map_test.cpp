// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/field_map.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "support/magnets.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Vector3 random_point(std::mt19937_64& engine, const Vector3& half) {
  Vector3 x;
  for (int i = 0; i < 3; ++i)
    x[i] = half[i] * (2 * std::generate_canonical<double, 53>(engine) - 1);
  return x;
}

double worst_error(const FieldMap& map, const FieldFunction& field,
                   const Vector3& half) {
  std::mt19937_64 engine(1);
  double worst = 0;
  for (int i = 0; i < 500; ++i) {
    const Vector3 x = random_point(engine, half);
    Vector3 b;
    REQUIRE(map.at(x, b));
    worst = std::max(worst, (b - field(x)).norm());
  }
  return worst / map.largest();
}

/// Gradients against differences of the interpolation itself.
double worst_gradient(const FieldMap& map, const Vector3& half) {
  std::mt19937_64 engine(2);
  double worst = 0;
  const double h = 1e-3;
  for (int i = 0; i < 200; ++i) {
    const Vector3 x = random_point(engine, 0.99 * half);
    Vector3 b, up, down;
    Eigen::Matrix3d gradient;
    REQUIRE(map.at(x, b, gradient));
    for (int j = 0; j < 3; ++j) {
      const Vector3 step = h * Vector3::Unit(j);
      REQUIRE(map.at(x + step, up));
      REQUIRE(map.at(x - step, down));
      worst = std::max(worst,
                       ((up - down) / (2 * h) - gradient.col(j)).norm() * 100);
    }
  }
  return worst / map.largest();
}

}  // namespace

TEST_CASE("field map: polynomials up to cubic are reproduced exactly") {
  // a cubic along each axis, products included
  const FieldFunction cubic = [](const Vector3& x) {
    const auto p = [](double v) { return 1 + v - 2 * v * v + 0.5 * v * v * v; };
    const double a = p(x.x() / 50), b = p(x.y() / 70), c = p(x.z() / 90);
    return Vector3(a * b * c, a + b * c, b - c);
  };
  const Vector3 half(50, 70, 90);
  for (const int n : {4, 5, 6, 9}) {
    const FieldMap map(
        sample(cubic, {axis_from(-50, 50, n), axis_from(-70, 70, n),
                       axis_from(-90, 90, n + 1)}),
        {});
    CHECK(worst_error(map, cubic, half) < 1e-13);
    CHECK(worst_gradient(map, half) < 1e-8);
  }
}

TEST_CASE("field map: two or three nodes give a line or a parabola") {
  const FieldFunction f = [](const Vector3& x) {
    return Vector3(x.x() + 3, x.x() * x.y() + x.y() * x.y(), 2 - x.z());
  };
  const FieldMap map(sample(f, {axis_from(-1, 1, 2), axis_from(-1, 1, 3),
                                axis_from(-1, 1, 4)}),
                     {});
  CHECK(worst_error(map, f, {1, 1, 1}) < 1e-14);
}

TEST_CASE("field map: the error falls with the fourth power of the spacing") {
  const FringeDipole dipole;
  const Vector3 half(90, 190, 900);
  double before = 0;
  for (const int n : {2, 4, 8}) {
    const FieldMap map(sample(dipole, {axis_from(-100, 100, 3),
                                       axis_from(-200, 200, 4 * n + 1),
                                       axis_from(-1000, 1000, 20 * n + 1)}),
                       {});
    const double error = worst_error(map, dipole, half);
    if (before > 0) CHECK(before / error > 11);
    before = error;
  }
  CHECK(before < 1e-6);
}

TEST_CASE("field map: value, slope and bend are continuous at nodes") {
  const FringeDipole dipole;
  const FieldMap map(
      sample(dipole, {axis_from(-100, 100, 3), axis_from(-200, 200, 9),
                      axis_from(-1000, 1000, 41)}),
      {});
  const double z = 250;  // a node
  const auto at = [&](double dz, Eigen::Matrix3d& gradient) {
    Vector3 b;
    REQUIRE(map.at({10, 33, z + dz}, b, gradient));
    return b;
  };
  const double e = 1e-7;
  Eigen::Matrix3d left, right, far_left, far_right;
  const Vector3 jump = at(e, right) - at(-e, left);
  CHECK((jump - 2 * e * left.col(2)).norm() < 1e-12 * map.largest());
  CHECK((right - left).norm() < 1e-7 * left.norm());
  // second derivatives by differences of the gradient on either side
  at(0.1, far_right);
  at(-0.1, far_left);
  const Vector3 bend_right = (far_right - right).col(2),
                bend_left = (left - far_left).col(2);
  CHECK((bend_right - bend_left).norm() < 0.02 * bend_left.norm());
}

TEST_CASE("field map: an octant with symmetry is the whole field") {
  const LoopSolenoid solenoid(500, 800, 2 * unit::T, 40);
  const auto whole =
      sample(solenoid, {axis_from(-240, 240, 17), axis_from(-240, 240, 17),
                        axis_from(-480, 480, 25)});
  const Vector3 half(235, 235, 475);
  const FieldMap map(whole, {});
  for (const double sign : {1.0, -1.0}) {
    const auto part = [&](double last, int n) {
      return sign > 0 ? axis_from(0, last, n) : axis_from(-last, 0, n);
    };
    FieldMap::Placement placement;
    placement.symmetry = MirrorSymmetry{Axis::z};
    const FieldMap octant(
        sample(solenoid, {part(240, 9), part(240, 9), part(480, 13)}),
        placement);
    std::mt19937_64 engine(3);
    for (int i = 0; i < 200; ++i) {
      const Vector3 x = random_point(engine, half);
      Vector3 a, b;
      Eigen::Matrix3d da, db;
      REQUIRE(map.at(x, a, da));
      REQUIRE(octant.at(x, b, db));
      // the spline of the whole is symmetric, too
      CHECK((a - b).norm() < 1e-13 * map.largest());
      CHECK((da - db).norm() < 1e-14 * map.largest());
    }
  }
}

TEST_CASE("field map: a quarter of a dipole with symmetry is the whole") {
  const FringeDipole dipole;
  FieldMap::Placement placement;
  placement.symmetry = MirrorSymmetry{Axis::y};
  const FieldMap map(
      sample(dipole, {axis_from(-100, 100, 5), axis_from(0, 200, 11),
                      axis_from(0, 1000, 41)}),
      placement);
  CHECK(map.mirrored(1));
  CHECK(!map.mirrored(0));
  CHECK(worst_error(map, dipole, {95, 195, 950}) < 1e-4);
  CHECK(worst_gradient(map, {95, 190, 950}) < 1e-5);
  CHECK(map.main_axis() == Axis::y);
}

TEST_CASE("field map: r and z are smooth across the axis") {
  const LoopSolenoid solenoid(500, 800, 2 * unit::T, 100);
  const FieldMap map(sample_around_z(solenoid, axis_from(0, 350, 36),
                                     axis_from(-600, 600, 121)),
                     {});
  CHECK(worst_error(map, solenoid, {240, 240, 590}) < 2e-5);
  CHECK(worst_gradient(map, {240, 240, 590}) < 1e-5);
  Vector3 b, near;
  Eigen::Matrix3d gradient, beside;
  REQUIRE(map.at({0, 0, 100}, b, gradient));
  REQUIRE(map.at({1e-5, -1e-5, 100}, near, beside));
  CHECK((gradient - beside).norm() < 1e-6 * gradient.norm());
  // along the axis only dBz/dz and its half, with the other sign, across
  CHECK(gradient(0, 0) == doctest::Approx(-0.5 * gradient(2, 2)).epsilon(1e-3));
  CHECK(gradient(0, 1) == 0);
}

TEST_CASE("field map: half the length in r and z with symmetry") {
  const LoopSolenoid solenoid(500, 800, 2 * unit::T, 40);
  FieldMap::Placement placement;
  placement.symmetry = MirrorSymmetry{Axis::z};
  const FieldMap half(
      sample_around_z(solenoid, axis_from(0, 300, 16), axis_from(0, 600, 31)),
      placement);
  const FieldMap whole(sample_around_z(solenoid, axis_from(0, 300, 16),
                                       axis_from(-600, 600, 61)),
                       {});
  std::mt19937_64 engine(4);
  for (int i = 0; i < 200; ++i) {
    const Vector3 x = random_point(engine, {200, 200, 590});
    Vector3 a, b;
    Eigen::Matrix3d da, db;
    REQUIRE(half.at(x, a, da));
    REQUIRE(whole.at(x, b, db));
    CHECK((a - b).norm() < 1e-13 * whole.largest());
    CHECK((da - db).norm() < 1e-14 * whole.largest());
  }
}

TEST_CASE("field map: is scaled and moved, and ends where it ends") {
  const FringeDipole dipole;
  FieldMap::Placement placement;
  placement.scale = -0.5;
  placement.offset = {10, -20, 3000};
  const FieldMap map(
      sample(dipole, {axis_from(-100, 100, 5), axis_from(-200, 200, 21),
                      axis_from(-1000, 1000, 81)}),
      placement);
  Vector3 b;
  REQUIRE(map.at({10, -20 + 50, 3100}, b));
  CHECK((b + 0.5 * dipole({0, 50, 100})).norm() < 1e-5 * map.largest());
  Vector3 twice;
  REQUIRE(map.scaled(2).at({10, -20 + 50, 3100}, twice));
  CHECK((twice - 2 * b).norm() == 0);
  CHECK(map.scaled(2).largest() == 2 * map.largest());
  CHECK(map.covers({110, 180, 4000}));
  CHECK(!map.covers({110.01, 180, 4000}));
  CHECK(!map.covers({0, 0, 1999.9}));
  CHECK(map.distance_to_edge({10, -20, 3000}, {0, 0, -1}) ==
        doctest::Approx(1000));
  CHECK(map.distance_to_edge({10, -20, 3000}, {0.6, 0, 0.8}) ==
        doctest::Approx(100 / 0.6));
  CHECK(map.distance_to_edge({500, 0, 3000}, {-1, 0, 0}) == 0);
}

TEST_CASE("field map: div B distinguishes a good map from swapped columns") {
  const FringeDipole dipole;
  const FieldFunction swapped = [&](const Vector3& x) {
    const Vector3 b = dipole(x);
    return Vector3(b.x(), b.z(), b.y());
  };
  const std::vector<GridAxis> axes = {axis_from(-100, 100, 5),
                                      axis_from(-200, 200, 9),
                                      axis_from(-1000, 1000, 41)};
  const auto good = FieldMap(sample(dipole, axes), {}).divergence();
  CHECK(good.of_derivatives < 0.01);
  const auto bad = FieldMap(sample(swapped, axes), {}).divergence();
  CHECK(bad.of_derivatives > 0.5);
  CHECK(bad.of_field > 1e-3);
}

TEST_CASE("field map: the interpolation error is estimated from the nodes") {
  // a fringe of 300 mm (tanh) along z, sampled ever more finely
  const auto fringe = [](double z) { return 0.5 * (1 - std::tanh(z / 150)); };
  double before = 1;
  for (const double spacing : {200.0, 100.0, 50.0, 25.0}) {
    FieldGrid grid;
    const int n = 1 + static_cast<int>(2400 / spacing);
    grid.axes = {{0, 10, 2}, {0, 10, 2}, {-1180, spacing, n}};
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < n; ++k)
        for (const double b : {0.0, fringe(-1180 + k * spacing), 0.0})
          grid.values.push_back(b);
    const InterpolationError estimate = interpolation_error(grid);
    const FieldMap map(grid, {});
    double largest = 0;
    for (double z = -780; z < 780; z += 1) {
      Vector3 b;
      REQUIRE(map.at({5, 5, z}, b));
      largest = std::max(largest, std::abs(b.y() - fringe(z)));
    }
    CAPTURE(spacing);
    CAPTURE(estimate.largest);
    CAPTURE(largest);
    CHECK(estimate.axis == 2);
    // an estimate: right to a factor of ten, and never far below
    CHECK(estimate.largest > largest / 2);
    CHECK(estimate.largest < 10 * largest);
    CHECK(estimate.largest < before);
    before = estimate.largest;
  }
}

TEST_CASE("field map: a uniform field has no interpolation error") {
  FieldGrid grid;
  grid.around_z = true;
  grid.axes = {{0, 100, 12}, {-500, 100, 12}};
  for (int i = 0; i < 144; ++i) {
    grid.values.push_back(0);
    grid.values.push_back(0.3);
  }
  CHECK(interpolation_error(grid).largest < 1e-12);
}

}  // namespace gttf::test::GTTF_TEST_FILE
