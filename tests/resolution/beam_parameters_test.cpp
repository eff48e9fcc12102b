// SPDX-License-Identifier: Apache-2.0
// Budgets and sensitivities of x, y, dx/dz and dy/dz along a beam.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/resolution/budget.hpp"
#include "gttf/resolution/headroom.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using P = Parameter;
constexpr std::array beam_parameters{P::p, P::x, P::y, P::tx, P::ty};
/// Scattering proportional to x/X0, so that scaling one scales the other.
constexpr Model rossi{.scattering = Scattering::rossi};

struct Case {
  Detector detector;
  Track track;
};

Track beam_track(double p, double theta, double phi, double z) {
  Track t;
  t.p = p;
  t.theta = theta;
  t.phi = phi;
  t.vertex = {0, 0, z};
  return t;
}

/// A telescope and two spectrometers; tracks along z and at an angle.
std::vector<Case> cases() {
  std::vector<Case> list;
  for (const double theta : {0.0, 0.01}) {
    list.push_back({shipped("datura"), beam_track(5, theta, 0.4, -50)});
    list.push_back({shipped("faser"), beam_track(300, theta, 0.4, -1600)});
  }
  list.push_back({shipped("lhcb"), beam_track(20, 0.08, 0.4, 0)});
  return list;
}

Budget budget_of(const Case& c, const Model& model = {}) {
  return make_budget(TrackingGeometry(c.detector), c.track, model);
}

/// f(x) changed by one number: df/dx at x = 0, where f is ln(variance), by a
/// central difference of fourth order.
PerParameter slope(const Case& c, const Model& model, double h,
                   const std::function<void(Detector&, double)>& change) {
  const auto at = [&](double x) {
    Case changed = c;
    change(changed.detector, x);
    return budget_of(changed, model).total;
  };
  const PerParameter a = at(-2 * h), b = at(-h), d = at(h), e = at(2 * h);
  PerParameter s;
  for (const P q : all_parameters)
    s[q] = (8 * std::log(d[q] / b[q]) - std::log(e[q] / a[q])) / (12 * h);
  return s;
}

bool exists(const Case& c, P q) {
  return q != P::p || c.detector.field.kind != FieldKind::none;
}

}  // namespace

TEST_CASE("beam: shares of p, x, y, dx/dz, dy/dz add up to 1") {
  for (const Case& c : cases())
    for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::straggling})
      for (const bool spot : {false, true}) {
        CAPTURE(c.detector.name);
        Model model;
        model.loss = loss;
        if (spot) model.beam_spot = BeamSpot{0.01, 0.005, 30};
        const Budget b = budget_of(c, model);
        REQUIRE(b.exists());
        const PerParameter sum = b.sum_of_shares();
        const PerParameter sigma = sigmas(b.resolution);
        for (const P q : beam_parameters) {
          if (!exists(c, q)) continue;
          CAPTURE(to_string(q));
          CHECK(std::abs(sum[q] - 1) < 1e-12);
          CHECK(b.total[q] ==
                doctest::Approx(sigma[q] * sigma[q]).epsilon(1e-11));
        }
      }
}

TEST_CASE("beam: each share is the change under variation of that error") {
  double worst = 0;
  std::size_t parts = 0;
  for (const Case& c : cases()) {
    const Budget b = budget_of(c, rossi);
    for (const BudgetPart& part : b.parts) {
      const PerParameter share = b.share(part);
      const PerParameter change =
          slope(c, rossi, 0.01, [&part](Detector& d, double x) {
            Layer& layer = d.layers[part.layer];
            if (part.cause == Cause::hit)
              layer.coordinates[part.coordinate].sigma *= std::exp(x / 2);
            else
              for (Slab& slab : layer.material) slab.x_over_x0 *= std::exp(x);
          });
      for (const P q : beam_parameters)
        if (exists(c, q))
          worst = std::max(worst, std::abs(share[q] - change[q]));
      ++parts;
    }
  }
  CHECK(parts > 150);
  CHECK(worst < 1e-6);
}

TEST_CASE("beam: a straight line's shares of the slope are (z - <z>)^2/Szz") {
  const Case c = cases().front();
  const Budget b = budget_of(c, {.scattering = Scattering::off});
  // planes at 0, 20, 40, 80, 100, 120 mm; the start is at -50 mm
  const std::vector<double> z{0, 20, 40, 80, 100, 120};
  const double mean = 60, szz = 2 * (60 * 60 + 40 * 40 + 20 * 20);
  const double sigma = 3.24e-3;
  CHECK(std::sqrt(b.total[P::tx]) == doctest::Approx(sigma / std::sqrt(szz)));
  const double lever = -50 - mean;
  CHECK(std::sqrt(b.total[P::x]) ==
        doctest::Approx(sigma * std::sqrt(1.0 / 6 + lever * lever / szz)));
  std::size_t along_u = 0;
  for (const BudgetPart& part : b.parts) {
    if (part.cause != Cause::hit) continue;
    const PerParameter share = b.share(part);
    const bool u = part.coordinate == 0;
    const double at = c.detector.layers[part.layer].surface.position - mean;
    CHECK(share[u ? P::tx : P::ty] == doctest::Approx(at * at / szz));
    CHECK(share[u ? P::ty : P::tx] < 1e-24);
    CHECK(share[u ? P::y : P::x] < 1e-24);
    along_u += u;
  }
  CHECK(along_u == z.size());
}

TEST_CASE("beam: sensitivities are differences of changed detectors") {
  double worst = 0;
  int compared = 0;
  for (const Case& c : cases()) {
    if (c.detector.layers.size() > 30) continue;  // the same, many times over
    CAPTURE(c.detector.name);
    const Sensitivities s =
        make_sensitivities(TrackingGeometry(c.detector), c.track);
    REQUIRE(s.exists());
    for (const Sensitivity& item : s.items) {
      CAPTURE(to_string(item.quantity));
      const auto change = [&item](Detector& d, double x) {
        switch (item.quantity) {
          case Quantity::position:
            d.layers[item.layer].surface.position += x;
            break;
          case Quantity::x_over_x0:
            for (Slab& slab : d.layers[item.layer].material)
              slab.x_over_x0 *= 1 + x;
            break;
          case Quantity::sigma:
            d.layers[item.layer].coordinates[item.coordinate].sigma *= 1 + x;
            break;
          case Quantity::angle:
            d.layers[item.layer].coordinates[item.coordinate].angle += x;
            break;
          case Quantity::field:
            scale_field(d.field, 1 + x);
            break;
          default:
            break;
        }
      };
      if (item.quantity == Quantity::length) continue;
      const bool absolute = item.quantity == Quantity::position ||
                            item.quantity == Quantity::angle;
      // stereo angles are as small as 20 mrad
      const double step = item.quantity == Quantity::angle ? 1e-4 : 2e-3;
      const PerParameter d = slope(c, {}, step, change);
      const PerParameter e = item.elasticity();
      for (const P q : beam_parameters) {
        if (!exists(c, q)) continue;
        const double own = absolute ? item.slope[q] : e[q];
        worst = std::max(worst, std::abs(own - d[q] / 2));
        ++compared;
      }
    }
  }
  CHECK(compared > 300);
  // h^4 times a fifth derivative (of order one, or of a stereo angle), and
  // rounding of 1e-13/h
  CHECK(worst < 1e-7);
}

TEST_CASE("beam: at the limit of its headroom a slope is as required") {
  const Case c = cases()[1];
  const auto sigma = [&c](const Detector& d) {
    return sigmas(resolve(TrackingGeometry(d), c.track))[P::ty];
  };
  const Requirement wanted{P::ty, 1.05 * sigma(c.detector)};
  int finite = 0;
  for (const Headroom& h :
       find_headroom(c.detector, c.track, {}, wanted, {{0}, {4}})) {
    if (h.quantity != Quantity::sigma || !std::isfinite(h.limit)) continue;
    Detector d = c.detector;
    d.layers[h.set == 0 ? 0 : 4].coordinates[h.coordinate].sigma = h.limit;
    CHECK(sigma(d) == doctest::Approx(wanted.limit).epsilon(1e-9));
    ++finite;
  }
  CHECK(finite > 0);
}

TEST_CASE("beam: parameters that a track does not have are NaN, others exist") {
  const Case along = cases().front();
  const Budget b = budget_of(along);
  for (const P q : {P::p, P::pt, P::z0, P::phi0}) CHECK(std::isnan(b.total[q]));
  for (const P q : start_plane_parameters) CHECK(b.total[q] > 0);

  const Case across{make_barrel(6, 30, 300, 2, 0.005, 0.01), Track{}};
  const Budget c = budget_of(across);
  for (const P q : start_plane_parameters) {
    CHECK(std::isnan(c.total[q]));
    CHECK(std::isnan(c.sum_of_shares()[q]));
  }
  for (const P q : {P::p, P::pt, P::d0, P::z0, P::phi0, P::theta})
    CHECK(std::abs(c.sum_of_shares()[q] - 1) < 1e-12);
}

}  // namespace gttf::test::GTTF_TEST_FILE
