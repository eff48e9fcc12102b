// SPDX-License-Identifier: Apache-2.0
// Covariances of tracks through strips by the triplet fit.
#include <doctest/doctest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <ctime>
#include <functional>
#include <string>

#include "gttf/fit/streaming/streaming.hpp"
#include "gttf/fit/triplet/triplet_covariance.hpp"
#include "support/helix_least_squares.hpp"
#include "support/triplet_samples.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr double um = unit::um, deg = unit::deg;
const std::vector<Coordinate> axial = {{0, 10 * um}},
                              pixels = {{0, 10 * um}, {90 * deg, 20 * um}};

/// n cylinders, layer k with the coordinates of(k).
Detector barrel(int n, const std::function<std::vector<Coordinate>(int)>& of,
                double x_over_x0 = 0.1) {
  Detector d;
  d.field = {FieldKind::solenoid, 2 * unit::T};
  for (int k = 0; k < n; ++k)
    d.layers.push_back(
        layer(make_cylinder(30 + 970. * k / (n - 1), {-5e3, 5e3}),
              x_over_x0 / n, of(k)));
  return d;
}

struct Layout {
  std::string name;
  std::function<std::vector<Coordinate>(int)> coordinates;
};

/// Strips are determined by hits outside of them, inside of them or by each
/// other.
const std::vector<Layout> layouts = {
    {"every other layer has strips",
     [](int k) { return k % 2 == 0 ? pixels : axial; }},
    {"pixels innermost", [](int k) { return k < 2 ? pixels : axial; }},
    {"pixels outermost", [](int k) { return k > 17 ? pixels : axial; }},
    {"pixels at both ends",
     [](int k) { return k == 0 || k == 19 ? pixels : axial; }},
    {"strips in three directions",
     [](int k) {
       return std::vector<Coordinate>{{(k % 3 - 1) * 5 * deg, 10 * um}};
     }},
    {"directions that change in the middle",
     [](int k) {
       return std::vector<Coordinate>{{(k < 10 ? -5 : 5) * deg, 10 * um}};
     }},
    {"along z, then across",
     [](int k) {
       return std::vector<Coordinate>{{(k < 8 ? 90 : 0) * deg, 10 * um}};
     }},
    {"three pixels, far apart",
     [](int k) { return k == 2 || k == 11 ? pixels : axial; }},
};

double cpu_seconds(const std::function<void()>& run) {
  double least = 0;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t start = std::clock();
    run();
    const double used = double(std::clock() - start) / CLOCKS_PER_SEC;
    least = i == 0 ? used : std::min(least, used);
  }
  return least;
}

}  // namespace

TEST_CASE("unmeasured coordinates: wherever they are determined") {
  for (const Layout& layout : layouts)
    for (const double p : {0.5, 10.0, 300.0}) {
      CAPTURE(layout.name);
      CAPTURE(p);
      const TrackingGeometry geometry(barrel(20, layout.coordinates));
      Track t;
      t.p = p;
      t.theta = 70 * deg;
      const TripletTrack track = track_in(geometry, t);
      for (const Errors errors : {Errors::all, Errors::hits_only}) {
        const auto c = triplet_covariance(track, {.errors = errors});
        REQUIRE(c.status == TripletStatus::ok);
        const HelixLeastSquares reference(track, errors);
        // the derivatives of the reference are doubles
        CHECK(deviation(c.perigee, reference.with_inner) < 1e-9);
        const auto fitted = fitted_positions(track, {.errors = errors});
        REQUIRE(fitted.size() == reference.fitted.size());
        for (std::size_t k = 0; k < fitted.size(); ++k)
          CHECK(deviation(fitted[k].covariance, reference.fitted[k], 2) < 1e-9);
      }
    }
}

TEST_CASE("unmeasured coordinates: hundreds of layers, as the streaming fit") {
  for (const Layout& layout : layouts)
    for (const double p : {1.0, 100.0}) {
      CAPTURE(layout.name);
      CAPTURE(p);
      // groups of 40 layers instead of single ones
      const TrackingGeometry geometry(
          barrel(800, [&](int k) { return layout.coordinates(k / 40); }));
      Track t;
      t.p = p;
      t.theta = 70 * deg;
      const auto found = find_crossings(geometry, t, Scattering::highland);
      const auto c = triplet_covariance(make_triplet_track(geometry, t, found));
      REQUIRE(c.status == TripletStatus::ok);
      const auto perigee =
          covariance(filter<Errors::all>(HelixPath(geometry, found)));
      CHECK(deviation(c.perigee_without_inner, matrix(perigee)) < 5e-12);
    }
}

// In doubles the first three keep eleven digits.
TEST_CASE("unmeasured coordinates: nearly no scattering, as in 113 bits") {
  using Quad = boost::multiprecision::cpp_bin_float_quad;
  for (const char* const name :
       {"three pixels, far apart", "along z, then across", "pixels innermost",
        "pixels outermost"}) {
    CAPTURE(name);
    const auto layout = std::ranges::find(layouts, name, &Layout::name);
    const TrackingGeometry geometry(barrel(
        1000, [&](int k) { return layout->coordinates(k / 50); }, 1e-3));
    Track t;
    t.p = 100;
    t.theta = 70 * deg;
    const auto found = find_crossings(geometry, t, Scattering::highland);
    const auto c = triplet_covariance(make_triplet_track(geometry, t, found));
    REQUIRE(c.status == TripletStatus::ok);
    auto wide = with_scalar(geometry, found, make_line<Quad>(t, geometry.bz()),
                            Scattering::off);
    for (std::size_t k = 0; k < found.list.size(); ++k)
      wide.list[k].theta0_2 = Quad(found.list[k].theta0_2);
    const auto exact =
        covariance(filter<Errors::all>(HelixPath(geometry, wide)));
    Matrix5 perigee;
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j)
        perigee(i, j) = static_cast<double>(
            exact[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
    CHECK(deviation(c.perigee_without_inner, perigee) < 2e-12);
  }
}

TEST_CASE("unmeasured coordinates: undetermined ones are found at any number") {
  Track t;
  t.theta = 70 * deg;
  const auto status = [&](int n, int first, int second) {
    const auto of = [=](int k) {
      return k == first || k == second ? pixels : axial;
    };
    const Detector detector = barrel(n, of);
    return triplet_covariance(track_in(TrackingGeometry(detector), t)).status;
  };
  for (const int n : {8, 50, 600}) {
    CAPTURE(n);
    CHECK(status(n, -1, -1) == TripletStatus::not_determined);
    CHECK(status(n, 0, -1) == TripletStatus::not_determined);
    CHECK(status(n, n - 1, -1) == TripletStatus::not_determined);
    CHECK(status(n, n / 2, -1) == TripletStatus::not_determined);
    CHECK(status(n, 0, 1) == TripletStatus::ok);
    CHECK(status(n, 0, n - 1) == TripletStatus::ok);
    CHECK(status(n, n - 2, n - 1) == TripletStatus::ok);
  }
}

TEST_CASE("unmeasured coordinates: the cost is linear") {
  const auto seconds = [](int n) {
    const TrackingGeometry geometry(barrel(n, layouts.front().coordinates));
    Track t;
    t.p = 10;
    t.theta = 80 * deg;
    const TripletTrack track = track_in(geometry, t);
    return cpu_seconds([&] { triplet_covariance(track); });
  };
  // linear: 8; a dense system of the coordinates: 180
  CHECK(seconds(4000) < 20 * seconds(500));
}

}  // namespace gttf::test::GTTF_TEST_FILE
