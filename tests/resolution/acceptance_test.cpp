// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/acceptance.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "gttf/detector/read.hpp"
#include "gttf/resolution/any_track.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

std::vector<unsigned> crossed(const TrackingGeometry& geometry,
                              const Track& track) {
  const detail::AnyTrack any(geometry, track, Model{});
  std::vector<unsigned> surfaces;
  for (std::size_t k = 0; k < any.size(); ++k)
    surfaces.push_back(any.surface(k));
  std::ranges::sort(surfaces);
  return surfaces;
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
  const auto edges =
      acceptance_edges(geometry, track_at, {}, 10 * unit::deg, 90 * unit::deg);
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
    const auto edges = acceptance_edges(geometry, track_at, {}, lower, upper);
    REQUIRE(!edges.empty());
    CHECK(std::ranges::is_sorted(edges, {}, &AcceptanceEdge::below));
    for (const AcceptanceEdge& edge : edges)
      CHECK(crossed(geometry, track_at(edge.below)) !=
            crossed(geometry, track_at(edge.above)));
    constexpr int n = 40000;
    auto before = crossed(geometry, track_at(lower));
    std::size_t missed = 0;
    double last = lower;
    for (int i = 1; i <= n; ++i) {
      const double theta = lower + (upper - lower) * i / n;
      auto now = crossed(geometry, track_at(theta));
      if (now != before)
        missed += std::ranges::none_of(edges, [&](const AcceptanceEdge& edge) {
          return edge.above >= last && edge.below <= theta;
        });
      before = std::move(now);
      last = theta;
    }
    CHECK(missed == 0);
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
  const auto edges =
      acceptance_edges(geometry, track_at, {}, 40 * unit::deg, 75 * unit::deg);
  REQUIRE(edges.size() == 2);
  CHECK(edges[1].below - edges[0].above < 1e-4);
  CHECK(crossed(geometry, track_at(edges[0].above)).size() == 3);
}

}  // namespace gttf::test::GTTF_TEST_FILE
