// SPDX-License-Identifier: Apache-2.0
// The two engines against each other on random layouts of every kind.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/trajectory/energy_loss.hpp"
#include "support/batch.hpp"
#include "support/compare.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

// With a beam spot, kinks in most layers change the curvature by 1e-10 of its
// error or less.
TEST_CASE("engines: agree with mean energy loss and a beam spot") {
  for (const std::string name : {"alice_its2", "barrel", "mu3e", "belle2"}) {
    const TrackingGeometry geometry(shipped(name));
    for (const double p : {0.5, 3.0, 10.0, 100.0, 1000.0, 1e4}) {
      CAPTURE(name);
      CAPTURE(p);
      Track t;
      t.p = p;
      t.theta = 0.5 * unit::pi;
      Model model;
      model.loss = EnergyLoss::mean;
      model.beam_spot = BeamSpot{0.01, 0.01, 50};
      const Resolution a = resolve(geometry, t, model);
      model.engine = Engine::triplet;
      const Resolution b = resolve(geometry, t, model);
      REQUIRE(a.status == b.status);
      if (a.status != Status::ok) continue;
      const auto equal = [](double x, double y) {
        CHECK(x == doctest::Approx(y).epsilon(1e-8));
      };
      equal(a.sigma_p_rel, b.sigma_p_rel);
      equal(a.sigma_p_rel_hit_only, b.sigma_p_rel_hit_only);
      equal(a.sigma_p_rel_ms_only, b.sigma_p_rel_ms_only);
    }
  }
}

// What fluctuates there is only the curvature behind.
TEST_CASE("engines: agree on straggling in layers that do not scatter") {
  Detector given = shipped("barrel");
  for (Layer& layer : given.layers)
    if (!layer.measures())
      layer.material = {{.material = "", .mean_loss = 1 * unit::MeV}};
  given.layers.push_back(
      make_layer("wall", make_cylinder(45, {-1000, 1000}), 0));
  given.layers.back().material = {{.material = "", .mean_loss = 2 * unit::MeV}};
  for (const Detector& d : {given, shipped("barrel"), shipped("cld")})
    for (const Scattering scattering : {Scattering::off, Scattering::highland})
      for (const bool spot : {false, true})
        for (const double mass : {electron_mass, 0.938272}) {
          const TrackingGeometry geometry(d);
          CAPTURE(d.name);
          CAPTURE(spot);
          CAPTURE(mass);
          const Track t{.p = 0.3, .theta = 1.5, .mass = mass};
          Model model;
          model.loss = EnergyLoss::straggling;
          model.scattering = scattering;
          if (spot) model.beam_spot = BeamSpot{0.01, 0.005, 30};
          const Resolution a = resolve(geometry, t, model);
          model.engine = Engine::triplet;
          const Resolution b = resolve(geometry, t, model);
          REQUIRE(a.status == Status::ok);
          REQUIRE(b.status == Status::ok);
          CHECK(b.sigma_p_rel == doctest::Approx(a.sigma_p_rel).epsilon(1e-8));
          // without scattering there is no limit of scattering
          REQUIRE(std::isnan(a.sigma_p_rel_ms_only) ==
                  (scattering == Scattering::off));
          if (std::isnan(a.sigma_p_rel_ms_only))
            CHECK(std::isnan(b.sigma_p_rel_ms_only));
          else
            CHECK(b.sigma_p_rel_ms_only ==
                  doctest::Approx(a.sigma_p_rel_ms_only).epsilon(1e-8));
        }
}

// The second crossing of each layer is 2e9 mm later.
TEST_CASE("engines: agree on a track that returns after a huge turn") {
  const TrackingGeometry geometry(
      parse_detector(
          "gttf-detector: 1\nname: t\nfield: { solenoid: 0.001 T }\nlayers:\n"
          "  - { name: L0, cylinder: { radius: 531.1 mm, half_length: 4 m },\n"
          "      material: 1 %, measures: [{ angle: 7 deg, sigma: 2.5 nm }] }\n"
          "  - { name: L1, cylinder: { radius: 699.6 mm, half_length: 4 m },\n"
          "      measures: [{ angle: -7 deg, sigma: 0.1 nm }] }\n"
          "  - { name: L2, cylinder: { radius: 729.5 mm, half_length: 4 m },\n"
          "      measures: [{ angle: 90 deg, sigma: 0.1 nm },\n"
          "                 { angle: 91 deg, sigma: 0.1 nm }] }\n",
          "text")
          .detector);
  for (const double p : {1e2, 1e5, 1e6, 7.4958e6, 1e8}) {
    CAPTURE(p);
    Track t;
    t.p = p;
    t.mass = 0.4937;
    t.theta = 0.5 * unit::pi;
    Model model;
    model.loss = EnergyLoss::mean;
    model.turns = 2;
    const Resolution a = resolve(geometry, t, model);
    model.engine = Engine::triplet;
    const Resolution b = resolve(geometry, t, model);
    CHECK(a.status == Status::ok);
    CHECK(b.status == Status::ok);
    CHECK(b.sigma_p_rel == doctest::Approx(a.sigma_p_rel).epsilon(1e-8));
  }
}

TEST_CASE("engines: agree on random layouts, with and without field") {
  RandomLayouts usual(77), with_leaning(77, 0.3);
  int with = 0, without = 0, loose = 0, status_differs = 0;
  for (int i = 0; i < 1200; ++i) {
    RandomLayouts& random = i % 2 == 0 ? usual : with_leaning;
    Detector d = random.detector();
    Track t = random.track();
    if (i % 3 == 0) d.field = {};
    if (i % 5 == 0) t.charge *= 2;
    Model triplet;
    triplet.engine = Engine::triplet;
    const TrackingGeometry geometry(d);
    const Resolution a = resolve(geometry, t);
    const Resolution b = resolve(geometry, t, triplet);
    if (a.status != b.status) {
      ++status_differs;
      continue;
    }
    const bool field = a.status == Status::ok;
    if (!field && a.status != Status::no_field) continue;
    // barely determined tracks measure conditioning, not the engines
    if (!(a.perigee(2, 2) < 1e-2) || (field && a.sigma_p_rel > 1)) continue;
    const int n = field ? 5 : 4;
    ++(field ? with : without);
    const double error =
        std::max({worst(b.perigee, a.perigee, n),
                  worst(b.perigee_without_inner, a.perigee_without_inner, n),
                  worst(b.first_hit, a.first_hit, n)});
    CHECK(error < 1e-6);
    loose += error > 1e-9;
    if (!field) continue;
    CHECK(b.sigma_p_rel == doctest::Approx(a.sigma_p_rel).epsilon(1e-6));
    if (std::isfinite(a.sigma_p_rel_hit_only) &&
        std::isfinite(b.sigma_p_rel_hit_only) && a.sigma_p_rel_hit_only < 1)
      CHECK(b.sigma_p_rel_hit_only ==
            doctest::Approx(a.sigma_p_rel_hit_only).epsilon(1e-6));
  }
  CHECK(with > 100);
  CHECK(without > 60);
  // single coordinates with lever arms of every size amplify rounding
  CHECK(loose <= (with + without) / 50);
  // at most where a parameter is determined only by rounding
  CHECK(status_differs <= 12);
}

TEST_CASE("engines: the scattering limit of coordinates along z only") {
  // at phi = 0 the coordinate z of a plane depends on d0 by rounding only
  for (const double x : {43., 45., 50., 57., 60., 63., 70.}) {
    CAPTURE(x);
    const Detector d =
        parse_detector(
            "gttf-detector: 1\nname: t\nfield: { solenoid: 1 T }\nlayers:\n"
            "  - { name: A, cylinder: { radius: 42 mm, half_length: 3 m }, "
            "material: 1 %, measures: [{ angle: 180 deg, sigma: 1 mm }] }\n"
            "  - { name: B, plane: { x: " +
                std::to_string(x) +
                " mm, y: [-1 m, 1 m], z: [-3 m, 3 m] }, material: 1 %, "
                "measures: [{ angle: 90 deg, sigma: 10 um }, "
                "{ angle: 180 deg, sigma: 10 um }] }\n"
                "  - { name: C, cylinder: { radius: 93 mm, half_length: 3 m }, "
                "material: 1 %, measures: [{ angle: 0 deg, sigma: 1 um }, "
                "{ angle: 90 deg, sigma: 10 um }] }\n"
                "  - { name: D, cylinder: { radius: 150 mm, half_length: 3 m "
                "}, material: 1 %, measures: { z: 10 um } }\n",
            "t.yaml")
            .detector;
    const TrackingGeometry geometry(d);
    std::vector<double> theta, in_batch;
    for (int i = 0; i <= 20; ++i) theta.push_back((50 + 2. * i) * unit::deg);
    in_batch.resize(theta.size());
    TrackArrays tracks;
    const std::vector<double> p{1}, zero{0}, mass{0.13957039}, charge{-1};
    tracks.size = theta.size();
    tracks.p = p;
    tracks.theta = theta;
    tracks.phi = zero;
    tracks.mass = mass;
    tracks.charge = charge;
    tracks.x = tracks.y = tracks.z = zero;
    ResolutionArrays results;
    results.sigma_p_rel_ms_only = in_batch;
    resolve(geometry, tracks, {}, results);
    for (std::size_t i = 0; i < theta.size(); ++i) {
      Track track;
      track.theta = theta[i];
      Model triplet;
      triplet.engine = Engine::triplet;
      const Resolution a = resolve(geometry, track);
      const Resolution b = resolve(geometry, track, triplet);
      REQUIRE(a.status == Status::ok);
      CHECK(a.sigma_p_rel_ms_only < a.sigma_p_rel);
      CHECK(a.sigma_p_rel_ms_only ==
            doctest::Approx(b.sigma_p_rel_ms_only).epsilon(1e-7));
      CHECK(in_batch[i] ==
            doctest::Approx(a.sigma_p_rel_ms_only).epsilon(1e-7));
    }
  }
}

namespace {

/// Few layers with strips along the axes, nearly along them and between them,
/// so that exact coordinates have coefficients from 1 down to rounding.
class StereoTracks {
 public:
  struct Case {
    Detector detector;
    Track track;
    Model model;
  };

  explicit StereoTracks(unsigned seed) : random_(seed) {}

  Case next() {
    Case c;
    c.detector.name = "stereo";
    c.detector.field = {FieldKind::solenoid, 1 * unit::T};
    set_reference(c.detector.field);
    double position = 20;
    const int n = 3 + whole(4);
    for (int i = 0; i < n; ++i) {
      position += one_of({1, 10, 50, 300});
      const bool is_plane = whole(3) == 0;
      c.detector.layers.push_back(make_layer(
          "L" + std::to_string(i),
          is_plane ? make_plane(Axis::x, position, {-1e3, 1e3}, {-3e3, 3e3})
                   : make_cylinder(position, {-3e3, 3e3}),
          one_of({1e-3, 0.01, 0.1}), coordinates()));
    }
    c.track.p = std::pow(10, uniform(-1, 3));
    c.track.theta = one_of({90, 60, uniform(20, 160)}) * unit::deg;
    c.track.phi = one_of({0, 0, 0, uniform(-30, 30)}) * unit::deg;
    if (whole(3) == 0) c.model.beam_spot = BeamSpot{1e-3, 1e-3, 1e-3};
    return c;
  }

 private:
  int whole(int n) { return std::min(n - 1, static_cast<int>(uniform(0, n))); }
  double uniform(double a, double b) {
    return std::uniform_real_distribution<>(a, b)(random_);
  }
  double one_of(const std::vector<double>& list) {
    return list[static_cast<std::size_t>(whole(static_cast<int>(list.size())))];
  }
  std::vector<Coordinate> coordinates() {
    const double angle = one_of({0, 90, 90, 45, 0.057, 1e-3, 89.999});
    std::vector<double> angles{angle};
    if (whole(3) == 0) angles.push_back(angle + one_of({5, 90}));
    std::vector<Coordinate> list;
    for (const double a : angles)
      list.push_back({a * unit::deg, one_of({1e-3, 0.01, 0.1, 1})});
    return list;
  }

  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("engines: the scattering limit of strips at any angle") {
  const char* const asked = std::getenv("GTTF_STEREO_TRACKS");
  const int n = asked ? std::atoi(asked) : 6000;
  StereoTracks tracks(17);
  int limits = 0, vectorised = 0, wrong = 0, wrong_in_batch = 0, exceeds = 0;
  for (int i = 0; i < n; ++i) {
    const auto [detector, track, model] = tracks.next();
    const TrackingGeometry geometry(detector);
    const Resolution a = resolve(geometry, track, model);
    Model triplet = model;
    triplet.engine = Engine::triplet;
    const Resolution b = resolve(geometry, track, triplet);
    if (a.status != Status::ok || b.status != Status::ok) continue;
    if (std::isnan(b.sigma_p_rel_ms_only)) {
      CHECK(std::isnan(a.sigma_p_rel_ms_only));
      continue;
    }
    ++limits;
    double one = 0;
    ResolutionArrays arrays;
    arrays.sigma_p_rel_ms_only = std::span(&one, 1);
    vectorised += static_cast<int>(
        resolve(geometry, arrays_of(track), model, arrays).vectorised);
    const double right = b.sigma_p_rel_ms_only;
    wrong += !(relative(a.sigma_p_rel_ms_only, right) < 1e-6);
    wrong_in_batch += !(relative(one, right) < 1e-6);
    exceeds += !(one < a.sigma_p_rel * (1 + 1e-6));
  }
  MESSAGE(limits << " limits, " << vectorised << " vectorised; wrong " << wrong
                 << ", in batches " << wrong_in_batch);
  CHECK(limits > n / 2);
  CHECK(vectorised > limits / 3);
  CHECK(wrong == 0);
  CHECK(wrong_in_batch == 0);
  CHECK(exceeds == 0);
}

}  // namespace gttf::test::GTTF_TEST_FILE
