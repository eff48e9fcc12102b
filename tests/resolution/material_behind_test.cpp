// SPDX-License-Identifier: Apache-2.0
// Material beyond the last hit changes no hit and no result.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "gttf/fit/track/make_track.hpp"
#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/budget.hpp"
#include "gttf/resolution/recurling_track.hpp"
#include "gttf/resolution/regime.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "gttf/resolution/toys.hpp"
#include "support/batch.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// A traced track takes other steps in a larger detector.
constexpr double rounding = 1e-9;

/// A pipe, eight pixel layers with a passive shell between, and forward disks.
Detector tracker() {
  Detector d = make_barrel(8, 30, 600, 2, 0.01, 0.01);
  for (Layer& layer : d.layers) layer.surface.v = {-900, 900};
  d.layers.insert(d.layers.begin(),
                  make_layer("pipe", make_cylinder(20, {-1e4, 1e4}), 0.002));
  d.layers.push_back(
      make_layer("shell", make_cylinder(300, {-900, 900}), 0.008));
  for (int i = 0; i < 3; ++i)
    d.layers.push_back(make_layer("D" + std::to_string(i),
                                  make_disk(950 + 100 * i, {40, 700}), 0.01,
                                  pixel(0.01, 0.01)));
  return d;
}

/// The same in a coil, which comes first in the file.
Detector with_coil() {
  Detector d = tracker();
  d.layers.insert(d.layers.begin(),
                  make_layer("coil", make_cylinder(700, {-1e4, 1e4}), 0.8));
  return d;
}

TrackList some() {
  TrackList tracks;
  for (const double theta : {90., 70., 50., 37., 33., 20.})
    for (const double p : {0.8, 2., 10.}) {
      Track t;
      t.p = p;
      t.theta = theta * unit::deg;
      t.phi = 0.3;
      tracks.add(t);
    }
  return tracks;
}

bool same(double a, double b, double tolerance = rounding) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::abs(a - b) <= tolerance * std::abs(b);
}

/// All that is fitted.
void check_same(const Resolution& with, const Resolution& without) {
  REQUIRE(with.status == without.status);
  CHECK(same(with.sigma_p_rel, without.sigma_p_rel));
  CHECK(same(with.sigma_p_rel_ms_only, without.sigma_p_rel_ms_only));
  CHECK(same(with.x_over_x0_tracker, without.x_over_x0_tracker));
  for (const Parameter q : all_parameters)
    CHECK(same(sigmas(with)[q], sigmas(without)[q]));
}

const Model total{.scattering = Scattering::highland_total};

}  // namespace

TEST_CASE("material beyond the last hit: changes no resolution") {
  const TrackingGeometry with(with_coil()), without(tracker());
  const TrackList tracks = some();
  for (const Engine engine : {Engine::streaming, Engine::triplet})
    for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean}) {
      if (engine == Engine::triplet && loss != EnergyLoss::off) continue;
      Model model = total;
      model.engine = engine;
      model.loss = loss;
      for (std::size_t t = 0; t < tracks.size(); ++t) {
        CAPTURE(t);
        const Track track = tracks.views().track(t);
        const Resolution r = resolve(with, track, model);
        check_same(r, resolve(without, track, model));
        // the coil is crossed all the same
        CHECK(r.x_over_x0 > 0.8);
        CHECK(r.x_over_x0_tracker < 0.4);
      }
    }
}

TEST_CASE("material beyond the last hit: nor in batches, in any order") {
  const TrackingGeometry with(with_coil()), without(tracker());
  const TrackList tracks = some();
  const auto run = [&](const TrackingGeometry& geometry, const Model& model) {
    BatchOutput out(tracks.size(), 0);
    resolve(geometry, tracks.views(), model, out.views());
    return out;
  };
  for (const Scattering scattering :
       {Scattering::highland_total, Scattering::highland}) {
    const Model model{.scattering = scattering};
    const BatchOutput a = run(with, model), b = run(without, model);
    for (std::size_t t = 0; t < tracks.size(); ++t) {
      CAPTURE(t);
      const Resolution one = resolve(without, tracks.views().track(t), model);
      CHECK(same(a.sigma_p[t], b.sigma_p[t]));
      CHECK(same(a.sigma_p[t], one.sigma_p_rel));
      CHECK(same(a.x_over_x0_tracker[t], b.x_over_x0_tracker[t]));
      CHECK(same(a.x_over_x0_tracker[t], one.x_over_x0_tracker));
      CHECK(a.x_over_x0[t] > 0.8);
    }
  }
}

TEST_CASE("material beyond the last hit: nor budget nor sensitivity") {
  const Detector coil = with_coil(), bare = tracker();
  const TrackingGeometry with(coil), without(bare);
  Track track;
  track.p = 1;
  track.theta = 60 * unit::deg;
  for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean}) {
    Model model = total;
    model.loss = loss;
    const Sensitivities a = make_sensitivities(with, track, model);
    const Sensitivities b = make_sensitivities(without, track, model);
    REQUIRE(a.exists());
    std::size_t matched = 0;
    for (const Sensitivity& x : a.items) {
      if (x.layer == 0) {  // the coil
        for (const Parameter q : all_parameters)
          // traced: differences of numbers that rounding changes by 1e-12
          if (!std::isnan(x.slope[q]))
            CHECK(std::abs(x.elasticity()[q]) < 1e-7);
        continue;
      }
      for (const Sensitivity& y : b.items)
        if (x.quantity == y.quantity && x.coordinate == y.coordinate &&
            (x.layer == Sensitivity::none ? y.layer == x.layer
                                          : y.layer + 1 == x.layer)) {
          ++matched;
          for (const Parameter q : all_parameters)
            if (!std::isnan(y.slope[q]))
              CHECK(x.slope[q] == doctest::Approx(y.slope[q]).epsilon(1e-6));
        }
    }
    CHECK(matched == b.items.size());
  }
  const Budget a = make_budget(with, track, total);
  const Budget b = make_budget(without, track, total);
  for (const Parameter q : all_parameters) CHECK(same(a.total[q], b.total[q]));
}

TEST_CASE("material beyond the last hit: nor regimes of triplets") {
  const TrackingGeometry with(with_coil()), without(tracker());
  const TrackList tracks = some();
  const auto xi = [&](const TrackingGeometry& geometry, std::size_t t) {
    std::vector<double> list;
    const TrackRegime r = find_regime(geometry, tracks.views().track(t), total);
    list.push_back(r.p_significant);
    for (const TripletRegime& one : r.triplets) {
      list.push_back(one.xi);
      list.push_back(one.sigma_ms);
    }
    return list;
  };
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    CAPTURE(t);
    const auto a = xi(with, t), b = xi(without, t);
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (std::isnan(b[i])) continue;
      CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-9));
    }
  }
}

TEST_CASE("material beyond the last hit: nor the scattering of fitted data") {
  const Detector coil = with_coil(), bare = tracker();
  Track track;
  track.p = 1;
  track.theta = 60 * unit::deg;
  track.phi = 0.2;
  for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean}) {
    Model design = total;
    design.loss = loss;
    const auto angles = [&](const Detector& detector) {
      const TrackingGeometry geometry(detector);
      const detail::AnyTrack flown(geometry, track, design);
      std::vector<MeasuredHit> hits;
      std::vector<double> expected;
      for (const CrossingInfo& c : flown.describe_crossings())
        if (c.measured) {
          hits.push_back(
              {.position = c.position, .layer = static_cast<int>(c.layer)});
          expected.push_back(c.theta0);
        }
      const HitLayers layers(detector, geometry);
      const TrackModel model{.vertex = Vector3::Zero(),
                             .scattering = total.scattering,
                             .energy_loss = loss,
                             .mass = track.mass};
      HitList list;
      MadeTrack made(layers, model);
      REQUIRE(assign_layers(layers, hits, 1, list).empty());
      order_hits(layers, hits, model.vertex, HitOrder::along_track, list);
      REQUIRE(follow_track(layers, model, hits, list, made).empty());
      REQUIRE(make_track(layers, model, hits, list, made).empty());
      std::vector<double> found;
      for (const TrackHit& h : made.track.points)
        if (h.measures()) found.push_back(std::sqrt(h.theta0_2));
      REQUIRE(found.size() == expected.size());
      // as resolve() has them; with losses the momentum in each layer is that
      // of the fit, and the coil in the logarithm would make 9 %
      for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(same(found[i], expected[i], 0.01));
      return found;
    };
    const auto a = angles(coil), b = angles(bare);
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(same(a[i], b[i]));
  }
}

TEST_CASE("material beyond the last hit: nor the toys") {
  const TrackingGeometry with(with_coil()), without(tracker());
  Track track;
  track.p = 0.7;
  track.theta = 80 * unit::deg;
  for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean}) {
    Model model = total;
    model.loss = loss;
    const auto scattering = [&](const TrackingGeometry& geometry) {
      double sum = 0;
      const ToySimulator simulator(geometry, track, model);
      for (const TrackHit& h : simulator.prototype().hits.points)
        if (h.measures()) sum += h.theta0_2;
      return sum;
    };
    CHECK(same(scattering(with), scattering(without)));
  }
}

TEST_CASE("material beyond the last hit: a recurling track ends inwards") {
  // All hits scatter with one logarithm, outwards and inwards alike.
  const TrackingGeometry with(with_coil()), without(tracker());
  Track track;
  track.p = 0.15;
  track.theta = 80 * unit::deg;
  const auto of = [&](const TrackingGeometry& geometry) {
    return detail::recurling_track(geometry, track, total.scattering);
  };
  const auto a = of(with), b = of(without);
  REQUIRE(b.n_inward > 0);
  REQUIRE(a.n_inward == b.n_inward);
  const auto& hits = b.track.crossings;
  for (std::size_t k = 0; k < hits.size(); ++k)
    CHECK(same(a.track.crossings[k].kink_variance, hits[k].kink_variance));
  // the circle is symmetric: a layer is crossed at one angle both ways
  const std::size_t n = hits.size();
  CHECK(same(hits[n - b.n_inward].kink_variance,
             hits[n - b.n_inward - 1].kink_variance));
}

TEST_CASE("material along a track: sums up to the last hit, and all") {
  const TrackingGeometry geometry(with_coil());
  Track track;
  track.p = 50;
  track.theta = 90 * unit::deg;
  const Resolution r = resolve(geometry, track, total);
  // a bend of 4 mrad adds 1e-5 of each
  CHECK(same(r.x_over_x0_tracker, 0.002 + 8 * 0.01 + 0.008, 2e-5));
  CHECK(same(r.x_over_x0, r.x_over_x0_tracker + 0.8, 2e-5));
  track.theta = 1 * unit::deg;  // the pipe only
  CHECK(std::isnan(resolve(geometry, track, total).x_over_x0_tracker));
}

}  // namespace gttf::test::GTTF_TEST_FILE
