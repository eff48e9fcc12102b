// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/surface_level.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "gttf/detector/detector.hpp"

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("surface level: zero on the surface, its slope the derivative") {
  Detector d;
  for (const Surface& s :
       {make_cylinder(40, {-100, 100}), make_disk(70, {10, 90}),
        make_plane(Axis::x, 25, {-50, 50}, {-50, 50}),
        make_plane(Axis::y, -35, {-50, 50}, {-50, 50}),
        make_plane(Axis::z, 15, {-50, 50}, {-50, 50}),
        make_cone({0, 100}, 5, 55)}) {
    Layer layer;
    layer.surface = s;
    d.layers.push_back(layer);
  }
  const TrackingGeometry geometry(d);
  const Cartesian<double> on[] = {{24, 32, 5}, {11, -3, 70}, {25, 8, 9},
                                  {7, -35, 2}, {4, -6, 15},  {12, 9, 20}};
  const Cartesian<double> t{0.6, -0.48, 0.64};
  for (std::size_t i = 0; i < geometry.surfaces().size(); ++i) {
    CAPTURE(i);
    const SurfaceRecord& s = geometry.surfaces()[i];
    const auto level = level_on_path(s, on[i], t);
    CHECK(level.value == doctest::Approx(0));
    // a square at most: the difference of both sides is exact except for
    // rounding
    const double h = 1e-3;
    const double slope = (level_on_path(s, on[i] + h * t, t).value -
                          level_on_path(s, on[i] - h * t, t).value) /
                         (2 * h);
    CHECK(std::abs(level.slope - slope) < 1e-9);
    // the same zero as that of flights, with the same sign
    const SurfaceLevel flown(s);
    const Cartesian<double> off = on[i] + 3.0 * t;
    const double there = flown.at(vector_of(off));
    CHECK(there != 0);
    CHECK((level_on_path(s, off, t).value > 0) == (there > 0));
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
