// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/crossings.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/scattering.hpp"
#include "gttf/trajectory/traced_track.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using Point = std::array<double, 3>;

/// Position on the helix after a 3D path length, textbook form.
Point on_helix(const Track& t, double bz, double path) {
  const double kappa = -t.charge * bz / t.p;
  const double c = kappa / std::sin(t.theta), s = path * std::sin(t.theta);
  const double half = 0.5 * c * s;
  const double chord = half == 0 ? s : s * std::sin(half) / half;
  return {t.vertex[0] + chord * std::cos(t.phi + half),
          t.vertex[1] + chord * std::sin(t.phi + half),
          t.vertex[2] + path * std::cos(t.theta)};
}

double distance_from(const Surface& s, const Point& x) {
  if (s.shape == Shape::cylinder) return std::hypot(x[0], x[1]) - s.position;
  const Axis axis = s.shape == Shape::disk ? Axis::z : s.normal;
  return x[static_cast<std::size_t>(axis)] - s.position;
}

Crossings<double> crossings_of(const Detector& d, const Track& t) {
  return find_crossings(TrackingGeometry(d), t, Scattering::highland);
}

}  // namespace

TEST_CASE("crossings: lie on their surface and on the helix, in order") {
  RandomLayouts random(1);
  int checked = 0;
  for (int i = 0; i < 300; ++i) {
    const Detector d = random.detector();
    const Track t = random.track();
    const Crossings<double> c = crossings_of(d, t);
    double previous = 0;
    for (const auto& x : c.list) {
      const double path = x.at.arc * c.line.inv_sin_theta;
      CHECK(path >= previous);
      previous = path;
      const Point p = on_helix(t, d.field.bz, path);
      // rounding of positions of a few metres
      CHECK(std::abs(distance_from(d.layers[x.surface].surface, p)) < 1e-9);
      ++checked;
    }
  }
  CHECK(checked > 1000);
}

TEST_CASE("crossings: every surface the helix passes is found, once") {
  // Brute force: step along the helix up to half a turn and count sign changes
  // of the distance; the first outward one must be what we find.
  RandomLayouts random(2);
  int surfaces = 0;
  for (int i = 0; i < 60; ++i) {
    const Detector d = random.detector();
    const Track t = random.track();
    const Crossings<double> c = crossings_of(d, t);
    const double kappa = std::abs(t.charge * d.field.bz / t.p);
    const double end = std::min(unit::pi / kappa, 12e3);
    for (std::size_t s = 0; s < d.layers.size(); ++s) {
      const Surface& surface = d.layers[s].surface;
      const double start = distance_from(surface, t.vertex);
      if (surface.shape == Shape::cylinder && start >= 0) continue;
      double found = -1;
      const int steps = 20000;
      for (int k = 1; k <= steps && found < 0; ++k) {
        const double path = end * k / steps;
        if (distance_from(surface, on_helix(t, d.field.bz, path)) * start < 0)
          found = path;
      }
      double ours = -1;
      for (const auto& x : c.list)
        if (x.surface == s) ours = x.at.arc * c.line.inv_sin_theta;
      if (found < 0) {
        // ours may lie in the last step or beyond the 12 m of the search
        CHECK((ours < 0 || ours > end * (1 - 1.0 / steps)));
        continue;
      }
      const Point p = on_helix(t, d.field.bz, found);
      const double r = std::hypot(p[0], p[1]);
      const double margin = 5;  // mm: leaves edges to the other tests
      const auto u = (static_cast<std::size_t>(surface.normal) + 1) % 3;
      const bool within =
          surface.shape == Shape::cylinder
              ? std::abs(p[2]) < surface.v.upper - margin
          : surface.shape == Shape::disk
              ? r > surface.v.lower + margin && r < surface.v.upper - margin
              : std::abs(p[u]) < surface.u.upper - margin &&
                    std::abs(p[(u + 1) % 3]) < surface.v.upper - margin;
      if (!within) continue;
      ++surfaces;
      if (ours < 0)  // only grazing incidence is left out
        CHECK(surface.shape != Shape::disk);
      else
        CHECK(std::abs(ours - found) <= 1.01 * end / steps);
    }
  }
  CHECK(surfaces > 300);
}

TEST_CASE("crossings: a plane normal to y is a plane normal to x, turned") {
  const Interval u{-300, 300}, v{-500, 500};
  Detector x, y;
  x.field = y.field = {FieldKind::solenoid, 1.5 * unit::T};
  // local axes: normal x (y, z); normal y (z, x)
  x.layers = {make_layer("p", make_plane(Axis::x, 400, u, v), 0.01)};
  y.layers = {make_layer("p", make_plane(Axis::y, 400, v, u), 0.01)};
  for (double phi : {-0.4, 0.0, 0.3, 0.6}) {
    Track t;
    t.phi = phi;
    t.theta = 1.2;
    Track turned = t;
    turned.phi += 0.5 * unit::pi;
    const auto a = crossings_of(x, t), b = crossings_of(y, turned);
    REQUIRE(a.list.size() == b.list.size());
    if (a.list.empty()) continue;
    CHECK(a.list[0].at.arc == doctest::Approx(b.list[0].at.arc).epsilon(1e-14));
    CHECK(a.list[0].at.x_over_x0 ==
          doctest::Approx(b.list[0].at.x_over_x0).epsilon(1e-14));
  }
}

TEST_CASE("crossings: a track that starts away from a plane bends to it") {
  Detector d;
  d.field = {FieldKind::solenoid, 2 * unit::T};
  d.layers.emplace_back();
  Track t;
  t.p = 0.5;
  t.charge = 1;  // turns clockwise with a radius of 0.83 m
  for (const Axis normal : {Axis::x, Axis::y}) {
    const double azimuth = normal == Axis::x ? 0 : 90 * unit::deg;
    d.layers[0].surface = make_plane(normal, 300, {-1e4, 1e4}, {-1e4, 1e4});
    // from a little towards it to far away; the last one turns by pi before
    for (const double angle : {89.9, 90.0, 90.1, 130.0, 170.0}) {
      CAPTURE(angle);
      t.phi = azimuth + angle * unit::deg;
      const auto found = crossings_of(d, t).list;
      REQUIRE(found.size() == (angle < 150 ? 1 : 0));
      if (!found.empty()) {
        const Point p = on_helix(t, d.field.bz, found[0].at.arc);
        // rounding of a position of a metre
        CHECK(std::abs(distance_from(d.layers[0].surface, p)) < 1e-9);
      }
      t.phi = azimuth - angle * unit::deg;  // turns away from it
      CHECK(crossings_of(d, t).list.empty());
    }
  }
}

TEST_CASE("crossings: a curling track is marked, a leaving one is not") {
  Detector d = make_barrel(4, 30, 300, 2, 0.01, 0.01);
  for (Layer& layer : d.layers) layer.surface.v = {-200, 200};
  Track t;
  t.p = 0.05;  // radius 83 mm: reaches 167 mm
  Crossings<double> c = crossings_of(d, t);
  CHECK(c.n_measuring == 2);
  CHECK(c.end == TrackEnd::curls_up);
  t.theta = 0.05;  // steep: leaves through the end before it turns back
  c = crossings_of(d, t);
  CHECK(c.end == TrackEnd::leaves);
  t = {};
  t.p = 1;
  c = crossings_of(d, t);
  CHECK(c.n_measuring == 4);
  CHECK(c.end == TrackEnd::leaves);
}

TEST_CASE(
    "crossings: a track that misses a disk leaves, who spirals curls up") {
  Detector d;
  d.field = {FieldKind::solenoid, 2 * unit::T};
  d.layers.emplace_back();
  d.layers[0].surface = make_disk(3000, {0, 1000});
  Track t;
  t.theta = 60 * unit::deg;
  const auto end = [&](double p) {
    t.p = p;
    const Crossings<double> c = crossings_of(d, t);
    CHECK(c.list.empty());
    return c.end;
  };
  // after half a turn 2.9 m, 1.2 m, 0.9 m and 3 mm from the axis
  CHECK(end(1) == TrackEnd::leaves);
  CHECK(end(0.4) == TrackEnd::leaves);
  CHECK(end(0.3) == TrackEnd::curls_up);
  CHECK(end(0.001) == TrackEnd::curls_up);
  d.layers[0].surface = make_plane(Axis::x, 3000, {-1e3, 1e3}, {-1e3, 1e3});
  CHECK(end(0.3) == TrackEnd::curls_up);
  t.theta = 20 * unit::deg;  // 0.9 m from the axis, but at z = 3.9 m
  CHECK(end(0.8) == TrackEnd::leaves);
}

TEST_CASE("crossings: a track that passes a tilted plane by leaves") {
  Detector d;
  d.field = {FieldKind::solenoid, 2 * unit::T};
  d.layers.emplace_back();
  const auto ends = [&d](const Track& t) {
    const TracedTrack traced =
        trace(TrackingGeometry(d), t, Scattering::off, EnergyLoss::off);
    return std::pair(crossings_of(d, t).end, traced.end);
  };
  // normal to the direction from the axis to its middle
  const auto turn_plane = [&d](double radius, double phi) {
    d.layers[0].surface =
        make_inclined_plane({radius * std::cos(phi), radius * std::sin(phi), 0},
                            {std::cos(phi), std::sin(phi), 0},
                            {-std::sin(phi), std::cos(phi), 0}, {60, 400});
  };
  // bends to negative y, where it ends 111 mm from the axis, on the side of the
  // plane where it started
  Track t;
  t.p = 0.033356;
  t.theta = 85 * unit::deg;
  turn_plane(150, 80 * unit::deg);
  CHECK(ends(t) == std::pair(TrackEnd::curls_up, TrackEnd::curls_up));
  turn_plane(90, 80 * unit::deg);
  CHECK(ends(t) == std::pair(TrackEnd::leaves, TrackEnd::leaves));

  RandomLayouts random(41);
  int curling = 0, leaving = 0;
  for (int i = 0; i < 3000; ++i) {
    turn_plane(random.log_uniform(20, 2000), random.uniform(-3, 3));
    t.p = random.log_uniform(0.01, 0.3);
    t.theta = i % 3 == 0 ? 90 * unit::deg : random.uniform(1.2, 1.9);
    const auto [on_helix, traced] = ends(t);
    CHECK(on_helix == traced);
    ++(on_helix == TrackEnd::leaves ? leaving : curling);
  }
  CHECK(curling > 50);
  CHECK(leaving > 50);
}

TEST_CASE("crossings: a track along the beam leaves through a long pipe") {
  Detector d;
  d.field = {FieldKind::solenoid, 2 * unit::T};
  d.layers.emplace_back();
  d.layers[0].surface = make_cylinder(10, {-100e3, 100e3});
  for (const double theta : {0.0, 1e-4, 5e-3}) {
    CAPTURE(theta);
    Track t;
    t.theta = theta;
    CHECK(crossings_of(d, t).end == TrackEnd::leaves);
    const TracedTrack traced =
        trace(TrackingGeometry(d), t, Scattering::highland, EnergyLoss::off);
    CHECK(traced.list.empty());
    CHECK(traced.end == TrackEnd::leaves);
  }
  Track steep;
  steep.theta = 0.02;
  steep.p = 0.1;
  CHECK(crossings_of(d, steep).end == TrackEnd::curls_up);
}

TEST_CASE("crossings: layers that are crossed a second time are reported") {
  // a search step by step, along the half turn
  RandomLayouts random(31);
  int again = 0, once = 0;
  for (int i = 0; i < 150; ++i) {
    Detector d = random.detector();
    Track t = random.track();
    t.p = random.log_uniform(0.05, 1);
    t.vertex = {random.uniform(-300, 300), random.uniform(-300, 300), 0};
    const TrackingGeometry geometry(d);
    const std::vector<unsigned> found = surfaces_met_again(geometry, t);
    const double end = unit::pi * t.p / std::abs(d.field.bz);
    if (end > 8e3) continue;
    for (unsigned s = 0; s < d.layers.size(); ++s) {
      const Surface& surface = d.layers[s].surface;
      if (!d.layers[s].measures()) continue;
      const int steps = 4000;
      int n = 0;
      bool near_edge = false, outside = false;
      double before = distance_from(surface, t.vertex), slope = 0;
      if (surface.shape == Shape::cylinder && before > 0) outside = true;
      for (int k = 1; k <= steps; ++k) {
        const Point p = on_helix(t, d.field.bz, end * k / steps);
        const double now = distance_from(surface, p);
        const double change = now - before;
        if (before * now < 0) {
          ++n;
          for (const double x : p) near_edge = near_edge || std::abs(x) > 2400;
          near_edge = near_edge || k < 3 || k > steps - 3;
        }
        // it may touch the surface, or graze it
        if (change * slope < 0 && std::abs(now) < 0.5) near_edge = true;
        slope = change;
        before = now;
      }
      // those entered from outside have a separate warning
      if (near_edge || outside || surface.shape == Shape::disk) continue;
      const bool found_again =
          std::find(found.begin(), found.end(), s) != found.end();
      CHECK(found_again == (n == 2));
      ++(n == 2 ? again : once);
    }
  }
  CHECK(again > 20);
  CHECK(once > 100);
}

TEST_CASE("crossings: a nearly straight track approaches the straight one") {
  Detector bent = make_barrel(5, 30, 900, 2, 0.01, 0.01), straight = bent;
  straight.field = {};
  bent.layers.push_back(make_layer("disk", make_disk(800, {10, 2000}), 0.01));
  straight.layers = bent.layers;
  Track t;
  t.p = 1e12;  // sagitta below 1e-10 mm over a metre
  t.theta = 1.0;
  t.phi = 0.4;
  t.vertex = {3, -4, 10};
  const auto a = crossings_of(bent, t), b = crossings_of(straight, t);
  REQUIRE(a.list.size() == b.list.size());
  for (std::size_t k = 0; k < a.list.size(); ++k) {
    CHECK(a.list[k].surface == b.list[k].surface);
    CHECK(a.list[k].at.arc == doctest::Approx(b.list[k].at.arc).epsilon(1e-12));
    CHECK(a.list[k].at.forward ==
          doctest::Approx(b.list[k].at.forward).epsilon(1e-12));
    CHECK(std::abs(a.list[k].at.sideward) < 1e-6);
    CHECK(b.list[k].at.sideward == 0);
  }
}

TEST_CASE("crossings: x/X0 grows with one over the cosine of incidence") {
  Detector d = make_barrel(1 + 2, 100, 300, 2, 0.02, 0.01);
  Track t;
  t.theta = 30 * unit::deg;
  t.p = 5;
  const auto c = crossings_of(d, t);
  for (const auto& x : c.list) {
    const double r = d.layers[x.surface].surface.position;
    // on the axis: cos psi = sqrt(1 - (c r/2)^2), the angle to e_r
    const double cos_psi = std::sqrt(1 - std::pow(0.5 * c.line.c * r, 2));
    CHECK(x.at.x_over_x0 ==
          doctest::Approx(0.02 / (0.5 * cos_psi)).epsilon(1e-13));
  }
}

TEST_CASE("log_secant: the logarithm of the obliquity, steep or not") {
  RandomLayouts random(9);
  int upright = 0, steep = 0;
  for (int i = 0; i < 20000; ++i) {
    Detector d;
    d.field = {FieldKind::solenoid, random.uniform(-4, 4) * unit::T};
    d.layers = {make_layer("L", random.surface(), 0.01)};
    const TrackingGeometry geometry(d);
    const SurfaceRecord& s = geometry.surfaces()[0];
    Crossing<double> x;
    if (!find_crossing(make_line<double>(random.track(), geometry.bz()), s, x)
             .crossed)
      continue;
    CAPTURE(i);
    if (s.kind == SurfaceRecord::Kind::disk ||
        s.kind == SurfaceRecord::Kind::disk_plane) {
      CHECK(log_secant(x) == 0);
      continue;
    }
    CHECK(std::abs(log_secant(x) + std::log(std::abs(x.cos_psi))) < 2e-15);
    ++upright;
    steep += std::abs(x.cos_psi) < std::sqrt(0.5);
  }
  CHECK(steep > 300);
  CHECK(upright > 10 * steep);
}

}  // namespace gttf::test::GTTF_TEST_FILE
