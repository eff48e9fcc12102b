// SPDX-License-Identifier: Apache-2.0
#include "gttf/paper/any_field.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "gttf/paper/dipole.hpp"
#include "support/magnets.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using Hits = std::array<FieldHit, 3>;

/// A detector that is nothing but a field and its extent.
TrackingGeometry room(const Field& field, double half = 700) {
  Detector d;
  d.field = field;
  for (const double x : {-half, half}) {
    Layer layer;
    layer.surface = make_plane(Axis::x, x, {-half, half}, {-half, half});
    d.layers.push_back(layer);
  }
  return TrackingGeometry(d);
}

SurfaceRecord plane(Axis normal, double position) {
  SurfaceRecord s;
  s.kind = normal == Axis::z ? SurfaceRecord::Kind::disk_plane
                             : SurfaceRecord::Kind::plane;
  s.normal = normal;
  s.position = position;
  return s;
}

SurfaceRecord cylinder(double radius) {
  SurfaceRecord s;
  s.position = radius;
  return s;
}

FieldHit on(Axis normal, const Vector3& x) {
  return {x, plane(normal, x[static_cast<int>(normal)])};
}
FieldHit on_cylinder(const Vector3& x) {
  return {x, cylinder(std::hypot(x.x(), x.y()))};
}

Cartesian<double> point(const Vector3& x) { return {x[0], x[1], x[2]}; }

Field solenoid() {
  Field f;
  f.kind = FieldKind::solenoid;
  f.bz = 2 * unit::T;
  set_reference(f);
  return f;
}

Field uniform_map() {
  const std::vector<GridAxis> axes(3, axis_from(-800, 800, 6));
  return map_field(
      sample([](const Vector3&) { return Vector3(0, 0, 2 * unit::T); }, axes));
}

/// Falls off along z within 0.4 m, divergence-free to first order.
Field uneven_map() {
  constexpr double scale = 400;
  const auto field = [](const Vector3& x) {
    const double u = x.z() / scale, f = 1 / (1 + u * u);
    const double slope = -2 * u / scale * f * f;
    return Vector3(2 * unit::T *
                   Vector3(-0.5 * x.x() * slope, -0.5 * x.y() * slope, f));
  };
  const std::vector<GridAxis> axes(3, axis_from(-800, 800, 33));
  return map_field(sample(field, axes));
}

/// With kinks, on planes, tilted to the track, and on a cylinder.
std::vector<Hits> samples() {
  return {{on(Axis::x, {50, 5, 60}), on(Axis::x, {130, 40, 120}),
           on(Axis::x, {230, 120, 200})},
          {on(Axis::x, {-300, 20, -40}), on_cylinder({150, 60, 90}),
           on(Axis::y, {300, 180, 210})},
          {on_cylinder({40, 20, -100}), on_cylinder({80, 60, -180}),
           on(Axis::z, {100, 120, -300})}};
}

constexpr double kappa = -1.2e-3;

double worst(const Cartesian<double>& a, const Cartesian<double>& b) {
  return std::max(
      {std::abs(a.x - b.x), std::abs(a.y - b.y), std::abs(a.z - b.z)});
}

void compare(const Triplet<double>& t, const Triplet<double>& exact,
             double tolerance, double gradient_tolerance) {
  CHECK(std::abs(t.phi_tilde - exact.phi_tilde) < tolerance);
  CHECK(std::abs(t.theta_tilde - exact.theta_tilde) < tolerance);
  const double scale = std::abs(exact.rho_phi);
  CHECK(std::abs(t.rho_phi - exact.rho_phi) < tolerance * scale);
  CHECK(std::abs(t.rho_theta - exact.rho_theta) < tolerance * scale);
  const double largest = worst(exact.h_phi[1], {});
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(worst(t.h_phi[k], exact.h_phi[k]) < gradient_tolerance * largest);
    CHECK(worst(t.h_theta[k], exact.h_theta[k]) < gradient_tolerance * largest);
  }
}

}  // namespace

TEST_CASE("any field: a uniform field has the helix's triplets") {
  for (const bool map : {false, true}) {
    const Field field = map ? uniform_map() : solenoid();
    const TrackingGeometry geometry = room(field);
    const Propagator propagator(geometry);
    for (const Hits& hits : samples()) {
      const auto t =
          make_triplet(propagator, {}, hits, geometry.b_ref(), kappa);
      REQUIRE(t);
      compare(*t,
              make_triplet(point(hits[0].position), point(hits[1].position),
                           point(hits[2].position), kappa),
              1e-9, 1e-8);
    }
  }
}

TEST_CASE("any field: the gap of a dipole has its closed form") {
  // beam along z, field along y: frame with polar axis y, axes (z, x, y)
  Field field;
  field.kind = FieldKind::dipole;
  field.dipoles = {{Axis::z, {-100, 250}, Axis::y, 1.5 * unit::T}};
  set_reference(field);
  const TrackingGeometry geometry = room(field, 1500);
  const Propagator propagator(geometry);
  const Frame frame{Axis::y};
  const Hits hits = {on(Axis::z, {20, -30, -700}), on(Axis::z, {60, 10, -300}),
                     on(Axis::z, {90, 95, 650})};
  const auto in = [&](std::size_t k) {
    return point(frame.into(hits[k].position));
  };
  const double k = 3e-4;
  const auto t = make_triplet(propagator, frame, hits, geometry.b_ref(), k);
  REQUIRE(t);
  Triplet<double> exact =
      make_triplet(straight_segment(in(0), in(1)),
                   dipole_segment(in(1), in(2), Gap{1, 0, -100, 250, 1}, k));
  for (auto* gradients : {&exact.h_theta, &exact.h_phi})
    for (auto& h : *gradients) h = point(frame.out_of({h.x, h.y, h.z}));
  compare(*t, exact, 1e-10, 1e-9);
}

TEST_CASE("any field: gradients and slopes are differences, field uneven") {
  // everything matched again with shifted hits; fourth-order differences
  const TrackingGeometry geometry = room(uneven_map());
  const Propagator propagator(geometry);
  for (const Hits& hits : samples()) {
    const auto kinks = [&](const Hits& h, double k) {
      const auto t = make_triplet(propagator, {}, h, geometry.b_ref(), k);
      REQUIRE(t);
      return std::array{t->theta_tilde + t->rho_theta * k,
                        t->phi_tilde + t->rho_phi * k};
    };
    const auto t = make_triplet(propagator, {}, hits, geometry.b_ref(), kappa);
    REQUIRE(t);
    const auto difference = [](const auto& f, double h) {
      const auto a = f(h), b = f(-h), a2 = f(2 * h), b2 = f(-2 * h);
      std::array<double, 2> d;
      for (std::size_t i = 0; i < 2; ++i)
        d[i] = (8 * (a[i] - b[i]) - (a2[i] - b2[i])) / (12 * h);
      return d;
    };
    const auto slope = difference(
        [&](double step) { return kinks(hits, kappa + step); }, 1e-5);
    const double scale = std::abs(t->rho_phi);
    CHECK(std::abs(slope[0] - t->rho_theta) < 1e-8 * scale);
    CHECK(std::abs(slope[1] - t->rho_phi) < 1e-8 * scale);
    const double largest = worst(t->h_phi[1], {});
    for (std::size_t k = 0; k < 3; ++k)
      for (int axis = 0; axis < 3; ++axis) {
        const auto h = difference(
            [&](double step) {
              Hits moved = hits;
              moved[k].position[axis] += step;
              // a plane moves with its hit, a cylinder is another one
              SurfaceRecord& s = moved[k].surface;
              const Vector3& x = moved[k].position;
              s.position = s.kind == SurfaceRecord::Kind::cylinder
                               ? std::hypot(x.x(), x.y())
                               : x[static_cast<int>(s.normal)];
              return kinks(moved, kappa);
            },
            0.3);
        const auto of = [axis](const Cartesian<double>& g) {
          return Vector3(g.x, g.y, g.z)[axis];
        };
        CHECK(std::abs(h[0] - of(t->h_theta[k])) < 1e-7 * largest);
        CHECK(std::abs(h[1] - of(t->h_phi[k])) < 1e-7 * largest);
      }
  }
}

TEST_CASE("any field: a shift of the middle hit is not a rigid translation") {
  // erratum F29 of docs/theory/general-field.md: gradients of the middle hit
  // are not minus those of the outer ones, except where the field is uniform
  const auto rigid_error = [](const Field& field) {
    const TrackingGeometry geometry = room(field);
    const Propagator propagator(geometry);
    const auto t =
        make_triplet(propagator, {}, samples()[0], geometry.b_ref(), kappa);
    REQUIRE(t);
    const Cartesian<double> sum = t->h_phi[0] + t->h_phi[1] + t->h_phi[2];
    return worst(sum, {}) / worst(t->h_phi[1], {});
  };
  CHECK(rigid_error(uniform_map()) < 1e-8);
  CHECK(rigid_error(uneven_map()) > 1e-3);
}

TEST_CASE("any field: unreachable hits do not form a triplet") {
  const TrackingGeometry geometry = room(solenoid());
  const Propagator propagator(geometry);
  // radius of 25 mm between hits at 150 mm
  CHECK_FALSE(
      make_triplet(propagator, {}, samples()[1], geometry.b_ref(), -1. / 25));
}

}  // namespace gttf::test::GTTF_TEST_FILE
