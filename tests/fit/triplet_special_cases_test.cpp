// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "gttf/fit/streaming/streaming.hpp"
#include "gttf/fit/triplet/triplet_covariance.hpp"
#include "support/triplet_samples.hpp"

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("triplet fit: a beam spot is one more hit, as in the streaming fit") {
  const BeamSpot spot{.x = 0.02, .y = 0.05, .z = 20};
  for (const double field : {2 * unit::T, 0.0}) {
    const TrackingGeometry geometry(mixed_detector(field));
    for (const Sample& sample : samples()) {
      CAPTURE(field);
      CAPTURE(sample.name);
      const auto found =
          find_crossings(geometry, sample.track, Scattering::highland);
      const auto start = make_start_hit(found.line, spot);
      const TripletTrack track =
          make_triplet_track(geometry, sample.track, found, &start);
      const auto c = triplet_covariance(track);
      REQUIRE(c.status == TripletStatus::ok);
      CHECK(c.n_hits == found.n_measuring);
      CHECK(fitted_positions(track).size() ==
            static_cast<std::size_t>(found.n_measuring));
      const int n = field == 0 ? 4 : 5;
      const auto e = filter<Errors::all>(HelixPath(geometry, found), &start);
      CHECK(deviation(c.perigee, matrix(covariance(e)), n) < 1e-11);
      auto outer = filter<Errors::all>(HelixPath(geometry, found));
      const auto& first = found.list[static_cast<std::size_t>(found.first)];
      const auto on_surface = covariance(
          join_with_start(HelixPath(geometry, found), start, outer),
          surface_jacobian(found.line, geometry.surfaces()[first.surface],
                           first.at));
      CHECK(deviation(c.first_hit, matrix(on_surface), n) < 1e-11);
      detail::measure_start(start, outer);
      CHECK(deviation(c.perigee_without_inner, matrix(covariance(outer)), n) <
            1e-11);
      const auto hits =
          filter<Errors::hits_only>(HelixPath(geometry, found), &start);
      CHECK(
          deviation(
              triplet_covariance(track, {.errors = Errors::hits_only}).perigee,
              matrix(covariance(hits)), n) < 1e-11);
    }
  }
}

TEST_CASE("triplet fit: one layer and a beam spot give a straight track") {
  using unit::deg, unit::um;
  Detector detector;
  detector.layers = {layer(make_cylinder(20, {-500, 500}), 0.01),
                     layer(make_cylinder(40, {-500, 500}), 0.02,
                           {{0, 10 * um}, {90 * deg, 20 * um}})};
  const TrackingGeometry geometry(detector);
  Track t;
  t.theta = 1.2;
  const auto found = find_crossings(geometry, t, Scattering::highland);
  const auto start = make_start_hit(found.line, BeamSpot{0.02, 0.05, 20});
  const auto c =
      triplet_covariance(make_triplet_track(geometry, t, found, &start));
  REQUIRE(c.status == TripletStatus::ok);
  const auto outer = filter<Errors::all>(HelixPath(geometry, found));
  const auto& first = found.list.back();
  const auto on_surface =
      covariance(join_with_start(HelixPath(geometry, found), start, outer),
                 surface_jacobian(
                     found.line, geometry.surfaces()[first.surface], first.at));
  CHECK(deviation(c.first_hit, matrix(on_surface), 4) < 1e-12);
}

TEST_CASE("triplet fit: a thousand hits at 1 TeV keep eleven digits") {
  // K^-1 has a condition of some n^4 = 1e12 where hit errors dominate; its
  // root is grown without being formed. A Cholesky factorisation of it keeps
  // six digits there.
  Detector detector;
  detector.field = {FieldKind::solenoid, 2 * unit::T};
  for (int k = 0; k < 1000; ++k)
    detector.layers.push_back(layer(make_cylinder(30 + 0.97 * k, {-5e3, 5e3}),
                                    1e-6, {{0, 0.01}, {0.5 * unit::pi, 0.01}}));
  const TrackingGeometry geometry(detector);
  Track t;
  t.p = 1 * unit::TeV;
  t.theta = 0.9;
  const auto found = find_crossings(geometry, t, Scattering::rossi);
  const auto c = triplet_covariance(make_triplet_track(geometry, t, found));
  REQUIRE(c.status == TripletStatus::ok);
  using Wide = boost::multiprecision::cpp_bin_float_quad;
  const auto wide_found = with_scalar(
      geometry, found, make_line<Wide>(t, geometry.bz()), Scattering::rossi);
  const auto wide =
      covariance(filter<Errors::all>(HelixPath(geometry, wide_found)));
  Matrix5 exact;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      exact(i, j) = static_cast<double>(
          wide[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
  CHECK(deviation(c.perigee_without_inner, exact) < 5e-12);
}

TEST_CASE("triplet fit: reports what is missing") {
  using unit::deg, unit::um;
  Detector detector;
  detector.field = {FieldKind::solenoid, 2 * unit::T};
  for (const double r : {30., 60., 90., 120., 150.})
    detector.layers.push_back(
        layer(make_cylinder(r, {-900, 900}), 0.01, {{0, 10 * um}}));
  Track t;
  t.theta = 1.0;
  SUBCASE("parallel strips say nothing about the polar angle") {
    const auto c = triplet_covariance(track_in(TrackingGeometry(detector), t));
    CHECK(c.status == TripletStatus::not_determined);
    CHECK(std::isnan(c.variance_kappa));
  }
  SUBCASE("two coordinates along z complete them") {
    for (const std::size_t k : {0u, 3u})
      detector.layers[k].coordinates.push_back({90 * deg, 50 * um});
    const auto c = triplet_covariance(track_in(TrackingGeometry(detector), t));
    CHECK(c.status == TripletStatus::ok);
  }
  SUBCASE("exact hits on layers without material have no kinks to fit") {
    for (Layer& l : detector.layers) {
      l.material.front().x_over_x0 = 0;
      l.coordinates.push_back({90 * deg, 50 * um});
    }
    const auto c = triplet_covariance(track_in(TrackingGeometry(detector), t),
                                      {.errors = Errors::scattering_only});
    CHECK(c.status == TripletStatus::singular);
  }
}

TEST_CASE("triplet fit: a segment of nearly half a turn is flagged") {
  using unit::deg, unit::um;
  Detector detector;
  detector.field = {FieldKind::solenoid, 2 * unit::T};
  for (const double r : {0.5, 1.0, 99.99})
    detector.layers.push_back(layer(make_cylinder(r, {-900, 900}), 0,
                                    {{0, 10 * um}, {90 * deg, 50 * um}}));
  Track t;
  t.p = 50 * detector.field.bz;  // radius 50 mm: turns by 3.09 rad to 99.99 mm
  const auto flat = triplet_covariance(track_in(TrackingGeometry(detector), t));
  CHECK(flat.status == TripletStatus::ok);
  CHECK(flat.index_pole);
  t.theta = 60 * deg;  // same circle, but the rise along z gives the direction
  t.p /= std::sin(t.theta);
  const auto steep =
      triplet_covariance(track_in(TrackingGeometry(detector), t));
  CHECK(steep.status == TripletStatus::ok);
  CHECK_FALSE(steep.index_pole);
}

}  // namespace gttf::test::GTTF_TEST_FILE
