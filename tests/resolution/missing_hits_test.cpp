// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/missing_hits.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "gttf/resolution/layer_errors.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// How LayerLosses compares with fits of the other layers.
struct LossComparison {
  double worst = 0;  ///< relative difference of the errors
  int found = 0, refused = 0;
  bool same_hits = true, same_status = true;

  /// Each layer of a track, and each with the next one.
  void add(const Detector& detector, const Track& track, const Model& model) {
    const TrackingGeometry geometry(detector);
    const Resolution all = resolve(geometry, track, model);
    const LayerLosses losses(geometry, track, model);
    for (std::size_t k = 0; k < all.crossings.size(); ++k) {
      const std::size_t own = all.crossings[k].layer;
      std::vector<std::size_t> layers{own};
      for (int pass = 0; pass < 2; ++pass) {
        for (const auto material :
             {DroppedMaterial::kept, DroppedMaterial::removed})
          compare(losses.without(layers, material),
                  resolve_without(detector, track, model, layers, material),
                  all.status);
        if (k + 1 == all.crossings.size()) break;
        layers.push_back(all.crossings[k + 1].layer);
      }
    }
  }

 private:
  void compare(const std::optional<RemainingErrors>& found_errors,
               const Resolution& fitted, Status status) {
    if (!found_errors) {
      ++refused;
      return;
    }
    ++found;
    same_hits = same_hits && found_errors->n_hits == fitted.n_hits;
    same_status = same_status && fitted.status == status;
    const PerParameter expected = errors_of(fitted);
    for (const Parameter q : all_parameters) {
      const double a = found_errors->sigma[q], b = expected[q];
      if (std::isnan(a) && std::isnan(b)) continue;
      const double relative = std::abs(a / b - 1);
      worst = std::isnan(relative) ? 1 : std::max(worst, relative);
    }
  }
};

}  // namespace

TEST_CASE("lost layers: errors are those of fits without them") {
  struct Case {
    const char* name;
    Model model;
    double least;  ///< share for which no other fit is necessary
  };
  Model with_spot, straggling, total;
  with_spot.beam_spot = BeamSpot{0.02, 0.01, 10};
  straggling.loss = EnergyLoss::straggling;
  total.scattering = Scattering::highland_total;
  Model mean;
  mean.loss = EnergyLoss::mean;
  for (const Case& c :
       {Case{"alice_its2", {}, 0.9}, Case{"alice_its2", with_spot, 0.9},
        Case{"cld", {}, 0.9}, Case{"belle2", {}, 0.9}, Case{"ild", {}, 0.9},
        Case{"cld", mean, 0.4}, Case{"cld", straggling, 0.3},
        Case{"cld", total, 0.3}, Case{"datura", {}, 0.6}, Case{"lhcb", {}, 0.9},
        Case{"faser", {}, 0.5}}) {
    CAPTURE(c.name);
    const Detector detector = shipped(c.name);
    const bool forward = detector.field.kind != FieldKind::solenoid;
    LossComparison comparison;
    for (const double p : {2., 60.}) {
      Track track;
      track.p = p;
      track.theta = (forward ? 3 : 71) * unit::deg;
      if (detector.field.kind == FieldKind::none) track.theta = 0;
      track.phi = 0.3;
      comparison.add(detector, track, c.model);
    }
    CAPTURE(comparison.found);
    CAPTURE(comparison.refused);
    CHECK(comparison.worst < 1e-9);
    CHECK(comparison.same_hits);
    CHECK(comparison.same_status);
    CHECK(comparison.found > c.least * (comparison.found + comparison.refused));
  }
}

TEST_CASE("lost layers: errors in random layouts, as helix and in a dipole") {
  RandomLayouts random(17, 0.2);
  LossComparison comparison;
  for (int i = 0; i < 60; ++i) {
    Detector detector = random.detector();
    if (i % 3 == 1) detector = in_gap(detector);
    Model model;
    if (i % 4 == 0) model.beam_spot = BeamSpot{0.02, 0.01, 10};
    if (i % 5 == 0) model.loss = EnergyLoss::mean;
    comparison.add(detector, random.track(), model);
  }
  CAPTURE(comparison.refused);
  CHECK(comparison.worst < 1e-8);
  CHECK(comparison.same_hits);
  CHECK(comparison.same_status);
  CHECK(comparison.found > 300);
}

TEST_CASE("lost layers: tracks that cross layers again") {
  for (const double turns : {1., 2.}) {
    CAPTURE(turns);
    Track track;
    track.p = 0.3;
    track.theta = 80 * unit::deg;
    Model model;
    model.turns = turns;
    LossComparison comparison;
    comparison.add(shipped("barrel"), track, model);
    comparison.add(shipped("alice_its2"), track, model);
    CHECK(comparison.worst < 1e-9);
    CHECK(comparison.same_hits);
    CHECK(comparison.same_status);
    CHECK(comparison.found > 4);
    CHECK(comparison.refused > 4);  // others lie between the crossings
  }
}

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
