// SPDX-License-Identifier: Apache-2.0
// The surfaces between two points of a track are found, and few others.
#include <doctest/doctest.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/trajectory/crossings.hpp"
#include "gttf/trajectory/surfaces_between.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr int n_cylinders = 300, n_disks = 200;

Detector many_surfaces() {
  std::string text = R"(gttf-detector: 1
name: many
field: { solenoid: 2 T }
layers:
  - { name: cone, cone: { radius: [40 mm, 80 mm], z: [-300 mm, 300 mm] }, material: 1 % }
  - { name: wall, plane: { x: 70 mm, y: [-2 m, 2 m], z: [-3 m, 3 m] }, material: 1 % }
)";
  for (int i = 0; i < n_cylinders; ++i)
    text += fmt::format(
        "  - {{ name: C{}, cylinder: {{ radius: {} mm, half_length: {} mm }}, "
        "material: 0.1 %, measures: {{ rphi: 10 um, z: 10 um }} }}\n",
        i, 20 + 3.1 * i, 200 + 2 * i);
  for (int i = 0; i < n_disks; ++i)
    text += fmt::format(
        "  - {{ name: D{}, disk: {{ z: {} mm, radius: [{} mm, 900 mm] }}, "
        "material: 0.1 % }}\n",
        i, 10.3 * (i - n_disks / 2) + 1, 15 + i);
  return parse_detector(text, "many.yaml").detector;
}

StretchBounds between(const TrackCrossing<double>& a,
                      const TrackCrossing<double>& b,
                      const Line<double>& line) {
  const auto end = [&line](const Crossing<double>& at) {
    const Cartesian<double> x = position_at(line, at);
    return std::pair(std::hypot(x.x, x.y), x.z);
  };
  StretchBounds bounds;
  bounds.include(end(a.at), end(b.at), std::abs(b.at.arc - a.at.arc));
  return bounds;
}

}  // namespace

TEST_CASE("surfaces between: every surface that a track crosses is found") {
  const TrackingGeometry geometry(many_surfaces());
  const SurfacesBetween index(geometry.surfaces());
  CHECK(index.others().size() == 2);
  RandomLayouts random(7);
  int found_again = 0;
  for (int n = 0; n < 500; ++n) {
    Track t = random.track();
    t.p = random.log_uniform(0.05, 20);  // down to tracks that turn back
    if (n % 2 == 0)
      t.vertex = {random.uniform(-100, 100), random.uniform(-100, 100),
                  random.uniform(-400, 400)};
    const Crossings<double> c =
        find_crossings(geometry, t, Scattering::highland);
    if (c.list.size() < 3) continue;
    for (int pair = 0; pair < 5; ++pair) {
      const auto last = static_cast<double>(c.list.size()) - 0.001;
      auto from = static_cast<std::size_t>(random.uniform(0, last));
      auto to = static_cast<std::size_t>(random.uniform(0, last));
      if (from > to) std::swap(from, to);
      std::vector<unsigned> found(index.others().begin(), index.others().end());
      index.find(between(c.list[from], c.list[to], c.line), found);
      for (std::size_t k = from; k <= to; ++k, ++found_again)
        CHECK(std::ranges::find(found, c.list[k].surface) != found.end());
    }
  }
  CHECK(found_again > 10000);
}

TEST_CASE("surfaces between: the number found does not depend on that of all") {
  const TrackingGeometry geometry(many_surfaces());
  const SurfacesBetween index(geometry.surfaces());
  Track t;
  t.p = 10;
  t.theta = 1.5;
  const Crossings<double> c = find_crossings(geometry, t, Scattering::highland);
  REQUIRE(c.list.size() > n_cylinders);
  std::vector<unsigned> found;
  index.find(between(c.list[100], c.list[102], c.line), found);
  CHECK(found.size() >= 3);
  CHECK(found.size() <= 5);
}

}  // namespace gttf::test::GTTF_TEST_FILE
