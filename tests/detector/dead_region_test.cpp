// SPDX-License-Identifier: Apache-2.0
// Dead regions as files give them.
#include "gttf/detector/detector.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gttf/core/units.hpp"
#include "gttf/detector/read.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// The additional layers needed to measure a curvature.
const std::string others =
    "  - { name: a, material: 1 %, cylinder: { radius: 500 mm, half_length: 1 "
    "m "
    "}, measures: { rphi: 5 um } }\n"
    "  - { name: b, material: 1 %, cylinder: { radius: 600 mm, half_length: 1 "
    "m "
    "}, measures: { rphi: 5 um } }\n";

Detector read(const std::string& layer,
              const std::vector<std::string>& overrides = {}) {
  return parse_detector(
             "gttf-detector: 1\nname: d\nfield: { solenoid: 2 T }\n"
             "layers:\n  - { name: L, material: 1 %, " +
                 layer + " }\n" + others,
             "d.yaml", overrides)
      .detector;
}

const std::string cylinder =
    "cylinder: { radius: 30 mm, half_length: 300 mm }, measures: { rphi: 5 um "
    "}";
const std::string ring =
    "ring: { radius: 100 mm, z: [20 mm, 70 mm], count: 12, size: [50 mm, 50 "
    "mm] "
    "}, measures: { u: 5 um }";

bool contains(const DeadRegion& region, double azimuth, double z = 0) {
  const double phi = azimuth * unit::deg;
  return region.contains(30 * std::cos(phi), 30 * std::sin(phi), z);
}

}  // namespace

TEST_CASE("dead regions: limits in azimuth, across 0 and 180 deg") {
  const Layer plain =
      read(cylinder + ", dead: { phi: [10 deg, 30 deg] }").layers[0];
  REQUIRE(plain.dead.size() == 1);
  CHECK_FALSE(plain.is_dead());
  CHECK(plain.measures());
  for (const double inside : {10.001, 20.0, 29.999, 380.0, -340.0})
    CHECK(contains(plain.dead[0], inside));
  for (const double outside : {9.999, 30.001, 200.0, -20.0})
    CHECK_FALSE(contains(plain.dead[0], outside));

  for (const char* across : {"[350 deg, 370 deg]", "[-10 deg, 10 deg]"}) {
    const Layer layer =
        read(cylinder + ", dead: { phi: " + across + " }").layers[0];
    for (const double inside : {-9.9, 0.0, 9.9, 355.0})
      CHECK(contains(layer.dead[0], inside));
    for (const double outside : {-10.1, 10.1, 180.0})
      CHECK_FALSE(contains(layer.dead[0], outside));
  }
  const Layer behind =
      read(cylinder + ", dead: { phi: [170 deg, 200 deg] }").layers[0];
  CHECK(contains(behind.dead[0], 179.9));
  CHECK(contains(behind.dead[0], -179.9));
  CHECK_FALSE(contains(behind.dead[0], 201));
}

TEST_CASE("dead regions: all limits of one region, any of several") {
  const Layer layer =
      read(cylinder +
           ", dead: [{ phi: [10 deg, 30 deg], z: [-20 mm, 50 mm] }, { z: [200 "
           "mm, 300 mm] }]")
          .layers[0];
  REQUIRE(layer.dead.size() == 2);
  CHECK(contains(layer.dead[0], 20, 49));
  CHECK_FALSE(contains(layer.dead[0], 20, 51));
  CHECK_FALSE(contains(layer.dead[0], 40, 49));
  CHECK(contains(layer.dead[1], 40, 250));
  CHECK(to_string(layer.dead) ==
        "phi = 10 to 30 deg, z = -20 to 50 mm; z = 200 to 300 mm");
  const DeadRegion box{
      .phi = {}, .r = {}, .x = Interval{0, 2}, .y = {}, .z = {}};
  CHECK(box.contains(1, 100, 5));
  CHECK_FALSE(box.contains(3, 100, 5));
  const DeadRegion at_r{
      .phi = {}, .r = Interval{3, 5}, .x = {}, .y = {}, .z = {}};
  CHECK(at_r.contains(-3, 3, 0));
  CHECK_FALSE(at_r.contains(4, 4, 0));
}

TEST_CASE("dead regions: modules and rings by number") {
  const auto dead = [](const Detector& d) {
    std::string names;
    for (const Layer& l : d.layers)
      if (!l.dead.empty()) names += l.name + (l.is_dead() ? " " : "* ");
    return names;
  };
  CHECK(dead(read(ring + ", dead: { module: 7 }")) == "L[0][7] L[1][7] ");
  CHECK(dead(read(ring +
                  ", dead: [{ ring: 1, module: [3, 4] }, { module: 0, z: "
                  "[0 mm, 10 mm] }]")) == "L[0][0]* L[1][0]* L[1][3] L[1][4] ");
  CHECK(dead(read(ring + ", mirror: true, dead: { ring: 0, module: 2 }")) ==
        "L[0][2] L[0][2] (-z) ");
  const Detector one = read(ring + ", dead: { ring: 0, module: 2 }");
  CHECK(one.layers[2].is_dead());
  CHECK_FALSE(one.layers[2].measures());
  CHECK(one.layers[2].x_over_x0() == 0.01);
}

TEST_CASE("dead regions: repeated and mirrored layers") {
  const Detector d = read(
      "disk: { z: [100 mm, 200 mm], radius: [20 mm, 90 mm] }, repeat: 2, "
      "mirror: "
      "true, measures: { rphi: 5 um }, dead: { r: [20 mm, 30 mm], phi: [0 deg, "
      "90 deg] }");
  REQUIRE(d.layers.size() == 6);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(d.layers[i].dead == d.layers[0].dead);
  const Detector barrel = read(
      "cylinder: { radius: 30 mm, z: [10 mm, 100 mm] }, mirror: true, "
      "measures: "
      "{ rphi: 5 um }, dead: { z: [20 mm, 30 mm] }");
  REQUIRE(barrel.layers.size() == 4);
  CHECK(*barrel.layers[1].dead[0].z == Interval{-30, -20});
}

TEST_CASE("dead regions: set and removed by keys") {
  const Detector set = read(
      cylinder, {"layers[L].dead=[{ phi: [10 deg, 30 deg] }, { z: [0 mm, 1 mm] "
                 "}]"});
  CHECK(set.layers[0].dead.size() == 2);
  const Detector removed =
      read(cylinder + ", dead: { z: [0 mm, 1 mm] }", {"layers[L].dead=null"});
  CHECK(removed.layers[0].dead.empty());
}

}  // namespace gttf::test::GTTF_TEST_FILE
