// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/budget.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Scattering proportional to x/X0, so that scaling one scales the other.
constexpr Model rossi{.scattering = Scattering::rossi};

PerParameter total(const Detector& d, const Track& t, const Model& model) {
  return make_budget(TrackingGeometry(d), t, model).total;
}

/// d ln(total)/d ln(x) where `scale(detector, f)` multiplies x by f: central
/// difference of fourth order, error (ln f)^4 = 1e-8 times a derivative of
/// order one.
PerParameter slope(const Detector& d, const Track& t, const Model& model,
                   const std::function<void(Detector&, double)>& scale) {
  constexpr double h = 0.01;
  const auto at = [&](double step) {
    Detector changed = d;
    scale(changed, std::exp(step));
    return total(changed, t, model);
  };
  const PerParameter a = at(-2 * h), b = at(-h), c = at(h), e = at(2 * h);
  PerParameter s;
  for (const Parameter q : all_parameters)
    s[q] = (8 * std::log(c[q] / b[q]) - std::log(e[q] / a[q])) / (12 * h);
  return s;
}

/// A track across z is not described by a plane z = const.
bool has(const Track& t, Parameter q) {
  return q < Parameter::x || std::abs(std::cos(t.theta)) > 0.01;
}

double worst_difference(const PerParameter& a, const PerParameter& b) {
  double worst = 0;
  for (const Parameter q : all_parameters) {
    CHECK(std::isnan(a[q]) == std::isnan(b[q]));
    if (!std::isnan(a[q])) worst = std::max(worst, std::abs(a[q] - b[q]));
  }
  return worst;
}

}  // namespace

TEST_CASE("budget: all shares of every shipped detector add up to 1") {
  double worst = 0;
  int tracks = 0;
  for (const Detector& d : shipped_detectors()) {
    CAPTURE(d.name);
    const TrackingGeometry geometry(d);
    for (const Track& t : some_tracks())
      for (const bool spot : {false, true}) {
        Model model;
        if (spot) model.beam_spot = BeamSpot{0.01, 0.005, 30};
        const Budget b = make_budget(geometry, t, model);
        if (!b.exists()) continue;
        ++tracks;
        const PerParameter sum = b.sum_of_shares();
        for (const Parameter q : all_parameters) {
          if (b.resolution.status == Status::no_field && q <= Parameter::pt)
            continue;
          if (!has(t, q)) {
            CHECK(std::isnan(b.total[q]));
            continue;
          }
          worst = std::max(worst, std::abs(sum[q] - 1));
          // pT from a difference that may cancel by a few digits
          CHECK(b.total[q] ==
                doctest::Approx(std::pow(sigmas(b.resolution)[q], 2))
                    .epsilon(1e-11));
        }
      }
  }
  CHECK(tracks > 150);
  CAPTURE(worst);
  CHECK(worst < 1e-12);
}

TEST_CASE("budget: each share is the change under variation of that error") {
  double worst = 0;
  std::size_t parts = 0;
  for (const Detector& d : shipped_detectors()) {
    CAPTURE(d.name);
    const TrackingGeometry geometry(d);
    for (std::size_t i = 1; i < some_tracks().size(); i += 5) {
      const Track t = some_tracks()[i];
      const Budget b = make_budget(geometry, t, rossi);
      for (const BudgetPart& part : b.parts) {
        const auto scale = [&part](Detector& changed, double f) {
          Layer& layer = changed.layers[part.layer];
          if (part.cause == Cause::hit)
            layer.coordinates[part.coordinate].sigma *= std::sqrt(f);
          else
            for (Slab& slab : layer.material) slab.x_over_x0 *= f;
        };
        worst = std::max(
            worst, worst_difference(b.share(part), slope(d, t, rossi, scale)));
        ++parts;
      }
    }
  }
  CHECK(parts > 1000);
  CAPTURE(worst);
  CHECK(worst < 1e-6);
}

TEST_CASE("budget: the share of the beam spot is the change with its size") {
  const Detector d = make_barrel(5, 30, 300, 2, 0.01, 0.01);
  Track t;
  t.theta = 1.1;
  t.phi = 0.6;
  Model model = rossi;
  const auto with = [&](double f) {
    model.beam_spot = BeamSpot{0.02 * f, 0.05 * f, 0.3 * f};
    return make_budget(TrackingGeometry(d), t, model);
  };
  const Budget b = with(1);
  REQUIRE(b.parts.front().cause == Cause::beam_spot);
  const PerParameter share = b.share(b.parts.front());
  constexpr double h = 1e-3;
  const PerParameter up = with(1 + h).total, down = with(1 - h).total;
  for (const Parameter q : all_parameters) {
    CAPTURE(to_string(q));
    // second order: error h^2 = 1e-6
    CHECK(share[q] ==
          doctest::Approx(std::log(up[q] / down[q]) / (4 * h)).epsilon(5e-6));
  }
  CHECK(share[Parameter::d0] > 0.1);
}

TEST_CASE("budget: nothing after the last hit matters, the beam pipe does") {
  Detector d = make_barrel(4, 30, 120, 2, 0.01, 0.01);
  d.layers.push_back(make_layer("pipe", make_cylinder(20, {-1e5, 1e5}), 0.01));
  d.layers.push_back(make_layer("coil", make_cylinder(200, {-1e5, 1e5}), 0.9));
  Track t;
  t.theta = 1.1;
  const Budget b = make_budget(TrackingGeometry(d), t);
  REQUIRE(b.parts.size() == 4 * 3 + 2);
  CHECK(b.parts.front().layer == 4);
  CHECK(b.parts.back().layer == 5);
  CHECK(b.share(b.parts.front())[Parameter::d0] > 0.01);
  CHECK(b.share(b.parts.front())[Parameter::p] == 0);
  for (const Parameter q : all_parameters)
    CHECK(b.parts.back().variance[q] == 0);
}

TEST_CASE("budget: without field none for the momentum, the others add up") {
  const Detector d = make_barrel(4, 30, 120, 0, 0.01, 0.01);
  const Budget b = make_budget(TrackingGeometry(d), Track{});
  REQUIRE(b.exists());
  const PerParameter sum = b.sum_of_shares();
  CHECK(std::isnan(sum[Parameter::p]));
  CHECK(std::isnan(b.total[Parameter::pt]));
  CHECK(sum[Parameter::z0] == doctest::Approx(1).epsilon(1e-13));
}

TEST_CASE("budget: a track without resolution has no parts") {
  const Detector d = make_barrel(2, 30, 120, 2, 0.01, 0.01);
  const Budget b = make_budget(TrackingGeometry(d), Track{});
  CHECK_FALSE(b.exists());
  CHECK(b.resolution.status == Status::too_few_hits);
}

TEST_CASE("budget: without scattering only hits have shares") {
  const Detector d = make_barrel(5, 30, 300, 2, 0.01, 0.01);
  Track t;
  t.theta = 1.1;
  const Budget b =
      make_budget(TrackingGeometry(d), t, {.scattering = Scattering::off});
  for (const BudgetPart& part : b.parts)
    if (part.cause == Cause::scattering)
      for (const Parameter q : all_parameters) CHECK(part.variance[q] == 0);
  CHECK(b.sum_of_shares()[Parameter::phi0] ==
        doctest::Approx(1).epsilon(1e-12));
}

}  // namespace gttf::test::GTTF_TEST_FILE
