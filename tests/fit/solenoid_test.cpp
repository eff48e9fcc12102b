// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/solenoid.hpp"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "gttf/core/dual.hpp"
#include "support/dense.hpp"
#include "support/reference.hpp"
#include "support/triplets.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using Quad = boost::multiprecision::cpp_bin_float_quad;
using Point = Cartesian<double>;

struct Hits {
  Point x[3];
};

/// Moderate, strongly bent, nearly straight, steep; all with kinks.
const Hits samples[] = {{{{30, 0, 0}, {58, 11, 21}, {81, 30, 44}}},
                        {{{-12, 40, 300}, {35, 62, 250}, {70, 20, 195}}},
                        {{{0, 0, 0}, {100, 0.001, 70}, {250, -0.004, 176}}},
                        {{{10, -5, 3}, {12, 30, -90}, {-15, 42, -185}}},
                        {{{20, 10, 0}, {60, 29, -2}, {98, 52, -3.5}}}};

template <class S>
Triplet<S> triplet_of(const Hits& h) {
  return at_hits<S>(h.x, [](const auto&... x) { return make_triplet(x...); });
}

double polar(const Segment<double>& s) {
  return std::atan2(s.sin_theta, s.cos_theta);
}

double largest(const Point& x) {
  return std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)});
}

}  // namespace

TEST_CASE("triplet: parameters and gradients equal the reference values") {
  const auto file = read_json("golden-triplets.json");
  int n = 0;
  for (const auto& g : file.at("triplets")) {
    CAPTURE(n);
    Hits hits;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto& x = g.at("hits")[k];
      hits.x[k] = {x[0], x[1], x[2]};
    }
    const Triplet<double> t = triplet_of<double>(hits);
    const auto agree = [&](double a, const char* key, double scale) {
      CAPTURE(key);
      CHECK(std::abs(a - g.at(key).get<double>()) < 1e-12 * scale);
    };
    agree(t.phi_tilde, "Phit", std::abs(t.phi_tilde));
    agree(t.theta_tilde, "Tht", 1);  // a difference of angles of order 1
    agree(t.rho_phi, "rphi", std::abs(t.rho_phi));
    agree(t.rho_theta, "rth", std::abs(t.rho_theta));
    agree(t.kappa_perp, "kp", std::abs(t.kappa_perp));
    agree(t.first.index, "n01", 1);
    agree(t.second.index, "n12", 1);
    agree(2 * t.first.half_turn, "Phi01", 1);
    agree(2 * t.second.half_turn, "Phi12", 1);
    agree(polar(t.first), "theta01", 1);
    agree(polar(t.second), "theta12", 1);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto gradient = [&](const char* key) {
        const auto& x = g.at(key)[k];
        return Point{x[0], x[1], x[2]};
      };
      CHECK(largest(t.h_phi[k] - gradient("h_phi")) <
            1e-12 * largest(t.h_phi[k]));
      CHECK(largest(t.h_theta[k] - gradient("h_theta")) <
            1e-12 * largest(t.h_theta[k]));
    }
    ++n;
  }
  CHECK(n == 5);
}

TEST_CASE(
    "triplet: the global fit written out with triplets finds the "
    "reference curvature") {
  const auto file = read_json("golden-triplets.json");
  const auto& g = file.at("tracks")[0];
  std::vector<Point> x;
  for (const auto& hit : g.at("hits")) x.push_back({hit[0], hit[1], hit[2]});
  const auto n = static_cast<Eigen::Index>(x.size());
  const Eigen::Index rows = 2 * (n - 2);
  Eigen::VectorXd psi(rows), rho(rows), scattering(rows);
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(rows, 3 * n);
  Eigen::MatrixXd v = Eigen::MatrixXd::Zero(3 * n, 3 * n);
  const double sigma_ms = g.at("sigma_MS");
  for (Eigen::Index j = 0; j + 2 < n; ++j) {
    const auto at = [&](Eigen::Index k) {
      return x[static_cast<std::size_t>(j + k)];
    };
    const auto t = make_triplet(at(0), at(1), at(2));
    psi.segment<2>(2 * j) << t.theta_tilde, t.phi_tilde;
    rho.segment<2>(2 * j) << t.rho_theta, t.rho_phi;
    scattering.segment<2>(2 * j) << sigma_ms, sigma_ms / sin_mean_theta(t);
    for (Eigen::Index k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(k);
      h.block<1, 3>(2 * j, 3 * (j + k)) << t.h_theta[i].x, t.h_theta[i].y,
          t.h_theta[i].z;
      h.block<1, 3>(2 * j + 1, 3 * (j + k)) << t.h_phi[i].x, t.h_phi[i].y,
          t.h_phi[i].z;
    }
  }
  for (Eigen::Index k = 0; k < n; ++k) {
    const Point& p = x[static_cast<std::size_t>(k)];
    const double r = std::hypot(p.x, p.y);
    const Eigen::Vector3d u(-p.y / r, p.x / r, 0);
    const double su = g.at("sigma_u"), sv = g.at("sigma_v");
    v.block<3, 3>(3 * k, 3 * k) = su * su * u * u.transpose();
    v(3 * k + 2, 3 * k + 2) += sv * sv;
  }
  // [GTTF] eq:kmatrix_inverse, eq:global_fit_c3d, eq:global_fit_sigma,
  // eq:global_fit_delta, eq:global_fit_chi2
  const Eigen::MatrixXd k = inverse(
      Eigen::MatrixXd(scattering.cwiseAbs2().asDiagonal()) + transformed(h, v));
  const double information = rho.dot(product(k, rho).col(0));
  const double kappa = -rho.dot(product(k, psi).col(0)) / information;
  const Eigen::VectorXd kinks = psi + kappa * rho;
  const Eigen::VectorXd delta =
      product(v, product(h.transpose(), product(k, kinks)));
  // the file was made with another order of operations; K has a condition of
  // some hundred
  const auto close = [](double a, double b) {
    return std::abs(a - b) < 1e-11 * std::abs(b);
  };
  CHECK(close(kappa, g.at("kappa")));
  CHECK(close(1 / std::sqrt(information), g.at("sigma")));
  CHECK(close(kinks.dot(k * kinks), g.at("chi2")));
  for (Eigen::Index i = 0; i < 3 * n; ++i)
    CHECK(std::abs(delta[i] -
                   g.at("delta")[static_cast<std::size_t>(i)].get<double>()) <
          1e-12);
  const Eigen::VectorXd d = scattering.cwiseAbs2().cwiseInverse();
  CHECK(close(-rho.dot(d.asDiagonal() * psi) / rho.dot(d.asDiagonal() * rho),
              g.at("kappa_MS")));
}

TEST_CASE("triplet: double equals 113 bits, however straight the track") {
  for (const double bend : {1e-9, 1e-6, 1e-3, 0.3, 1.7, 2.6})
    for (const double theta : {0.1, 0.8, 1.5, 2.9}) {
      CAPTURE(bend);
      CAPTURE(theta);
      const double length = 70, kappa = bend / length;
      HelixState<double> state{{20, 3, -4}, 0.4, theta};
      Hits hits;
      for (Point& x : hits.x) {
        x = state.position;
        state = propagate(state, kappa, length);
        state.theta += 1e-3;  // scattered on the way
      }
      const auto a = triplet_of<double>(hits);
      const auto b = triplet_of<Quad>(hits);
      // conditioning of the index, below 12 in this sample
      CHECK(std::abs(double(a.rho_phi / b.rho_phi - 1)) < 2e-14);
      CHECK(std::abs(double(a.phi_tilde - b.phi_tilde)) < 2e-14);
      CHECK(std::abs(double(a.theta_tilde - b.theta_tilde)) < 2e-14);
      // relative to its two terms kappa L^2; kappa from a cross product is
      // rounded by 1e-16/L, which is what remains of it on a straight track
      const double term = double(abs(b.first.length * b.first.length *
                                     b.first.kappa * b.first.cos_theta));
      CHECK(std::abs(double(a.rho_theta - b.rho_theta)) <
            1e-12 * term + 2e-16 * length);
    }
}

TEST_CASE(
    "triplet: gradients are derivatives of the kinks at the curvatures "
    "of the segments") {
  using D = Dual<9>;
  for (const Hits& hits : samples) {
    const auto t = triplet_of<double>(hits);
    std::array<Cartesian<D>, 3> x;
    for (std::size_t k = 0; k < 3; ++k) {
      const int i = static_cast<int>(3 * k);
      const Point& p = hits.x[k];
      x[k] = {D::variable(p.x, i), D::variable(p.y, i + 1),
              D::variable(p.z, i + 2)};
    }
    const auto s01 = segment_at_curvature(x[0], x[1], D(t.first.kappa));
    const auto s12 = segment_at_curvature(x[1], x[2], D(t.second.kappa));
    const D phi = atan2(s12.chord_sin, s12.chord_cos) -
                  atan2(s01.chord_sin, s01.chord_cos) - s01.half_turn -
                  s12.half_turn;
    const D theta = atan2(s12.sin_theta, s12.cos_theta) -
                    atan2(s01.sin_theta, s01.cos_theta);
    for (std::size_t k = 0; k < 3; ++k) {
      const Point dual_phi{phi.derivative[3 * k], phi.derivative[3 * k + 1],
                           phi.derivative[3 * k + 2]};
      const Point dual_theta{theta.derivative[3 * k],
                             theta.derivative[3 * k + 1],
                             theta.derivative[3 * k + 2]};
      CHECK(largest(dual_phi - t.h_phi[k]) < 1e-13 * largest(t.h_phi[1]));
      CHECK(largest(dual_theta - t.h_theta[k]) < 1e-13 * largest(t.h_theta[1]));
    }
  }
}

TEST_CASE("triplet: the slopes are derivatives to the curvature") {
  using D = Dual<1>;
  for (const Hits& hits : samples) {
    // both segments at the curvature they have in the circle solution
    const auto t = triplet_of<double>(hits);
    const auto slope = [&](const Point& a, const Point& b, double kappa) {
      const auto point = [](const Point& p) {
        return Cartesian<D>{D(p.x), D(p.y), D(p.z)};
      };
      const auto s =
          segment_at_curvature(point(a), point(b), D::variable(kappa, 0));
      const D theta = atan2(s.sin_theta, s.cos_theta);
      return std::pair{s.half_turn.derivative[0], theta.derivative[0]};
    };
    const auto [phi01, theta01] = slope(hits.x[0], hits.x[1], t.first.kappa);
    const auto [phi12, theta12] = slope(hits.x[1], hits.x[2], t.second.kappa);
    CHECK(t.rho_phi == doctest::Approx(-(phi01 + phi12)).epsilon(1e-13));
    // two terms of up to 30 mm cancel
    CHECK(std::abs(t.rho_theta - (theta12 - theta01)) < 1e-11);
  }
}

TEST_CASE("triplet: a track without kink has its exact curvature") {
  for (const double bend : {-2.2, -1e-4, 1e-7, 0.4, 1.5})
    for (const double theta : {0.3, 1.4, 2.5}) {
      CAPTURE(bend);
      const double length = 60, kappa = bend / length;
      const HelixState<double> s0{{-5, 2, 30}, 2.9, theta};
      const auto s1 = propagate(s0, kappa, length);
      const auto s2 = propagate(s1, kappa, 0.7 * length);
      const auto t = make_triplet(s0.position, s1.position, s2.position);
      CHECK(std::abs(t.phi_tilde + t.rho_phi * kappa) < 1e-13);
      CHECK(std::abs(t.theta_tilde + t.rho_theta * kappa) < 1e-13);
      CHECK(t.kappa_perp * std::sin(theta) == doctest::Approx(kappa));
      CHECK(sin_mean_theta(t) == doctest::Approx(std::sin(theta)));
    }
}

TEST_CASE("triplet: linearised at a curvature it returns the exact kinks") {
  for (const Hits& hits : samples) {
    const auto circle = triplet_of<double>(hits);
    const double kappa = 0.5 * (circle.first.kappa + circle.second.kappa);
    const auto t = make_triplet(hits.x[0], hits.x[1], hits.x[2], kappa);
    const auto s01 = segment_at_curvature(hits.x[0], hits.x[1], kappa);
    const auto s12 = segment_at_curvature(hits.x[1], hits.x[2], kappa);
    CHECK(t.theta_tilde + t.rho_theta * kappa ==
          doctest::Approx(polar(s12) - polar(s01)).epsilon(1e-12));
    // close to the linearisation at the circle: differences are second order
    // in the polar kink, which stays below 0.1 rad here
    CHECK(t.phi_tilde == doctest::Approx(circle.phi_tilde).epsilon(0.02));
    CHECK(t.rho_phi == doctest::Approx(circle.rho_phi).epsilon(0.02));
  }
}

TEST_CASE("triplet: without field it is the kink of two straight lines") {
  const Hits& hits = samples[0];
  const auto t = make_triplet(hits.x[0], hits.x[1], hits.x[2], 0.0);
  CHECK(t.phi_tilde ==
        doctest::Approx(std::atan2(19., 23.) - std::atan2(11., 28.)));
  CHECK(t.theta_tilde ==
        doctest::Approx(std::atan2(std::hypot(23., 19.), 23.) -
                        std::atan2(std::hypot(28., 11.), 21.)));
  // a track of other than zero curvature does not exist there; the slope is
  // that of the small bending limit, minus half the sum of the 3D chords
  CHECK(t.rho_phi == doctest::Approx(-0.5 * (std::sqrt(28. * 28 + 121 + 441) +
                                             std::sqrt(2 * 529. + 361))));
  CHECK(t.rho_theta == 0);
}

TEST_CASE("triplet: small bending limit with the chords of the segments") {
  // polar kink of 0.65 rad: the chord x0 - x2 would give -50, not -52.6
  const double d = 50;
  const auto t =
      make_triplet<double>({0, 0, 0}, {d, 0, 0.333 * d}, {2 * d, 1e-7, 0});
  const double segment = std::hypot(d, 0.333 * d);
  CHECK(t.rho_phi == doctest::Approx(-segment).epsilon(1e-14));
  CHECK(t.theta_tilde == doctest::Approx(2 * std::atan(0.333)).epsilon(1e-14));
  CHECK(t.phi_tilde == doctest::Approx(2e-9).epsilon(1e-7));
  CHECK(std::abs(t.rho_theta) < 1e-6);
}

TEST_CASE("triplet: rotation about z and a shift change nothing") {
  for (const Hits& hits : samples) {
    const auto t = triplet_of<double>(hits);
    const double c = std::cos(2.1), s = std::sin(2.1);
    Hits moved = hits;
    for (Point& x : moved.x)
      x = {c * x.x - s * x.y + 5, s * x.x + c * x.y - 3, x.z + 100};
    const auto m = triplet_of<double>(moved);
    // coordinates of some 300 mm rounded: 6e-14 mm on chords above 30 mm
    CHECK(std::abs(m.phi_tilde - t.phi_tilde) < 2e-14);
    CHECK(std::abs(m.theta_tilde - t.theta_tilde) < 2e-14);
    CHECK(m.rho_phi == doctest::Approx(t.rho_phi).epsilon(1e-13));
    for (std::size_t k = 0; k < 3; ++k) {
      const Point& h = t.h_phi[k];
      const Point turned{c * h.x - s * h.y, s * h.x + c * h.y, h.z};
      CHECK(largest(m.h_phi[k] - turned) < 1e-14);
    }
  }
}

TEST_CASE("triplet: the mirror image has opposite curvature") {
  for (const Hits& hits : samples) {
    const auto t = triplet_of<double>(hits);
    Hits mirror = hits;
    for (Point& x : mirror.x) x.y = -x.y;
    const auto m = triplet_of<double>(mirror);
    CHECK(m.phi_tilde == -t.phi_tilde);
    CHECK(m.theta_tilde == t.theta_tilde);
    CHECK(m.rho_phi == t.rho_phi);
    CHECK(m.rho_theta == -t.rho_theta);
    CHECK(m.kappa_perp == -t.kappa_perp);
  }
}

TEST_CASE("triplet: flown backwards the kinks keep or change sign") {
  for (const Hits& hits : samples) {
    const auto t = triplet_of<double>(hits);
    const auto b = make_triplet(hits.x[2], hits.x[1], hits.x[0]);
    CHECK(b.phi_tilde == doctest::Approx(-t.phi_tilde).epsilon(1e-13));
    CHECK(b.theta_tilde == doctest::Approx(t.theta_tilde).epsilon(1e-12));
    CHECK(b.rho_phi == doctest::Approx(t.rho_phi).epsilon(1e-13));
    CHECK(largest(b.h_phi[0] + t.h_phi[2]) < 1e-15);
    CHECK(largest(b.h_theta[0] - t.h_theta[2]) < 1e-15);
  }
}

TEST_CASE("triplet: a segment of more than half a turn keeps its branch") {
  // transverse arcs of 3.5 and 1 rad on a circle of 40 mm radius; an arcsine
  // of the chord would find 2.78 rad for the first
  const auto hit = [](double angle) {
    return Point{40 * std::cos(angle), 40 * std::sin(angle), 30 * angle};
  };
  const auto t = make_triplet(hit(0), hit(3.5), hit(4.5));
  CHECK(2 * t.first.half_turn == doctest::Approx(3.5));
  CHECK(2 * t.second.half_turn == doctest::Approx(1));
  CHECK(t.kappa_perp == doctest::Approx(1. / 40));
}

}  // namespace gttf::test::GTTF_TEST_FILE
