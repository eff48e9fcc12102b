// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/toys.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "gttf/trajectory/crossings.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

using test::make_layer;
using test::pixel;

struct Toys {
  TrackingGeometry geometry;
  Crossings<double> reference;
  ToySimulator simulator;
  ToyTrack toy;

  Toys(const Detector& d, const Track& t, std::optional<BeamSpot> spot = {})
      : geometry(d),
        reference(find_crossings(geometry, t, Scattering::highland)),
        simulator(geometry, t, {.beam_spot = spot}),
        toy(simulator.prototype()) {}
};

Vector3 nominal(const Toys& t, std::size_t k) {
  const Line<double>& l = t.reference.line;
  const Crossing<double>& x = t.reference.list[k].at;
  const double a = l.along + x.forward, b = l.across + x.sideward;
  return {l.cos_phi * a - l.sin_phi * b, l.sin_phi * a + l.cos_phi * b,
          l.z + x.arc * l.cot_theta};
}

TEST_CASE("toys: without errors the hits are the crossings of the reference") {
  test::RandomLayouts layouts(17);
  int compared = 0;
  for (int i = 0; i < 200; ++i) {
    Detector d = layouts.detector();
    for (Layer& layer : d.layers) {
      layer.material.clear();
      for (Coordinate& c : layer.coordinates) c.sigma = 1e-12;
    }
    Toys t(d, layouts.track());
    if (t.reference.n_measuring < 3) continue;
    REQUIRE(t.simulator.simulate({1, 0, 0}, t.toy));
    for (std::size_t k = 0; k < t.toy.hits.points.size(); ++k) {
      const Vector3 x = nominal(t, k);
      // positions of up to 10 m, from helix to helix
      CHECK((t.toy.hits.points[k].position - x).norm() < 1e-9);
      ++compared;
    }
  }
  CHECK(compared > 500);
}

TEST_CASE("toys: a toy does not depend on those before it") {
  test::RandomLayouts layouts(3);
  const Detector d = layouts.detector();
  const Track track = layouts.track();
  Toys a(d, track), b(d, track);
  for (std::uint64_t i = 0; i < 20; ++i) a.simulator.simulate({7, 1, i}, a.toy);
  a.simulator.simulate({7, 1, 5}, a.toy);
  b.simulator.simulate({7, 1, 5}, b.toy);
  for (std::size_t k = 0; k < a.toy.hits.points.size(); ++k)
    CHECK(a.toy.hits.points[k].position == b.toy.hits.points[k].position);
  b.simulator.simulate({7, 1, 6}, b.toy);
  CHECK(a.toy.hits.points.back().position != b.toy.hits.points.back().position);
}

TEST_CASE("toys: hits stay on their surfaces") {
  Detector d = test::make_barrel(5, 20, 400, 2, 0.02, 0.1);
  d.layers.push_back(
      make_layer("disk", make_disk(900, {10, 2000}), 0, pixel(0.1, 0.2)));
  // between the barrel and the disk
  d.layers.push_back(
      make_layer("cone", make_cone({500, 800}, 200, 700), 0, pixel(0.1, 0.2)));
  Track track;
  track.theta = 0.6;
  Toys t(d, track);
  REQUIRE(t.reference.n_measuring == 7);
  for (std::uint64_t i = 0; i < 100; ++i) {
    REQUIRE(t.simulator.simulate({1, 0, i}, t.toy));
    for (std::size_t k = 0; k < 5; ++k) {
      const Vector3& x = t.toy.hits.points[k].position;
      CHECK(std::hypot(x.x(), x.y()) ==
            doctest::Approx(d.layers[k].surface.position).epsilon(1e-14));
    }
    const Vector3& x = t.toy.hits.points[5].position;
    CHECK(std::hypot(x.x(), x.y()) ==
          doctest::Approx(200 + (x.z() - 500) * 5 / 3).epsilon(1e-14));
    CHECK(t.toy.hits.points[6].position.z() == doctest::Approx(900));
  }
}

// Straight tracks: the hits give the angles without curvature. By chance, a
// deviation of 5 standard errors happens once in 1.7 million; the seed is
// fixed.
TEST_CASE("toys: coordinates and angles have the widths of their errors") {
  Detector d = test::make_barrel(3, 100, 300, 0, 0, 0.05);
  d.layers[0].coordinates = pixel(0.02, 0.3);
  d.layers[1].material.push_back({"", 0, 0.1});
  d.layers[2].coordinates = pixel(1e-9, 1e-9);
  Track track;
  track.theta = 1.1;
  Toys t(d, track);
  const double theta0 = std::sqrt(t.reference.list[1].theta0_2);
  REQUIRE(theta0 > 1e-3);
  const int n = 40000;
  double rphi = 0, z = 0, azimuth = 0, along = 0;
  const double step = 100, sine = std::sin(track.theta);
  for (int i = 0; i < n; ++i) {
    REQUIRE(t.simulator.simulate({2, 0, static_cast<std::uint64_t>(i)}, t.toy));
    const auto& points = t.toy.hits.points;
    const Vector3 first = points[0].position - nominal(t, 0);
    rphi += first.y() * first.y();
    z += first.z() * first.z();
    // phi changes by kink/sin(theta); at the outer layer, radius 300, the
    // track has gone on for 100 across and 100/sin(theta) in space
    const Vector3 last = points[2].position - nominal(t, 2);
    azimuth += last.y() * last.y();
    along += last.z() * last.z();
  }
  const double limit = 5 * std::sqrt(2.0 / n);
  CHECK(rphi / n / (0.02 * 0.02) == doctest::Approx(1).epsilon(limit));
  CHECK(z / n / (0.3 * 0.3) == doctest::Approx(1).epsilon(limit));
  const double side = step * theta0 / sine,
               rise = step * theta0 / (sine * sine);
  CHECK(azimuth / n / (side * side) == doctest::Approx(1).epsilon(limit));
  CHECK(along / n / (rise * rise) == doctest::Approx(1).epsilon(limit));
}

TEST_CASE("toys: a beam spot moves the start, and the truth with it") {
  const Detector d = test::make_barrel(4, 20, 100, 2, 0, 1e-9);
  Track track;
  track.phi = 0.7;
  track.theta = 1.2;
  const BeamSpot spot{0.5, 0.2, 10};
  Toys t(d, track, spot);
  CHECK(t.toy.hits.points.size() == 5);
  double d0 = 0, z0 = 0;
  const int n = 20000;
  for (int i = 0; i < n; ++i) {
    REQUIRE(t.simulator.simulate({3, 0, static_cast<std::uint64_t>(i)}, t.toy));
    d0 += std::pow(t.toy.truth[Perigee::d0], 2);
    z0 += std::pow(t.toy.truth[Perigee::z0], 2);
  }
  // d0 = n0 . (x, y), z0 = z - cot(theta) e0 . (x, y)
  const double s = std::sin(track.phi), c = std::cos(track.phi);
  const double cot = 1 / std::tan(track.theta);
  const double d0_2 = 0.25 * s * s + 0.04 * c * c;
  const double z0_2 = 100 + cot * cot * (0.25 * c * c + 0.04 * s * s);
  const double limit = 5 * std::sqrt(2.0 / n);
  CHECK(d0 / n / d0_2 == doctest::Approx(1).epsilon(limit));
  CHECK(z0 / n / z0_2 == doctest::Approx(1).epsilon(limit));
}

TEST_CASE("toys: a toy that misses a layer of the list is marked") {
  Detector d = test::make_barrel(4, 20, 100, 0, 0.05, 0.01);
  // the edge of the outermost layer is where the reference track crosses
  d.layers.back().surface = make_cylinder(100, {-1000, 1e-6});
  Toys t(d, Track{});
  REQUIRE(t.reference.n_measuring == 4);
  int missed = 0;
  const int n = 4000;
  for (int i = 0; i < n; ++i)
    missed +=
        !t.simulator.simulate({4, 0, static_cast<std::uint64_t>(i)}, t.toy);
  CHECK(std::abs(missed - n / 2) < 5 * 0.5 * std::sqrt(n));
}

}  // namespace
}  // namespace gttf::test::GTTF_TEST_FILE
