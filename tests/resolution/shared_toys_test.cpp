// SPDX-License-Identifier: Apache-2.0
// Toys that share the equations of their point.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gttf/core/simd.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/resolution/batch_toys.hpp"
#include "support/at_level.hpp"
#include "support/shipped.hpp"
#include "support/toy_output.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

using test::AtLevel;
using test::FitOutput;

constexpr FitKind kinds[] = {FitKind::general, FitKind::scattering,
                             FitKind::hits};
constexpr std::size_t n_kinds = std::size(kinds);

std::vector<FitChoice> choices(WeightSource weights) {
  std::vector<FitChoice> all;
  for (const FitKind kind : kinds) all.push_back({kind, weights});
  return all;
}

struct Toys : test::ToyOutput {
  explicit Toys(std::size_t n) : ToyOutput(n, n_kinds) {}
};

TrackFitter fitter_of(const ToySimulator& simulator) {
  FitOptions options;
  options.weights = WeightSource::shared;
  options.reference =
      std::make_shared<const TrackHits>(simulator.prototype().hits);
  return TrackFitter(options);
}

void check_same(const FitOutput& out, std::size_t i, const GlobalFit& one,
                FitKind kind) {
  const std::size_t n = out.kappa.size();
  REQUIRE(one.status == out.status[i]);
  if (one.status != FitStatus::ok) return;
  // if a fit neglects scattering, residuals of many standard deviations are
  // rounded
  const double limit = 1e-9 * std::max(1., std::sqrt(one.chi2 / one.ndf));
  CHECK(std::abs(out.kappa[i] - one.kappa) < limit * one.sigma);
  CHECK(std::abs(out.sigma[i] / one.sigma - 1) < 1e-9);
  CHECK(std::abs(out.chi2[i] - one.chi2) < 1e-9 * (1 + one.chi2));
  CHECK(out.kappa_weights[i] == one.kappa_weights);
  for (int q = 0; q < 5; ++q) {
    const double v = one.perigee_covariance(q, q);
    const auto row = static_cast<std::size_t>(q);
    // without hit errors the first hit gives the exact position of the track
    const double sigma =
        std::max(std::sqrt(v), kind == FitKind::scattering ? 1e-6 : 0);
    CHECK(std::abs(out.perigee[row * n + i] - one.perigee[q]) < limit * sigma);
    CHECK(std::abs(out.covariance[(row * (row + 3) / 2) * n + i] - v) <=
          1e-9 * v);
  }
}

// cld has passive layers between hits, some of them between the first two
TEST_CASE("shared toys: at every level the same as by TrackFitter") {
  for (const std::string name : {"alice_its2", "cld"}) {
    const TrackingGeometry geometry(shipped(name));
    for (const double p : {0.7, 5.0, 60.0}) {
      const Track track{.p = p, .theta = 75 * unit::deg};
      const ToySimulator simulator(geometry, track, {});
      constexpr std::size_t n = 21;
      for (const SimdLevel level : available_simd_levels()) {
        CAPTURE(name);
        CAPTURE(p);
        CAPTURE(to_string(level));
        const AtLevel use(level);
        ToyBatch batch(simulator, choices(WeightSource::shared));
        REQUIRE(batch.is_vectorised());
        Toys toys(n);
        const BatchStatistics s = toys.run(batch, {5, 2, 100});
        CHECK(s.vectorised + s.doubtful + s.not_fitted == n);
        CHECK(s.doubtful == 0);
        ToyTrack toy = simulator.prototype();
        for (std::size_t f = 0; f < n_kinds; ++f) {
          TrackFitter fitter = fitter_of(simulator);
          for (std::size_t i = 0; i < n; ++i) {
            const bool made = simulator.simulate({5, 2, 100 + i}, toy);
            REQUIRE(made == (toys.missed[i] == 0));
            if (made)
              check_same(toys.fits[f], i, fitter.fit(toy.hits, kinds[f]),
                         kinds[f]);
          }
        }
      }
    }
  }
}

TEST_CASE("shared toys: a toy does not depend on other toys") {
  const TrackingGeometry geometry(shipped("cld"));
  const ToySimulator simulator(geometry, Track{.p = 2}, {});
  for (const SimdLevel level : available_simd_levels()) {
    const AtLevel use(level);
    ToyBatch batch(simulator, choices(WeightSource::shared));
    constexpr std::size_t n = 60, n_part = 37, from = 19;
    Toys whole(n), part(n_part);
    whole.run(batch, {1, 0, 0});
    part.run(batch, {1, 0, from});
    for (std::size_t f = 0; f < n_kinds; ++f)
      for (std::size_t i = 0; i < n_part; ++i) {
        const FitOutput &one = part.fits[f], &all = whole.fits[f];
        REQUIRE(one.kappa[i] == all.kappa[from + i]);
        REQUIRE(one.chi2[i] == all.chi2[from + i]);
        for (std::size_t q = 0; q < 5; ++q)
          REQUIRE(one.perigee[q * n_part + i] == all.perigee[q * n + from + i]);
      }
  }
}

// Both fits are linear, one at the true track and one at the hits, and wrong by
// the second order, with opposite signs: of the first 50 toys at 2 GeV by 1 %
// of a standard deviation at most in the bending plane, and by 10 % along z,
// where hits of 10 mm distance have errors of 0.1 mm in CLD. A fit that leaves
// out an error has residuals of many standard deviations.
TEST_CASE("shared toys: close to fits of each toy by itself, errors as well") {
  for (const std::string name : {"alice_its2", "cld"}) {
    CAPTURE(name);
    const TrackingGeometry geometry(shipped(name));
    const ToySimulator simulator(geometry, Track{.p = 2, .theta = 1.3}, {});
    TrackFitter shared = fitter_of(simulator);
    ToyTrack toy = simulator.prototype();
    for (const FitKind kind : {FitKind::general, FitKind::scattering})
      for (std::size_t i = 0; i < 50; ++i) {
        REQUIRE(simulator.simulate({3, 1, i}, toy));
        const GlobalFit own = fit_global(toy.hits, kind);
        const GlobalFit& f = shared.fit(toy.hits, kind);
        REQUIRE(f.status == FitStatus::ok);
        CHECK(f.ndf == own.ndf);
        const double residuals = std::max(1., std::sqrt(own.chi2 / own.ndf));
        const double across = 0.02 * residuals, along = 0.2 * residuals;
        CHECK(std::abs(f.kappa - own.kappa) < across * own.sigma);
        CHECK(f.kappa != own.kappa);
        CHECK(std::abs(f.sigma / own.sigma - 1) < 0.02);
        CHECK(std::abs(f.chi2 - own.chi2) < 0.05 * own.chi2);
        for (const int q :
             {Perigee::d0, Perigee::phi, Perigee::z0, Perigee::theta}) {
          const bool z = q == Perigee::z0 || q == Perigee::theta;
          const double sigma = std::sqrt(own.perigee_covariance(q, q));
          CHECK(std::abs(f.perigee[q] - own.perigee[q]) <
                (z ? along : across) * sigma + 1e-9);
        }
      }
  }
}

TEST_CASE("shared toys: the reference is fitted as by itself") {
  const TrackingGeometry geometry(shipped("cld"));
  const ToySimulator simulator(geometry, Track{.p = 3}, {});
  const TrackHits reference = simulator.prototype().hits;
  TrackFitter fitter = fitter_of(simulator);
  for (const FitKind kind : kinds) {
    const GlobalFit alone = fit_global(reference, kind);
    const GlobalFit& shared = fitter.fit(reference, kind);
    REQUIRE(shared.status == FitStatus::ok);
    CHECK(std::abs(shared.kappa - alone.kappa) < 1e-9 * alone.sigma);
    CHECK(std::abs(shared.sigma / alone.sigma - 1) < 1e-12);
    CHECK(shared.perigee_covariance == alone.perigee_covariance);
  }
}

TEST_CASE("shared toys: the same fit on the scalar path") {
  const TrackingGeometry geometry(shipped("alice_its2"));
  const Model spot{.beam_spot = BeamSpot{0.01, 0.01, 50}};
  const ToySimulator simulator(geometry, Track{.p = 1}, spot);
  ToyBatch batch(simulator, choices(WeightSource::shared));
  CHECK(!batch.is_vectorised());
  Toys toys(3);
  CHECK(toys.run(batch, {1, 0, 0}).unsupported == 3);
  TrackFitter fitter = fitter_of(simulator);
  ToyTrack toy = simulator.prototype();
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(simulator.simulate({1, 0, i}, toy));
    CHECK(toys.fits[0].chi2[i] == fitter.fit(toy.hits, FitKind::general).chi2);
  }
}

TEST_CASE("shared toys: mixed with other fits, both are unchanged") {
  const TrackingGeometry geometry(shipped("alice_its2"));
  const ToySimulator simulator(geometry, Track{.p = 1}, {});
  const FitChoice mixed[] = {{FitKind::general, WeightSource::shared},
                             {FitKind::general, WeightSource::estimate},
                             {FitKind::regularised, WeightSource::shared}};
  const FitChoice alone[] = {{FitKind::general, WeightSource::estimate},
                             {FitKind::regularised, WeightSource::estimate},
                             {FitKind::general, WeightSource::shared}};
  ToyBatch first(simulator, mixed), second(simulator, alone);
  constexpr std::size_t n = 16;
  Toys a(n), b(n);
  a.run(first, {1, 0, 0});
  b.run(second, {1, 0, 0});
  CHECK(a.fits[0].chi2 == b.fits[2].chi2);
  CHECK(a.fits[1].chi2 == b.fits[0].chi2);
  CHECK(a.fits[2].chi2 == b.fits[1].chi2);
  CHECK(a.fits[0].chi2 != a.fits[1].chi2);
}

TEST_CASE("batched toys: without perigee the other numbers are the same") {
  const TrackingGeometry geometry(shipped("alice_its2"));
  const ToySimulator simulator(geometry, Track{.p = 1}, {});
  for (const WeightSource w : {WeightSource::estimate, WeightSource::shared}) {
    ToyBatch batch(simulator, choices(w));
    constexpr std::size_t n = 16;
    Toys with(n), without(n);
    with.run(batch, {1, 0, 0});
    std::vector<FitArrays> arrays;
    for (FitOutput& f : without.fits) {
      arrays.push_back(f.views());
      arrays.back().perigee = arrays.back().perigee_covariance = {};
    }
    batch.run({1, 0, 0}, {without.missed, arrays});
    for (std::size_t f = 0; f < n_kinds; ++f) {
      CHECK(with.fits[f].kappa == without.fits[f].kappa);
      CHECK(with.fits[f].sigma == without.fits[f].sigma);
      CHECK(with.fits[f].chi2 == without.fits[f].chi2);
    }
  }
}

}  // namespace
}  // namespace gttf::test::GTTF_TEST_FILE
