// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "gttf/trajectory/flight.hpp"
#include "gttf/trajectory/map_step_length.hpp"
#include "gttf/trajectory/traced_track.hpp"
#include "support/layouts.hpp"
#include "support/magnets.hpp"
#include "support/trace_differences.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Detector mixed_layers() {
  Detector d = make_barrel(5, 30, 500, 0, 0.01, 0.01);
  for (Layer& layer : d.layers) layer.surface.v = {-900, 900};
  const Interval wide{-600, 600};
  for (const double z : {-700.0, -350.0, 300.0, 650.0})
    d.layers.push_back(make_layer("d" + std::to_string(z),
                                  make_disk(z, {5, 600}), 0.01,
                                  pixel(0.01, 0.01)));
  d.layers.push_back(make_layer("x", make_plane(Axis::x, 420, wide, wide), 0.01,
                                pixel(0.01, 0.01)));
  d.layers.push_back(make_layer("y", make_plane(Axis::y, -440, wide, wide),
                                0.01, pixel(0.01, 0.01)));
  d.layers.push_back(make_layer("z", make_plane(Axis::z, 800, wide, wide), 0.01,
                                pixel(0.01, 0.01)));
  return d;
}

std::vector<Track> tracks() {
  std::vector<Track> all;
  for (const double p : {0.3, 1.0, 20.0})
    for (const double theta : {0.6, 1.2, 2.3})
      for (const double phi : {0.2, -1.4, 2.5}) {
        Track t;
        t.p = p;
        t.theta = theta;
        t.phi = phi;
        t.vertex = {2, -3, 10};
        all.push_back(t);
      }
  return all;
}

}  // namespace

TEST_CASE("trace: a uniform map gives the numbers of the solenoid") {
  Detector d = mixed_layers();
  d.field = {FieldKind::solenoid, 1.3 * unit::T};
  const TrackingGeometry closed(d);
  const FieldFunction uniform = [](const Vector3&) {
    return Vector3(0, 0, 1.3 * unit::T);
  };
  const auto wide = axis_from(-1000, 1000, 21);
  Detector cartesian = d, around_z = d;
  cartesian.field = map_field(sample(uniform, {wide, wide, wide}));
  around_z.field =
      map_field(sample_around_z(uniform, axis_from(0, 1400, 15), wide));
  double rows = 0, positions = 0;
  int crossings = 0;
  for (const Detector* mapped : {&cartesian, &around_z}) {
    const TrackingGeometry geometry(*mapped);
    CHECK(geometry.b_ref() == doctest::Approx(closed.b_ref()).epsilon(1e-14));
    for (const Track& track : tracks()) {
      const auto a = trace(closed, track, Scattering::highland);
      const auto b = trace(geometry, track, Scattering::highland);
      CHECK(a.frame.polar == b.frame.polar);
      CHECK(a.end == b.end);
      CHECK(!b.left_map);
      REQUIRE(a.list.size() == b.list.size());
      for (std::size_t k = 0; k < a.list.size(); ++k) {
        REQUIRE(a.list[k].surface == b.list[k].surface);
        positions = std::max(positions,
                             (a.list[k].position - b.list[k].position).norm());
        rows = std::max(rows, row_difference(a.list[k], b.list[k]));
        ++crossings;
      }
    }
  }
  CHECK(crossings > 200);
  CHECK(positions < 1e-9);  // mm
  CHECK(rows < 1e-10);
}

TEST_CASE("trace: rows equal differences of traces in an uneven field") {
  FringeDipole dipole;
  dipole.field = 1.2 * unit::T;
  dipole.half = 300;
  dipole.scale = 400;
  Detector d;
  const Interval wide{-250, 250};
  for (const double z : {-850.0, -700.0, -300.0, 0.0, 450.0, 900.0})
    d.layers.push_back(make_layer("z" + std::to_string(z),
                                  make_plane(Axis::z, z, wide, wide), 0.01,
                                  pixel(0.01, 0.01)));
  d.layers.push_back(
      make_layer("c", make_cylinder(90, {-900, 900}), 0.01, pixel(0.01, 0.01)));
  d.field = map_field(
      sample(dipole, {axis_from(-300, 300, 4), axis_from(-300, 300, 61),
                      axis_from(-1000, 1000, 201)}));
  CHECK(d.field.axis == Axis::y);
  const TrackingGeometry geometry(d);
  for (const double p : {1.0, 5.0})
    for (const double theta : {0.0, 0.1}) {
      Track t;
      t.p = p;
      t.theta = theta;
      t.phi = 0.7;
      t.vertex = {-20, 30, -950};
      CAPTURE(p);
      CAPTURE(theta);
      // differences include the knots of the splines, where third derivatives
      // jump
      CHECK(worst_difference(geometry, t, Frame{Axis::y}) < 1e-7);
    }
}

TEST_CASE("trace: follows an uneven field as a plain integration does") {
  // Runge and Kutta's own formulas with steps of half a millimetre: through the
  // map, and through the true field of the magnet
  FringeDipole dipole;
  dipole.field = 1.2 * unit::T;
  dipole.half = 300;
  dipole.scale = 400;
  Detector d;
  const Interval wide{-250, 250};
  for (const double z : {-300.0, 0.0, 450.0, 900.0})
    d.layers.push_back(make_layer("z" + std::to_string(z),
                                  make_plane(Axis::z, z, wide, wide), 0.01,
                                  pixel(0.01, 0.01)));
  const FieldGrid grid =
      sample(dipole, {axis_from(-300, 300, 4), axis_from(-300, 300, 61),
                      axis_from(-1000, 1000, 201)});
  Track t;
  t.p = 2;
  t.theta = 0.1;
  t.phi = 0.7;
  t.vertex = {-20, 30, -950};
  const auto through = [&](const FieldFunction& field, double z) {
    Vector3 x(-20, 30, -950);
    Vector3 u(std::sin(t.theta) * std::cos(t.phi),
              std::sin(t.theta) * std::sin(t.phi), std::cos(t.theta));
    const auto bend = [&](const Vector3& at, const Vector3& along) {
      return Vector3(t.charge / t.p * along.cross(field(at)));
    };
    while (true) {
      // the last step ends at z to second order, then again and again
      const double h = std::min(0.5, (z - x.z()) / u.z());
      if (h < 1e-12) return x;
      const Vector3 a1 = bend(x, u), u2 = u + 0.5 * h * a1,
                    a2 = bend(x + 0.5 * h * u, u2), u3 = u + 0.5 * h * a2,
                    a3 = bend(x + 0.5 * h * u2, u3), u4 = u + h * a3,
                    a4 = bend(x + h * u3, u4);
      x += h / 6 * (u + 2 * u2 + 2 * u3 + u4);
      u += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
  };
  const FieldFunction mapped = [&](const Vector3& x) {
    Vector3 b;
    REQUIRE(d.field.map->at(x, b));
    return b;
  };
  for (const int digits : {17, 5}) {
    d.field = map_field(rounded(grid, digits));
    const auto traced = trace(TrackingGeometry(d), t, Scattering::off);
    REQUIRE(traced.list.size() == 4);
    for (const TracedCrossing& x : traced.list) {
      const double z = x.position.z();
      CHECK((through(mapped, z) - x.position).norm() < 1e-8);  // mm
      // the map is 1e-7 of the field off
      if (digits == 17) CHECK((through(dipole, z) - x.position).norm() < 1e-5);
    }
  }
}

TEST_CASE("trace: steps in maps of few digits end at the nodes") {
  const FieldGrid grids[] = {coil_grid(true), coil_grid(false)};
  for (const FieldGrid& grid : grids)
    for (const int digits : {17, 5}) {
      const Field field = map_field(rounded(grid, digits));
      CAPTURE(grid.around_z);
      CAPTURE(digits);
      for (const double phi : {0.3, 0.9, 2.0, 4.0, 5.5}) {
        FlightState<0> start;
        start.position = {1, -2, 3};
        start.direction =
            Vector3(std::cos(phi), std::sin(phi), 0.5).normalized();
        start.qop = 1 / (1 * unit::GeV);
        Flight<0> flight(field, start, FlightBounds(1000));
        int legs = 0;
        while (flight.path() < 500 && legs < 1000) {
          flight.next_leg();
          ++legs;
        }
        // 500 mm in cells of 20 x 40 mm, or of 40 x 40 x 40 mm
        const Vector3 change = flight.state().position - start.position;
        const double nodes = grid.around_z ? change.head<2>().norm() / 20 +
                                                 std::abs(change.z()) / 40
                                           : change.cwiseAbs().sum() / 40;
        CHECK(legs < (digits == 5 ? 2 * nodes + 5 : 0.6 * nodes + 2));
      }
    }
}

TEST_CASE("trace: the nodes of a map ahead of a path") {
  using detail::KnotsAhead, detail::FieldMapView;
  const auto path = [](const FieldMapView& map, const Vector3& x,
                       const Vector3& t, const Vector3& bend) {
    return KnotsAhead<double>(map, cartesian(x), cartesian(t), cartesian(bend))
        .path();
  };
  const FieldFunction uniform = [](const Vector3&) {
    return Vector3(0, 0, 1 * unit::T);
  };
  const Vector3 straight = Vector3::Zero();
  const auto wide = axis_from(-100, 100, 21);
  const auto even = map_field(sample(uniform, {wide, wide, wide}));
  const FieldMapView& box = even.map->view();
  CHECK(path(box, {1, 2, 3}, {1, 0, 0}, straight) == doctest::Approx(9));
  CHECK(path(box, {1, 2, 3}, {0, -1, 0}, straight) == doctest::Approx(2));
  CHECK(path(box, {10, 20, 30}, {0.6, 0, 0.8}, straight) ==
        doctest::Approx(12.5));
  // just before a node, it has been reached
  CHECK(path(box, {1, 2, 29.99}, {0, 0, 1}, straight) ==
        doctest::Approx(10.01));
  // 9 mm along x at 1/100 mm: 9 = l + l^2/200
  CHECK(path(box, {1, 5, 5}, {1, 0, 0}, {0.01, 0, 0}) ==
        doctest::Approx(-100 + std::sqrt(1e4 + 1800)));
  // turns back before the node
  CHECK(path(box, {1, 5, 5}, {1, 0, 0}, {-0.1, 0, 0}) == doctest::Approx(10));
  const auto round =
      map_field(sample_around_z(uniform, axis_from(0, 100, 11), wide));
  const FieldMapView& barrel = round.map->view();
  CHECK(path(barrel, {3, 4, 5}, {0.6, 0.8, 0}, straight) == doctest::Approx(5));
  CHECK(path(barrel, {0, 25, 5}, {0, -1, 0}, straight) == doctest::Approx(5));
  // past the axis, and on to the other side
  CHECK(path(barrel, {3, 4, 5}, {0, -1, 0}, straight) == doctest::Approx(4));
  CHECK(path(barrel, {0.01, 0, 5}, {-1, 0, 0}, straight) ==
        doctest::Approx(10.01));
  CHECK(path(barrel, {0, 25, 5}, {0, 0, -1}, straight) == doctest::Approx(5));
  CHECK(path(barrel, {5, -30, 5}, {0, 1, 0}, straight) ==
        doctest::Approx(30 - std::sqrt(875)));
}

TEST_CASE("trace: outside of the map is reported with the point, not guessed") {
  Detector d = mixed_layers();
  const FieldFunction uniform = [](const Vector3&) {
    return Vector3(0, 0, 1.3 * unit::T);
  };
  const auto wide = axis_from(-1000, 1000, 21);
  d.field = map_field(sample(
      uniform, {axis_from(-400, 400, 9), wide, axis_from(-1000, 1000, 21)}));
  const TrackingGeometry geometry(d);
  Track t;
  t.p = 20;
  t.phi = 0.1;
  const auto out = trace(geometry, t, Scattering::off);
  REQUIRE(out.left_map);
  CHECK(out.left_map->x() == doctest::Approx(400).epsilon(1e-8));
  CHECK(out.n_measuring == 4);  // r = 30, 147.5, 265 and 382.5
  t.phi = 90 * unit::deg;
  CHECK(!trace(geometry, t, Scattering::off).left_map);
  t.vertex = {450, 0, 0};
  const auto outside = trace(geometry, t, Scattering::off);
  REQUIRE(outside.left_map);
  CHECK(*outside.left_map == Vector3(450, 0, 0));
  CHECK(outside.list.empty());
}

TEST_CASE("trace: a map turns a track back as a solenoid does") {
  Detector d = mixed_layers();
  d.field = {FieldKind::solenoid, 1.3 * unit::T};
  const TrackingGeometry closed(d);
  const FieldFunction uniform = [](const Vector3&) {
    return Vector3(0, 0, 1.3 * unit::T);
  };
  const auto wide = axis_from(-1000, 1000, 11);
  d.field = map_field(sample(uniform, {wide, wide, wide}));
  const TrackingGeometry geometry(d);
  for (const double p : {0.02, 0.06, 0.1})
    for (const double theta : {0.4, 1.0, 1.5}) {
      Track t;
      t.p = p;
      t.theta = theta;
      const auto a = trace(closed, t, Scattering::off);
      const auto b = trace(geometry, t, Scattering::off);
      CHECK(a.end == b.end);
      CHECK(a.list.size() == b.list.size());
    }
}

}  // namespace gttf::test::GTTF_TEST_FILE
