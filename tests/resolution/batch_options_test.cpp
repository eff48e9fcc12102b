// SPDX-License-Identifier: Apache-2.0
// Batches with a beam spot and with states at a layer.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "gttf/core/simd.hpp"
#include "gttf/resolution/batch_states.hpp"
#include "support/at_level.hpp"
#include "support/batch.hpp"
#include "support/layouts.hpp"
#include "support/magnets.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// What a batch gives of every track, with a state at a layer.
struct Output : BatchOutput {
  explicit Output(std::size_t n)
      : BatchOutput(n, 0),
        state(n),
        slopes(n),
        sigma_p_at(n),
        p_at(n),
        crossed(n) {}

  ResolutionArrays views(const Model& model) {
    ResolutionArrays r = BatchOutput::views();
    if (model.beam_spot) r.perigee_without_inner = r.first_hit = {};
    return r;
  }
  StateArrays states(const Model& model) {
    if (!model.at) return {};
    return {state, slopes, sigma_p_at, p_at, crossed};
  }

  std::vector<double> numbers_of(const Model& model, std::size_t t) const {
    std::vector<double> own = BatchOutput::numbers_of(t);
    if (!model.at) return own;
    for (const std::vector<double>* v :
         {static_cast<const std::vector<double>*>(&state),
          static_cast<const std::vector<double>*>(&slopes), &sigma_p_at, &p_at})
      for (std::size_t i = t; i < v->size(); i += p_at.size())
        own.push_back((*v)[i]);
    return own;
  }

  Triangles state, slopes;
  std::vector<double> sigma_p_at, p_at;
  std::vector<char> crossed;
};

/// Largest deviation of the batch from resolve(), relative; statuses and what
/// exists must be equal.
double deviation(const TrackingGeometry& geometry, const TrackList& tracks,
                 const Model& model, const Output& r) {
  double worst = 0;
  const auto compare = [&](const char* what, double got, double expected,
                           bool share = false) {
    CAPTURE(what);
    CAPTURE(got);
    CAPTURE(expected);
    REQUIRE(std::isnan(got) == std::isnan(expected));
    if (!std::isnan(expected))
      worst = std::max(worst,
                       std::abs(share ? got - expected : got / expected - 1));
  };
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    CAPTURE(t);
    CAPTURE(model.beam_spot ? model.beam_spot->x : 0);
    CAPTURE(model.beam_spot ? model.beam_spot->y : 0);
    CAPTURE(model.beam_spot ? model.beam_spot->z : 0);
    const Resolution one = resolve(geometry, tracks.views().track(t), model);
    REQUIRE(r.status[t] == one.status);
    REQUIRE(r.n_hits[t] == one.n_hits);
    compare("x_over_x0_tracker", r.x_over_x0_tracker[t], one.x_over_x0_tracker);
    if (one.status != Status::ok && one.status != Status::no_field) continue;
    const int n = one.status == Status::ok ? 5 : 4;
    worst = std::max(worst, test::worst(r.perigee.matrix(t), one.perigee, n));
    if (!std::isnan(one.start_plane(0, 0)))
      worst = std::max(
          worst, test::worst(r.start_plane.matrix(t), one.start_plane, n));
    compare("sigma_p", r.sigma_p[t], one.sigma_p_rel);
    compare("hit_only", r.hit_only[t], one.sigma_p_rel_hit_only);
    compare("ms_only", r.ms_only[t], one.sigma_p_rel_ms_only);
    compare("mu_phi", r.mu_phi[t], one.mu_phi, true);
    compare("mu_theta", r.mu_theta[t], one.mu_theta, true);
    if (!model.at) continue;
    REQUIRE(one.at.has_value());
    REQUIRE((r.crossed[t] != 0) == one.at->crossed);
    compare(
        "p_at", r.p_at[t],
        one.at->crossed ? one.crossings[one.at->crossing].p : Resolution::none);
    compare("sigma_p_at", r.sigma_p_at[t], one.at->sigma_p_rel);
    REQUIRE(std::isnan(r.state.matrix(t)(0, 0)) == !one.at->exists);
    if (!one.at->exists) continue;
    worst =
        std::max({worst, test::worst(r.state.matrix(t), one.at->covariance, n),
                  test::worst(r.slopes.matrix(t), one.at->slopes, n)});
  }
  return worst;
}

/// A spot and a layer, or one of them.
Model model_number(int i, RandomLayouts& random, std::size_t n_layers) {
  Model model;
  if (i % 3 != 0)
    model.beam_spot =
        BeamSpot{random.log_uniform(1e-3, 1), random.log_uniform(1e-3, 1),
                 random.log_uniform(1e-3, 100)};
  if (i % 3 != 1)
    model.at = AtLayer{static_cast<std::size_t>(
                           random.uniform(0, static_cast<double>(n_layers))),
                       random.uniform(0, 1) < 0.5};
  return model;
}

TrackList grid(double phi) {
  TrackList tracks;
  for (int j = 0; j < 11; ++j)
    for (int i = 0; i < 9; ++i) {
      Track t;
      t.p = 0.05 * std::pow(100 / 0.05, i / 8.0);
      t.theta = (8 + 164 * j / 10.0) * unit::deg;
      t.phi = phi;
      tracks.add(t);
    }
  return tracks;
}

}  // namespace

TEST_CASE("batch: beam spots and states at layers of shipped detectors") {
  RandomLayouts random(11);
  std::size_t vectorised = 0, doubtful = 0;
  for (const Detector& d : shipped_detectors()) {
    const TrackingGeometry geometry(d);
    const TrackList tracks = grid(0.1);
    for (int i = 0; i < 4; ++i) {
      Model model = model_number(i, random, d.layers.size());
      // a layer, with energy loss
      if (i == 3) model.loss = EnergyLoss::mean;
      for (const SimdLevel level : available_simd_levels()) {
        CAPTURE(d.name);
        CAPTURE(i);
        CAPTURE(to_string(level));
        const AtLevel at(level);
        Output r(tracks.size());
        const BatchStatistics s = resolve(geometry, tracks.views(), model,
                                          r.views(model), r.states(model));
        CHECK(s.unsupported == 0);
        vectorised += s.vectorised;
        doubtful += s.doubtful;
        CHECK(deviation(geometry, tracks, model, r) < 1e-9);
      }
    }
  }
  CHECK(20 * doubtful < vectorised);
}

TEST_CASE("batch: beam spots and states at layers in magnets and maps") {
  struct Case {
    Detector detector;
    double p, theta, widest, z;
    std::vector<std::size_t> layers;  ///< of the state
  };
  Detector in_map = shipped("alice_its2");
  in_map.field = coil_map(true, 16, 26);
  const Case cases[] = {
      {shipped("datura"), 1, 0, 0.05, -10, {0, 2, 3, 5}},
      {shipped("faser"), 100, 0, 0.01, -1600, {0, 4, 8}},
      {shipped("lhcb"), 8, 0.02, 0.15, 0, {3, 30}},
      {in_map, 1, 60 * unit::deg, 50 * unit::deg, 2, {0, 1, 4, 7}}};
  for (const Case& c : cases) {
    const TrackingGeometry geometry(c.detector);
    TrackList tracks;
    for (int i = 0; i < 48; ++i)
      tracks.add({.p = c.p * std::pow(1.05, i),
                  .theta = c.theta + c.widest * (i * 7 % 48) / 48.0,
                  .phi = 0.7 * i,
                  .charge = i % 3 == 0 ? 1.0 : -1.0,
                  .vertex = {0, 0, c.z}});
    std::vector<Model> models;
    for (const std::size_t layer : c.layers)
      for (const bool own_hit : {false, true}) {
        models.push_back({.at = AtLayer{layer, own_hit}});
        for (const EnergyLoss loss : {EnergyLoss::mean, EnergyLoss::straggling})
          models.push_back({.loss = loss, .at = AtLayer{layer, own_hit}});
        models.push_back({.beam_spot = BeamSpot{0.01, 0.02, 30},
                          .at = AtLayer{layer, own_hit}});
      }
    models.push_back({.beam_spot = BeamSpot{0.3, 0.01, 0.02}});
    for (const Model& model : models)
      for (const SimdLevel level : available_simd_levels()) {
        CAPTURE(c.detector.name);
        CAPTURE(model.at ? static_cast<int>(model.at->layer) : -1);
        CAPTURE(to_string(level));
        const AtLevel at(level);
        Output r(tracks.size());
        const BatchStatistics s = resolve(geometry, tracks.views(), model,
                                          r.views(model), r.states(model));
        CHECK(s.unsupported + s.other_way == 0);
        CHECK(s.vectorised > 40);
        CHECK(deviation(geometry, tracks, model, r) < 1e-9);
      }
  }
}

TEST_CASE("batch: beam spots and states at layers in random layouts") {
  RandomLayouts usual(21), with_leaning(21, 0.3);
  std::size_t mixed = 0, crossed = 0;
  for (int i = 0; i < 60; ++i) {
    RandomLayouts& random = i % 2 == 0 ? usual : with_leaning;
    const Detector d = random.detector();
    const TrackingGeometry geometry(d);
    TrackList tracks;
    for (int t = 0; t < 40; ++t) tracks.add(random.track());
    Model model = model_number(i, random, d.layers.size());
    if (i % 4 == 3)
      model.loss = i % 8 == 3 ? EnergyLoss::mean : EnergyLoss::straggling;
    for (const SimdLevel level : available_simd_levels()) {
      CAPTURE(i);
      CAPTURE(to_string(level));
      const AtLevel at(level);
      Output r(tracks.size());
      mixed += resolve(geometry, tracks.views(), model, r.views(model),
                       r.states(model))
                   .mixed;
      crossed += static_cast<std::size_t>(
          std::ranges::count_if(r.crossed, [](char c) { return c != 0; }));
      CHECK(deviation(geometry, tracks, model, r) < 1e-7);
    }
  }
  // only vectors mix tracks
  if (available_simd_levels().size() > 1) CHECK(mixed > 200);
  CHECK(crossed > 200);
}

TEST_CASE("batch: neighbours do not change a bit, with a spot or at a layer") {
  const Detector d = shipped_detectors().front();
  const TrackingGeometry geometry(d);
  RandomLayouts random(5);
  TrackList tracks;
  for (int t = 0; t < 300; ++t) tracks.add(random.track());
  for (int i = 0; i < 12; ++i) {
    Model model = model_number(i, random, d.layers.size());
    model.loss = i < 6 ? EnergyLoss::off : EnergyLoss::mean;
    Output whole(tracks.size());
    resolve(geometry, tracks.views(), model, whole.views(model),
            whole.states(model), 3);
    bool equal = true;
    for (std::size_t t = 0; t < tracks.size(); t += 7) {
      TrackList one;
      one.add(tracks.views().track(t));
      Output r(1);
      resolve(geometry, one.views(), model, r.views(model), r.states(model));
      equal = equal && r.crossed[0] == whole.crossed[t] &&
              same_bits(r.numbers_of(model, 0), whole.numbers_of(model, t));
    }
    CHECK(equal);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
