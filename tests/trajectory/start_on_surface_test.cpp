// SPDX-License-Identifier: Apache-2.0
// Tracks that start on a surface: it is crossed, as if they came from just
// before it.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gttf/trajectory/crossings.hpp"
#include "gttf/trajectory/traced_track.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using Surfaces = std::vector<unsigned>;

/// The track from the point where it has flown a path, mm, may be < 0.
Track from(const Track& t, double bz, double path) {
  const double half = -0.5 * t.charge * bz / t.p * path;
  const double s = path * std::sin(t.theta);
  const double chord = half == 0 ? s : s * std::sin(half) / half;
  Track moved = t;
  moved.vertex[0] += chord * std::cos(t.phi + half);
  moved.vertex[1] += chord * std::sin(t.phi + half);
  moved.vertex[2] += path * std::cos(t.theta);
  moved.phi += 2 * half;
  return moved;
}

Surfaces surfaces_of(const auto& crossings) {
  Surfaces list;
  for (const auto& x : crossings.list) list.push_back(x.surface);
  return list;
}

/// In the order of the detector: rounding decides which of those at the start
/// is first.
Surfaces sorted(Surfaces list) {
  std::sort(list.begin(), list.end());
  return list;
}

double sine_of(const Track& t) { return std::sin(t.theta); }

}  // namespace

TEST_CASE("start on a surface: a start before it differs by its path only") {
  RandomLayouts random(41);
  int checked = 0, cylinders = 0;
  for (int i = 0; i < 400; ++i) {
    Detector d = random.detector();
    if (i % 4 == 0) d.field = {};
    const TrackingGeometry geometry(d);
    const double bz = geometry.bz();
    const Track far = random.track();
    const auto met = find_crossings(geometry, far, Scattering::highland);
    if (met.list.empty()) continue;
    const auto& x = met.list[static_cast<std::size_t>(
        random.uniform(0, 1) * static_cast<double>(met.list.size()))];
    const Track there = from(far, bz, x.at.arc * met.line.inv_sin_theta);
    const auto closed = find_crossings(geometry, there, Scattering::highland);
    const auto traced = trace(geometry, there, Scattering::highland);
    CAPTURE(i);
    REQUIRE(!closed.list.empty());
    CHECK(closed.list[0].surface == x.surface);
    CHECK(std::abs(closed.list[0].at.arc) < 1e-6 * 100);
    CHECK(surfaces_of(traced) == surfaces_of(closed));
    cylinders += d.layers[x.surface].surface.shape == Shape::cylinder ? 1 : 0;
    for (const double before : {1e-7, 1e-6, 3e-6, 1e-5, 1e-4, 1e-3}) {
      CAPTURE(before);
      const Track earlier = from(there, bz, -before);
      const auto a = find_crossings(geometry, earlier, Scattering::highland);
      const auto b = trace(geometry, earlier, Scattering::highland);
      REQUIRE(surfaces_of(a) == surfaces_of(closed));
      REQUIRE(surfaces_of(b) == surfaces_of(closed));
      CHECK(a.n_measuring == closed.n_measuring);
      for (std::size_t k = 0; k < a.list.size(); ++k) {
        // rounding of paths of metres that meet surfaces at 0.57 deg and more
        const double rounding = 1e-8;
        const double path = closed.list[k].at.arc / sine_of(there) + before;
        CHECK(std::abs(a.list[k].at.arc / sine_of(there) - path) < rounding);
        CHECK(std::abs(b.list[k].path - path) < rounding);
        CHECK(a.list[k].at.x_over_x0 ==
              doctest::Approx(closed.list[k].at.x_over_x0).epsilon(1e-6));
        CHECK(b.list[k].x_over_x0 ==
              doctest::Approx(traced.list[k].x_over_x0).epsilon(1e-6));
        CHECK(b.list[k].theta0_2 ==
              doctest::Approx(traced.list[k].theta0_2).epsilon(1e-6));
      }
      ++checked;
    }
    // surfaces before the start are not crossed, except for planes to which the
    // track returns
    const auto later =
        find_crossings(geometry, from(there, bz, 1e-3), Scattering::highland);
    CHECK((later.list.empty() || later.list[0].surface != x.surface ||
           later.list[0].at.arc > 1));
  }
  CHECK(checked > 1500);
  CHECK(cylinders > 100);
}

TEST_CASE("start on a surface: whichever way its rounding falls") {
  for (int i = 0; i < 60; ++i) {
    const double azimuth = i * 6 * unit::deg;
    Track t;
    t.theta = 60 * unit::deg;
    t.vertex = {30 * std::cos(azimuth), 30 * std::sin(azimuth), 0.1 * i};
    Detector d;
    d.field = {FieldKind::solenoid, 1 * unit::T};
    constexpr Interval wide{-1e3, 1e3};
    for (const Surface& surface :
         {make_cylinder(30, wide), make_disk(0.3 * i / 3, {0, 1e3}),
          make_plane(Axis::x, 30 * std::sin(azimuth + 90 * unit::deg), wide,
                     wide),
          make_plane(Axis::y, 30 * std::cos(azimuth - 90 * unit::deg), wide,
                     wide)}) {
      d.layers.emplace_back();
      d.layers.back().surface = surface;
    }
    for (int k = 0; k < 12; ++k) {
      t.phi = (7 + 30 * k) * unit::deg;
      CAPTURE(i);
      CAPTURE(k);
      const auto closed =
          find_crossings(TrackingGeometry(d), t, Scattering::highland);
      const auto traced = trace(TrackingGeometry(d), t, Scattering::highland);
      // a cylinder is crossed outwards: on its far side by tracks that fly in
      REQUIRE(closed.list.size() == 4);
      CHECK(sorted(surfaces_of(traced)) == sorted(surfaces_of(closed)));
      const bool outwards = std::cos(t.phi - azimuth) > 0;
      for (std::size_t j = 0; j < 4; ++j) {
        const bool at_start = outwards || closed.list[j].surface != 0;
        const double path = closed.list[j].at.arc / sine_of(t);
        CHECK((std::abs(path) < 1e-11) == at_start);
        const auto same = std::find_if(
            traced.list.begin(), traced.list.end(),
            [&](const auto& x) { return x.surface == closed.list[j].surface; });
        REQUIRE(same != traced.list.end());
        CHECK(std::abs(same->path - path) < 1e-10);
      }
    }
  }
}

TEST_CASE("start on a surface: too near to its tangent, it is not crossed") {
  Detector d;
  d.field = {FieldKind::solenoid, 1 * unit::T};
  d.layers = {
      make_layer("P", make_plane(Axis::x, 10, {-1e3, 1e3}, {-1e3, 1e3}), 0.01),
      make_layer("C", make_cylinder(50, {-1e3, 1e3}), 0.01)};
  const TrackingGeometry geometry(d);
  for (const double slope : {-0.009, -1e-5, 0.0, 1e-5, 0.009})
    for (const auto& [x, y] : {std::array{10., 0.}, std::array{50., 0.}})
      for (const double off : {-1e-6, 0.0, 1e-6}) {
        Track t;
        t.p = 10;
        t.vertex = {x + 0.9 * off, y, 0};
        t.phi = 90 * unit::deg - slope;
        const auto closed = find_crossings(geometry, t, Scattering::highland);
        for (const auto& at : closed.list) CHECK(at.at.arc > 1);
        CHECK(closed.end == TrackEnd::leaves);
        const auto traced = trace(geometry, t, Scattering::highland);
        CHECK(surfaces_of(traced) == surfaces_of(closed));
        CHECK(traced.end == TrackEnd::leaves);
      }
}

TEST_CASE("start on a surface: derivatives there are those of a line") {
  // d(u', v')/d(d0, z0, phi, theta, kappa) of a plane across the track
  Detector d;
  d.field = {FieldKind::solenoid, 2 * unit::T};
  d.layers = {make_layer("P", make_plane(Axis::x, 0, {-1e3, 1e3}, {-1e3, 1e3}),
                         0.01, pixel(0.01, 0.01))};
  const TrackingGeometry geometry(d);
  const Track t;
  const auto traced = trace(geometry, t, Scattering::highland);
  REQUIRE(traced.list.size() == 1);
  const auto& x = traced.list[0];
  CHECK(x.path == 0);
  for (std::size_t i = 0; i < track_dim; ++i) {
    CHECK(x.on_surface[0][i] == doctest::Approx(i == 0 ? 1 : 0));
    CHECK(x.on_surface[1][i] == doctest::Approx(i == 1 ? 1 : 0));
    // a kink turns the track and does not move it
    CHECK(x.phi_kink[i] == doctest::Approx(i == 2 ? 1 : 0));
    CHECK(x.theta_kink[i] == doctest::Approx(i == 3 ? 1 : 0));
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
