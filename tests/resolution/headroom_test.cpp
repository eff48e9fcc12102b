// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/headroom.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

std::vector<LayerSet> each_layer(const Detector& d) {
  std::vector<LayerSet> sets;
  for (std::size_t i = 0; i < d.layers.size(); ++i) sets.push_back({i});
  return sets;
}

double sigma(const Detector& d, const Track& t, Parameter q) {
  return sigmas(resolve(TrackingGeometry(d), t))[q];
}

Detector with(Detector d, const Headroom& h, double value) {
  switch (h.quantity) {
    case Quantity::x_over_x0:
      d.layers[h.set].material = {{"", 0, value}};
      break;
    case Quantity::position:
      d.layers[h.set].surface.position = value;
      break;
    case Quantity::sigma:
      d.layers[h.set].coordinates[h.coordinate].sigma = value;
      break;
    default:
      d.field.bz = value;
  }
  return d;
}

}  // namespace

TEST_CASE("headroom: at the limit the requirement is met exactly") {
  const Detector d = make_barrel(6, 30, 300, 2, 0.005, 0.01);
  Track t;
  t.p = 2;
  t.theta = 1.2;
  int finite = 0;
  for (const Parameter q : {Parameter::p, Parameter::pt, Parameter::d0})
    for (const double factor : {0.97, 1.1}) {
      const Requirement r{q, sigma(d, t, q) * factor};
      for (const Headroom& h : find_headroom(d, t, {}, r, each_layer(d))) {
        CAPTURE(to_string(h.quantity));
        CAPTURE(h.set);
        if (!std::isfinite(h.limit) || h.limit == 0) continue;
        ++finite;
        CHECK(sigma(with(d, h, h.limit), t, q) ==
              doctest::Approx(r.limit).epsilon(1e-9));
        CHECK(h.met == (factor > 1));
        if (h.quantity == Quantity::position) continue;  // to both sides
        const bool more_is_worse = h.quantity != Quantity::field;
        CHECK((h.limit > h.value) == ((factor > 1) == more_is_worse));
      }
    }
  CHECK(finite > 25);
}

TEST_CASE("headroom: the first failure where sigma is not monotonic") {
  // a slow proton: after the loss in a thick layer the field bends it more
  const Detector d = make_barrel(6, 30, 300, 2, 0.005, 0.01);
  Track t;
  t.p = 0.5;
  t.mass = 0.938272;
  t.charge = 1;
  t.theta = 60 * unit::deg;
  const Model model{.loss = EnergyLoss::straggling};
  const auto sigma_with = [&](std::size_t layer, double value) {
    Detector changed = d;
    for (Slab& slab : changed.layers[layer].material)
      slab.x_over_x0 *= value / d.layers[layer].x_over_x0();
    return sigmas(resolve(TrackingGeometry(changed), t, model))[Parameter::p];
  };
  const double present = sigma_with(0, d.layers[0].x_over_x0());
  int inner = 0;
  for (const double more : {1.005, 1.02, 1.05, 1.1, 1.3}) {
    const Requirement r{Parameter::p, more * present};
    for (const Headroom& h : find_headroom(d, t, model, r, each_layer(d))) {
      if (h.quantity != Quantity::x_over_x0) continue;
      CAPTURE(more);
      CAPTURE(h.set);
      REQUIRE(h.limit > h.value);
      // a brute scan up to the limit finds no failure, just above it one
      const double last = std::min(h.limit, 100.0) * (1 - 1e-9);
      bool fails = false;
      for (int i = 0; i <= 400; ++i) {
        const double value = h.value * std::pow(last / h.value, i / 400.0);
        fails = fails || !(sigma_with(h.set, value) <= r.limit * (1 + 1e-9));
      }
      CHECK_FALSE(fails);
      if (!std::isfinite(h.limit)) continue;
      ++inner;
      CHECK_FALSE(sigma_with(h.set, h.limit * (1 + 1e-6)) <= r.limit);
    }
  }
  CHECK(inner > 10);
}

namespace {

/// Detectors, tracks and models at random.
struct Case {
  Detector detector;
  Track track;
  Model model;
};

Case random_case(unsigned seed) {
  RandomLayouts random(seed);
  Case c;
  if (random.uniform(0, 1) < 0.5) {
    const int n = 4 + static_cast<int>(random.uniform(0, 5));
    c.detector = make_barrel(
        n, random.log_uniform(15, 60), random.log_uniform(150, 1200),
        random.uniform(0.3, 4), random.log_uniform(1e-3, 0.05),
        random.log_uniform(3e-3, 0.1));
  } else {
    c.detector = random.detector();
  }
  c.track = random.track();
  c.track.p = random.log_uniform(0.2, 20);
  constexpr double masses[] = {0.000511, 0.10566, 0.13957, 0.49368, 0.93827};
  c.track.mass = masses[static_cast<int>(random.uniform(0, 5))];
  constexpr EnergyLoss losses[] = {EnergyLoss::off, EnergyLoss::mean,
                                   EnergyLoss::straggling};
  c.model.loss = losses[static_cast<int>(random.uniform(0, 3))];
  return c;
}

/// The detector with a number of a list of headrooms changed.
Detector changed(Detector d, const Headroom& h, double value) {
  switch (h.quantity) {
    case Quantity::x_over_x0:
      for (Slab& slab : d.layers[h.set].material)
        slab.x_over_x0 *= value / h.value;
      break;
    case Quantity::field:
      scale_field(d.field, value / h.value);
      break;
    default:
      d = with(std::move(d), h, value);
  }
  return d;
}

}  // namespace

TEST_CASE("headroom: limits are those of a brute scan") {
  constexpr double factors[] = {0.8, 0.97, 1, 1.005, 1.05, 1.3};
  const char* const asked = std::getenv("GTTF_HEADROOM_CASES");
  const unsigned n = asked ? static_cast<unsigned>(std::atoi(asked)) : 10;
  int limits = 0, falling = 0;
  for (unsigned seed = 0; seed < n; ++seed) {
    const Case c = random_case(seed);
    const Resolution present =
        resolve(TrackingGeometry(c.detector), c.track, c.model);
    if (present.status != Status::ok) continue;
    const Parameter q = seed % 3 == 0   ? Parameter::d0
                        : seed % 3 == 1 ? Parameter::p
                                        : Parameter::theta;
    const Requirement r{q, sigmas(present)[q] * factors[seed % 6]};
    const bool met = factors[seed % 6] >= 1;
    for (const Headroom& h : find_headroom(c.detector, c.track, c.model, r,
                                           each_layer(c.detector))) {
      if (h.quantity == Quantity::position) continue;  // another test
      CAPTURE(seed);
      CAPTURE(to_string(h.quantity));
      CAPTURE(h.set);
      CAPTURE(h.value);
      CAPTURE(h.limit);
      CHECK(h.met == met);
      const auto sigma_at = [&](double ratio) {
        return sigmas(
            resolve(TrackingGeometry(changed(c.detector, h, ratio * h.value)),
                    c.track, c.model))[q];
      };
      const auto fails = [&](double ratio) {
        constexpr double rounding = 1e-11;
        return !(sigma_at(ratio) <= r.limit * (1 + rounding));
      };
      // worse: more of x/X0 and errors, less field
      const bool upwards = (h.quantity != Quantity::field) == met;
      const bool found = std::isfinite(h.limit) && h.limit != 0;
      double end = upwards ? 1e3 : 1e-3;
      if (found) {
        end = h.limit / h.value;
        // at the limit already
        REQUIRE(((end > 1) == upwards || std::abs(end - 1) < 1e-9));
      } else {
        CHECK(std::isnan(h.limit) == !met);
        if (h.quantity == Quantity::x_over_x0)
          end = std::min(end, 100 / h.value);
      }
      constexpr double beside = 1e-7;
      const double after = upwards ? 1 + beside : 1 / (1 + beside);
      int wrong = 0;
      constexpr int points = 25;
      const bool room = std::abs(end - 1) > 2 * beside;
      for (int k = 1; k <= points && room; ++k)
        wrong += fails(std::pow(end / after, 1.0 * k / points)) == met;
      CHECK(wrong == 0);
      falling += sigma_at(upwards ? 1.5 : 0.7) < sigmas(present)[q];
      if (!found) continue;
      ++limits;
      // beyond it, for any rounding
      CHECK((met ? sigma_at(end * after) > r.limit : !fails(end * after)));
    }
  }
  MESSAGE(limits << " limits, " << falling << " where sigma falls");
  CHECK(limits > 60);
  CHECK(falling > 30);
}

TEST_CASE("headroom: numbers without effect have no limit") {
  Detector d = make_barrel(4, 30, 120, 2, 0.005, 0.01);
  d.layers.push_back(make_layer("coil", make_cylinder(300, {-1e5, 1e5}), 0.5));
  const Track t;
  const Requirement r{Parameter::d0, 1.01 * sigma(d, t, Parameter::d0)};
  const auto list = find_headroom(d, t, {}, r, {{4}});
  REQUIRE(list.size() == 3);
  CHECK(list[0].quantity == Quantity::position);
  CHECK(std::isinf(list[0].limit));
  CHECK(std::isinf(list[1].limit));
  CHECK(list[2].quantity == Quantity::field);
}

TEST_CASE("headroom: a requirement that one number cannot meet has none") {
  const Detector d = make_barrel(4, 30, 120, 2, 0.005, 0.01);
  const Track t;
  const Requirement r{Parameter::d0, 0.2 * sigma(d, t, Parameter::d0)};
  for (const Headroom& h : find_headroom(d, t, {}, r, each_layer(d)))
    CHECK(std::isnan(h.limit));
}

TEST_CASE("headroom: layers of a set change together") {
  const Detector d = make_barrel(5, 30, 300, 2, 0.005, 0.01);
  const Track t;
  const Requirement r{Parameter::p, 1.05 * sigma(d, t, Parameter::p)};
  const auto list = find_headroom(d, t, {}, r, {{1, 2, 3}});
  const auto material =
      std::ranges::find(list, Quantity::x_over_x0, &Headroom::quantity);
  REQUIRE(material != list.end());
  Detector changed = d;
  for (const std::size_t i : {1u, 2u, 3u})
    changed.layers[i].material = {{"", 0, material->limit}};
  CHECK(sigma(changed, t, Parameter::p) ==
        doctest::Approx(r.limit).epsilon(1e-9));
}

TEST_CASE("headroom: positions, as a brute scan finds them") {
  const Detector d = make_barrel(5, 30, 190, 2, 0.005, 0.01);
  Track t;
  t.p = 1;
  t.theta = 1.1;
  int found = 0;
  for (const Parameter q : {Parameter::p, Parameter::d0})
    for (const double factor : {0.97, 0.999, 1.001, 1.03}) {
      const Requirement r{q, sigma(d, t, q) * factor};
      for (std::size_t layer = 0; layer < d.layers.size(); ++layer) {
        CAPTURE(layer);
        CAPTURE(factor);
        // limits within the free way to the neighbours
        const double present = d.layers[layer].surface.position;
        const double below = layer == 0 ? 0 : present - 40;
        const double above =
            layer == 4 ? Headroom::most_position : present + 40;
        const auto sigma_at = [&](double radius) {
          Detector moved = d;
          moved.layers[layer].surface.position = radius;
          const Resolution all = resolve(TrackingGeometry(moved), t);
          return all.n_hits == 5 ? sigmas(all)[q] : Resolution::none;
        };
        const auto scan = [&](double end) {  // where it changes first
          constexpr int steps = 4000;
          for (int i = 1; i < steps; ++i) {
            const double ratio = static_cast<double>(i) / steps;
            const double radius =
                end < 1e4 ? present + (end - present) * ratio
                          : present * std::pow(end / present, ratio);
            const double now = sigma_at(radius);
            if (std::isnan(now)) break;  // it turns back before the layer
            if ((now <= r.limit) != (factor > 1)) return radius;
          }
          return Resolution::none;
        };
        std::vector<double> expected;
        for (const double end : {below, above})
          if (const double place = scan(end); !std::isnan(place))
            expected.push_back(place);
        std::vector<double> limits;
        for (const Headroom& h : find_headroom(d, t, {}, r, {{layer}})) {
          if (h.quantity != Quantity::position) continue;
          CHECK(h.layer == layer);
          CHECK((h.inner.layer == Sensitivity::none) == (layer == 0));
          CHECK(h.inner.passed == (layer > 0));
          if (layer < 4) CHECK(h.outer.layer == layer + 1);
          if (std::isfinite(h.limit))
            limits.push_back(h.limit);
          else
            CHECK(std::isnan(h.limit) == (factor < 1));
        }
        REQUIRE(limits.size() == expected.size());
        for (std::size_t i = 0; i < limits.size(); ++i) {
          ++found;
          // a step of the scan: 0.01 mm, beyond the last layer 0.22 %
          CHECK(std::abs(limits[i] - expected[i]) <
                std::max(0.011, expected[i] > 190 ? 0.003 * expected[i] : 0));
        }
      }
    }
  CHECK(found > 15);
}

TEST_CASE("headroom: a position ends where the track would meet others") {
  Detector d = make_barrel(4, 30, 120, 2, 0.005, 0.01);
  d.layers[3].surface.v = {-70, 70};
  Track t;
  t.p = 5;
  t.theta = 60 * unit::deg;
  // 120 mm / tan 60 deg = 69.3 mm
  const Requirement r{Parameter::p, 10 * sigma(d, t, Parameter::p)};
  const auto list = find_headroom(d, t, {}, r, {{3}});
  REQUIRE(list.front().quantity == Quantity::position);
  CHECK(list.front().outer.layer == 3);
  CHECK_FALSE(list.front().outer.passed);
  CHECK(list.front().inner.layer == 2);
  CHECK(list.front().inner.passed);
}

}  // namespace gttf::test::GTTF_TEST_FILE
