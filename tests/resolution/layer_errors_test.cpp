// SPDX-License-Identifier: Apache-2.0
// Budgets and sensitivities of the track at a layer.
#include "gttf/resolution/layer_errors.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "gttf/detector/read_model.hpp"
#include "gttf/resolution/budget.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

double variance(double sigma) { return sigma * sigma; }

/// Some of the layers that a track crosses: the first, the last, one between.
std::vector<std::size_t> some_layers(const Detector& d, const Track& t) {
  const Resolution r = resolve(TrackingGeometry(d), t);
  std::vector<std::size_t> layers;
  if (r.crossings.empty()) return layers;
  for (const std::size_t i :
       {std::size_t{0}, r.crossings.size() / 2, r.crossings.size() - 1})
    layers.push_back(r.crossings[i].layer);
  return layers;
}

Track inclined() {
  Track t;
  t.p = 2;
  t.theta = 1.2;
  t.phi = 0.3;
  return t;
}

}  // namespace

TEST_CASE("at a layer: shares add up to 1, their total is the state's") {
  double worst = 0;
  int budgets = 0;
  for (const Detector& d : shipped_detectors()) {
    CAPTURE(d.name);
    const TrackingGeometry geometry(d);
    for (std::size_t i = 0; i < some_tracks().size(); i += 4) {
      const Track t = some_tracks()[i];
      for (const std::size_t layer : some_layers(d, t))
        for (const bool own_hit : {true, false})
          for (const bool spot : {false, true}) {
            Model model;
            model.at = AtLayer{layer, own_hit};
            if (spot) model.beam_spot = BeamSpot{0.01, 0.005, 30};
            const Budget b = make_budget(geometry, t, model);
            const auto& at = b.resolution.at;
            CHECK(b.exists() == (at && at->exists));
            if (!b.exists()) continue;
            ++budgets;
            const PerParameter sum = b.sum_of_shares();
            const PerParameter sigma = errors_of(b.resolution);
            for (const Parameter q : all_parameters) {
              const bool there =
                  is_at_layer(q) && !(q == Parameter::p &&
                                      b.resolution.status == Status::no_field);
              if (!there) {
                CHECK(std::isnan(b.total[q]));
                continue;
              }
              if (std::isnan(sigma[q])) continue;  // no azimuth along z
              worst = std::max(worst, std::abs(sum[q] - 1));
              // the state turns its covariance into other axes
              CHECK(b.total[q] ==
                    doctest::Approx(variance(sigma[q])).epsilon(1e-9));
            }
          }
    }
  }
  CHECK(budgets > 300);
  CAPTURE(worst);
  // far from the start a parameter is a small difference of large multiples of
  // the line's parameters there: the squares lose up to eight digits
  CHECK(worst < 1e-7);
}

TEST_CASE("at a layer: each share is the change under that error") {
  const Detector d = make_barrel(6, 30, 300, 2, 0.01, 0.005);
  constexpr double h = 0.01;
  for (const std::size_t layer : {0u, 2u, 5u}) {
    Model model{.scattering = Scattering::rossi};
    model.at = AtLayer{layer, layer != 2};
    const auto total = [&](const Detector& changed) {
      return make_budget(TrackingGeometry(changed), inclined(), model).total;
    };
    const Budget b = make_budget(TrackingGeometry(d), inclined(), model);
    REQUIRE(b.exists());
    for (const BudgetPart& part : b.parts) {
      // material is proportional to the variance of the angle with Rossi's
      const auto scaled = [&](double step) {
        Detector changed = d;
        Layer& own = changed.layers[part.layer];
        if (part.cause == Cause::hit)
          own.coordinates[part.coordinate].sigma *= std::exp(step / 2);
        else
          for (Slab& slab : own.material) slab.x_over_x0 *= std::exp(step);
        return total(changed);
      };
      const PerParameter a = scaled(-2 * h), c = scaled(-h), e = scaled(h),
                         f = scaled(2 * h);
      const PerParameter share = b.share(part);
      for (const Parameter q : all_parameters) {
        if (!is_at_layer(q)) continue;
        const double slope =
            (8 * std::log(e[q] / c[q]) - std::log(f[q] / a[q])) / (12 * h);
        CHECK(share[q] == doctest::Approx(slope).epsilon(1e-6).scale(1));
      }
    }
  }
}

TEST_CASE("at a layer: sensitivities are those of the resolution there") {
  Detector barrel = make_barrel(5, 30, 250, 2, 0.01, 0.005);
  barrel.layers.push_back(
      make_layer("pipe", make_cylinder(20, {-1e3, 1e3}), 0.01));
  barrel.layers.push_back(
      make_layer("behind", make_cylinder(300, {-1e3, 1e3}), 0.01));
  for (Layer& layer : barrel.layers) layer.material[0].material = "silicon";
  struct Case {
    AtLayer at;
    bool in_dipole = false, with_spot = true;
    EnergyLoss loss = EnergyLoss::off;
    Scattering scattering = Scattering::highland;
  };
  int compared = 0;
  for (const Case& c :
       {Case{{2, true}}, Case{{2, false}}, Case{{0, true}}, Case{{4, true}},
        Case{{4, false}}, Case{{5, true}}, Case{{6, true}},
        Case{.at = {2, true}, .in_dipole = true, .with_spot = false},
        Case{.at = {0, false}, .with_spot = false},
        Case{.at = {2, true}, .loss = EnergyLoss::mean},
        Case{.at = {1, true},
        .with_spot = false,
        .loss = EnergyLoss::straggling},
        Case{.at = {2, true}, .scattering = Scattering::highland_total}}) {
    CAPTURE(c.at.layer);
    CAPTURE(c.at.own_hit);
    CAPTURE(to_string(c.loss));
    CAPTURE(c.in_dipole);
    const Detector d = c.in_dipole ? in_gap(barrel) : barrel;
    Model model{.scattering = c.scattering, .loss = c.loss, .at = c.at};
    if (c.with_spot) model.beam_spot = BeamSpot{0.01, 0.02, 5};
    const Sensitivities list =
        make_sensitivities(TrackingGeometry(d), inclined(), model);
    REQUIRE(list.exists());
    for (const Sensitivity& item : list.items) {
      if (item.quantity == Quantity::angle || item.quantity == Quantity::length)
        continue;
      const auto sigma_at = [&](double factor) {
        const double value = item.value * factor;
        TrackingGeometry changed(d);
        Model own = model;
        switch (item.quantity) {
          case Quantity::position:
            changed.move(item.layer, value);
            break;
          case Quantity::x_over_x0:
            changed.scale_material(item.layer, factor);
            break;
          case Quantity::sigma: {
            Detector coarser = d;
            coarser.layers[item.layer].coordinates[item.coordinate].sigma =
                value;
            changed = TrackingGeometry(coarser);
            break;
          }
          case Quantity::beam_spot:
            (item.coordinate == 0   ? own.beam_spot->x
             : item.coordinate == 1 ? own.beam_spot->y
                                    : own.beam_spot->z) = value;
            break;
          default:
            changed.scale_field(factor);
        }
        return errors_of(resolve(changed, inclined(), own));
      };
      constexpr double h = 1e-3;
      const PerParameter up = sigma_at(1 + h), down = sigma_at(1 - h),
                         up2 = sigma_at(1 + 2 * h), down2 = sigma_at(1 - 2 * h);
      for (const Parameter q : all_parameters) {
        if (!is_at_layer(q)) {
          CHECK(std::isnan(list.sigma[q]));
          continue;
        }
        const double slope =
            (8 * std::log(up[q] / down[q]) - std::log(up2[q] / down2[q])) /
            (12 * h);
        CAPTURE(to_string(item.quantity));
        CAPTURE(item.layer);
        CAPTURE(to_string(q));
        CHECK(item.slope[q] * item.value ==
              doctest::Approx(slope).epsilon(1e-7).scale(1));
        ++compared;
      }
    }
  }
  CHECK(compared > 1500);
}

TEST_CASE("at a layer: the device of a telescope, in closed form") {
  // four planes of error s at distances -3, -1, 1, 3 around it, straight tracks
  // without scattering: sigma(u) = s/2, sigma(slope) = s/sqrt(20)
  Detector d;
  const Interval wide{-10, 10};
  for (const double z : {70.0, 90.0, 110.0, 130.0})
    d.layers.push_back(make_layer("P" + std::to_string(static_cast<int>(z)),
                                  make_plane(Axis::z, z, wide, wide), 0,
                                  pixel(0.004, 0.006)));
  d.layers.push_back(
      make_layer("dut", make_plane(Axis::z, 100, wide, wide), 0));
  Track t;
  t.p = 5;
  t.theta = 0;
  Model model;
  model.at = AtLayer{4, true};
  const Budget b = make_budget(TrackingGeometry(d), t, model);
  REQUIRE(b.exists());
  CHECK(b.total[Parameter::x] == doctest::Approx(variance(0.004 / 2)));
  CHECK(b.total[Parameter::y] == doctest::Approx(variance(0.006 / 2)));
  CHECK(b.total[Parameter::tx] ==
        doctest::Approx(variance(0.004 / std::sqrt(20.0) / 10)));
  for (const BudgetPart& part : b.parts)
    if (part.cause == Cause::hit && part.coordinate == 0)
      CHECK(b.share(part)[Parameter::x] == doctest::Approx(0.25));
}

}  // namespace gttf::test::GTTF_TEST_FILE
