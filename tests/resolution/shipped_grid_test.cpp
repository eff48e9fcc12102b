// SPDX-License-Identifier: Apache-2.0
// Every shipped detector on a grid of momenta and angles: covariances are
// covariances, and both engines give the same one.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "gttf/resolution/resolution.hpp"
#include "support/dense.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Point (i, j) of a grid of n x n: momenta of equal ratio from 30 MeV to
/// 1 TeV, angles from 5 to 175 degrees.
Track grid_point(int i, int j, int n) {
  Track t;
  t.p = 0.03 * std::pow(1000 / 0.03, double(i) / (n - 1));
  t.theta = (5 + 170.0 * j / (n - 1)) * unit::deg;
  t.phi = 0.1;
  return t;
}

/// Largest |a - b| relative to sigma_i sigma_j.
double deviation(const Matrix5& a, const Matrix5& b) {
  double worst = 0;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      worst = std::max(
          worst, std::abs(a(i, j) - b(i, j)) / std::sqrt(b(i, i) * b(j, j)));
  return worst;
}

/// How far the engines are apart on n times n tracks through every shipped
/// detector.
struct EngineComparison {
  int compared = 0;
  double worst = 0;

  void add(int n, EnergyLoss loss) {
    for (const Detector& d : shipped_detectors()) {
      CAPTURE(d.name);
      const TrackingGeometry geometry(d);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const Track t = grid_point(i, j, n);
          const Resolution a = resolve(geometry, t, {.loss = loss});
          // with losses, the time of the triplets grows with the cube of the
          // hits
          if (a.status != Status::ok || a.n_hits > 20) continue;
          const Resolution b =
              resolve(geometry, t, {.engine = Engine::triplet, .loss = loss});
          REQUIRE(b.status == Status::ok);
          worst = std::max(
              {worst, deviation(b.perigee, a.perigee),
               deviation(b.perigee_without_inner, a.perigee_without_inner),
               deviation(b.first_hit, a.first_hit)});
          ++compared;
        }
    }
  }
};

}  // namespace

TEST_CASE("shipped detectors: 10 000 positive semidefinite covariances each") {
  constexpr int n = 100;
  double lowest = 1;
  for (const Detector& d : shipped_detectors()) {
    CAPTURE(d.name);
    const TrackingGeometry geometry(d);
    int measured = 0, faults = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const Resolution r = resolve(geometry, grid_point(i, j, n));
        if (r.status != Status::ok) continue;
        ++measured;
        for (const Matrix5& m :
             {r.perigee, r.perigee_without_inner, r.first_hit}) {
          const double eigenvalue = least_eigenvalue_of_correlations(m);
          lowest = std::min(lowest, eigenvalue);
          // the rounding of storing a correlation near 1 in a double
          faults += m != m.transpose() || !(eigenvalue > -1e-14);
        }
      }
    CHECK(measured > n * n / 10);
    CHECK(faults == 0);
  }
  CAPTURE(lowest);
  CHECK(lowest > -1e-14);
}

TEST_CASE("shipped detectors: both engines agree to 1e-10 up to 20 hits") {
  EngineComparison engines;
  engines.add(12, EnergyLoss::off);
  CHECK(engines.compared > 300);
  CHECK(engines.worst < 1e-10);
}

TEST_CASE("shipped detectors: both engines agree to 1e-8 with energy loss") {
  EngineComparison engines;
  engines.add(4, EnergyLoss::mean);
  engines.add(4, EnergyLoss::straggling);
  CHECK(engines.compared > 60);
  CHECK(engines.worst < 1e-8);
}

}  // namespace gttf::test::GTTF_TEST_FILE
