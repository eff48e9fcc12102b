// SPDX-License-Identifier: Apache-2.0
// Modules in batches: tracks of a group cross other modules, in other numbers,
// and have the results of single tracks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "gttf/core/simd.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/detector/read_model.hpp"
#include "gttf/resolution/batch_sigmas.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "gttf/trajectory/loss_fluctuation.hpp"
#include "support/at_level.hpp"
#include "support/batch_deviation.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Rings with one coordinate, two and three, passive ones, a turbine, loose
/// planes, cylinders and disks between them.
const char* const kinds = R"(gttf-detector: 1
name: kinds of modules
field: { solenoid: 2 T }
layers:
  - { name: pipe, cylinder: { radius: 20 mm, half_length: 900 mm }, material: 1 % }
  - { name: turbine, ring: { radius: 35 mm, z: 3 mm, count: 14, size: [24 mm, 300 mm], turn: 17 deg }, material: 1 %, measures: { u: 5 um, v: 5 um } }
  - { name: strips, ring: { radius: [90 mm, 96 mm], z: [-50 mm, 48 mm], count: 30, size: [22 mm, 100 mm], tilt: [-10 deg, 10 deg] }, material: 0.5 %, measures: { u: 10 um } }
  - { name: pairs, ring: { radius: [150 mm, 151.8 mm], z: [10 mm, 10 mm], count: 21, size: [50 mm, 400 mm], phi: 3 deg }, material: 0.3 %, measures: { u: 10 um, v: 1 mm } }
  - { name: three, ring: { radius: 210 mm, z: 10 mm, count: 33, size: [44 mm, 500 mm], phi: 4 deg }, material: 1 %, measures: [{ angle: 1 deg, sigma: 20 um }, { angle: 1 deg, sigma: 20 um }, { angle: -2 deg, sigma: 20 um }] }
  - { name: support, ring: { radius: 250 mm, z: 0 mm, count: 8, size: [150 mm, 400 mm] }, material: 2 % }
  - { name: plane, plane: { center: [10 mm, 20 mm, 400 mm], orientation: { xyz: [20 deg, 10 deg, 5 deg] }, size: [200 mm, 300 mm] }, material: 1 %, measures: { u: 10 um, v: 10 um } }
  - { name: barrel, cylinder: { radius: 300 mm, half_length: 500 mm }, material: 1 %, measures: { rphi: 10 um, z: 50 um } }
  - { name: disk, disk: { z: 600 mm, radius: [30 mm, 290 mm] }, mirror: true, material: 1 %, measures: { rphi: 10 um, r: 50 um } }
  - { name: end, ring: { radius: 150 mm, z: 700 mm, count: 20, size: [60 mm, 200 mm], tilt: 90 deg }, mirror: true, material: 1 %, measures: { u: 10 um, v: 50 um } }
)";

Detector of_modules(const std::string& name) {
  if (name == "kinds") return parse_detector(kinds, "kinds.yaml").detector;
  return shipped(name + "_modules");
}

/// All azimuths, from the axis and from displaced vertices.
TrackList all_around(std::size_t n, unsigned seed) {
  RandomLayouts random(seed);
  TrackList tracks;
  for (std::size_t i = 0; i < n; ++i) {
    Track t;
    t.p = random.log_uniform(0.3, 100);
    t.theta = random.uniform(0.15, std::numbers::pi - 0.15);
    t.phi = random.uniform(-std::numbers::pi, std::numbers::pi);
    t.charge = i % 2 == 0 ? 1 : -1;
    if (i % 3 == 0)
      t.vertex = {random.uniform(-2, 2), random.uniform(-2, 2),
                  random.uniform(-50, 50)};
    tracks.add(t);
  }
  return tracks;
}

Model with_loss(EnergyLoss loss = EnergyLoss::mean) {
  Model model;
  model.loss = loss;
  return model;
}

constexpr EnergyLoss losses[] = {EnergyLoss::mean, EnergyLoss::straggling,
                                 EnergyLoss::straggling_variance};

constexpr const char* detectors[] = {"kinds", "belle2", "atlas_itk",
                                     "cms_phase2"};

}  // namespace

TEST_CASE("modules in batches: results are those of single tracks") {
  for (const char* name : detectors) {
    CAPTURE(name);
    const Detector d = of_modules(name);
    const TrackingGeometry geometry(d);
    REQUIRE(geometry.modules() != nullptr);
    const TrackList tracks = all_around(300, 17);
    const ScalarResults scalar(geometry, tracks);
    for (const SimdLevel level : available_simd_levels()) {
      CAPTURE(to_string(level));
      const AtLevel at(level);
      BatchOutput r(tracks.size(), 0);
      const BatchStatistics s =
          resolve(geometry, tracks.views(), {}, r.views());
      CHECK(s.unsupported == 0);
      CHECK(s.vectorised > 200);
      CHECK((s.mixed > 10 || level == SimdLevel::scalar));
      // limits of exact hits in pairs 1.8 mm apart lose a digit
      const bool has_pairs = name == std::string("kinds");
      CHECK(deviation_from(scalar, r) < (has_pairs ? 1e-11 : 1e-12));
    }
  }
}

TEST_CASE("modules in batches: tracks that lose energy, as in resolve()") {
  struct Case {
    const char* name;
    std::size_t tracks;  ///< of each particle
    double least_p;      ///< GeV
  };
  struct Particle {
    double mass, charge;
  };
  // from tracks that curl up, or stop, to 100 GeV
  for (const Case& c : {Case{"kinds", 150, 0.05}, Case{"belle2", 100, 0.05},
                        Case{"atlas_itk", 40, 0.2}})
    for (const Particle& particle :
         {Particle{electron_mass, -1}, Particle{0.1056583755, 1},
          Particle{0.13957039, -1}, Particle{0.493677, 1},
          Particle{0.93827209, 1}}) {
      const TrackingGeometry geometry(of_modules(c.name));
      TrackList tracks;
      const TrackList all = all_around(c.tracks, 22);
      for (std::size_t t = 0; t < all.size(); ++t) {
        Track track = all.views().track(t);
        track.p = c.least_p * std::pow(track.p / 0.3, 1.3);
        track.mass = particle.mass;
        track.charge = particle.charge;
        tracks.add(track);
      }
      CAPTURE(c.name);
      CAPTURE(particle.mass);
      for (const EnergyLoss loss : losses) {
        CAPTURE(to_string(loss));
        compare_all_levels(geometry, tracks, with_loss(loss), 0, 1e-9,
                           [&](const BatchStatistics& s, const BatchOutput&) {
                             CHECK(s.unsupported == 0);
                             // half of the electrons lose more than
                             // bend_bound allows in ATLAS ITk
                             CHECK(5 * s.vectorised > 2 * tracks.size());
                           });
      }
    }
}

// Tracks that may turn back among the modules are traced for their list only.
TEST_CASE("modules in batches: nearly all tracks with loss are in vectors") {
  for (const char* name : {"atlas_itk", "belle2"}) {
    CAPTURE(name);
    const TrackingGeometry geometry(of_modules(name));
    TrackList tracks;
    const TrackList all = all_around(1500, 23);
    for (std::size_t t = 0; t < all.size(); ++t)
      if (const Track track = all.views().track(t); track.p > 0.5)
        tracks.add(track);
    const std::size_t n = tracks.size();
    REQUIRE(n > 1000);
    std::vector<double> sigma(n);
    ResolutionArrays wanted;
    wanted.sigma_p_rel = sigma;
    const BatchStatistics s =
        resolve(geometry, tracks.views(), with_loss(), wanted);
    CHECK(100 * (s.vectorised + s.not_fitted) > 99 * n);
  }
}

TEST_CASE("modules in batches: budgets are those of single tracks") {
  const TrackingGeometry geometry(of_modules("kinds"));
  const TrackList tracks = all_around(200, 18);
  for (const Model& model :
       {Model{}, with_loss(), with_loss(EnergyLoss::straggling)})
    for (const SimdLevel level : available_simd_levels()) {
      CAPTURE(to_string(level));
      const AtLevel at(level);
      BatchOutput r(tracks.size(), geometry.surfaces().size());
      const BatchStatistics s =
          resolve(geometry, tracks.views(), model, r.views());
      CHECK(s.vectorised > 150);
      // stopping powers from tables
      const double most = model.loss == EnergyLoss::off ? 1e-11 : 1e-9;
      CHECK(budget_deviation_from_scalar(geometry, tracks, r, 1, model) < most);
    }
}

TEST_CASE("modules in batches: slopes are those of single tracks") {
  const TrackingGeometry geometry(of_modules("kinds"));
  const TrackList tracks = all_around(60, 19);
  constexpr Parameter asked[] = {Parameter::p, Parameter::d0};
  for (const Model& model : {Model{}, with_loss()}) {
    CAPTURE(to_string(model.loss));
    std::vector<Sensitivities> single;
    for (std::size_t t = 0; t < tracks.size(); ++t)
      single.push_back(
          make_sensitivities(geometry, tracks.views().track(t), model));
    for (const SimdLevel level : available_simd_levels()) {
      CAPTURE(to_string(level));
      const AtLevel at(level);
      std::vector<int> n_hits(tracks.size());
      const BatchSensitivities all(geometry, tracks.views(), model, asked, 1,
                                   n_hits);
      std::size_t compared = 0;
      for (std::size_t t = 0; t < tracks.size(); ++t) {
        const Sensitivities& one = single[t];
        if (!one.exists()) continue;
        PerParameter largest;  // effect of a relative change
        for (const Sensitivity& item : one.items)
          for (const Parameter q : asked)
            largest[q] = std::max(largest[q], std::abs(item.elasticity()[q]));
        for (const Sensitivity& item : one.items) {
          // rotations of planes are not calculated in batches
          if (item.layer == Sensitivity::none ||
              (item.quantity != Quantity::position &&
               item.quantity != Quantity::x_over_x0 &&
               item.quantity != Quantity::sigma))
            continue;
          for (const Parameter q : asked) {
            const std::span<const double> by_number =
                item.quantity == Quantity::position
                    ? all.by_position(q, item.layer)
                : item.quantity == Quantity::x_over_x0
                    ? all.by_material(q, item.layer)
                    : all.by_sigma(q,
                                   geometry.surfaces()[item.layer].first_axis +
                                       item.coordinate);
            const double sigma = all.sigma(q, t);
            const double got = by_number[t] / (2 * sigma * sigma);
            const double difference = std::abs(got - item.slope[q]);
            // with loss, single tracks are differentiated by differences
            if (model.loss == EnergyLoss::off)
              CHECK(difference <
                    1e-9 * std::max(1e-3, std::abs(item.slope[q])));
            else
              CHECK(difference * std::abs(item.value) < 1e-8 * largest[q]);
            ++compared;
          }
        }
      }
      CHECK(compared > 1000);
    }
  }
}

TEST_CASE("modules in batches: neighbours and threads do not change a bit") {
  const TrackingGeometry geometry(of_modules("kinds"));
  const TrackList tracks = all_around(700, 20);
  const std::size_t n = tracks.size(), layers = geometry.surfaces().size();
  TrackList reversed;
  for (std::size_t t = n; t-- > 0;) reversed.add(tracks.views().track(t));
  for (const Model& model :
       {Model{}, with_loss(), with_loss(EnergyLoss::straggling)})
    for (const SimdLevel level : available_simd_levels()) {
      CAPTURE(to_string(level));
      const AtLevel at(level);
      BatchOutput whole(n, layers), backwards(n, layers);
      const BatchStatistics s =
          resolve(geometry, tracks.views(), model, whole.views(), 3);
      CHECK((s.mixed > 10 || level == SimdLevel::scalar));
      resolve(geometry, reversed.views(), model, backwards.views(), 1);
      const auto all = whole.every_number(), other = backwards.every_number();
      bool equal = true;
      for (std::size_t i = 0; i < all.size(); ++i)
        equal =
            equal && same_bits({all[i]}, {other[i / n * n + n - 1 - i % n]});
      CHECK(equal);
    }
}

TEST_CASE("modules in batches: all models and a beam spot") {
  const Detector d = of_modules("kinds");
  const TrackingGeometry geometry(d);
  const TrackList tracks = all_around(120, 21);
  std::vector<Model> models(9);
  models[0].scattering = Scattering::highland_total;
  models[1].beam_spot = BeamSpot{0.01, 0.02, 5};
  const auto barrel =
      std::ranges::find(d.layers, "barrel", &Layer::name) - d.layers.begin();
  models[2].at = AtLayer{static_cast<std::size_t>(barrel), true};
  for (std::size_t i = 0; i < 3; ++i) {
    models[3 + i] = models[i];
    models[3 + i].loss = EnergyLoss::mean;
    models[6 + i] = models[i];
    models[6 + i].loss = EnergyLoss::straggling;
  }
  for (const Model& model : models) {
    const std::size_t n = tracks.size();
    Triangles perigee(n);
    std::vector<Status> status(n);
    ResolutionArrays wanted;
    wanted.perigee = perigee;
    wanted.status = status;
    const BatchStatistics s = resolve(geometry, tracks.views(), model, wanted);
    CHECK(s.vectorised > 50);
    for (std::size_t t = 0; t < n; ++t) {
      const Resolution one = resolve(geometry, tracks.views().track(t), model);
      REQUIRE(status[t] == one.status);
      if (one.status == Status::ok)
        CHECK(worst(perigee.matrix(t), one.perigee) <
              (model.loss == EnergyLoss::off ? 1e-12 : 1e-9));
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
