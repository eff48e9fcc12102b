// SPDX-License-Identifier: Apache-2.0
// A dipole whose gap holds the whole detector, with the field along z, is a
// solenoid: all results must be the same with the code for any field.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "gttf/resolution/budget.hpp"
#include "gttf/resolution/headroom.hpp"
#include "gttf/resolution/missing_hits.hpp"
#include "gttf/resolution/regime.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "support/compare.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Largest difference relative to 1 or the value; NaN must meet NaN.
double worst_of(const PerParameter& a, const PerParameter& b) {
  double w = 0;
  for (const Parameter q : all_parameters) {
    CHECK(std::isnan(a[q]) == std::isnan(b[q]));
    if (std::isnan(b[q])) continue;
    w = std::max(w, std::abs(a[q] - b[q]) / std::max(1.0, std::abs(b[q])));
  }
  return w;
}

struct Pair {
  Detector solenoid, dipole;
};

/// Pixel and strip layers, a plane and a cone, passive material.
Pair pair() {
  Detector d = make_barrel(6, 30, 500, 2, 0.01, 0.01);
  d.layers.push_back(make_layer("pipe", make_cylinder(20, {-500, 500}), 0.003));
  d.layers.push_back(make_layer("wall", make_cylinder(350, {-1e3, 1e3}), 0.02));
  d.layers.push_back(make_layer("strips", make_cylinder(620, {-2e3, 2e3}), 0.01,
                                {{0.05, 0.02}, {-0.05, 0.03}}));
  d.layers.push_back(
      make_layer("arm", make_plane(Axis::x, 900, {-500, 500}, {-900, 900}),
                 0.01, {{0.3, 0.05}}));
  d.layers.push_back(make_layer("cone", make_cone({-1200, 1200}, 680, 780),
                                0.01, pixel(0.02, 0.03)));
  d.layers.push_back(make_layer("face", make_cylinder(1300, {-2e3, 2e3}), 0));
  d.layers[2].efficiency = 0.9;
  return {d, in_gap(d)};
}

std::vector<Track> tracks() {
  std::vector<Track> list;
  for (const double p : {0.4, 3.0, 40.0})
    for (const double theta : {1.57, 1.1}) {
      Track t;
      t.p = p;
      t.theta = theta;
      t.phi = 0.1;
      list.push_back(t);
    }
  return list;
}

}  // namespace

TEST_CASE("uniform field: budgets are those of the solenoid") {
  const auto [solenoid, dipole] = pair();
  const TrackingGeometry a(dipole), b(solenoid);
  double error = 0, sum = 0;
  for (const Track& t : tracks())
    for (const bool spot : {false, true}) {
      Model model;
      if (spot) model.beam_spot = BeamSpot{0.02, 0.01, 20};
      const Budget x = make_budget(a, t, model), y = make_budget(b, t, model);
      REQUIRE(x.parts.size() == y.parts.size());
      for (std::size_t i = 0; i < x.parts.size(); ++i) {
        CHECK(x.parts[i].cause == y.parts[i].cause);
        CHECK(x.parts[i].layer == y.parts[i].layer);
        error =
            std::max(error, worst_of(x.share(x.parts[i]), y.share(y.parts[i])));
      }
      PerParameter one;
      for (const Parameter q : all_parameters)
        one[q] = std::isnan(x.total[q]) ? x.total[q] : 1;
      sum = std::max(sum, worst_of(x.sum_of_shares(), one));
    }
  CHECK(error < 1e-9);
  CHECK(sum < 1e-11);
}

TEST_CASE("uniform field: sensitivities are those of the closed form") {
  const auto [solenoid, dipole] = pair();
  const TrackingGeometry a(dipole), b(solenoid);
  double error = 0;
  for (const Track& t : tracks())
    for (const Scattering scattering :
         {Scattering::highland, Scattering::highland_total}) {
      Model model{.scattering = scattering};
      model.beam_spot = BeamSpot{0.02, 0.01, 20};
      const Sensitivities x = make_sensitivities(a, t, model);
      const Sensitivities y = make_sensitivities(b, t, model);
      REQUIRE(x.items.size() == y.items.size());
      for (std::size_t i = 0; i < x.items.size(); ++i) {
        const Sensitivity &s = x.items[i], &c = y.items[i];
        REQUIRE(s.quantity == c.quantity);
        REQUIRE(s.layer == c.layer);
        CAPTURE(to_string(s.quantity));
        // differences: rounding of 1e-12 over the step
        const double difference =
            s.quantity == Quantity::angle
                ? worst_of(s.slope, c.slope)
                : worst_of(s.elasticity(), c.elasticity());
        CHECK(difference < 1e-6);
        error = std::max(error, difference);
      }
    }
  CAPTURE(error);
  CHECK(error < 1e-6);
}

TEST_CASE("uniform field: regimes are those of the solenoid") {
  const auto [solenoid, dipole] = pair();
  const TrackingGeometry a(dipole), b(solenoid);
  for (const Track& t : tracks()) {
    const TrackRegime x = find_regime(a, t), y = find_regime(b, t);
    CHECK(x.regime == y.regime);
    CHECK(x.fit == y.fit);
    CHECK(relative_if_any(x.p_significant, y.p_significant) < 1e-7);
    REQUIRE(x.triplets.size() == y.triplets.size());
    REQUIRE(x.triplets.size() > 3);
    for (std::size_t i = 0; i < x.triplets.size(); ++i) {
      const TripletRegime &s = x.triplets[i], &c = y.triplets[i];
      CHECK(s.layers == c.layers);
      CHECK(relative_if_any(s.xi, c.xi) < 1e-9);
      CHECK(relative_if_any(s.xi_ms, c.xi_ms) < 1e-9);
      CHECK(relative_if_any(s.mu_phi, c.mu_phi) < 1e-9);
      CHECK(relative_if_any(s.mu_theta, c.mu_theta) < 1e-9);
      CHECK(relative_if_any(s.gamma_phi, c.gamma_phi) < 1e-9);
      CHECK(relative_if_any(s.gamma_theta, c.gamma_theta) < 1e-9);
      CHECK(relative_if_any(s.length, c.length) < 1e-9);
      CHECK(relative_if_any(s.p_significant, c.p_significant) < 1e-7);
    }
  }
}

TEST_CASE("uniform field: the track at every layer is that of the solenoid") {
  const auto [solenoid, dipole] = pair();
  const TrackingGeometry a(dipole), b(solenoid);
  double error = 0;
  int compared = 0;
  for (const Track& t : tracks())
    for (std::size_t layer = 0; layer < solenoid.layers.size(); ++layer)
      for (const bool own_hit : {true, false}) {
        Model model;
        model.at = AtLayer{layer, own_hit};
        const Resolution x = resolve(a, t, model), y = resolve(b, t, model);
        REQUIRE(x.at->exists == y.at->exists);
        if (!y.at->exists) continue;
        error =
            std::max({error, worst(x.at->covariance, y.at->covariance),
                      worst(x.at->slopes, y.at->slopes),
                      relative_if_any(x.at->sigma_p_rel, y.at->sigma_p_rel)});
        ++compared;
      }
  CHECK(compared > 60);
  CAPTURE(error);
  CHECK(error < 1e-9);
}

TEST_CASE("uniform field: headroom and lost hits are those of the solenoid") {
  const auto [solenoid, dipole] = pair();
  const Track t = tracks()[3];
  const Requirement wanted{Parameter::pt, 0.03};
  const std::vector<LayerSet> sets{{0}, {3}, {8}};
  const auto x = find_headroom(dipole, t, {}, wanted, sets);
  const auto y = find_headroom(solenoid, t, {}, wanted, sets);
  REQUIRE(x.size() == y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(relative_if_any(x[i].value, y[i].value) < 1e-12);
    CHECK(relative_if_any(x[i].limit, y[i].limit) < 1e-7);
  }
  const auto m = average_over_efficiencies(dipole, t, {});
  const auto n = average_over_efficiencies(solenoid, t, {});
  CHECK(worst_of(m.rms, n.rms) < 1e-9);
  CHECK(m.measured == doctest::Approx(n.measured));
}

TEST_CASE(
    "at: the first measuring layer agrees with the first-hit covariance") {
  // position: scattering in the layer does not move it
  const auto [solenoid, dipole] = pair();
  for (const Detector* d : {&solenoid, &dipole}) {
    const TrackingGeometry geometry(*d);
    for (const Track& t : tracks()) {
      Model model;
      model.at = AtLayer{0, true};
      const Resolution r = resolve(geometry, t, model);
      CHECK(relative_if_any(r.at->covariance(0, 0), r.first_hit(0, 0)) < 1e-9);
      CHECK(relative_if_any(r.at->covariance(1, 1), r.first_hit(1, 1)) < 1e-9);
      CHECK(relative_if_any(r.at->covariance(4, 4), r.first_hit(4, 4)) < 1e-9);
      CHECK(r.at->covariance(3, 3) > r.first_hit(3, 3));
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
