// SPDX-License-Identifier: Apache-2.0
#include "gttf/paper/any_field.hpp"

#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "gttf/trajectory/traced_track.hpp"
#include "support/layouts.hpp"
#include "support/magnets.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

const Interval wide{-800, 800};

Detector layers_in(const Field& field) {
  Detector d;
  d.field = field;
  for (const double z : {-400.0, -100.0, 300.0, 600.0})
    d.layers.push_back(make_layer("z" + std::to_string(z),
                                  make_plane(Axis::z, z, wide, wide), 0.01,
                                  pixel(0.01, 0.01)));
  d.layers.push_back(make_layer("x", make_plane(Axis::x, 200, wide, wide), 0.01,
                                pixel(0.01, 0.01)));
  d.layers.push_back(
      make_layer("c", make_cylinder(300, wide), 0.01, pixel(0.01, 0.01)));
  return d;
}

Field uneven() {
  FringeDipole dipole;
  dipole.half = 250;
  dipole.scale = 700;
  return map_field(
      sample(dipole, {axis_from(-1000, 1000, 3), axis_from(-1000, 1000, 41),
                      axis_from(-1000, 1000, 41)}));
}

std::vector<Field> fields() {
  Field solenoid{FieldKind::solenoid, 1.5 * unit::T};
  Field gaps;
  gaps.kind = FieldKind::dipole;
  gaps.dipoles = {{Axis::z, {-50, 250}, Axis::y, 1.1 * unit::T},
                  {Axis::z, {350, 550}, Axis::x, 0.6 * unit::T}};
  return {Field{}, solenoid, gaps, uneven()};
}

Flyer slanted() {
  return {{10, -20, -500}, Vector3(0.35, 0.1, 1).normalized(), 1 / 1.2};
}

}  // namespace

TEST_CASE("propagator: meets the crossings of the traced track") {
  for (const Field& field : fields()) {
    const Detector d = layers_in(field);
    const TrackingGeometry geometry(d);
    Track track;
    const Flyer start = slanted();
    track.charge = 1;
    track.p = 1.2;
    track.vertex = {10, -20, -500};
    track.theta = std::acos(start.direction.z());
    track.phi = std::atan2(start.direction.y(), start.direction.x());
    const auto traced = trace(geometry, track, Scattering::off);
    const Propagator propagator(geometry);
    CHECK(traced.list.size() >= 5);
    Flyer at = start;
    double path = 0;
    for (const TracedCrossing& x : traced.list) {
      // from the start, and from layer to layer
      const SurfaceRecord& surface = geometry.surfaces()[x.surface];
      const Arrival whole = propagator.to(surface, start);
      const Arrival piece = propagator.to(surface, at);
      REQUIRE(whole);
      REQUIRE(piece);
      path += piece.path;
      at = piece.flyer;
      for (const Arrival& a : {whole, piece}) {
        CHECK((a.flyer.position - x.position).norm() < 1e-8);
        CHECK((a.flyer.direction - x.direction).norm() < 1e-11);
        CHECK(a.flyer.qop == start.qop);
      }
      CHECK(whole.path == doctest::Approx(x.path).epsilon(1e-11));
      CHECK(path == doctest::Approx(x.path).epsilon(1e-11));
    }
  }
}

TEST_CASE("propagator: its derivatives are those of differences") {
  for (const Field& field : fields()) {
    const TrackingGeometry geometry(layers_in(field));
    const Propagator propagator(geometry);
    for (const unsigned s : {3U, 4U, 5U}) {
      const SurfaceRecord& surface = geometry.surfaces()[s];
      FlyerJacobian jacobian;
      const Flyer start = slanted();
      REQUIRE(propagator.to(surface, start, &jacobian));
      // changes along the direction have no meaning
      const Vector3 across = start.direction.unitOrthogonal();
      const Vector3 other = start.direction.cross(across);
      for (int i = 0; i < 6; ++i) {
        Eigen::Matrix<double, 7, 1> change =
            Eigen::Matrix<double, 7, 1>::Zero();
        if (i < 3) change[i] = 1;
        if (i == 3) change.segment<3>(3) = across;
        if (i == 4) change.segment<3>(3) = other;
        if (i == 5) change[6] = 1;
        const double h = i < 3 ? 1e-2 : 1e-5;
        const auto moved = [&](double step) {
          Flyer f = start;
          f.position += step * change.head<3>();
          f.direction =
              (f.direction + step * change.segment<3>(3)).normalized();
          f.qop += step * change[6];
          const Arrival a = propagator.to(surface, f);
          REQUIRE(a);
          Eigen::Matrix<double, 7, 1> v;
          v << a.flyer.position, a.flyer.direction, a.flyer.qop;
          return v;
        };
        const Eigen::Matrix<double, 7, 1> slope =
            (moved(h) - moved(-h)) / (2 * h);
        const Eigen::Matrix<double, 7, 1> expected = jacobian * change;
        const double unit = i < 3 ? 1 : 1000;
        // truncation of central differences
        CHECK((slope - expected).head<3>().norm() < 3e-7 * unit);
        CHECK((slope - expected).tail<4>().norm() < 1e-9 * unit);
      }
    }
  }
}

TEST_CASE("propagator: there and back again is where it began") {
  for (const Field& field : fields()) {
    const TrackingGeometry geometry(layers_in(field));
    const Propagator propagator(geometry);
    const Arrival there = propagator.to(geometry.surfaces()[3], slanted());
    REQUIRE(there);
    // against the direction, a charge of the other sign flies the same path
    Flyer back = there.flyer;
    back.direction = -back.direction;
    back.qop = -back.qop;
    SurfaceRecord first = geometry.surfaces()[0];
    first.position = -500;
    const Arrival again = propagator.to(first, back);
    REQUIRE(again);
    CHECK((again.flyer.position - slanted().position).norm() < 1e-8);
    CHECK((again.flyer.direction + slanted().direction).norm() < 1e-11);
    CHECK(again.path == doctest::Approx(there.path).epsilon(1e-11));
    CHECK(again.flyer.direction.norm() == doctest::Approx(1).epsilon(1e-12));
  }
}

TEST_CASE("propagator: its derivatives keep areas of phase space") {
  // d(x) x d(t) p summed over coordinates is kept: for any two changes a, b of
  // the start, a_x . b_t - a_t . b_x - q B . (a_x x b_x)/p is, in magnetic
  // fields, the same at both ends
  // a field that splines meet exactly, since div B must be 0
  const FieldFunction quadratic = [](const Vector3& x) {
    const double y = x.y() / 700, z = x.z() / 700;
    return Vector3(unit::T * Vector3(0, 1 + z * z - y * y, 2 * y * z));
  };
  const GridAxis side = axis_from(-1000, 1000, 21);
  const TrackingGeometry geometry(
      layers_in(map_field(sample(quadratic, {side, side, side}))));
  const Propagator propagator(geometry);
  const Flyer start = slanted();
  FlyerJacobian jacobian;
  const Arrival end = propagator.to(geometry.surfaces()[3], start, &jacobian);
  REQUIRE(end);
  const auto area = [&](const Flyer& f, const Eigen::Matrix<double, 7, 1>& a,
                        const Eigen::Matrix<double, 7, 1>& b) {
    Vector3 field;
    REQUIRE(geometry.field().map->at(f.position, field));
    const Vector3 ax = a.head<3>(), at = a.segment<3>(3), bx = b.head<3>(),
                  bt = b.segment<3>(3);
    return ax.dot(bt) - at.dot(bx) - f.qop * field.dot(ax.cross(bx));
  };
  const Vector3 u = start.direction.unitOrthogonal();
  const Vector3 v = start.direction.cross(u);
  std::vector<Eigen::Matrix<double, 7, 1>> changes(4);
  for (std::size_t i = 0; i < 4; ++i) {
    changes[i].setZero();
    changes[i].segment<3>(i < 2 ? 0 : 3) = i % 2 == 0 ? u : v;
  }
  for (const auto& a : changes)
    for (const auto& b : changes)
      CHECK(std::abs(area(end.flyer, jacobian * a, jacobian * b) -
                     area(start, a, b)) < 1e-9);
}

TEST_CASE("propagator: gives the reason if it does not arrive") {
  Field field{FieldKind::solenoid, 2 * unit::T};
  const TrackingGeometry geometry(layers_in(field));
  const Propagator propagator(geometry);
  const SurfaceRecord& cylinder = geometry.surfaces()[5];
  Flyer start{{0, 0, 0}, {1, 0, 0}, 1 / 0.05};
  CHECK(propagator.to(cylinder, start).end == FlightEnd::turned_back);
  start.qop = 1;
  CHECK(propagator.to(cylinder, start).end == FlightEnd::reached);
  const TrackingGeometry straight(layers_in({}));
  CHECK(Propagator(straight).to(straight.surfaces()[0], start).end ==
        FlightEnd::missed);
  const TrackingGeometry mapped(layers_in(uneven()));
  SurfaceRecord far = mapped.surfaces()[4];
  far.position = 5000;
  start.position = {0, 0, 0};
  start.qop = 0.1;
  start.direction = {0, 0, 1};
  far.kind = SurfaceRecord::Kind::disk_plane;
  CHECK(Propagator(mapped).to(far, start).end != FlightEnd::reached);
}

}  // namespace gttf::test::GTTF_TEST_FILE
