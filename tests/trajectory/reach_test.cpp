// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/crossing.hpp"

#include <doctest/doctest.h>

#include "gttf/detector/detector.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Track any_track(RandomLayouts& random, bool on_axis) {
  Track t;
  t.p = random.log_uniform(0.02, 100);
  t.theta = random.uniform(0.01, 3.13);
  t.phi = random.uniform(-3, 3);
  t.charge = random.uniform(0, 1) < 0.5 ? 1 : -1;
  t.vertex = {0, 0, random.uniform(-500, 500)};
  if (!on_axis)
    t.vertex = {random.uniform(-90, 90), random.uniform(-90, 90), 0};
  return t;
}

}  // namespace

TEST_CASE("reach: far surfaces are neither crossed nor missed by bending") {
  RandomLayouts random(21);
  int far = 0, crossed = 0, turned_back = 0;
  for (int i = 0; i < 200000; ++i) {
    Detector d;
    d.field = {FieldKind::solenoid, 2 * unit::T};
    Layer layer;
    layer.surface = random.small_surface();
    d.layers = {layer};
    const TrackingGeometry geometry(d);
    const SurfaceRecord& s = geometry.surfaces()[0];
    const Line<double> l =
        make_line<double>(any_track(random, i % 2 == 0), geometry.bz());
    const detail::Precheck<double> pre = detail::precheck(l, s);
    const bool meets =
        pre.ahead && pre.reachable && is_on_surface(l, s, cross(l, s));
    const bool bends =
        pre.ahead && !pre.reachable &&
        detail::inside(l, s, 0., 2 / l.c, unit::pi / std::abs(l.c));
    crossed += meets;
    turned_back += bends;
    if (!detail::is_far(l, s)) continue;
    ++far;
    CAPTURE(i);
    CHECK_FALSE(meets);
    CHECK_FALSE(bends);
  }
  // the sample has all three, and most misses are seen from afar
  CHECK(crossed > 5000);
  CHECK(turned_back > 3000);
  CHECK(far > 100000);
}

}  // namespace gttf::test::GTTF_TEST_FILE
