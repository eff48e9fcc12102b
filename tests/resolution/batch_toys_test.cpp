// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/batch_toys.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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
#include "support/magnets.hpp"
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

/// Parameters of a fit of one of n toys as those of the same toy alone, in
/// units of their errors: hits agree to 1e-13 mm of 400 mm and more, in units
/// of 5 um, and the fit amplifies that.
void check_parameters(const std::vector<double>& parameters,
                      const std::vector<double>& covariance, std::size_t n,
                      std::size_t i, const Vector5& one,
                      const Matrix5& one_covariance, double tolerance) {
  for (int q = 0; q < 5; ++q) {
    CAPTURE(q);
    const double v = one_covariance(q, q);
    const auto row = static_cast<std::size_t>(q);
    CHECK(std::abs(parameters[row * n + i] - one[q]) <
          tolerance * std::sqrt(v) + 1e-15);
    for (int r = 0; r <= q; ++r)
      CHECK(std::abs(
                covariance[(row * (row + 1) / 2 + static_cast<std::size_t>(r)) *
                               n +
                           i] -
                one_covariance(q, r)) <=
            tolerance * std::sqrt(v * one_covariance(r, r)));
  }
}

/// A toy and its fits by the scalar path.
struct SingleToy {
  bool made, traced;
  Vector5 truth;
  std::vector<GlobalFit> fits;
};

SingleToy single_toy(const ToySimulator& simulator, const RandomPlace& place,
                     const std::vector<FitChoice>& fits) {
  ToyTrack toy = simulator.prototype();
  SingleToy single{.made = simulator.simulate(place, toy),
                   .traced = toy.hits.flight.has_value(),
                   .truth = toy.truth,
                   .fits = {}};
  for (std::size_t f = 0; single.made && f < fits.size(); ++f) {
    FitOptions options;
    options.weights = fits[f].weights;
    single.fits.push_back(fit_global(toy.hits, fits[f].kind, options));
  }
  return single;
}

constexpr double rounding = 1e-9;  // standard deviations

/// Checks toy i of n.
void check_toy(const test::ToyOutput& toys, std::size_t n, std::size_t i,
               const SingleToy& single, double tolerance) {
  REQUIRE(single.made == (toys.missed[i] == 0));
  if (!single.made) return;
  for (std::size_t q = 0; q < 5; ++q)
    CHECK(toys.truth[q * n + i] ==
          doctest::Approx(single.truth[static_cast<int>(q)])
              .epsilon(1e-12)
              .scale(1e-3));
  for (std::size_t f = 0; f < single.fits.size(); ++f) {
    const GlobalFit& one = single.fits[f];
    const FitOutput& out = toys.fits[f];
    REQUIRE(one.status == out.status[i]);
    if (one.status != FitStatus::ok) continue;
    CHECK(std::abs(out.kappa[i] - one.kappa) <= tolerance * one.sigma);
    CHECK(std::abs(out.sigma[i] - one.sigma) <= tolerance * one.sigma);
    CHECK(std::abs(out.chi2[i] - one.chi2) < tolerance * (1 + one.chi2));
    check_parameters(out.perigee, out.covariance, n, i, one.perigee,
                     one.perigee_covariance, tolerance);
    if (one.scattering_momentum)
      CHECK(std::abs(1 / out.momentum[i] - 1 / one.scattering_momentum->p) <
            1e-9 / one.scattering_momentum->p + 1e-12);
    if (single.traced)
      check_parameters(out.plane, out.plane_covariance, n, i, one.start_plane,
                       one.start_plane_covariance, tolerance);
  }
}

void check_toys(const TrackingGeometry& geometry, const Track& track,
                const Model& model = {},
                const std::vector<FitChoice>& fits = {std::begin(choices),
                                                      std::end(choices)},
                double tolerance = rounding) {
  CAPTURE(track.p);
  const ToySimulator simulator(geometry, track, model);
  constexpr std::size_t n = 45;
  std::vector<SingleToy> singles;
  for (std::size_t i = 0; i < n; ++i)
    singles.push_back(single_toy(simulator, {5, 2, 1000 + i}, fits));
  for (const SimdLevel level : available_simd_levels()) {
    CAPTURE(to_string(level));
    const AtLevel use(level);
    ToyBatch batch(simulator, fits);
    REQUIRE(batch.is_vectorised());
    test::ToyOutput toys(n, fits.size());
    const BatchStatistics s = toys.run(batch, {5, 2, 1000});
    CHECK(s.tracks == n);
    CHECK(s.vectorised + s.doubtful + s.not_fitted == n);
    CHECK(s.unsupported == 0);
    for (std::size_t i = 0; i < n; ++i)
      check_toy(toys, n, i, singles[i], tolerance);
  }
}

void check_levels(const TrackingGeometry& geometry,
                  std::initializer_list<double> momenta,
                  double theta = 80 * unit::deg, double charge = -1) {
  for (const double p : momenta)
    check_toys(geometry, {.p = p, .theta = theta, .charge = charge});
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

TEST_CASE("batched toys: a telescope as individually") {
  const TrackingGeometry datura(shipped("datura"));
  check_toys(datura, {.p = 5, .theta = 0.3 * unit::deg, .phi = 0.3});
  check_toys(datura, {.p = 2, .theta = 0.5 * unit::deg, .phi = -2});
}

TEST_CASE("batched toys: spectrometers as individually") {
  const TrackingGeometry faser(shipped("faser"));
  check_toys(faser, {.p = 100, .theta = 0.3 * unit::deg});
  check_toys(faser, {.p = 1000, .theta = 0.1 * unit::deg, .phi = 1});
  // strips: streaming fits
  const TrackingGeometry lhcb(shipped("lhcb"));
  check_toys(lhcb, {.p = 20, .theta = 5 * unit::deg, .phi = 1});
  check_toys(lhcb, {.p = 100, .theta = 3 * unit::deg, .charge = 1});
  // layers that scatter, in the gap and between hits
  Detector d;
  d.name = "planes";
  for (const double z : {100, 200, 300, 400, 700, 900, 1700, 1850, 2000})
    d.layers.push_back(
        test::make_layer("P" + std::to_string(d.layers.size()),
                         make_plane(Axis::z, z, {-1e4, 1e4}, {-1e4, 1e4}), 2e-3,
                         z > 500 && z < 1000 ? std::vector<Coordinate>{}
                                             : test::pixel(0.01, 0.02)));
  d.field.kind = FieldKind::dipole;
  d.field.dipoles = {{Axis::z, {500, 800}, Axis::y, 0.6 * unit::T},
                     {Axis::z, {1000, 1200}, Axis::x, 0.3 * unit::T}};
  check_toys(TrackingGeometry(d), {.p = 3, .theta = 0.05, .phi = 1});
}

TEST_CASE("batched toys: with mean energy loss as individually") {
  const Model mean{.loss = EnergyLoss::mean};
  const double theta = 80 * unit::deg;
  check_toys(its2(), {.p = 1, .theta = theta}, mean);
  check_toys(its2(), {.p = 0.3, .theta = theta, .charge = 1}, mean);
  check_toys(TrackingGeometry(shipped("cld")), {.p = 2, .theta = theta}, mean);
}

/// Fits that follow fluctuations of the loss.
const std::vector<FitChoice> streamable = {{FitKind::general}, {FitKind::hits}};
constexpr double electron = 0.511e-3;  // GeV

void check_straggling(const std::string& detector, const Track& track,
                      EnergyLoss loss = EnergyLoss::straggling,
                      double tolerance = rounding) {
  CAPTURE(detector);
  check_toys(TrackingGeometry(shipped(detector)), track, {.loss = loss},
             streamable, tolerance);
}

TEST_CASE("batched toys: with fluctuating energy loss as individually") {
  const double theta = 80 * unit::deg;
  constexpr auto variance = EnergyLoss::straggling_variance;
  check_straggling("alice_its2", {.p = 1, .theta = theta});
  check_straggling("alice_its2", {.p = 0.3, .theta = theta, .charge = 1});
  check_straggling("alice_its2", {.p = 30, .theta = 60 * unit::deg}, variance);
  check_straggling("alice_its2", {.p = 2, .theta = theta, .mass = electron});
  check_straggling("cld", {.p = 2, .theta = theta});
  check_straggling("cld", {.p = 20, .theta = theta, .mass = electron},
                   variance);
  check_straggling("cld", {.p = 10, .theta = 30 * unit::deg, .mass = 0.938});
  check_straggling("idea", {.p = 1, .theta = 70 * unit::deg});
  check_straggling("idea", {.p = 10, .theta = theta, .mass = electron});
  check_straggling("ild", {.p = 2, .theta = theta});
  check_straggling("belle2", {.p = 1, .theta = theta}, variance);
}

TEST_CASE("batched toys: streaming fits and fits by triplets") {
  const double theta = 80 * unit::deg;
  const std::vector<FitChoice> both = {{FitKind::scattering},
                                       {FitKind::general}};
  // the condition of K^-1 amplifies rounding in sigma^2 of so slow tracks more
  check_toys(its2(), {.p = 0.2, .theta = theta}, {.loss = EnergyLoss::mean},
             both, 2 * rounding);
  const Model straggling{.loss = EnergyLoss::straggling};
  check_toys(its2(), {.p = 1, .theta = theta}, straggling);
  check_toys(TrackingGeometry(shipped("cld")), {.p = 2, .theta = theta},
             straggling, both);
}

/// Toys stop, or lose much of their energy. After two linear fits they are not
/// at rest: each fit amplifies the rounding of the track around which it is
/// linear. With mean loss the differences are as large.
TEST_CASE("batched toys: slow ones with fluctuating loss as individually") {
  constexpr double amplified = 3e-6;
  const auto check = [](const std::string& detector, double p, double mass) {
    check_straggling(detector, {.p = p, .theta = 80 * unit::deg, .mass = mass},
                     EnergyLoss::straggling, amplified);
  };
  constexpr double pion = 0.13957;
  for (const double p : {0.12, 0.15, 0.2}) check("alice_its2", p, pion);
  check("alice_its2", 0.35, 0.938);
  check("cld", 0.25, pion);
  check("idea", 0.2, pion);
  for (const double p : {0.1, 0.5}) check("alice_its2", p, electron);
  check("cld", 5, electron);
}

TEST_CASE("batched toys: fluctuating loss in telescopes and dipoles") {
  const Track forward{.p = 5, .theta = 0.3 * unit::deg, .phi = 0.3};
  const TrackingGeometry datura(shipped("datura"));
  const Model straggling{.loss = EnergyLoss::straggling};
  check_toys(datura, forward, straggling);
  Track positron = forward;
  positron.mass = electron;
  positron.charge = 1;
  check_toys(datura, positron, straggling);
  check_straggling("faser", {.p = 100, .theta = 0.3 * unit::deg});
  check_straggling("lhcb", {.p = 20, .theta = 5 * unit::deg, .phi = 1});
  check_straggling(
      "lhcb", {.p = 20, .theta = 3 * unit::deg, .mass = electron, .charge = 1});
}

Detector its2_in_coil(bool around_z) {
  Detector d = shipped("alice_its2");
  d.field = test::coil_map(around_z, 16, 26);
  return d;
}

/// Planes along a magnet whose field changes within 0.4 m, with layers that
/// scatter between hits.
Detector planes_in_fringe() {
  Detector d;
  d.name = "fringe";
  d.field = test::map_field(test::sample(
      test::FringeDipole{},
      {test::axis_from(-600, 600, 13), test::axis_from(-400, 400, 21),
       test::axis_from(-1600, 1600, 81)}));
  for (const double z :
       {-1200.0, -1100.0, -400.0, -300.0, 0.0, 300.0, 1100.0, 1200.0})
    d.layers.push_back(
        test::make_layer("z" + std::to_string(int(z)),
                         make_plane(Axis::z, z, {-350, 350}, {-350, 350}), 0.01,
                         z == -400 || z == 0 ? std::vector<Coordinate>{}
                                             : test::pixel(0.05, 0.05)));
  return d;
}

TEST_CASE("batched toys: field maps as individually") {
  const Model mean{.loss = EnergyLoss::mean};
  for (const bool around_z : {true, false}) {
    Detector five_digits = shipped("alice_its2");
    five_digits.field =
        test::map_field(test::rounded(test::coil_grid(around_z, 16, 26), 5));
    check_toys(TrackingGeometry(five_digits),
               {.p = 1, .theta = 80 * unit::deg});
    const TrackingGeometry its2(its2_in_coil(around_z));
    check_toys(its2, {.p = 0.3, .theta = 80 * unit::deg});
    check_toys(its2, {.p = 1, .theta = 60 * unit::deg, .phi = 2, .charge = 1});
    check_toys(its2, {.p = 30, .theta = 100 * unit::deg, .phi = -1});
    check_toys(its2, {.p = 1, .theta = 80 * unit::deg}, mean);
    check_toys(its2, {.p = 1, .theta = 80 * unit::deg},
               {.loss = EnergyLoss::straggling}, {{FitKind::general}});
  }
  const TrackingGeometry fringe(planes_in_fringe());
  check_toys(fringe,
             {.p = 3, .theta = 0.03, .phi = 2, .vertex = {20, -30, -1400}});
  check_toys(fringe, {.p = 20,
                      .theta = 0.05,
                      .phi = -1,
                      .charge = 1,
                      .vertex = {0, 0, -1350}});
}

TEST_CASE("batched toys: all kinds of detectors are vectorised") {
  const auto check_in = [](const Detector& detector, const Track& track,
                           const Model& model) {
    CAPTURE(detector.name);
    const TrackingGeometry geometry(detector);
    const ToySimulator simulator(geometry, track, model);
    const FitChoice general[] = {{FitKind::general}};
    ToyBatch batch(simulator, general);
    constexpr std::size_t n = 2000;
    std::vector<char> missed(n);
    FitOutput fit(n);
    FitArrays wanted = fit.all_views();
    // parameters at the plane of a start along z, else at the perigee
    if (track.theta < 0.1)
      wanted.perigee = wanted.perigee_covariance = {};
    else
      wanted.start_plane = wanted.start_plane_covariance = {};
    const BatchStatistics s = batch.run({1, 0, 0}, {missed, {&wanted, 1}});
    CHECK(s.unsupported == 0);
    CHECK(100 * (s.vectorised + s.not_fitted) >= 99 * n);
    const auto fitted = std::ranges::count(fit.status, FitStatus::ok);
    CHECK(static_cast<std::size_t>(fitted) + s.not_fitted == n);
  };
  const auto check = [&](const char* name, const Track& track,
                         const Model& model) {
    check_in(shipped(name), track, model);
  };
  const Track forward{.p = 20, .theta = 0.005};
  for (const char* name : {"datura", "desy_telescope", "faser", "lhcb"})
    check(name, forward, {});
  const Track barrel{.p = 1, .theta = 80 * unit::deg};
  check("alice_its2", barrel, {.loss = EnergyLoss::mean});
  // layers with losses between hits, where a chord leaves the arc
  check("cld", barrel, {.loss = EnergyLoss::mean});
  const Model straggling{.loss = EnergyLoss::straggling};
  for (const char* name : {"alice_its2", "cld", "idea"})
    check(name, barrel, straggling);
  check("lhcb", forward, straggling);
  check("alice_its2", barrel, {.beam_spot = BeamSpot{0.01, 0.01, 30}});
  for (const bool around_z : {true, false})
    check_in(its2_in_coil(around_z), barrel, {});
}

void check_company(const TrackingGeometry& geometry, const Track& track,
                   const Model& model = {},
                   const std::vector<FitChoice>& fits = {std::begin(choices),
                                                         std::end(choices)}) {
  const ToySimulator simulator(geometry, track, model);
  for (const SimdLevel level : available_simd_levels()) {
    const AtLevel use(level);
    ToyBatch batch(simulator, fits);
    constexpr std::size_t n = 300, n_part = 250, from = 19;
    test::ToyOutput whole(n, fits.size()), part(n_part, fits.size());
    whole.run(batch, {1, 0, 0});
    part.run(batch, {1, 0, from});
    CHECK(std::equal(part.missed.begin(), part.missed.end(),
                     whole.missed.begin() + from));
    const auto same = [&](const auto& one, const auto& all, std::size_t rows) {
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < n_part; ++i)
          // bits: fits without a result are NaN
          if (part.missed[i] == 0 &&
              std::memcmp(&one[row * n_part + i], &all[row * n + from + i],
                          sizeof(double)) != 0)
            return false;
      return true;
    };
    for (std::size_t f = 0; f < fits.size(); ++f) {
      CAPTURE(f);
      const FitOutput &one = part.fits[f], &all = whole.fits[f];
      CHECK(same(one.kappa, all.kappa, 1));
      CHECK(same(one.sigma, all.sigma, 1));
      CHECK(same(one.chi2, all.chi2, 1));
      CHECK(same(one.perigee, all.perigee, 5));
      CHECK(same(one.covariance, all.covariance, 15));
      CHECK(same(one.plane, all.plane, 5));
      CHECK(same(one.plane_covariance, all.plane_covariance, 15));
      CHECK(same(one.momentum, all.momentum, 1));
    }
  }
}

TEST_CASE("batched toys: a toy does not depend on other toys") {
  check_company(its2(), {.p = 0.5});
  check_company(TrackingGeometry(shipped("idea")), {.p = 1});
  const std::vector<FitChoice> general = {{FitKind::general}};
  check_company(its2(), {.p = 0.5}, {.loss = EnergyLoss::mean}, general);
  const Model straggling{.loss = EnergyLoss::straggling};
  for (const double mass : {0.1396, electron})
    check_company(its2(), {.p = 0.3, .mass = mass}, straggling, streamable);
  check_company(TrackingGeometry(shipped("cld")), {.p = 1, .mass = electron},
                straggling, general);
  check_company(its2(), {.p = 0.5}, {.beam_spot = BeamSpot{0.01, 0.01, 30}},
                general);
  for (const char* name : {"datura", "faser", "lhcb"})
    check_company(TrackingGeometry(shipped(name)), {.p = 20, .theta = 0.005},
                  {}, general);
  for (const bool around_z : {true, false})
    check_company(TrackingGeometry(its2_in_coil(around_z)), {.p = 0.5}, {},
                  general);
}

TEST_CASE("batched toys: with a beam spot as individually") {
  const Model coarse{.beam_spot = BeamSpot{0.01, 0.02, 30}};
  const Model narrow{.beam_spot = BeamSpot{0.01, 0.005, 0.02}};
  const double theta = 70 * unit::deg;
  for (const double phi : {0.0, 2.5}) {
    const Track track{.p = 1, .theta = theta, .phi = phi};
    check_toys(its2(), track, coarse, {{FitKind::general}, {FitKind::hits}});
    check_toys(its2(), track, narrow);
  }
  check_toys(TrackingGeometry(shipped("cld")),
             {.p = 3, .theta = theta, .charge = 1}, coarse,
             {{FitKind::general}});
}

TEST_CASE("batched toys: unsupported toys take the scalar path") {
  const TrackingGeometry geometry = its2();
  const Track track{.p = 1};
  const Model with_spot{.beam_spot = BeamSpot{0.01, 0.01, 30},
                        .loss = EnergyLoss::straggling_variance};
  const ToySimulator simulator(geometry, track, with_spot);
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
