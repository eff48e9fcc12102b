// SPDX-License-Identifier: Apache-2.0
// Resolutions in mapped fields: a dense fit, the solenoid, and the map's edge.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "gttf/resolution/resolution.hpp"
#include "support/compare.hpp"
#include "support/layouts.hpp"
#include "support/magnets.hpp"
#include "support/resolved_planes.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

GridAxis axis(double first, double last, double spacing) {
  return {first, spacing,
          static_cast<int>(std::lround((last - first) / spacing)) + 1};
}

Field mapped(const FieldFunction& field, const std::vector<GridAxis>& axes) {
  Field f;
  f.kind = FieldKind::map;
  f.map = std::make_shared<const FieldMap>(sample(field, axes),
                                           FieldMap::Placement{});
  set_reference(f);
  return f;
}

/// Planes along a magnet whose field changes within 0.4 m everywhere.
Detector spectrometer() {
  Detector d;
  d.name = "fringe";
  d.field = mapped(
      FringeDipole{.scale = 400},
      {axis(-600, 600, 100), axis(-400, 400, 40), axis(-1600, 1600, 40)});
  const Interval wide{-350, 350};
  const auto add = [&](double z, double x0,
                       std::vector<Coordinate> coordinates) {
    d.layers.push_back(make_layer("at" + std::to_string(int(z)),
                                  make_plane(Axis::z, z, wide, wide), x0,
                                  std::move(coordinates)));
  };
  for (const double z : {-1200.0, -1100.0, -300.0, 300.0, 1100.0, 1200.0})
    add(z, 0.01, {{0.1, 0.05}, {-0.1, 0.05}});
  add(0, 0.02, {});
  add(1400, 0, {});
  return d;
}

Track beam_track(double p, double theta, double phi) {
  Track t;
  t.p = p;
  t.theta = theta;
  t.phi = phi;
  t.vertex = {20, -30, -1400};
  return t;
}

}  // namespace

TEST_CASE("map: a field of scale 0.4 m against a dense fit to 1e-6") {
  const Detector d = spectrometer();
  const TrackingGeometry geometry(d);
  const auto field = [&d](const Eigen::Vector3d& x) {
    Vector3 b = Vector3::Zero();
    CHECK(d.field.map->at(x, b));
    return b;
  };
  for (const Track& t : {beam_track(3, 0, 0), beam_track(20, 0.05, 2.0)}) {
    Model model;
    model.at = AtLayer{6, true};
    const Resolution r = resolve(geometry, t, model);
    REQUIRE(r.status == Status::ok);
    REQUIRE(r.crossings.size() == d.layers.size());
    const PlaneLeastSquares dense(state_of(t), t.vertex[2], planes_of(d, r),
                                  field, {}, true);
    CHECK(worst(r.start_plane, dense.at_start()) < 1e-6);
    CHECK(worst(r.at->slopes, dense.before(r.at->crossing)) < 1e-6);
    CHECK(
        r.sigma_p_rel ==
        doctest::Approx(std::sqrt(dense.at_start()(4, 4)) * t.p).epsilon(1e-6));
  }
}

TEST_CASE("map: both engines agree") {
  const TrackingGeometry geometry(spectrometer());
  for (const Track& t : {beam_track(3, 0.01, 0.4), beam_track(20, 0.05, 2.0)}) {
    const Resolution a = resolve(geometry, t);
    const Resolution b = resolve(geometry, t, {.engine = Engine::triplet});
    REQUIRE(b.status == Status::ok);
    CHECK(worst(b.perigee, a.perigee) < 1e-9);
    CHECK(worst(b.start_plane, a.start_plane) < 1e-9);
    CHECK(worst(b.first_hit, a.first_hit) < 1e-9);
    CHECK(b.sigma_p_rel_hit_only ==
          doctest::Approx(a.sigma_p_rel_hit_only).epsilon(1e-9));
    CHECK(b.sigma_p_rel_ms_only ==
          doctest::Approx(a.sigma_p_rel_ms_only).epsilon(1e-9));
  }
}

TEST_CASE("map: a uniform map gives the solenoid's covariance to 1e-7") {
  Detector solenoid = make_barrel(7, 30, 500, 2, 0.01, 0.01);
  solenoid.layers.push_back(
      make_layer("disk", make_disk(700, {20, 600}), 0.01, pixel(0.02, 0.05)));
  Detector map = solenoid;
  const Vector3 b(0, 0, solenoid.field.bz);
  map.field = mapped(
      [&b](const Vector3&) { return b; },
      {axis(-800, 800, 100), axis(-800, 800, 100), axis(-1500, 1500, 100)});
  const TrackingGeometry a(map), s(solenoid);
  double error = 0;
  int tracks = 0;
  for (const Track& t : some_tracks()) {
    if (t.p < 0.3 || t.theta > 2) continue;
    const Resolution x = resolve(a, t), y = resolve(s, t);
    if (y.status != Status::ok || x.left_map) continue;
    REQUIRE(x.status == Status::ok);
    error = std::max({error, worst(x.perigee, y.perigee),
                      worst(x.first_hit, y.first_hit),
                      worst(x.perigee_without_inner, y.perigee_without_inner)});
    ++tracks;
  }
  CHECK(tracks >= 6);
  CAPTURE(error);
  CHECK(error < 1e-7);
}

TEST_CASE("map: a track that leaves it has no resolution") {
  Detector d = spectrometer();
  const Interval wide{-350, 350};
  d.layers.push_back(make_layer("far", make_plane(Axis::z, 2000, wide, wide),
                                0.01, pixel(0.1, 0.1)));
  const Resolution r = resolve(TrackingGeometry(d), beam_track(20, 0, 0));
  CHECK(r.status == Status::outside_map);
  REQUIRE(r.left_map);
  CHECK(r.left_map->z() == doctest::Approx(1600));
  CHECK(std::isnan(r.sigma_p_rel));
}

}  // namespace gttf::test::GTTF_TEST_FILE
