// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/batch_toys.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "gttf/core/simd.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/read.hpp"
#include "support/at_level.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"
#include "support/toy_output.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

using test::AtLevel;
using test::FitOutput;

constexpr FitChoice choices[] = {
    {FitKind::general, WeightSource::estimate},
    {FitKind::general, WeightSource::update},
    {FitKind::scattering, WeightSource::estimate},
    {FitKind::regularised, WeightSource::estimate}};
constexpr std::size_t n_choices = std::size(choices);

struct Toys : test::ToyOutput {
  explicit Toys(std::size_t n) : ToyOutput(n, n_choices) {}
};

TrackingGeometry its2() { return TrackingGeometry(shipped("alice_its2")); }

void check_levels(const TrackingGeometry& geometry,
                  std::initializer_list<double> momenta,
                  double theta = 80 * unit::deg, double charge = -1) {
  for (const double p : momenta) {
    const Track track{.p = p, .theta = theta, .charge = charge};
    const ToySimulator simulator(geometry, track, {});
    constexpr std::size_t n = 45;
    for (const SimdLevel level : available_simd_levels()) {
      CAPTURE(to_string(level));
      CAPTURE(p);
      const AtLevel use(level);
      ToyBatch batch(simulator, choices);
      REQUIRE(batch.is_vectorised());
      Toys toys(n);
      const BatchStatistics s = toys.run(batch, {5, 2, 1000});
      CHECK(s.tracks == n);
      CHECK(s.vectorised + s.doubtful + s.not_fitted == n);
      CHECK(s.unsupported == 0);
      ToyTrack toy = simulator.prototype();
      for (std::size_t i = 0; i < n; ++i) {
        const bool made = simulator.simulate({5, 2, 1000 + i}, toy);
        REQUIRE(made == (toys.missed[i] == 0));
        if (!made) continue;
        for (std::size_t f = 0; f < n_choices; ++f) {
          FitOptions options;
          options.weights = choices[f].weights;
          const GlobalFit one = fit_global(toy.hits, choices[f].kind, options);
          const FitOutput& out = toys.fits[f];
          REQUIRE(one.status == out.status[i]);
          if (one.status != FitStatus::ok) continue;
          // hits agree to 1e-13 mm of 400 mm and more, in units of 5 um, and
          // the fit amplifies that
          CHECK(std::abs(out.kappa[i] - one.kappa) < 1e-9 * one.sigma);
          CHECK(std::abs(out.sigma[i] / one.sigma - 1) < 1e-9);
          CHECK(std::abs(out.chi2[i] - one.chi2) < 1e-9 * (1 + one.chi2));
          for (int q = 0; q < 5; ++q) {
            const double v = one.perigee_covariance(q, q);
            const auto row = static_cast<std::size_t>(q);
            CHECK(std::abs(out.perigee[row * n + i] - one.perigee[q]) <
                  1e-9 * std::sqrt(v) + 1e-15);
            CHECK(std::abs(out.covariance[(row * (row + 3) / 2) * n + i] - v) <
                  1e-9 * v);
          }
        }
      }
    }
  }
}

TEST_CASE("batched toys: at every level the same as individual ones") {
  check_levels(its2(), {0.2, 1.0, 30.0});
}

TEST_CASE("batched toys: with passive layers between hits, too") {
  check_levels(TrackingGeometry(shipped("cld")), {1.0, 5.0, 50.0});
}

TEST_CASE("batched toys: wires as individually, for both charges") {
  const TrackingGeometry idea(shipped("idea"));
  check_levels(idea, {1.0, 10.0});
  check_levels(idea, {3.0}, 60 * unit::deg, 1);
}

/// Disks of strips under three angles between disks of pixels, and passive
/// ones.
TEST_CASE("batched toys: disks with strips as individually") {
  Detector d;
  d.name = "disks";
  d.field = {FieldKind::solenoid, 3 * unit::T};
  for (int i = 0; i < 18; ++i) {
    std::vector<Coordinate> coordinates;
    if (i < 3) coordinates = test::pixel(0.01, 0.02);
    if (i > 4 && i % 4 != 0) coordinates = {{0.3 * (i % 3 - 1), 0.03}};
    d.layers.push_back(test::make_layer("D" + std::to_string(i),
                                        make_disk(200 + 80 * i, {20, 2500}),
                                        0.01, std::move(coordinates)));
  }
  const TrackingGeometry geometry(d);
  check_levels(geometry, {1.0, 20.0}, 25 * unit::deg);
  check_levels(geometry, {2.0}, 15 * unit::deg, 1);
}

void check_company(const TrackingGeometry& geometry, double p) {
  const Track track{.p = p};
  const ToySimulator simulator(geometry, track, {});
  for (const SimdLevel level : available_simd_levels()) {
    const AtLevel use(level);
    ToyBatch batch(simulator, choices);
    constexpr std::size_t n = 300, n_part = 250, from = 19;
    Toys whole(n), part(n_part);
    whole.run(batch, {1, 0, 0});
    part.run(batch, {1, 0, from});
    const auto same = [&](const auto& one, const auto& all, std::size_t rows) {
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < n_part; ++i)
          // bits: fits without a result are NaN
          if (std::memcmp(&one[row * n_part + i], &all[row * n + from + i],
                          sizeof(double)) != 0)
            return false;
      return true;
    };
    for (std::size_t f = 0; f < n_choices; ++f) {
      CAPTURE(f);
      const FitOutput &one = part.fits[f], &all = whole.fits[f];
      CHECK(same(one.kappa, all.kappa, 1));
      CHECK(same(one.sigma, all.sigma, 1));
      CHECK(same(one.chi2, all.chi2, 1));
      CHECK(same(one.perigee, all.perigee, 5));
      CHECK(same(one.covariance, all.covariance, 15));
    }
  }
}

TEST_CASE("batched toys: a toy does not depend on other toys") {
  check_company(its2(), 0.5);
  check_company(TrackingGeometry(shipped("idea")), 1);
}

TEST_CASE("batched toys: unsupported toys take the scalar path") {
  const TrackingGeometry geometry = its2();
  const Track track{.p = 1};
  const Model spot{.beam_spot = BeamSpot{0.01, 0.01, 50}};
  const ToySimulator simulator(geometry, track, spot);
  ToyBatch batch(simulator, choices);
  CHECK(!batch.is_vectorised());
  Toys toys(3);
  CHECK(toys.run(batch, {1, 0, 0}).unsupported == 3);
  ToyTrack toy = simulator.prototype();
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(simulator.simulate({1, 0, i}, toy));
    CHECK(toys.fits[0].chi2[i] == fit_global(toy.hits, FitKind::general).chi2);
  }
}

TEST_CASE("batched toys: random barrels and disks agree with single toys") {
  test::RandomLayouts usual(23), with_leaning(23, 0.3);
  std::size_t vectorised = 0;
  for (int k = 0; k < 2000; ++k) {
    test::RandomLayouts& layouts = k % 4 == 0 ? with_leaning : usual;
    const TrackingGeometry geometry(layouts.detector());
    const Track track = layouts.track();
    if (find_crossings(geometry, track, Scattering::highland).n_measuring < 3)
      continue;
    const ToySimulator simulator(geometry, track, {});
    ToyBatch batch(simulator, choices);
    constexpr std::size_t n = 9;
    Toys toys(n);
    vectorised += n - toys.run(batch, {9, 1, 0}).unsupported;
    ToyTrack toy = simulator.prototype();
    for (std::size_t i = 0; i < n; ++i) {
      CAPTURE(k);
      CAPTURE(i);
      const bool made = simulator.simulate({9, 1, i}, toy);
      REQUIRE(made == (toys.missed[i] == 0));
      if (!made) continue;
      const GlobalFit one = fit_global(toy.hits, FitKind::general);
      REQUIRE(one.status == toys.fits[0].status[i]);
      if (one.status != FitStatus::ok) continue;
      // exact kinks of stiff tracks are small differences of large numbers
      CHECK(std::abs(toys.fits[0].kappa[i] - one.kappa) < 1e-6 * one.sigma);
      CHECK(std::abs(toys.fits[0].sigma[i] / one.sigma - 1) < 1e-6);
    }
  }
  CHECK(vectorised > 20);
}

}  // namespace
}  // namespace gttf::test::GTTF_TEST_FILE
