// SPDX-License-Identifier: Apache-2.0
// The index of modules finds what a look at every module finds.
#include <doctest/doctest.h>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/trajectory/crossings.hpp"
#include "gttf/trajectory/module_index.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Ladders of tilted rings, a turbine, disks of modules and loose planes.
Detector many_modules() {
  std::string text = R"(gttf-detector: 1
name: many
field: { solenoid: 3 T }
layers:
  - { name: pipe, cylinder: { radius: 20 mm, half_length: 900 mm }, material: 1 % }
  - { name: turbine, ring: { radius: 35 mm, z: 3 mm, count: 14, size: [24 mm, 300 mm], turn: 17 deg }, material: 1 %, measures: { u: 5 um, v: 5 um } }
  - { name: even, ring: { radius: 80 mm, z: -120 mm, count: 12, size: [24 mm, 60 mm] }, material: 1 %, measures: { u: 5 um, v: 5 um } }
  - { name: odd, ring: { radius: 80 mm, z: -120 mm, count: 12, size: [24 mm, 60 mm], phi: 11 deg }, material: 1 %, measures: { u: 5 um, v: 5 um } }
  - { name: around, plane: { center: [10 mm, 20 mm, 400 mm], orientation: { xyz: [20 deg, 10 deg, 5 deg] }, size: [200 mm, 300 mm] }, material: 1 % }
)";
  for (int i = 0; i < 12; ++i)
    text += fmt::format(
        "  - {{ name: T{}, ring: {{ radius: [{} mm, {} mm], z: [{} mm, {} mm], "
        "count: {}, size: [60 mm, 50 mm], tilt: [{} deg, {} deg], phi: {} deg "
        "}}, mirror: true, material: 1 %, measures: {{ u: 5 um, v: 50 um }} "
        "}}\n",
        i, 120 + 25 * i, 124 + 25 * i, 40 + 50 * i, 75 + 50 * i, 14 + 3 * i,
        5 * i, 90 - 5 * i, 7 * i);
  return parse_detector(text, "many.yaml").detector;
}

}  // namespace

TEST_CASE("module index: crossings equal those of a look at every module") {
  const Detector d = many_modules();
  const TrackingGeometry with(d);
  REQUIRE(with.modules() != nullptr);
  TrackingGeometry without(d);
  without.move(0, d.layers[0].surface.position);  // where it is
  REQUIRE(without.modules() == nullptr);
  RandomLayouts random(12);
  int crossed = 0;
  for (int n = 0; n < 4000; ++n) {
    Track t = random.track();
    t.p = random.log_uniform(0.05, 20);
    if (n % 4 == 0)  // far from the axis, in any direction
      t.vertex = {random.uniform(-300, 300), random.uniform(-300, 300),
                  random.uniform(-600, 600)};
    const Crossings<double> a = find_crossings(with, t, Scattering::highland);
    const Crossings<double> b =
        find_crossings(without, t, Scattering::highland);
    REQUIRE(a.list.size() == b.list.size());
    for (std::size_t k = 0; k < a.list.size(); ++k) {
      CHECK(a.list[k].surface == b.list[k].surface);
      CHECK(a.list[k].at.arc == b.list[k].at.arc);
      crossed += d.layers[a.list[k].surface].surface.is_inclined() ? 1 : 0;
    }
  }
  CHECK(crossed > 10000);
}

TEST_CASE("module index: modules ahead of a helix that bends more") {
  const TrackingGeometry geometry(many_modules());
  RandomLayouts random(13);
  int crossed = 0, sure = 0, missed = 0;
  for (int n = 0; n < 3000; ++n) {
    Track t = random.track();
    t.p = random.log_uniform(0.3, 50);
    if (n % 4 == 0)
      t.vertex = {random.uniform(-30, 30), random.uniform(-30, 30),
                  random.uniform(-300, 300)};
    const Line<double> start = make_line<double>(t, geometry.bz());
    const double spare =
        std::abs(start.c) /
        std::array{64., 16., 4.}[static_cast<std::size_t>(n % 3)];
    std::vector<unsigned> near;
    std::vector<detail::ModuleAhead> ahead;
    // whether it turns back is another question
    detail::find_modules_ahead(geometry, start, spare, near, ahead);
    Track bent = t;
    bent.p /= 1 + random.uniform(0, spare / std::abs(start.c));
    const Line<double> line = make_line<double>(bent, geometry.bz());
    std::vector<detail::ModuleCrossing> met;
    detail::find_modules(geometry, line, near, met);
    for (const detail::ModuleCrossing& m : met) {
      const auto found =
          std::ranges::find(ahead, m.surface, &detail::ModuleAhead::surface);
      REQUIRE(found != ahead.end());
      CHECK(found->earliest <= m.arc);
      CHECK(m.arc <= found->latest);
      ++crossed;
    }
    for (const detail::ModuleAhead& a : ahead) {
      const bool is_met =
          std::ranges::find(met, a.surface, &detail::ModuleCrossing::surface) !=
          met.end();
      const detail::RectangleCrossing x =
          detail::cross_rectangle(line, geometry.surfaces()[a.surface],
                                  geometry.surfaces()[a.surface].position);
      if (a.is_sure) CHECK(!std::isnan(x.arc));
      ++(a.is_sure ? sure : is_met ? crossed : missed);
    }
  }
  CHECK(crossed > 10000);
  CHECK(sure > 5000);
  // the margins are narrow
  CHECK(missed < crossed);
}

TEST_CASE("module index: a few modules of a ring are tested") {
  const TrackingGeometry geometry(many_modules());
  const ModuleIndex& index = *geometry.modules();
  CHECK(geometry.surfaces().size() > 1000 + index.others().size());
  std::size_t most = 0;
  for (double phi = -3; phi < 3; phi += 0.01) {
    Track t;
    t.p = 2;
    t.theta = 0.7;
    t.phi = phi;
    std::vector<unsigned> found;
    index.find(make_line<double>(t, geometry.bz()), found);
    most = std::max(most, found.size());
  }
  CHECK(most < 60);
}

TEST_CASE("module index: the number tested does not depend on the ring") {
  for (const int n : {18, 180, 1800}) {
    CAPTURE(n);
    const double width = 1.01 * 2 * 300 * std::tan(unit::pi / n);
    const Detector d = parse_detector(fmt::format(R"(gttf-detector: 1
name: ring
field: {{ solenoid: 2 T }}
layers:
  - {{ name: R, ring: {{ radius: 300 mm, z: 10 mm, count: {}, size: [{} mm, 900 mm] }}, measures: {{ u: 5 um, v: 5 um }} }}
)",
                                                  n, width),
                                      "ring.yaml")
                           .detector;
    const TrackingGeometry geometry(d);
    REQUIRE(geometry.modules() != nullptr);
    std::vector<unsigned> found;
    std::size_t most = 0, all = 0, tracks = 0;
    for (double phi = -3; phi < 3; phi += 0.0137) {
      Track t;
      t.p = 0.4;
      t.theta = 1.2;
      t.phi = phi;
      found.clear();
      geometry.modules()->find(make_line<double>(t, geometry.bz()), found);
      REQUIRE(!found.empty());
      most = std::max(most, found.size());
      all += found.size();
      ++tracks;
    }
    CHECK(most <= 2);
    CHECK(static_cast<double>(all) < 1.2 * static_cast<double>(tracks));
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
