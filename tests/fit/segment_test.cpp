// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/segment.hpp"

#include <doctest/doctest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "gttf/core/dual.hpp"
#include "gttf/core/units.hpp"
#include "support/triplets.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using Quad = boost::multiprecision::cpp_bin_float_quad;

/// Some arcs from nearly straight to strongly bent, both charges, steep ones.
struct Arc {
  double bend, theta, phi;
};
constexpr Arc arcs[] = {{1e-12, 1.2, 0.3}, {-3e-8, 2.9, -2.1}, {1e-3, 0.1, 3.0},
                        {-0.2, 1.57, 1.1}, {0.9, 0.7, -0.4},   {-1.9, 2.2, 2.5},
                        {2.4, 1.3, -3.0},  {2.8, 0.6, 0.0}};

}  // namespace

TEST_CASE("arc shape: closed form and series agree with 113 bits") {
  for (const double x :
       {0.0, 1e-9, -1e-3, 0.3, -0.999, 1.001, 1.6, -2.4, 3.0}) {
    CAPTURE(x);
    const ArcShape<double> a = arc_shape(x);
    const ArcShape<Quad> b = arc_shape(Quad(x));
    // conditioning near the pole X = pi costs pi/(pi - X) = 22 at X = 3
    const double tolerance = x < 2.5 ? 1e-15 : 3e-14;
    CHECK(std::abs(double(a.stretch / b.stretch - 1)) < tolerance);
    CHECK(std::abs(double(a.index_term / b.index_term - 1)) < tolerance);
    CHECK(std::abs(double(a.cosine - b.cosine)) < 3e-16);
  }
}

TEST_CASE("arc shape: derivatives match at the joint of series and formula") {
  using D = Dual<1>;
  for (const double x : {-1.0, 1.0}) {
    const auto below = arc_shape(D::variable(x * (1 - 1e-13), 0));
    const auto above = arc_shape(D::variable(x * (1 + 1e-13), 0));
    CHECK(below.stretch.derivative[0] ==
          doctest::Approx(above.stretch.derivative[0]).epsilon(1e-12));
    CHECK(below.index_term.derivative[0] ==
          doctest::Approx(above.index_term.derivative[0]).epsilon(1e-12));
  }
  CHECK(arc_shape(D::variable(0, 0)).stretch.derivative[0] == 0);
}

TEST_CASE(
    "segment: the arc of given curvature between points of a helix is "
    "found") {
  for (const Arc& arc : arcs) {
    CAPTURE(arc.bend);
    CAPTURE(arc.theta);
    const double length = 80, kappa = arc.bend / length;
    const HelixState<Quad> start{{3, -7, 11}, arc.phi, arc.theta};
    const auto end = propagate(start, Quad(kappa), Quad(length));
    const auto quad =
        segment_at_curvature(start.position, end.position, Quad(kappa));
    // at |Phi| = 2.8 the index is about 1, at 2.4 and theta = 1.3 about 3
    CHECK(std::abs(double(quad.length / Quad(length) - 1)) < 1e-28);
    CHECK(std::abs(double(quad.half_turn - Quad(kappa) * Quad(length) / 2)) <
          1e-28);
    CHECK(std::abs(double(quad.kappa - Quad(kappa))) < 1e-30);
    const auto point = [](const Cartesian<Quad>& x) {
      return Cartesian<double>{double(x.x), double(x.y), double(x.z)};
    };
    const auto segment =
        segment_at_curvature(point(start.position), point(end.position), kappa);
    CHECK(segment.length == doctest::Approx(length).epsilon(2e-14));
    CHECK(segment.sin_theta ==
          doctest::Approx(std::sin(arc.theta)).epsilon(2e-13));
  }
}

TEST_CASE(
    "segment: gradients and slopes are the derivatives of the exact arc") {
  using D = Dual<4>;  // end - start and curvature
  for (const Arc& arc : arcs) {
    CAPTURE(arc.bend);
    const double length = 80, kappa = arc.bend / length;
    const HelixState<double> start{{0, 0, 0}, arc.phi, arc.theta};
    const auto end = propagate(start, kappa, length).position;
    const Cartesian<D> zero{D(0), D(0), D(0)};
    const Cartesian<D> moved{D::variable(end.x, 0), D::variable(end.y, 1),
                             D::variable(end.z, 2)};
    const auto dual = segment_at_curvature(zero, moved, D::variable(kappa, 3));
    const D azimuth = atan2(dual.chord_sin, dual.chord_cos);
    const D theta = atan2(dual.sin_theta, dual.cos_theta);
    const D phi_start = azimuth - dual.half_turn;
    const D phi_end = azimuth + dual.half_turn;
    const auto d = derivatives(segment_at_curvature({0., 0., 0.}, end, kappa));
    const auto check = [](const D& value, const Cartesian<double>& gradient,
                          double slope) {
      const double g[] = {gradient.x, gradient.y, gradient.z};
      // scale: 1/length for gradients, length for slopes; the largest index
      // in the list is 3, chords are not shorter than 6 mm
      for (std::size_t i = 0; i < 3; ++i)
        CHECK(std::abs(value.derivative[i] - g[i]) < 3e-14);
      CHECK(std::abs(value.derivative[3] - slope) < 1e-11);
    };
    check(phi_start, d.azimuth_start, -d.azimuth_slope);
    check(phi_end, d.azimuth_end, d.azimuth_slope);
    check(theta, d.polar, d.polar_slope);
  }
}

TEST_CASE("segment: the index is d ln(Phi)/d ln(kappa), as printed too") {
  for (const Arc& arc : arcs) {
    CAPTURE(arc.bend);
    const double x = 0.5 * arc.bend, s = std::sin(arc.theta);
    const HelixState<double> start{{0, 0, 0}, arc.phi, arc.theta};
    const double length = 50, kappa = arc.bend / length;
    const auto end = propagate(start, kappa, length).position;
    const auto segment = make_segment({0., 0., 0.}, end, x, kappa / s);
    // [GTTF] eq:def_index_par
    const double cot = x / std::tan(x);
    CHECK(segment.inverse_index ==
          doctest::Approx(cot * s * s + 1 - s * s).epsilon(1e-13));
    CHECK(2 * derivatives(segment).azimuth_slope ==
          doctest::Approx(segment.index * length).epsilon(1e-13));
  }
}

TEST_CASE(
    "segment: the pole of the index lies where bending hides the "
    "direction") {
  // Central angle of the pole over pi, found from 1/n = 0 in 50 digits.
  const std::pair<double, double> poles[] = {
      {80, 1.012}, {60, 1.119}, {45, 1.292}, {30, 1.563}, {15, 1.868}};
  for (const auto& [theta, pole] : poles) {
    const double t = theta * unit::deg;
    CAPTURE(t);
    const auto inverse_index = [t](double turns) {
      const double x = 0.5 * turns * unit::pi, d = 10;
      const double z = d * x / std::sin(x) / std::tan(t);
      return make_segment({0., 0., 0.}, {d, 0., z}, x, 0.1).inverse_index;
    };
    CHECK(inverse_index(pole - 6e-4) > 0);
    CHECK(inverse_index(pole + 6e-4) < 0);
  }
}

TEST_CASE("segment: from the length of an arc nearby, NaN if there is none") {
  const Cartesian<double> start{0, 0, 0}, end{100, 0, 50};
  for (const double kappa : {-2e-3, 0.0, 5e-3}) {
    CAPTURE(kappa);
    const auto segment = segment_near(start, end, kappa, 112.0);
    const auto expected = segment_at_curvature(start, end, kappa);
    CHECK(segment.length == doctest::Approx(expected.length).epsilon(1e-15));
    CHECK(segment.kappa == doctest::Approx(kappa).epsilon(1e-15));
  }
  // a circle of 20 mm does not reach a point at 100 mm
  CHECK(std::isnan(segment_near(start, end, 0.1, 112.0).length));
}

}  // namespace gttf::test::GTTF_TEST_FILE
