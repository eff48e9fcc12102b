// SPDX-License-Identifier: Apache-2.0
#include "gttf/paper/dipole.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "gttf/core/dual.hpp"
#include "gttf/core/matrix.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using Point = Cartesian<double>;

constexpr double pi = 3.14159265358979323846;

struct Case {
  Gap gap;
  Point start;
  double phi = 0, beta = 0;  ///< at the start, phi from the x axis
  double kappa = 0;
  double behind = 0;  ///< nu2
};

/// Spectrometers of all sizes, tilted tracks, bent by up to half a radian.
std::vector<Case> cases() {
  std::mt19937_64 random(1);
  const auto uniform = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  std::vector<Case> list;
  for (int i = 0; i < 40; ++i) {
    const double alpha = uniform(-3, 3), nu1 = uniform(50, 500);
    const double nu_b = uniform(200, 1000), turn = uniform(-0.5, 0.5);
    const double phi1 = uniform(-0.4, 0.4), beta = uniform(-0.5, 0.5);
    const Gap gap{std::cos(alpha), std::sin(alpha), 700, 700 + nu_b,
                  i % 2 ? 1.0 : -0.6};
    Case c;
    c.gap = gap;
    const double along = 700 - nu1, left = uniform(-100, 100);
    c.start = {gap.normal_cos * along - gap.normal_sin * left,
               gap.normal_sin * along + gap.normal_cos * left, uniform(-9, 9)};
    c.phi = alpha + phi1;
    c.beta = beta;
    const double inverse_radius =
        (std::sin(phi1 + turn) - std::sin(phi1)) / nu_b;
    c.kappa = std::cos(beta) * inverse_radius / gap.strength;
    c.behind = uniform(50, 700);
    list.push_back(c);
  }
  return list;
}

struct Flight {
  Vector3 x, t;
};

/// dt/dl = -kappa t x e_z in the gap, else 0: Runge-Kutta of the fourth order
/// in steps that end on the faces. Independent of the formulas under test.
Flight through_field(const Case& c) {
  const Vector3 n(c.gap.normal_cos, c.gap.normal_sin, 0);
  Flight f{{c.start.x, c.start.y, c.start.z},
           {std::cos(c.beta) * std::cos(c.phi),
            std::cos(c.beta) * std::sin(c.phi), std::sin(c.beta)}};
  double k = 0;
  const auto rate = [&](const Vector3& t) {
    return Vector3(-k * t.y(), k * t.x(), 0);
  };
  const auto step = [&](double h) {
    const Vector3 t1 = f.t, k1 = rate(t1), t2 = t1 + h / 2 * k1, k2 = rate(t2),
                  t3 = t1 + h / 2 * k2, k3 = rate(t3), t4 = t1 + h * k3;
    f.x += h / 6 * (t1 + 2 * t2 + 2 * t3 + t4);
    f.t += h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(t4));
  };
  const auto fly_to = [&](double face, int steps) {
    for (int i = steps; i > 0; --i) step((face - n.dot(f.x)) / n.dot(f.t) / i);
    for (int i = 0; i < 6; ++i) step((face - n.dot(f.x)) / n.dot(f.t));
  };
  fly_to(c.gap.entrance, 1);
  k = c.kappa * c.gap.strength;
  fly_to(c.gap.exit, 4000);
  k = 0;
  fly_to(c.gap.exit + c.behind, 1);
  return f;
}

Point point(const Vector3& x) { return {x[0], x[1], x[2]}; }

Point before(const Case& c, double length) {
  return {c.start.x - length * std::cos(c.phi) * std::cos(c.beta),
          c.start.y - length * std::sin(c.phi) * std::cos(c.beta),
          c.start.z - length * std::sin(c.beta)};
}

double norm(const Point& x) {
  return std::sqrt(x.x * x.x + x.y * x.y + x.z * x.z);
}

}  // namespace

TEST_CASE("dipole: curvature as the integrated equation of motion has it") {
  for (const Case& c : cases()) {
    const Point end = point(through_field(c).x);
    const auto s = dipole_segment_from(c.start, c.phi, end, c.gap);
    CHECK(std::abs(s.kappa / c.kappa - 1) < 1e-10);
    CHECK(std::abs(s.polar_start.value - (pi / 2 - c.beta)) < 1e-10);
    // the direction that belongs to the curvature
    const auto back = dipole_segment(c.start, end, c.gap, c.kappa);
    CHECK(std::abs(std::remainder(back.azimuth_start.value - c.phi, 2 * pi)) <
          1e-10);
    const Vector3 t = through_field(c).t;
    CHECK(std::abs(std::remainder(
              back.azimuth_end.value - std::atan2(t.y(), t.x()), 2 * pi)) <
          1e-10);
  }
}

TEST_CASE("dipole: the curvature as printed has sines for secants") {
  // erratum F24 of docs/theory/dipole.md: nu sin(phi) under the root in print
  double worst = 0;
  for (const Case& c : cases()) {
    const Point end = point(through_field(c).x);
    detail::GapPath<double> p(c.start, end, c.gap);
    const double alpha = std::atan2(c.gap.normal_sin, c.gap.normal_cos);
    detail::solve_turn(p, std::remainder(c.phi - alpha, 2 * pi));
    const double phi2 = p.phi1 + p.turn;
    const double u = std::sin(phi2) - std::sin(p.phi1);
    const auto kappa = [&](double a, double b) {
      const double length = p.nu1 * a + p.nu2 * b + p.nu_b * p.turn / u;
      return u / p.nu_b / std::hypot(1, p.z12 / length) / c.gap.strength;
    };
    CHECK(kappa(1 / std::cos(p.phi1), 1 / std::cos(phi2)) ==
          doctest::Approx(c.kappa).epsilon(1e-10));
    worst = std::max(
        worst, std::abs(kappa(std::sin(p.phi1), std::sin(phi2)) / c.kappa - 1));
  }
  CHECK(worst > 0.1);
}

TEST_CASE("dipole: slopes are derivatives of the directions") {
  using D = Dual<1>;
  const auto lift = [](const Point& x) {
    return Cartesian<D>{D(x.x), D(x.y), D(x.z)};
  };
  for (const Case& c : cases()) {
    const Point end = point(through_field(c).x);
    const auto s = dipole_segment(c.start, end, c.gap, c.kappa);
    // through Newton's steps: exact to rounding
    const auto d = dipole_segment(lift(c.start), lift(end), c.gap,
                                  D::variable(c.kappa, 0));
    const double scale = std::abs(s.azimuth_start.slope);
    const auto agree = [&](const SegmentAngle<double>& a,
                           const SegmentAngle<D>& b) {
      CHECK(std::abs(a.slope - b.value.derivative[0]) < 1e-10 * scale);
    };
    agree(s.azimuth_start, d.azimuth_start);
    agree(s.azimuth_end, d.azimuth_end);
    agree(s.polar_start, d.polar_start);
  }
}

TEST_CASE("dipole: gradients of a triplet are differences of its kinks") {
  for (const Case& c : cases())
    for (const GapPlace place :
         {GapPlace::behind_middle, GapPlace::before_middle}) {
      const Flight f = through_field(c);
      const Point end = point(f.x);
      std::array<Point, 3> x = {before(c, 300), c.start, end};
      if (place == GapPlace::before_middle)
        x = {c.start, end, point(f.x + 250 * f.t)};
      // kinks: the triplet is to be met at the same curvature
      x[2].x += 0.4;
      x[0].z -= 0.3;
      const Triplet<double> t =
          make_dipole_triplet(x[0], x[1], x[2], c.gap, place);
      const double kappa = -t.phi_tilde / t.rho_phi;
      const auto kinks = [&](const std::array<Point, 3>& y) {
        const bool behind = place == GapPlace::behind_middle;
        DirectedSegment<double> a =
            behind ? straight_segment(y[0], y[1])
                   : dipole_segment(y[0], y[1], c.gap, kappa);
        DirectedSegment<double> b =
            behind ? dipole_segment(y[1], y[2], c.gap, kappa)
                   : straight_segment(y[1], y[2]);
        return std::array{
            b.polar_start.value - a.polar_end.value,
            std::remainder(b.azimuth_start.value - a.azimuth_end.value,
                           2 * pi)};
      };
      CHECK(std::abs(kinks(x)[1]) < 1e-12);
      CHECK(kinks(x)[0] ==
            doctest::Approx(t.theta_tilde + t.rho_theta * kappa).epsilon(1e-9));
      for (std::size_t k = 0; k < 3; ++k)
        for (double Point::*axis : {&Point::x, &Point::y, &Point::z}) {
          // fourth-order differences, error 1e-11 of the gradient
          const double h = 0.5;
          const auto at = [&](double step) {
            std::array<Point, 3> y = x;
            y[k].*axis += step;
            return kinks(y);
          };
          const auto a = at(h), b = at(-h), a2 = at(2 * h), b2 = at(-2 * h);
          const auto slope = [&](std::size_t i) {
            return (8 * (a[i] - b[i]) - (a2[i] - b2[i])) / (12 * h);
          };
          CHECK(std::abs(slope(0) - t.h_theta[k].*axis) <
                1e-9 * norm(t.h_phi[1]));
          CHECK(std::abs(slope(1) - t.h_phi[k].*axis) <
                1e-9 * norm(t.h_phi[1]));
        }
    }
}

TEST_CASE("dipole: a triplet gives the curvature and kinks of the track") {
  for (const Case& c : cases()) {
    const Flight f = through_field(c);
    const Point end = point(f.x), start = before(c, 300);
    const auto t = make_dipole_triplet(start, c.start, end, c.gap);
    CHECK(-t.phi_tilde / t.rho_phi == doctest::Approx(c.kappa).epsilon(1e-9));
    CHECK(std::abs(t.theta_tilde + t.rho_theta * c.kappa) < 1e-9);
    // the magnet before the middle hit
    const auto u = make_dipole_triplet(c.start, end, point(f.x + 250 * f.t),
                                       c.gap, GapPlace::before_middle);
    CHECK(-u.phi_tilde / u.rho_phi == doctest::Approx(c.kappa).epsilon(1e-9));
    CHECK(std::abs(u.theta_tilde + u.rho_theta * c.kappa) < 1e-9);
  }
}

TEST_CASE("dipole: lever arm of asymmetric gaps") {
  // erratum F25: 1 + (nu2 - nu1)/y12, not 1 - ...: gaps 100, 500, 400 mm
  const Gap gap{1, 0, 100, 600, 1};
  const Point x0{-300, 0, 0}, x1{0, 0, 0}, x2{1000, 1e-3, 0};
  CHECK(make_small_bending_triplet(x0, x1, x2, gap).rho_phi ==
        doctest::Approx(-325).epsilon(1e-9));
  CHECK(make_dipole_triplet(x0, x1, x2, gap).rho_phi ==
        doctest::Approx(-325).epsilon(1e-6));
  // the printed factor would give -175
  const Gap mirrored{1, 0, 400, 900, 1};
  CHECK(make_dipole_triplet(x0, x1, x2, mirrored).rho_phi ==
        doctest::Approx(-175).epsilon(1e-6));
}

TEST_CASE("dipole: small bending is the limit of the general solution") {
  // errors of first order in the turn, here 1e-5 rad
  const Gap gap{1, 0, 100, 600, 1};
  const Point x0{-300, -95, -60}, x1{0, 0, 0}, x2{1000, 316.667, 200.};
  const auto exact = make_dipole_triplet(x0, x1, x2, gap);
  const auto small = make_small_bending_triplet(x0, x1, x2, gap);
  CHECK(small.rho_phi == doctest::Approx(exact.rho_phi).epsilon(0.02));
  CHECK(small.phi_tilde == doctest::Approx(exact.phi_tilde).epsilon(0.02));
  // erratum F26: Theta~ compares polar angles, acot(z12/d12) - theta_01; with
  // atan(z12/d12) in print it would be off by 2 beta12 - pi/2
  const double theta01 = std::atan2(std::hypot(300, 95), 60);
  const double d12 = std::hypot(1000, 316.667);
  CHECK(small.theta_tilde ==
        doctest::Approx(std::atan2(d12, 200) - theta01).epsilon(1e-9));
  CHECK(std::abs(exact.theta_tilde - small.theta_tilde) < 2e-4);
  CHECK(std::abs(exact.theta_tilde - (std::atan2(200, d12) - theta01)) > 1);
}

TEST_CASE("dipole: straight tracks are ordinary values") {
  const Gap gap{1, 0, 100, 600, 1};
  const Point x0{-300, -90, -60}, x1{0, 0, 0}, x2{1000, 300, 200};
  const auto t = make_dipole_triplet(x0, x1, x2, gap);
  CHECK(std::abs(t.phi_tilde) < 1e-13);
  CHECK(std::isfinite(t.rho_phi));
  const auto near =
      make_dipole_triplet(x0, x1, Point{1000, 300 + 1e-6, 200}, gap);
  CHECK(near.rho_phi == doctest::Approx(t.rho_phi).epsilon(1e-7));
}

}  // namespace gttf::test::GTTF_TEST_FILE
