// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/sensitivity.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "gttf/detector/read.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

const std::string text = R"(
gttf-detector: 1
name: test
field: { solenoid: 2 T }
layers:
  - name: pixel
    group: inner
    cylinder: { radius: [30 mm, 60 mm], half_length: 1 m }
    repeat: 3
    material: 1 %
    measures: { rphi: 10 um, z: 20 um }
  - name: strip
    cylinder: { radius: 200 mm, half_length: 1 m }
    material: 2 %
    measures:
      - { angle: 20 mrad, sigma: 20 um }
      - { angle: -20 mrad, sigma: 20 um }
  - name: end
    disk: { z: 250 mm, radius: [10 mm, 500 mm] }
    mirror: true
    material: 1 %
    measures: { rphi: 10 um, r: 50 um }
)";

Detector detector(const std::vector<std::string>& changes = {}) {
  return parse_detector(text, "test.yaml", changes).detector;
}

Track track() {
  Track t;
  t.theta = 50 * unit::deg;
  return t;
}

std::vector<SensitivityRow> rows(Grouping grouping) {
  const Detector d = detector();
  return sensitivity_rows(d, make_sensitivities(TrackingGeometry(d), track()),
                          grouping);
}

const SensitivityRow* find(const std::vector<SensitivityRow>& list,
                           const std::string& key) {
  const auto it = std::find_if(list.begin(), list.end(),
                               [&](const auto& r) { return r.key == key; });
  return it == list.end() ? nullptr : &*it;
}

}  // namespace

TEST_CASE("sensitivity rows: keys for --set, and their effect") {
  const auto list = rows(Grouping::layer);
  const struct {
    const char *key, *changed;
    double relative;
  } cases[] = {
      {"layers[pixel].material", "1.0001 %", 1e-4},
      {"layers[pixel].measures.z", "20.002 um", 1e-4},
      {"layers[pixel].cylinder.radius", "[30.003 mm, 60.006 mm]", 1e-4},
      {"layers[strip].measures[0].sigma", "20.002 um", 1e-4},
      {"layers[end].disk.z", "250.025 mm", 1e-4},
      {"field.solenoid", "2.0002 T", 1e-4},
  };
  const auto sigma_of = [](const Detector& d) {
    return sigmas(resolve(TrackingGeometry(d), track()));
  };
  const PerParameter before = sigma_of(detector());
  for (const auto& c : cases) {
    CAPTURE(c.key);
    const SensitivityRow* row = find(list, c.key);
    REQUIRE(row != nullptr);
    const PerParameter after =
        sigma_of(detector({std::string(c.key) + "=" + c.changed}));
    for (const Parameter q : all_parameters)
      // first order in 1e-4
      CHECK(std::abs(std::log(after[q] / before[q]) / c.relative -
                     row->elasticity[q]) < 1e-3);
  }
}

TEST_CASE("sensitivity rows: only angles of tilted coordinates") {
  const auto list = rows(Grouping::surface);
  CHECK(std::any_of(list.begin(), list.end(), [](const auto& r) {
    return r.layer == "strip" && r.name == "angle 20 mrad";
  }));
  CHECK(std::none_of(list.begin(), list.end(), [](const auto& r) {
    return r.layer == "pixel[0]" && r.quantity == Quantity::angle;
  }));
}

TEST_CASE("sensitivity rows: layers with different values have no slope") {
  const auto list = rows(Grouping::layer);
  const SensitivityRow* radius = find(list, "layers[pixel].cylinder.radius");
  const SensitivityRow* material = find(list, "layers[pixel].material");
  REQUIRE(radius != nullptr);
  REQUIRE(material != nullptr);
  CHECK(std::isnan(radius->value));
  CHECK(std::isnan(radius->slope[Parameter::d0]));
  CHECK(material->value == doctest::Approx(1));
  CHECK(material->slope[Parameter::d0] ==
        doctest::Approx(material->elasticity[Parameter::d0]));
}

TEST_CASE("advice: states what to change in which direction") {
  SensitivityRow row;
  row.layer = "L1";
  row.name = "material";
  row.quantity = Quantity::x_over_x0;
  row.elasticity[Parameter::d0] = 0.312;
  CHECK(advice(row, Parameter::d0) ==
        "1 % less material in layer L1 reduces sigma(d0) by 0.31 %");
  CHECK(advice(row, Parameter::d0, Grouping::group) ==
        "1 % less material in L1 reduces sigma(d0) by 0.31 %");
  row.quantity = Quantity::position;
  row.name = "radius";
  row.elasticity[Parameter::p] = -0.5;
  CHECK(advice(row, Parameter::p) ==
        "1 % larger radius of layer L1 reduces sigma(p)/p by 0.5 %");
}

}  // namespace gttf::test::GTTF_TEST_FILE
