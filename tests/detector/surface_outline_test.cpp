// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/surface_outline.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("outline: a round surface is its meridian") {
  const Surface barrel = make_cylinder(30, {-100, 250});
  const Surface disk = make_disk(-400, {20, 90});
  CHECK(is_round(barrel));
  CHECK(is_round(disk));
  const Surface cone = make_cone({100, 400}, 60, 20);
  for (const Surface& s : {barrel, disk, cone}) {
    const Meridian m = meridian(s);
    const Interval r = radii(s), z = extent(s, Axis::z);
    for (std::size_t end = 0; end < 2; ++end) {
      CHECK(r.contains(m.r[end]));
      CHECK(z.contains(m.z[end]));
    }
    // its ends are as far apart as the surface reaches
    CHECK(std::hypot(m.r[1] - m.r[0], m.z[1] - m.z[0]) ==
          doctest::Approx(std::hypot(r.length(), z.length())));
    CHECK(extent(s, Axis::x).upper == r.upper);
    CHECK(extent(s, Axis::y).lower == -r.upper);
  }
  CHECK(radii(barrel).length() == 0);
  CHECK(extent(barrel, Axis::z).upper == 250);
  CHECK(extent(disk, Axis::z).lower == -400);
  CHECK(radii(disk).lower == 20);
  CHECK(meridian(cone).r[0] == doctest::Approx(60));
  CHECK(meridian(cone).r[1] == doctest::Approx(20));
}

TEST_CASE("outline: cones coincide if one continues the other") {
  const Carrier part = carrier(make_cone({100, 200}, 30, 50));
  const Carrier rest = carrier(make_cone({300, 500}, 70, 110));
  CHECK(part.same_family(rest));
  CHECK(part.place == doctest::Approx(rest.place));
  CHECK_FALSE(part.same_family(carrier(make_cone({100, 200}, 30, 51))));
  CHECK_FALSE(part.same_family(carrier(make_cylinder(30, {100, 200}))));
}

TEST_CASE("outline: u and v of planes are the axes that follow the normal") {
  const Interval u{1, 2}, v{-7, 5};
  const Surface x = make_plane(Axis::x, 10, u, v);
  const Surface y = make_plane(Axis::y, 20, u, v);
  const Surface z = make_plane(Axis::z, 30, u, v);
  const auto same = [](const Interval& a, const Interval& b) {
    return a.lower == b.lower && a.upper == b.upper;
  };
  CHECK(same(extent(x, Axis::y), u));
  CHECK(same(extent(x, Axis::z), v));
  CHECK(same(extent(y, Axis::z), u));
  CHECK(same(extent(y, Axis::x), v));
  CHECK(same(extent(z, Axis::x), u));
  CHECK(same(extent(z, Axis::y), v));
  CHECK(axis_names(y)[0] == "z");
  CHECK(axis_names(y)[1] == "x");
  CHECK(position_name(z) == "z");
  CHECK_FALSE(is_round(z));
  // nearest: the edge y = 0 at x = 1; farthest: the corner (2, -7)
  CHECK(radii(z).lower == 1);
  CHECK(radii(z).upper == std::hypot(2.0, 7.0));
}

}  // namespace gttf::test::GTTF_TEST_FILE
