// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/group_reach.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gttf/detector/detector.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Tracks as neighbours in a scan: near to each other or, now and then, not.
std::vector<Line<double>> any_group(RandomLayouts& random, bool on_axis,
                                    double bz) {
  const double spread = random.log_uniform(1e-4, 1);
  Track first;
  first.p = random.log_uniform(0.02, 100);
  // one in five groups flies in both directions, or at 90 deg
  first.theta =
      random.uniform(0, 1) < 0.2 ? unit::pi / 2 : random.uniform(0.1, 3.04);
  std::vector<Line<double>> lines;
  for (int i = 0; i < 4; ++i) {
    Track t = first;
    t.p *= 1 + random.uniform(0, spread);
    if (i > 0) t.theta += 0.09 * spread * random.uniform(-1, 1);
    t.charge = random.uniform(0, 1) < 0.5 ? 1 : -1;
    t.phi = random.uniform(-3, 3);
    t.vertex = {0, 0, 100 * spread * random.uniform(-1, 1)};
    if (!on_axis)
      t.vertex = {random.uniform(-90, 90), random.uniform(-90, 90), 0};
    lines.push_back(make_line<double>(t, bz));
  }
  return lines;
}

LineBounds bounds_of(const std::vector<Line<double>>& lines) {
  LineBounds b{0, 0, 1e9, -1e9, 1e9, -1e9};
  for (const Line<double>& l : lines) {
    b.start = std::max(b.start, std::sqrt(l.r2));
    b.c = std::max(b.c, std::abs(l.c));
    b.z_min = std::min(b.z_min, l.z);
    b.z_max = std::max(b.z_max, l.z);
    b.cot_min = std::min(b.cot_min, l.cot_theta);
    b.cot_max = std::max(b.cot_max, l.cot_theta);
  }
  return b;
}

SurfaceRange<double> range_of(const SurfaceRecord& s) {
  return {s.position, s.position, s.v.lower, s.v.upper};
}

bool are_far(const LineBounds& b, const SurfaceRecord& s) {
  return s.kind == SurfaceRecord::Kind::disk
             ? are_far_disks(b, range_of(s))
             : are_far_cylinders(b, range_of(s));
}

}  // namespace

TEST_CASE(
    "group reach: what is far from a group is reached by no track of it") {
  RandomLayouts random(22);
  int groups_far = 0, all_far = 0, met = 0, bent = 0;
  for (int i = 0; i < 100000; ++i) {
    Detector d;
    d.field = {FieldKind::solenoid, (i % 10 == 0 ? 0.001 : 2) * unit::T};
    Layer layer;
    layer.surface = random.small_surface();
    d.layers = {layer};
    const TrackingGeometry geometry(d);
    const SurfaceRecord& s = geometry.surfaces()[0];
    const auto lines = any_group(random, i % 2 == 0, geometry.bz());
    const bool far = are_far(bounds_of(lines), s);
    groups_far += far;
    bool each_far = true;
    for (const Line<double>& l : lines) {
      Crossing<double> x;
      const Reached<double> reached = find_crossing(l, s, x);
      met += reached.crossed;
      bent += reached.turned_back;
      each_far = each_far && detail::is_far(l, s);
      if (!far) continue;
      CAPTURE(i);
      CHECK_FALSE(reached.crossed);
      CHECK_FALSE(reached.turned_back);
    }
    all_far += each_far;
  }
  // the sample has both, and most that is seen track by track is seen at once
  CHECK(met > 5000);
  CHECK(bent > 1000);
  CHECK(groups_far > all_far / 2);
}

TEST_CASE("group reach: a far range contains only far surfaces") {
  RandomLayouts random(23);
  int far = 0, all_far = 0;
  for (int i = 0; i < 20000; ++i) {
    const bool disks = i % 2 == 0;
    const auto lines = any_group(random, i % 3 != 0, 2 * unit::T);
    const LineBounds b = bounds_of(lines);
    const double near = random.log_uniform(20, 2000);
    const double side = disks && random.uniform(0, 1) < 0.5 ? -1 : 1;
    std::vector<SurfaceRange<double>> surfaces;
    SurfaceRange<double> all{1e9, -1e9, 1e9, -1e9};
    for (int k = 0; k < 4; ++k) {
      const double position = side * near * random.uniform(1, 1.5);
      const double lower = random.log_uniform(10, 1000);
      surfaces.push_back(
          {position, position, lower, lower * random.uniform(1, 2)});
      all = {std::min(all.first, position), std::max(all.last, position),
             std::min(all.lower, lower),
             std::max(all.upper, surfaces.back().upper)};
    }
    const auto is_far = [&](const SurfaceRange<double>& r) {
      return disks ? are_far_disks(b, r) : are_far_cylinders(b, r);
    };
    const bool each = std::all_of(surfaces.begin(), surfaces.end(), is_far);
    CAPTURE(i);
    if (is_far(all)) {
      CHECK(each);
      ++far;
    }
    all_far += each;
  }
  CHECK(far > all_far / 2);
  CHECK(far > 2000);
}

TEST_CASE("group reach: nothing is far from a NaN track") {
  const LineBounds b{std::nan(""), 0.001, 0, 0, 0, 0.1};
  const SurfaceRange<double> disk{1000, 1000, 10, 20};
  const SurfaceRange<double> cylinder{10, 10, 1000, 2000};
  CHECK_FALSE(are_far_disks(b, disk));
  CHECK_FALSE(are_far_cylinders(b, cylinder));
  const LineBounds real{0, 0.001, 0, 0, 0, 0.1};
  CHECK(are_far_disks(real, disk));
  CHECK(are_far_cylinders(real, cylinder));
}

}  // namespace gttf::test::GTTF_TEST_FILE
