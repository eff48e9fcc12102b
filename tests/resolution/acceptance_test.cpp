// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/acceptance.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/resolution/any_track.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

std::vector<unsigned> crossed(const TrackingGeometry& geometry,
                              const Track& track, const Model& model = {}) {
  const detail::AnyTrack any(geometry, track, model);
  std::vector<unsigned> surfaces;
  for (std::size_t k = 0; k < any.size(); ++k)
    surfaces.push_back(any.surface(k));
  std::ranges::sort(surfaces);
  return surfaces;
}

/// Compares the edges with those of a fine scan.
template <class TrackAt>
void check_edges(const TrackingGeometry& geometry, const TrackAt& track_at,
                 const Model& model, double lower, double upper, int n) {
  const auto edges =
      acceptance_edges(geometry, {}, track_at, model, lower, upper);
  REQUIRE(!edges.empty());
  CHECK(std::ranges::is_sorted(edges, {}, &AcceptanceEdge::below));
  for (const AcceptanceEdge& edge : edges)
    CHECK(crossed(geometry, track_at(edge.below), model) !=
          crossed(geometry, track_at(edge.above), model));
  auto before = crossed(geometry, track_at(lower), model);
  std::size_t missed = 0;
  double last = lower;
  for (int i = 1; i <= n; ++i) {
    const double theta = lower + (upper - lower) * i / n;
    auto now = crossed(geometry, track_at(theta), model);
    if (now != before)
      missed += std::ranges::none_of(edges, [&](const AcceptanceEdge& edge) {
        return edge.above >= last && edge.below <= theta;
      });
    before = std::move(now);
    last = theta;
  }
  CHECK(missed == 0);
}

}  // namespace

TEST_CASE("acceptance: the end of a cylinder on a helix") {
  const double radius = 300, half = 500, pt = 0.2;
  const Detector detector =
      parse_detector(
          "gttf-detector: 1\nname: t\nfield: { solenoid: 2 T }\nlayers:\n"
          "  - { name: A, cylinder: { radius: 10 cm, half_length: 4 m }, "
          "material: 1 %, measures: { rphi: 5 um, z: 5 um } }\n"
          "  - { name: B, cylinder: { radius: 20 cm, half_length: 4 m }, "
          "material: 1 %, measures: { rphi: 5 um, z: 5 um } }\n"
          "  - { name: C, cylinder: { radius: 30 cm, half_length: 50 cm }, "
          "material: 1 %, measures: { rphi: 5 um, z: 5 um } }\n",
          "t.yaml")
          .detector;
  const TrackingGeometry geometry(detector);
  const auto track_at = [&](double theta) {
    Track track;
    track.theta = theta;
    track.p = pt / std::sin(theta);
    return track;
  };
  const auto edges = acceptance_edges(geometry, {}, track_at, {},
                                      10 * unit::deg, 90 * unit::deg);
  const double rho = pt / geometry.bz();
  const double arc = 2 * rho * std::asin(radius / (2 * rho));
  const double expected = std::atan2(arc, half);
  // the longer ones end outside of the range
  REQUIRE(edges.size() == 1);
  constexpr double rounding = 1e-14;  // of `expected`
  CHECK(edges[0].below <= expected + rounding);
  CHECK(edges[0].above >= expected - rounding);
  CHECK(edges[0].above - edges[0].below <= AcceptanceEdge::width);
}

TEST_CASE("acceptance: all edges found by a fine scan, on shipped detectors") {
  struct Case {
    std::string detector;
    double p, phi;
    std::array<double, 3> vertex;
    bool by_pt;
  };
  const double lower = 5 * unit::deg, upper = 175 * unit::deg;
  for (const Case& c : {Case{"cld", 1, 0.3, {0, 0, 0}, true},
                        Case{"cld", 0.7, 1.3, {3, -2, 40}, false},
                        Case{"alice_its2", 0.3, 2, {0, 5, -60}, true},
                        Case{"cms_phase2", 2, 0, {0, 0, 100}, false}}) {
    CAPTURE(c.detector);
    const TrackingGeometry geometry(shipped(c.detector));
    const auto track_at = [&](double theta) {
      Track track;
      track.theta = theta;
      track.phi = c.phi;
      track.vertex = c.vertex;
      track.p = c.by_pt ? c.p / std::sin(theta) : c.p;
      return track;
    };
    check_edges(geometry, track_at, {}, lower, upper, 40000);
  }
}

TEST_CASE("acceptance: edges of tracks that lose energy") {
  // they are next to those of a helix
  for (const char* name : {"alice_its2", "cld", "belle2_modules"}) {
    CAPTURE(name);
    const TrackingGeometry geometry(shipped(name));
    const auto track_at = [](double theta) {
      Track track;
      track.theta = theta;
      track.phi = 0.3;
      track.p = 0.2;
      return track;
    };
    check_edges(geometry, track_at, {.loss = EnergyLoss::mean}, 20 * unit::deg,
                70 * unit::deg, 1000);
  }
}

TEST_CASE("acceptance: slow tracks that stop or turn back") {
  std::string text =
      "gttf-detector: 1\nname: t\nfield: { solenoid: 2 T }\nlayers:\n"
      "  - { name: L, repeat: 20, cylinder: { radius: [3 cm, 60 cm], "
      "half_length: 2 m }, material: 0.2 %, measures: { rphi: 50 um, z: 50 um "
      "} }\n";
  const TrackingGeometry geometry(parse_detector(text, "t.yaml").detector);
  const auto track_at = [](double theta) {
    Track track;
    track.theta = theta;
    track.p = 0.164 / std::sin(theta);
    track.mass = 0.938272;
    return track;
  };
  check_edges(geometry, track_at, {.loss = EnergyLoss::mean}, 40 * unit::deg,
              110 * unit::deg, 700);
}

TEST_CASE("acceptance: all edges of tilted modules and of further turns") {
  const std::string head = "gttf-detector: 1\nname: t\n";
  const std::string rest =
      ", material: 0.1 %, measures: { u: 5 um, v: 5 um } }\n";
  struct Case {
    std::string field;
    std::vector<std::string> layers;
    double p, phi;
    std::array<double, 3> vertex;
    double turns;
    bool by_pt;
  };
  const std::vector<std::string> rings = {
      "ring: { radius: 211.385 mm, z: -222 mm, count: 19, size: [128.618 mm, "
      "63.274 mm], tilt: 30 deg }",
      "ring: { radius: 194.079 mm, z: -110.37 mm, count: 17, size: [132.422 "
      "mm, 204.56 mm], tilt: 30 deg }",
      "cylinder: { radius: 54.124 mm, z: [-229.764 mm, 153.697 mm] }"};
  const std::vector<std::string> leaning = {
      "plane: { center: [176.303 mm, 0 mm, 42.741 mm], normal: [1, 0.27, "
      "0.97], u: [0, 1, 0], size: [482.614 mm, 566.704 mm] }",
      "disk: { z: -650.279 mm, radius: [62.011 mm, 374.259 mm] }",
      "cylinder: { radius: 25.016 mm, z: [-117.771 mm, 289.76 mm] }",
      "cone: { z: [-21.351 mm, 242.481 mm], radius: [156.04 mm, 223.089 mm] }"};
  const std::vector<std::string> upright = {
      "ring: { radius: 301.525 mm, z: 30.605 mm, count: 14, size: [172.226 "
      "mm, 158.406 mm] }",
      "plane: { center: [288.771 mm, 0 mm, 81.258 mm], normal: [1, -0.27, "
      "0.68], u: [0, 1, 0], size: [373.757 mm, 423.408 mm] }",
      "cone: { z: [-111.154 mm, 402.359 mm], radius: [48.185 mm, 107.74 mm] "
      "}"};
  for (const Case& c :
       {Case{"1 T", rings, 2, 0, {0, 0, 0}, 0, false},
        Case{"1 T", rings, 0.1, 0.4, {3, -5, 20}, 0, true},
        Case{"-1.5 T", leaning, 0.15, 0.35445, {7.788, -8.713, 0}, 1, false},
        Case{"-1.5 T", leaning, 0.08, 0.35445, {7.788, -8.713, 0}, 2, true},
        Case{"2 T", upright, 0.15, 0.3634, {0, 0, 0}, 0, false},
        Case{"2 T", upright, 0.1, 0, {102, 63, 0}, 0, false}}) {
    CAPTURE(c.field);
    CAPTURE(c.p);
    std::string text = head + "field: { solenoid: " + c.field + " }\nlayers:\n";
    for (std::size_t i = 0; i < c.layers.size(); ++i)
      text += "  - { name: L" + std::to_string(i) + ", " + c.layers[i] + rest;
    const TrackingGeometry geometry(parse_detector(text, "t.yaml").detector);
    const auto track_at = [&](double theta) {
      Track track;
      track.theta = theta;
      track.phi = c.phi;
      track.vertex = c.vertex;
      track.p = c.by_pt ? c.p / std::sin(theta) : c.p;
      return track;
    };
    Model model;
    model.turns = c.turns;
    check_edges(geometry, track_at, model, 40 * unit::deg, 140 * unit::deg,
                4000);
  }
}

TEST_CASE("acceptance: a gap narrower than any grid is found") {
  // two rings of a barrel with 20 um between them
  std::string text =
      "gttf-detector: 1\nname: t\nfield: { solenoid: 2 T }\nlayers:\n";
  for (const char* radius : {"5 cm", "10 cm", "15 cm"})
    text += std::string("  - { name: R") + radius[0] + radius[1] +
            ", cylinder: { radius: " + radius +
            ", half_length: 2 m }, material: 1 %, measures: { rphi: 5 um, z: 5 "
            "um } }\n";
  text +=
      "  - { name: left, cylinder: { radius: 30 cm, z: [-1 m, 20 cm] }, "
      "material: 1 %, measures: { rphi: 5 um } }\n"
      "  - { name: right, cylinder: { radius: 30 cm, z: [200.02 mm, 1 m] }, "
      "material: 1 %, measures: { rphi: 5 um } }\n";
  const TrackingGeometry geometry(parse_detector(text, "t.yaml").detector);
  const auto track_at = [](double theta) {
    Track track;
    track.theta = theta;
    track.p = 0.5;  // p, not pT: the curvature changes with theta
    track.phi = 1;
    track.vertex = {4, 7, -3};
    return track;
  };
  const auto edges = acceptance_edges(geometry, {}, track_at, {},
                                      40 * unit::deg, 75 * unit::deg);
  REQUIRE(edges.size() == 2);
  CHECK(edges[1].below - edges[0].above < 1e-4);
  CHECK(crossed(geometry, track_at(edges[0].above)).size() == 3);
}

// Limits in z, r, x and phi, on barrels, disks, cones and modules.
TEST_CASE("acceptance: dead regions have edges") {
  const Detector detector =
      parse_detector(
          "gttf-detector: 1\nname: t\nfield: { solenoid: 2 T }\nlayers:\n"
          "  - { name: A, cylinder: { radius: 50 mm, half_length: 50 cm }, "
          "material: 1 %, measures: { rphi: 5 um, z: 5 um }, dead: [{ z: [30 "
          "mm, 31 mm] }, { z: [-80 mm, -20 mm], phi: [350 deg, 370 deg] }, { "
          "z: "
          "[99.999 mm, 100 mm] }] }\n"
          "  - { name: B, cylinder: { radius: 90 mm, half_length: 50 cm }, "
          "material: 1 %, measures: { rphi: 5 um, z: 5 um }, dead: [{ phi: "
          "[100 deg, 200 deg] }] }\n"
          "  - { name: C, cone: { z: [-40 cm, 40 cm], radius: [120 mm, 140 "
          "mm] }, material: 1 %, measures: { rphi: 5 um, v: 5 um }, dead: [{ "
          "z: [200 mm, 210 mm] }, { r: [121 mm, 123 mm] }] }\n"
          "  - { name: D, disk: { z: 60 cm, radius: [30 mm, 40 cm] }, "
          "material: 1 %, measures: { u: 5 um, v: 5 um }, dead: [{ r: [100 mm, "
          "101 mm] }, { phi: [340 deg, 380 deg], r: [200 mm, 300 mm] }, { x: "
          "[150 mm, 160 mm] }] }\n",
          "t.yaml")
          .detector;
  const TrackingGeometry geometry(detector);
  for (const bool is_pt : {true, false})
    for (const double phi : {0., 1.7}) {
      CAPTURE(is_pt);
      CAPTURE(phi);
      const auto track_at = [&](double theta) {
        Track track;
        track.theta = theta;
        track.p = is_pt ? 1 / std::sin(theta) : 1;
        track.phi = phi;
        track.vertex = {1, -2, 12};
        return track;
      };
      const auto hits = [&](double theta) {
        return detail::AnyTrack(geometry, track_at(theta), Model{})
            .n_measuring();
      };
      const double lower = 6 * unit::deg, upper = 174 * unit::deg;
      const auto edges = acceptance_edges(geometry, detector.layers, track_at,
                                          {}, lower, upper);
      CHECK(std::ranges::is_sorted(edges, {}, &AcceptanceEdge::below));
      // each change of a fine scan is at an edge
      constexpr int n = 20000;
      std::size_t changes = 0;
      int before = hits(lower);
      double last = lower;
      for (int i = 1; i <= n; ++i) {
        const double theta = lower + (upper - lower) * i / n;
        const int now = hits(theta);
        const double from = std::exchange(last, theta);
        if (std::exchange(before, now) == now) continue;
        ++changes;
        CHECK(std::ranges::any_of(edges, [&](const AcceptanceEdge& edge) {
          return edge.above > from && edge.below < theta;
        }));
      }
      CHECK(changes >= 14);
      // a gap of a micrometre is found
      CHECK(edges.size() >= changes + 2);
      // the number of hits is that of the scan between edges
      for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        const double from = edges[i].above, to = edges[i + 1].below;
        CHECK(hits(from) == hits(to));
        CHECK(hits((from + to) / 2) == hits(to));
      }
    }
}

}  // namespace gttf::test::GTTF_TEST_FILE
