// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/missing_hits.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("missing hits: a layer that is not there is one that is not listed") {
  const Detector d = make_barrel(6, 30, 300, 2, 0.01, 0.01);
  Track t;
  t.theta = 1.1;
  Detector shorter = d;
  shorter.layers.erase(shorter.layers.begin() + 2);
  const std::array<std::size_t, 1> third{2};
  const auto removed =
      resolve_without(d, t, {}, third, DroppedMaterial::removed);
  const auto kept = resolve_without(d, t, {}, third, DroppedMaterial::kept);
  const auto full = resolve(TrackingGeometry(d), t);
  CHECK(removed.perigee == resolve(TrackingGeometry(shorter), t).perigee);
  CHECK(kept.n_hits == 5);
  CHECK(kept.crossings.size() == 6);
  for (const Parameter q : all_parameters) {
    CHECK(sigmas(kept)[q] > sigmas(full)[q]);
    CHECK(sigmas(kept)[q] > sigmas(removed)[q]);
  }
}

TEST_CASE("missing hits: the first layer lost moves the first hit outwards") {
  const Detector d = make_barrel(6, 30, 300, 2, 0.01, 0.01);
  const std::array<std::size_t, 1> first{0};
  const auto kept =
      resolve_without(d, Track{}, {}, first, DroppedMaterial::kept);
  const auto full = resolve(TrackingGeometry(d), Track{});
  CHECK(sigmas(kept)[Parameter::d0] > 1.5 * sigmas(full)[Parameter::d0]);
}

TEST_CASE("efficiency: a layer that is crossed twice loses both hits at once") {
  Detector d = make_barrel(5, 30, 300, 2, 0.001, 0.01);
  d.layers[3].efficiency = 0.9;
  Track t;
  t.p = 0.12;  // curls up outside of all layers
  Model model;
  model.turns = 1;
  const Resolution full = resolve(TrackingGeometry(d), t, model);
  REQUIRE(full.n_hits == 10);
  const std::array<std::size_t, 1> third{3};
  const PerParameter with = sigmas(full);
  const PerParameter without =
      sigmas(resolve_without(d, t, model, third, DroppedMaterial::kept));
  const EfficiencyAverage average = average_over_efficiencies(d, t, model);
  CHECK(average.n_inefficient == 1);
  // at 90 degrees there is no plane z = const. to cross
  for (const Parameter q :
       {Parameter::p, Parameter::d0, Parameter::z0, Parameter::phi0})
    CHECK(average.mean[q] ==
          doctest::Approx(0.9 * with[q] + 0.1 * without[q]).epsilon(1e-12));
}

TEST_CASE("efficiency: two layers that may miss, four patterns by hand") {
  Detector d = make_barrel(5, 30, 300, 2, 0.01, 0.01);
  d.layers[1].efficiency = 0.9;
  d.layers[3].efficiency = 0.7;
  Track t;
  t.theta = 1.3;
  PerParameter mean, squares;
  const auto add = [&](double probability, std::vector<std::size_t> missing) {
    const PerParameter s =
        sigmas(resolve_without(d, t, {}, missing, DroppedMaterial::kept));
    for (const Parameter q : all_parameters) {
      mean[q] += probability * s[q];
      squares[q] += probability * s[q] * s[q];
    }
  };
  add(0.63, {});
  add(0.07, {1});
  add(0.27, {3});
  add(0.03, {1, 3});
  const EfficiencyAverage a = average_over_efficiencies(d, t, {});
  CHECK(a.n_inefficient == 2);
  CHECK(a.most_missing == 2);
  CHECK(a.covered == doctest::Approx(1).epsilon(1e-15));
  CHECK(a.measured == doctest::Approx(1).epsilon(1e-15));
  for (const Parameter q : all_parameters) {
    CHECK(a.mean[q] == doctest::Approx(mean[q]).epsilon(1e-14));
    CHECK(a.rms[q] == doctest::Approx(std::sqrt(squares[q])).epsilon(1e-14));
  }
}

TEST_CASE("efficiency: tracks with too few hits left have no resolution") {
  Detector d = make_barrel(3, 30, 300, 2, 0.01, 0.01);
  d.layers[1].efficiency = 0.8;
  const EfficiencyAverage a = average_over_efficiencies(d, Track{}, {});
  CHECK(a.measured == doctest::Approx(0.8).epsilon(1e-15));
  // 0.8 sigma/0.8, rounded
  CHECK(a.mean[Parameter::d0] ==
        doctest::Approx(
            sigmas(resolve(TrackingGeometry(d), Track{}))[Parameter::d0])
            .epsilon(1e-15));
}

TEST_CASE("efficiency: many layers, up to a few missing hits") {
  Detector d = make_barrel(14, 30, 900, 2, 0.002, 0.01);
  for (Layer& layer : d.layers) layer.efficiency = 0.98;
  const Track t;
  const EfficiencyAverage all = average_over_efficiencies(d, t, {}, 20000);
  const EfficiencyAverage cut = average_over_efficiencies(d, t, {}, 500);
  CHECK(all.most_missing == 14);
  CHECK(all.covered == doctest::Approx(1).epsilon(1e-12));
  CHECK(cut.most_missing == 3);  // 1 + 14 + 91 + 364 = 470 patterns
  CHECK(cut.covered > 0.999);
  CHECK(cut.covered < 1);
  CHECK(cut.mean[Parameter::p] ==
        doctest::Approx(all.mean[Parameter::p]).epsilon(1e-3));
}

TEST_CASE("efficiency: patterns are sampled if few missing hits cover little") {
  Detector d = make_barrel(14, 30, 900, 2, 0.002, 0.01);
  for (Layer& layer : d.layers) layer.efficiency = 0.7;
  const Track t;
  constexpr std::size_t n = 4000;
  const EfficiencyAverage all = average_over_efficiencies(d, t, {}, 20000);
  const EfficiencyAverage drawn = average_over_efficiencies(d, t, {}, n);
  CHECK(all.n_drawn == 0);
  CHECK(drawn.n_drawn == n);
  CHECK(drawn.covered == doctest::Approx(1).epsilon(1e-12));
  CHECK(drawn.measured == doctest::Approx(all.measured).epsilon(2e-3));
  for (const Parameter q : {Parameter::d0, Parameter::theta}) {
    const double spread =
        std::sqrt(all.rms[q] * all.rms[q] - all.mean[q] * all.mean[q]);
    // 5 standard errors: the same patterns in every run
    CHECK(std::abs(drawn.mean[q] - all.mean[q]) <
          5 * spread / std::sqrt(static_cast<double>(n)));
  }
  const EfficiencyAverage again = average_over_efficiencies(d, t, {}, n);
  CHECK(again.mean[Parameter::d0] == drawn.mean[Parameter::d0]);
}

TEST_CASE("efficiency: perfect layers give the resolution itself") {
  const Detector d = make_barrel(5, 30, 300, 2, 0.01, 0.01);
  const EfficiencyAverage a = average_over_efficiencies(d, Track{}, {});
  CHECK(a.n_inefficient == 0);
  CHECK(a.mean[Parameter::z0] ==
        sigmas(resolve(TrackingGeometry(d), Track{}))[Parameter::z0]);
}

}  // namespace gttf::test::GTTF_TEST_FILE
