// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/sensitivity.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <utility>

#include "gttf/detector/ring.hpp"
#include "gttf/resolution/budget.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

struct Case {
  Detector detector;
  Track track;
  Model model;
};

/// The case with one number of the design changed to `value`.
Case changed(Case c, const Sensitivity& item, double value) {
  const double factor = value / item.value;
  switch (item.quantity) {
    case Quantity::position:
      c.detector.layers[item.layer].surface.position = value;
      break;
    case Quantity::x_over_x0:
      for (Slab& slab : c.detector.layers[item.layer].material)
        slab.x_over_x0 *= factor;
      break;
    case Quantity::sigma:
      c.detector.layers[item.layer].coordinates[item.coordinate].sigma = value;
      break;
    case Quantity::angle:
      c.detector.layers[item.layer].coordinates[item.coordinate].angle = value;
      break;
    case Quantity::beam_spot: {
      BeamSpot& spot = *c.model.beam_spot;
      (item.coordinate == 0   ? spot.x
       : item.coordinate == 1 ? spot.y
                              : spot.z) = value;
      break;
    }
    case Quantity::field:
      scale_field(c.detector.field, factor);
      break;
    case Quantity::about_u:
    case Quantity::about_v:
    case Quantity::about_normal: {
      Surface& s = c.detector.layers[item.layer].surface;
      RigidMotion motion;
      motion.rotation = item.quantity == Quantity::about_u   ? s.u_vector
                        : item.quantity == Quantity::about_v ? s.v_vector()
                                                             : s.normal_vector;
      s = moved(s, motion, value);
      break;
    }
    case Quantity::length:
      for (Layer& layer : c.detector.layers) {
        Surface& s = layer.surface;
        s.position *= value;
        // its radius depends on where its ends are
        if (s.shape == Shape::cone)
          s.v = {value * s.v.lower, value * s.v.upper};
      }
      break;
  }
  return c;
}

/// Its change is in radian, not relative to its value.
bool is_angle(const Sensitivity& item) {
  return item.quantity == Quantity::angle || item.quantity >= Quantity::about_u;
}

Budget budget_of(const Case& c) {
  return make_budget(TrackingGeometry(c.detector), c.track, c.model);
}

bool same_crossings(const Resolution& a, const Resolution& b) {
  return std::equal(a.crossings.begin(), a.crossings.end(), b.crossings.begin(),
                    b.crossings.end(), [](const auto& x, const auto& y) {
                      return x.layer == y.layer;
                    });
}

/// d ln(sigma)/d(value), central difference of sixth order with a step
/// relative to the value; NaN if the track does not cross the same layers at
/// all points.
PerParameter difference(const Case& c, const Sensitivity& item,
                        const Resolution& at, double step) {
  const double scale = is_angle(item) ? 1.0 : std::abs(item.value);
  const double h = step * scale;
  constexpr std::array<double, 3> weights{45, -9, 1};
  PerParameter slope;
  for (int i = 1; i <= 3; ++i) {
    const Budget up = budget_of(changed(c, item, item.value + i * h));
    const Budget down = budget_of(changed(c, item, item.value - i * h));
    const bool same = same_crossings(up.resolution, at) &&
                      same_crossings(down.resolution, at);
    for (const Parameter q : all_parameters)
      slope[q] += same ? weights[static_cast<std::size_t>(i - 1)] *
                             std::log(up.total[q] / down.total[q]) / (120 * h)
                       : Resolution::none;
  }
  return slope;
}

/// Of a relative change of sigma per relative change of a number.
constexpr double tolerance = 1e-7;

struct Comparison {
  double worst = 0;
  int loose = 0;     ///< above the tolerance
  int compared = 0;  ///< numbers
  std::array<int, 10> of_quantity{};
};

/// |derivative - difference|, both made relative changes of sigma per relative
/// change of the number (per radian for angles), over 1 or the derivative.
void compare(const Case& c, Comparison& result) {
  const Sensitivities s =
      make_sensitivities(TrackingGeometry(c.detector), c.track, c.model);
  for (const Sensitivity& item : s.items) {
    const double unit = is_angle(item) ? 1 : item.value;
    // the largest step that is small against the distance to the next layer
    // has the smallest rounding, 1e-14/step; the last step is for tracks that
    // barely reach a layer
    PerParameter error;
    error.values.fill(Resolution::none);
    for (const double step : {2e-3, 2e-4, 3e-5, 5e-6}) {
      if (step < 1e-5 && std::ranges::all_of(error.values, [](double e) {
            return std::isnan(e) || e < tolerance;
          }))
        break;
      const PerParameter d = difference(c, item, s.resolution, step);
      for (const Parameter q : all_parameters) {
        const double exact = item.slope[q] * unit;
        error[q] = std::fmin(error[q], std::abs(exact - d[q] * unit) /
                                           std::max(1.0, std::abs(exact)));
      }
    }
    for (const Parameter q : all_parameters) {
      if (std::isnan(s.sigma[q]) || std::isnan(error[q])) continue;
      result.worst = std::max(result.worst, error[q]);
      result.loose += error[q] > tolerance;
      ++result.compared;
      ++result.of_quantity[static_cast<std::size_t>(item.quantity)];
    }
  }
}

bool well_measured(const Case& c) {
  const Budget b = budget_of(c);
  return b.exists() && b.total[Parameter::phi0] < 1e-2 &&
         !(b.total[Parameter::p] > 0.1);
}

}  // namespace

TEST_CASE("sensitivity: equals sixth-order differences on random layouts") {
  RandomLayouts usual(2024), with_leaning(2024, 0.3);
  constexpr std::array models{Scattering::highland, Scattering::highland_total,
                              Scattering::highland_1991, Scattering::rossi,
                              Scattering::off};
  Comparison sum;
  int layouts = 0;
  for (int i = 0; i < 800; ++i) {
    RandomLayouts& random = i % 2 == 0 ? usual : with_leaning;
    Case c{random.detector(), random.track(), {}};
    c.model.scattering = models[static_cast<std::size_t>(i) % models.size()];
    if (i % 3 == 0) c.model.beam_spot = BeamSpot{0.03, 0.01, 5};
    if (i % 7 == 0) c.detector.field = {};
    if (!well_measured(c)) continue;
    ++layouts;
    compare(c, sum);
  }
  CHECK(layouts > 60);
  for (const int n : sum.of_quantity) CHECK(n > 100);
  CAPTURE(sum.worst);
  CAPTURE(sum.compared);
  // layouts that amplify rounding do so for the differences: 1e-13/h
  CHECK(sum.loose == 0);
}

TEST_CASE("sensitivity: equals differences on every shipped detector") {
  for (const Detector& d : shipped_detectors()) {
    if (d.layers.size() > 60) continue;  // the same formulas, many times over
    CAPTURE(d.name);
    Comparison sum;
    for (std::size_t i = 1; i < some_tracks().size(); i += 5) {
      const Case c{d, some_tracks()[i], {}};
      if (well_measured(c)) compare(c, sum);
    }
    CHECK(sum.compared > 50);
    CHECK(sum.worst < tolerance);
  }
}

TEST_CASE("sensitivity: with energy losses, equals differences") {
  constexpr std::array losses{EnergyLoss::mean, EnergyLoss::straggling,
                              EnergyLoss::straggling_variance};
  constexpr std::array models{Scattering::highland, Scattering::highland_total,
                              Scattering::rossi};
  constexpr std::array masses{0.13957039, 0.93827209, 0.00051099895};
  RandomLayouts usual(77), with_leaning(78, 0.3);
  Comparison sum;
  int layouts = 0;
  for (int i = 0; i < 300; ++i) {
    RandomLayouts& random = i % 2 == 0 ? usual : with_leaning;
    Case c{random.detector(), random.track(), {}};
    const auto n = static_cast<std::size_t>(i);
    c.track.mass = masses[n % 3];
    c.model.loss = losses[n / 3 % 3];
    c.model.scattering = models[n / 9 % 3];
    if (i % 4 == 0) c.model.beam_spot = BeamSpot{0.03, 0.01, 5};
    if (i % 7 == 0) c.detector.field = {};
    if (!well_measured(c)) continue;
    ++layouts;
    compare(c, sum);
  }
  CHECK(layouts > 40);
  CHECK(sum.of_quantity[static_cast<std::size_t>(Quantity::position)] > 1000);
  CHECK(sum.of_quantity[static_cast<std::size_t>(Quantity::x_over_x0)] > 1000);
  CAPTURE(sum.worst);
  CAPTURE(sum.compared);
  // the differences, of whole tracks, have the rounding of all losses
  CHECK(sum.worst < 1e-6);
}

TEST_CASE("sensitivity: at a layer, with and without energy losses") {
  // planes in random directions, crossed by a slow kaon
  const auto telescope = [](RandomLayouts& random, int i) {
    Case c;
    for (int k = 0; k < 7; ++k) {
      const double z = 100.0 * k + random.uniform(0, 20);
      const double x = random.uniform(-0.4, 0.4), y = random.uniform(-0.4, 0.4);
      const double length = std::sqrt(1 + x * x + y * y);
      const double turn = random.uniform(-3, 3);
      const double c_turn = std::cos(turn), s_turn = std::sin(turn);
      // normal to (x, y, 1)
      const double up = -(x * c_turn + y * s_turn);
      const double u = std::sqrt(1 + up * up);
      c.detector.layers.push_back(make_layer(
          "L" + std::to_string(k),
          make_inclined_plane({random.uniform(-50, 50), 0, z},
                              {x / length, y / length, 1 / length},
                              {c_turn / u, s_turn / u, up / u}, {1400, 1400}),
          0, random.coordinates()));
      c.detector.layers.back().material.push_back({"silicon", 0.5, 0.5 / 93.7});
    }
    c.detector.field.kind = FieldKind::dipole;
    c.detector.field.dipoles = {{Axis::z, {230, 370}, Axis::y, 1 * unit::T}};
    if (i % 3 == 1)
      c.detector.field.dipoles = {{Axis::z, {-1e6, 1e6}, Axis::y, 1 * unit::T}};
    if (i % 3 == 2) c.detector.field = {FieldKind::solenoid, 2 * unit::T};
    if (i % 7 == 0) c.detector.field = {};
    set_reference(c.detector.field);
    c.track.p = 0.5;
    c.track.mass = 0.493677;
    c.track.theta = random.uniform(2, 20) * unit::deg;
    c.track.phi = random.uniform(-3, 3);
    c.track.vertex = {0, 0, -50};
    return c;
  };
  constexpr std::array losses{EnergyLoss::straggling_variance, EnergyLoss::off,
                              EnergyLoss::mean, EnergyLoss::straggling};
  RandomLayouts random(79);
  Comparison sum;
  int layouts = 0;
  for (int i = 0; i < 30; ++i) {
    Case c = telescope(random, i);
    const auto n = static_cast<std::size_t>(i);
    c.model.loss = losses[n % losses.size()];
    c.model.at = AtLayer{n % 5, i % 2 == 0};
    if (i % 4 == 0) c.model.beam_spot = BeamSpot{0.03, 0.01, 5};
    if (!well_measured(c)) continue;
    ++layouts;
    compare(c, sum);
  }
  CHECK(layouts > 20);
  for (const Quantity q :
       {Quantity::about_u, Quantity::about_v, Quantity::about_normal})
    CHECK(sum.of_quantity[static_cast<std::size_t>(q)] > 500);
  CAPTURE(sum.worst);
  CAPTURE(sum.compared);
  CHECK(sum.worst < 1e-6);
}

TEST_CASE("sensitivity: of layers next to the face of a dipole") {
  // B is behind the entrance, in the dipole, C behind the exit
  const auto telescope = [](double distance) {
    Detector d;
    d.name = "dipole";
    d.field.kind = FieldKind::dipole;
    d.field.dipoles = {{Axis::z, {300, 500}, Axis::y, 1 * unit::T}};
    set_reference(d.field);
    for (const double z : {100., 300 + distance, 500 + distance, 700.}) {
      d.layers.push_back(make_layer(
          std::to_string(z),
          make_inclined_plane({0, 0, z}, {0, 0, 1}, {1, 0, 0}, {1400, 1400}), 0,
          pixel(0.005, 0.006)));
      d.layers.back().material.push_back({"silicon", 0.5, 0.5 / 93.7});
    }
    return d;
  };
  // by values on the far side of a face
  const auto slope_beyond = [](const Case& c, const Sensitivity& item,
                               Parameter q, double h) {
    constexpr std::array<double, 5> weights{-25, 48, -36, 16, -3};
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double value = item.value + h * static_cast<double>(i);
      const Case moved_away = i == 0 ? c : changed(c, item, value);
      sum += weights[i] * std::log(budget_of(moved_away).total[q]) / (24 * h);
    }
    return sum;
  };
  // on a face, rounding puts the crossing point on either side of it
  constexpr std::array<std::pair<double, double>, 10> distances_and_angles{
      {{0., 3.},
       {0., 5.},
       {0., 7.},
       {0., 8.},
       {0., 11.},
       {1e-5, 8.},
       {0.01, 8.},
       {0.2, 8.},
       {0.6, 8.},
       {5., 8.}}};
  // with losses and without, at the start and at a layer
  for (const bool is_at_layer : {false, true})
    for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean})
      for (const auto& pair : distances_and_angles) {
        const double distance = pair.first, degrees = pair.second;
        CAPTURE(distance);
        CAPTURE(degrees);
        Case c{telescope(distance), {}, {}};
        c.track.p = 0.5;
        c.track.mass = 0.93827;
        c.track.theta = degrees * unit::deg;
        c.model.loss = loss;
        if (is_at_layer) c.model.at = AtLayer{0, true};
        const Sensitivities s =
            make_sensitivities(TrackingGeometry(c.detector), c.track, c.model);
        REQUIRE(s.exists());
        int compared = 0;
        for (const Sensitivity& item : s.items) {
          const bool is_position = item.quantity == Quantity::position;
          if (!is_position && item.quantity != Quantity::about_v) continue;
          if (item.layer != 1 && item.layer != 2) continue;
          // a layer on the entrance leaves the dipole backwards; the track is
          // at x > 0, where a rotation about v moves the plane backwards
          const double ahead = distance == 0 && item.layer == 1 ? -1 : 1;
          const double h = ahead * (is_position ? 0.02 : -5e-4);
          for (const Parameter q : {Parameter::p, Parameter::phi0}) {
            const double expected = slope_beyond(c, item, q, h);
            CAPTURE(to_string(item.quantity));
            CAPTURE(item.layer);
            CAPTURE(expected);
            CHECK(std::abs(item.slope[q] - expected) <
                  1e-6 * std::max(std::abs(expected), 1e-3));
            ++compared;
          }
        }
        CHECK(compared == 8);
      }
}

TEST_CASE("sensitivity: with energy losses, the cost is linear") {
  const auto seconds = [](int n) {
    const TrackingGeometry geometry(make_barrel(n, 30, 1000, 2, 0.1 / n, 0.01));
    Track t;
    t.p = 10;
    Model model;
    model.loss = EnergyLoss::mean;
    const std::clock_t start = std::clock();
    CHECK(make_sensitivities(geometry, t, model).exists());
    return double(std::clock() - start) / CLOCKS_PER_SEC;
  };
  const double few = std::min(seconds(100), seconds(100));
  // linear: 5; a track for each layer: 25
  CHECK(seconds(500) < 12 * few);
}

TEST_CASE("sensitivity: scaling with all lengths and hit errors") {
  // Without scattering, lengths and hit errors scaled together by f leave all
  // angles as they are: sigma(d0) ~ f; the curvature scales with 1/f at the
  // same kappa only in the straight limit.
  const Detector d = make_barrel(6, 30, 300, 2, 0, 0.01);
  Track t;
  t.p = 1e5;
  const Sensitivities s = make_sensitivities(TrackingGeometry(d), t);
  PerParameter sum, length;
  for (const Sensitivity& item : s.items) {
    const PerParameter e = item.elasticity();
    for (const Parameter q : all_parameters) {
      if (item.quantity == Quantity::sigma) sum[q] += e[q];
      if (item.quantity == Quantity::length) length[q] = e[q];
    }
  }
  // the track is across z
  for (const Parameter q : all_parameters)
    if (q < Parameter::x) CHECK(sum[q] == doctest::Approx(1));
  CHECK(length[Parameter::d0] == doctest::Approx(0).epsilon(1e-6));
  CHECK(length[Parameter::phi0] == doctest::Approx(-1).epsilon(1e-6));
  CHECK(length[Parameter::p] == doctest::Approx(-2).epsilon(1e-6));
}

TEST_CASE(
    "sensitivity: momentum errors fall as 1/B for nearly straight tracks") {
  const Detector d = make_barrel(6, 30, 300, 2, 0.01, 0.01);
  Track t;
  t.p = 1e4;
  const Sensitivities s = make_sensitivities(TrackingGeometry(d), t);
  const auto field = std::find_if(
      s.items.begin(), s.items.end(),
      [](const auto& item) { return item.quantity == Quantity::field; });
  REQUIRE(field != s.items.end());
  CHECK(field->elasticity()[Parameter::p] == doctest::Approx(-1).epsilon(1e-6));
  CHECK(std::abs(field->elasticity()[Parameter::d0]) < 1e-5);
}

TEST_CASE("sensitivity: that of a hit error is its share of the variance") {
  const Detector d = make_barrel(6, 30, 300, 2, 0.01, 0.01);
  Track t;
  t.theta = 1.0;
  const TrackingGeometry geometry(d);
  const Sensitivities s = make_sensitivities(geometry, t);
  const Budget b = make_budget(geometry, t);
  int found = 0;
  for (const Sensitivity& item : s.items)
    for (const BudgetPart& part : b.parts) {
      if (item.quantity != Quantity::sigma || part.cause != Cause::hit ||
          part.layer != item.layer || part.coordinate != item.coordinate)
        continue;
      ++found;
      for (const Parameter q : all_parameters)
        CHECK(item.elasticity()[q] ==
              doctest::Approx(b.share(part)[q]).epsilon(1e-10));
    }
  CHECK(found == 12);
}

TEST_CASE("sensitivity: no resolution, no derivatives") {
  const Detector d = make_barrel(2, 30, 300, 2, 0.01, 0.01);
  const Sensitivities s = make_sensitivities(TrackingGeometry(d), Track{});
  CHECK_FALSE(s.exists());
  CHECK(std::isnan(s.sigma[Parameter::d0]));
}

// The two that determine a point are fitted first, here the first and the last.
TEST_CASE("sensitivity: three coordinates of a layer keep their order") {
  const std::array sigma{0.02, 0.02, 0.03};
  const auto detector = [&](std::size_t changed, double by) {
    Detector d = make_barrel(4, 30, 400, 2, 0.01, 0.01);
    d.layers[2].coordinates = {
        {0.02, sigma[0]}, {0.02, sigma[1]}, {-0.03, sigma[2]}};
    d.layers[2].coordinates[changed].sigma += by;
    return d;
  };
  Track track;
  track.theta = 1.1;
  const auto sigma_p = [&](std::size_t changed, double by) {
    return std::log(
        resolve(TrackingGeometry(detector(changed, by)), track).sigma_p_rel);
  };
  const TrackingGeometry geometry(detector(0, 0));
  std::size_t compared = 0;
  for (const Sensitivity& item :
       make_sensitivities(geometry, track, {}).items) {
    if (item.layer != 2 || item.quantity != Quantity::sigma) continue;
    const double h = 1e-6;
    const double slope =
        (sigma_p(item.coordinate, h) - sigma_p(item.coordinate, -h)) / (2 * h);
    CHECK(item.slope[Parameter::p] == doctest::Approx(slope).epsilon(1e-6));
    ++compared;
  }
  CHECK(compared == 3);
}

}  // namespace gttf::test::GTTF_TEST_FILE
