// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/scattering_momentum.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "gttf/core/random.hpp"
#include "gttf/fit/triplet/directed_segment.hpp"
#include "gttf/paper/triplet_equations.hpp"
#include "support/dense.hpp"
#include "support/fit_tracks.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr double theta0 = 1e-3;  ///< at 1 GeV

/// A beam of tracks through equidistant planes normal to x, scattered in each:
/// real triplets from real positions.
class Beam {
 public:
  Beam(int n_triplets, double p, double sigma)
      : n_(static_cast<std::size_t>(n_triplets)), p_(p), sigma_(sigma) {}

  TripletEquations next() {
    const std::size_t hits = n_ + 2;
    std::vector<double> random(4 * hits);
    fill_normals({.seed = 5, .stream = 1, .index = count_++}, random);
    std::vector<Cartesian<double>>& x = hits_;
    x.clear();
    double y = 0, z = 0, phi = 0.1, theta = 1.4;
    for (std::size_t k = 0; k < hits; ++k) {
      const double* r = random.data() + 4 * k;
      x.push_back({spacing * static_cast<double>(k), y + sigma_ * r[0],
                   z + sigma_ * r[1]});
      phi += theta0 / p_ * r[2] / std::sin(theta);
      theta += theta0 / p_ * r[3];
      y += spacing * std::tan(phi);
      z += spacing / std::tan(theta) / std::cos(phi);
    }
    std::vector<Triplet<double>> triplets;
    for (std::size_t j = 0; j < n_; ++j)
      triplets.push_back(make_triplet(straight_segment(x[j], x[j + 1]),
                                      straight_segment(x[j + 1], x[j + 2])));
    std::vector<Eigen::Matrix3d> errors;
    if (sigma_ > 0)
      errors.assign(hits,
                    Vector3(0, sigma_ * sigma_, sigma_ * sigma_).asDiagonal());
    return make_equations(triplets, errors,
                          std::vector<double>(n_, theta0 * theta0));
  }

  /// Of the last track.
  const std::vector<Cartesian<double>>& hits() const { return hits_; }

 private:
  static constexpr double spacing = 100;
  std::size_t n_;
  double p_, sigma_;
  std::vector<Cartesian<double>> hits_;
  std::uint64_t count_ = 0;
};

struct Sample {
  int n = 0, unbounded = 0, below_bound = 0;
  double mean = 0, width = 0, pull2 = 0, sigma = 0;
};

Sample run(int n_triplets, double p, double sigma, int n,
           MomentumEstimate estimate = MomentumEstimate::likelihood) {
  Beam beam(n_triplets, p, sigma);
  Sample s;
  s.n = n;
  double sum = 0, square = 0;
  for (int i = 0; i < n; ++i) {
    const ScatteringMomentum m =
        scattering_momentum(beam.next(), 1, 0, estimate);
    s.below_bound += p < m.lower_bound;
    s.unbounded += !m.finite;
    if (!m.finite) continue;
    sum += m.p / p;
    square += m.p * m.p / (p * p);
    s.sigma += m.sigma / m.p;
  }
  const double finite = n - s.unbounded;
  s.mean = sum / finite;
  s.width = std::sqrt(square / finite - s.mean * s.mean);
  s.sigma /= finite;
  return s;
}

}  // namespace

TEST_CASE("momentum from scattering: bias and width of 1e5 tracks") {
  // 40 triplets: bias below 2 %, width 1/(2 sqrt(n)) in leading order; here
  // their exact values, within 4 standard errors
  const int n = 100000;
  const Sample s = run(40, 0.7, 0, n);
  const double mean = scattering_momentum_mean(40);
  const double width = std::sqrt(40. / 39 - mean * mean);
  CHECK(s.unbounded == 0);
  CHECK(std::abs(s.mean - 1) < 0.02);
  CHECK(std::abs(s.mean - mean) < 4 * width / std::sqrt(n));
  CHECK(std::abs(s.width - width) < 4 * width / std::sqrt(2. * n));
  CHECK(width == doctest::Approx(1 / (2 * std::sqrt(40.))).epsilon(0.03));
  CHECK(s.sigma == doctest::Approx(1 / (2 * std::sqrt(40.))).epsilon(1e-9));
  // erratum F2 of docs/theory/zero-field.md: with n_t under the root the
  // estimate would be low by sqrt(2)
  CHECK(s.mean / std::sqrt(2.) < 0.73);
  // 5 % are below the bound, 4 standard errors of a proportion, and the
  // asymptotic form of the bound is good to 0.4 %
  CHECK(std::abs(s.below_bound / double(n) - 0.05) < 0.007);
}

TEST_CASE("momentum from scattering: chi2 has two degrees per triplet") {
  // errata F1: E[chi2] = 2 n, Var = 4 n, in print n and 2 n
  Beam beam(10, 1, 0);
  const int n = 40000;
  double sum = 0, square = 0;
  for (int i = 0; i < n; ++i) {
    const TripletEquations e = beam.next();
    const double chi2 = solve(e, false).chi2;
    sum += chi2;
    square += chi2 * chi2;
  }
  const double mean = sum / n, variance = square / n - mean * mean;
  CHECK(std::abs(mean - 20) < 4 * std::sqrt(40. / n));
  // fourth moment of chi2: relative error of the variance sqrt((2 + 12/20)/n)
  CHECK(std::abs(variance - 40) < 4 * 40 * std::sqrt(2.6 / n));
  CHECK(solve(beam.next(), false).ndf == 20);
}

TEST_CASE("momentum from scattering: few triplets have the exact moments") {
  for (const int n_triplets : {3, 5}) {
    const int n = 40000;
    const Sample s = run(n_triplets, 1, 0, n);
    const double mean = scattering_momentum_mean(n_triplets);
    const double width =
        std::sqrt(n_triplets / (n_triplets - 1.) - mean * mean);
    CHECK(std::abs(s.mean - mean) < 4 * width / std::sqrt(n));
    // F3: the variance is p^2/(4 n) and not 2 p^2/n
    CHECK(s.width * s.width * n_triplets < 0.7);
  }
  CHECK(scattering_momentum_mean(40) ==
        doctest::Approx(1 + 3. / (8 * 40)).epsilon(1e-4));
}

TEST_CASE("momentum from scattering: hits explain part of the kinks") {
  // scattering dominates: hit errors are 3 urad of 1 mrad
  const Sample exact = run(20, 1, 1e-4, 2000);
  CHECK(exact.mean == doctest::Approx(scattering_momentum_mean(20))
                          .epsilon(4 * 0.112 / std::sqrt(2000.)));
  // both alike: 0.3 mrad of hits, 1 mrad of scattering, p right in the mean to
  // the bias of order 1/n and the error as large as promised
  const Sample both = run(40, 1, 0.02, 2000);
  CHECK(both.unbounded == 0);
  CHECK(std::abs(both.mean - 1) < 0.03);
  CHECK(both.width == doctest::Approx(both.sigma).epsilon(0.12));
  CHECK(both.sigma > 1.05 / (2 * std::sqrt(40.)));
}

TEST_CASE("momentum from scattering: the likelihood is the better estimate") {
  // 8 triplets, kinks of hits and scattering alike: some tracks have no finite
  // estimate, and of the others the likelihood's are closer together
  const int n = 4000;
  const Sample a = run(8, 3, 0.03, n);
  const Sample b = run(8, 3, 0.03, n, MomentumEstimate::moment);
  for (const Sample& s : {a, b}) {
    CHECK(s.unbounded > 0.002 * n);
    CHECK(s.unbounded < 0.2 * n);
  }
  // The bound takes -2 ln L as chi2, which so few kinks are too few for.
  CHECK(a.below_bound < 0.09 * n);
  CHECK(a.below_bound > 0.03 * n);
  const Sample c = run(40, 2, 0.02, 1500);
  const Sample d = run(40, 2, 0.02, 1500, MomentumEstimate::moment);
  CHECK(c.sigma < d.sigma);
  CHECK(c.width < d.width);
}

TEST_CASE("momentum from scattering: no scattering, no finite estimate") {
  Beam beam(10, 1e6, 0.02);
  int unbounded = 0;
  for (int i = 0; i < 200; ++i) {
    const ScatteringMomentum m = scattering_momentum(beam.next(), 1);
    if (m.finite) continue;
    ++unbounded;
    CHECK(std::isinf(m.p));
    CHECK(m.lower_bound > 0.5);
    CHECK(m.lower_bound < 1e4);
  }
  CHECK(unbounded > 60);
  CHECK(unbounded < 180);
}

TEST_CASE("momentum from scattering: slow particles scatter with 1/(p beta)") {
  Beam beam(20, 1, 0);
  const TripletEquations e = beam.next();
  const double mass = 0.9;
  const double light = scattering_momentum(e, 1).p;
  const ScatteringMomentum heavy = scattering_momentum(e, 1, mass);
  const double beta0 = 1 / std::hypot(1, mass);
  CHECK(heavy.p * heavy.p / std::hypot(heavy.p, mass) ==
        doctest::Approx(light * beta0).epsilon(1e-12));
  // d ln(p)/d ln(p beta) = 1/(2 - beta^2)
  const double beta2 = heavy.p * heavy.p / (heavy.p * heavy.p + mass * mass);
  CHECK(heavy.sigma / heavy.p ==
        doctest::Approx(1 / (2 * std::sqrt(20.)) / (2 - beta2)).epsilon(1e-9));
}

TEST_CASE("straight fit: chi2 is that of a line through the hits") {
  // scattering a million times less than hit errors: two lines y(x) and z(x).
  // Angles are not slopes: 1e-3 rad of kinks leave 1e-3 of a difference
  Beam beam(6, 1, 0.05);
  TripletEquations e = beam.next();
  e.scattering *= 1e-12;
  const TripletSolution s = solve(e, false);
  CHECK(s.status == FitStatus::ok);
  CHECK(s.ndf == 12);
  Eigen::MatrixXd design(8, 2), hits(8, 2);
  for (int k = 0; k < 8; ++k) {
    design.row(k) << 1, 100 * k;
    hits.row(k) << beam.hits()[static_cast<std::size_t>(k)].y,
        beam.hits()[static_cast<std::size_t>(k)].z;
  }
  const Eigen::MatrixXd left =
      hits - product(design, least_squares(design, hits));
  CHECK(s.chi2 ==
        doctest::Approx(left.squaredNorm() / (0.05 * 0.05)).epsilon(2e-3));
  for (std::size_t k = 0; k < 8; ++k)
    CHECK(std::abs(s.residual(e, k).y() -
                   left(static_cast<Eigen::Index>(k), 0)) < 1e-3 * 0.05);
}

// Both use the same kinks: exact hits, so that p is p0 sqrt(2 n/chi2(p0)).
TEST_CASE(
    "track fitter: straight tracks measure their momentum by scattering") {
  RandomTracks random(38);
  for (const bool along_z : {false, true}) {
    CAPTURE(along_z);
    static const Field none;
    TrackHits t;
    t.field = false;
    t.momentum = 2;
    Vector3 x = Vector3::Zero(), direction(1, 0.2, 0.3);
    if (along_z) {
      t.flight = FlightModel{&none, {Axis::y}, 0.14, 1};
      direction = {0.01, 0.02, 1};
    }
    direction.normalize();
    const Vector3 normal = along_z ? Vector3::UnitZ() : Vector3::UnitX();
    for (int i = 0; i < 8; ++i) {
      x += direction * (50 / normal.dot(direction));
      TrackHit h;
      h.position = x;
      h.u = along_z ? Vector3::UnitX() : Vector3::UnitY();
      h.v = along_z ? Vector3::UnitY() : Vector3::UnitZ();
      const CoordinateAxis axes[] = {{1, 0, 1e-12}, {0, 1, 1e-12}};
      set_coordinates(h, axes);
      h.theta0_2 = i == 3 ? 4e-6 : 1e-6;
      if (i == 5) h.n_coordinates = 0;
      t.points.push_back(h);
      const double theta0 = std::sqrt(h.theta0_2);
      direction =
          (direction +
           theta0 * Vector3(random.normal(), random.normal(), random.normal()))
              .normalized();
    }
    const GlobalFit general = fit_global(t, FitKind::general);
    const GlobalFit exact = fit_global(t, FitKind::scattering);
    REQUIRE(exact.status == FitStatus::ok);
    REQUIRE(general.status == FitStatus::ok);
    REQUIRE(exact.scattering_momentum);
    REQUIRE(general.scattering_momentum);
    const ScatteringMomentum& m = *exact.scattering_momentum;
    CHECK(m.finite);
    const int n = 2 * 5;  // kinks of 7 hits
    CHECK(m.p == doctest::Approx(2 * std::sqrt(n / exact.chi2)).epsilon(1e-9));
    CHECK(m.sigma / m.p == doctest::Approx(1 / (2 * std::sqrt(5.0))));
    // hits of 1 nm hardly matter
    CHECK(general.scattering_momentum->p == doctest::Approx(m.p).epsilon(1e-3));
    for (TrackHit& h : t.points)
      for (CoordinateAxis& a : h.coordinates) a.variance = 1;
    const GlobalFit blurred = fit_global(t, FitKind::general);
    REQUIRE(blurred.scattering_momentum);
    CHECK(!blurred.scattering_momentum->finite);
    CHECK(blurred.scattering_momentum->lower_bound > 0);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
