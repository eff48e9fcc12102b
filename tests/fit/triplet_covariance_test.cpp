// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/triplet_covariance.hpp"

#include <doctest/doctest.h>

#include <string>

#include "gttf/fit/streaming/streaming.hpp"
#include "support/dense.hpp"
#include "support/helix_least_squares.hpp"
#include "support/reference.hpp"
#include "support/triplet_samples.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// q/p of the reference files -> kappa = -B q/p.
Matrix5 in_kappa(const nlohmann::json& c, double bz) {
  Matrix5 m;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      m(i, j) = c[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]
                    .get<double>() *
                (i == 4 ? -bz : 1) * (j == 4 ? -bz : 1);
  return m;
}

}  // namespace

TEST_CASE("triplet fit: equals a dense helix fit in 113 bits") {
  const TrackingGeometry geometry(mixed_detector());
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    const TripletTrack track = track_in(geometry, sample.track);
    for (const Errors errors : {Errors::all, Errors::hits_only}) {
      CAPTURE(static_cast<int>(errors));
      const auto c = triplet_covariance(track, {.errors = errors});
      REQUIRE(c.status == TripletStatus::ok);
      const HelixLeastSquares reference(track, errors);
      // the Jacobians of the reference are rounded in double: some 1e-13
      CHECK(deviation(c.perigee, reference.with_inner) < 1e-11);
      CHECK(deviation(c.perigee_without_inner, reference.without_inner) <
            1e-11);
      CHECK(c.variance_kappa == c.perigee(4, 4));
      const auto fitted = fitted_positions(track, {.errors = errors});
      REQUIRE(fitted.size() == reference.fitted.size());
      for (std::size_t k = 0; k < fitted.size(); ++k)
        CHECK(deviation(fitted[k].covariance, reference.fitted[k], 2) < 1e-11);
    }
  }
}

TEST_CASE("triplet fit: exact coordinates leave the scattering-only limit") {
  Detector detector = mixed_detector();
  for (Layer& l : detector.layers)
    if (l.x_over_x0() == 0) l.material.front().x_over_x0 = 0.005;
  const TrackingGeometry geometry(detector);
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    const TripletTrack track = track_in(geometry, sample.track);
    const auto c =
        triplet_covariance(track, {.errors = Errors::scattering_only});
    REQUIRE(c.status == TripletStatus::ok);
    const HelixLeastSquares reference(track, Errors::scattering_only);
    // exact rows of many coordinates, in double, against 1e-10 mm
    CHECK(deviation(c.perigee, reference.with_inner) < 1e-10);
  }
}

TEST_CASE("triplet fit: without field, straight tracks with four parameters") {
  const TrackingGeometry geometry(mixed_detector(0));
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    const TripletTrack track = track_in(geometry, sample.track);
    const auto c = triplet_covariance(track);
    REQUIRE(c.status == TripletStatus::ok);
    const HelixLeastSquares reference(track, Errors::all);
    CHECK(deviation(c.perigee, reference.with_inner, 4) < 1e-11);
    CHECK(deviation(c.perigee_without_inner, reference.without_inner, 4) <
          1e-11);
    CHECK(c.variance_kappa == 0);
    CHECK(c.perigee.row(4).isZero(0));
  }
}

TEST_CASE("triplet fit: two pixel hits suffice without field, not with one") {
  using unit::deg, unit::um;
  Detector detector;
  const std::vector<Coordinate> pixel = {{0, 10 * um}, {90 * deg, 20 * um}};
  detector.layers = {layer(make_cylinder(30, {-500, 500}), 0.01, pixel),
                     layer(make_cylinder(45, {-500, 500}), 0.02),
                     layer(make_cylinder(60, {-500, 500}), 0.01, pixel)};
  Track t;
  t.theta = 1.1;
  const TripletTrack straight = track_in(TrackingGeometry(detector), t);
  const auto c = triplet_covariance(straight);
  REQUIRE(c.status == TripletStatus::ok);
  const HelixLeastSquares reference(straight, Errors::all);
  CHECK(deviation(c.perigee, reference.with_inner, 4) < 1e-12);
  detector.field = {FieldKind::solenoid, 1 * unit::T};
  const auto bent = triplet_covariance(track_in(TrackingGeometry(detector), t));
  CHECK(bent.status == TripletStatus::too_few_hits);
  CHECK(bent.n_hits == 2);
  CHECK(std::isnan(bent.perigee(0, 0)));
}

TEST_CASE("triplet fit: equals the helix least squares of the case files") {
  for (const std::string name :
       {"p1_pixel5", "p2_pixstrip10", "p3_its2_like", "p4_mu3e_like",
        "p5_forward_eta2", "p6_tpc100"}) {
    CAPTURE(name);
    const auto file = read_json("oracle/" + name + ".json");
    const TrackingGeometry geometry(oracle_detector(file));
    double worst = 0;
    for (const auto& point : file.at("points")) {
      const auto& e = point.at("expected");
      const TripletTrack track =
          track_in(geometry, oracle_track(point.at("input")));
      const auto c = triplet_covariance(track);
      REQUIRE(c.status == TripletStatus::ok);
      const double bz = geometry.bz();
      worst = std::max(
          {worst, deviation(c.perigee, in_kappa(e.at("cov_perigee"), bz)),
           deviation(c.perigee_without_inner,
                     in_kappa(e.at("cov_perigee_noinner"), bz)),
           deviation(c.first_hit, in_kappa(e.at("cov_first"), bz))});
      const auto relative_kappa = [&](Errors errors) {
        return std::sqrt(triplet_covariance(track, {.errors = errors})
                             .variance_kappa) /
               std::abs(track.kappa);
      };
      CHECK(relative_kappa(Errors::hits_only) ==
            doctest::Approx(e.at("sigma_p_rel_noms").get<double>())
                .epsilon(1e-9));
      CHECK(relative_kappa(Errors::scattering_only) ==
            doctest::Approx(e.at("sigma_p_rel_nohit").get<double>())
                .epsilon(1e-9));
      const auto fitted = fitted_positions(track);
      std::size_t hit = 0;
      for (const auto& x : e.at("crossings"))
        if (x.at("measured").get<bool>()) {
          const auto& v = fitted.at(hit++).covariance;
          worst = std::max(
              {worst,
               std::abs(std::sqrt(v(0, 0)) / x.at("sigma_u_fit").get<double>() -
                        1),
               std::abs(std::sqrt(v(1, 1)) / x.at("sigma_v_fit").get<double>() -
                        1)});
        }
    }
    CAPTURE(worst);
    CHECK(worst < 1e-9);  // the files have 10 digits
  }
}

TEST_CASE("triplet fit: equals the streaming fit") {
  const auto delphes = read_json("delphes/CLD_2023_fbceebd.json");
  const TrackingGeometry geometries[] = {
      TrackingGeometry(mixed_detector()),
      TrackingGeometry(mixed_detector(-4 * unit::T)),
      TrackingGeometry(delphes_detector(delphes))};
  for (const TrackingGeometry& geometry : geometries)
    for (const Sample& sample : samples()) {
      CAPTURE(sample.name);
      const auto found =
          find_crossings(geometry, sample.track, Scattering::highland);
      if (found.n_measuring < 3) continue;
      const auto c =
          triplet_covariance(make_triplet_track(geometry, sample.track, found));
      REQUIRE(c.status == TripletStatus::ok);
      const auto e = filter<Errors::all>(HelixPath(geometry, found));
      auto perigee = covariance(e);
      CHECK(deviation(c.perigee_without_inner, matrix(perigee)) < 1e-11);
      add_inner_material(HelixPath(geometry, found), perigee);
      CHECK(deviation(c.perigee, matrix(perigee)) < 1e-11);
      const auto& first = found.list[static_cast<std::size_t>(found.first)];
      const auto on_surface = covariance(
          e, surface_jacobian(found.line, geometry.surfaces()[first.surface],
                              first.at));
      CHECK(deviation(c.first_hit, matrix(on_surface)) < 1e-11);
    }
}

TEST_CASE("triplet fit: variances of any size, of which products underflow") {
  Detector detector = mixed_detector();
  for (Layer& l : detector.layers)
    if (l.x_over_x0() == 0) l.material.front().x_over_x0 = 0.005;
  const TrackingGeometry geometry(detector);
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    const TripletTrack track = track_in(geometry, sample.track);
    TripletTrack small = track;
    constexpr int exponent = -600;
    for (TripletPoint& c : small.crossings) {
      c.kink_variance = std::ldexp(c.kink_variance, exponent);
      for (TripletCoordinate& a : c.coordinates)
        a.variance = std::ldexp(a.variance, exponent);
    }
    for (const Errors errors :
         {Errors::all, Errors::hits_only, Errors::scattering_only}) {
      const auto a = triplet_covariance(track, {.errors = errors});
      const auto b = triplet_covariance(small, {.errors = errors});
      REQUIRE(b.status == TripletStatus::ok);
      CHECK(b.variance_kappa == std::ldexp(a.variance_kappa, exponent));
      for (int i = 0; i < 5; ++i)
        CHECK(b.perigee(i, i) ==
              doctest::Approx(std::ldexp(a.perigee(i, i), exponent))
                  .scale(0)
                  .epsilon(1e-14));
    }
  }
}

TEST_CASE("triplet fit: a passive layer without material changes nothing") {
  Detector detector = mixed_detector();
  const TrackingGeometry geometry(detector);
  detector.layers.push_back(layer(make_cylinder(80, {-900, 900}), 0));
  const TrackingGeometry more(detector);
  for (const Sample& sample : samples()) {
    const auto a = triplet_covariance(track_in(geometry, sample.track));
    const auto b = triplet_covariance(track_in(more, sample.track));
    CHECK(a.perigee == b.perigee);
    CHECK(a.first_hit == b.first_hit);
  }
}

TEST_CASE("triplet fit: the mirrored track of opposite charge is as precise") {
  const TrackingGeometry geometry([] {
    Detector d = mixed_detector();
    for (Layer& l : d.layers)  // strips tilted one way have a handedness
      for (Coordinate& c : l.coordinates)
        c.angle = c.angle < 1.5 ? 0 : 0.5 * unit::pi;
    return d;
  }());
  for (const Sample& sample : samples()) {
    Track mirror = sample.track;
    mirror.charge = -mirror.charge;
    mirror.phi = -mirror.phi;
    mirror.vertex[1] = -mirror.vertex[1];
    const auto a = triplet_covariance(track_in(geometry, sample.track));
    const auto b = triplet_covariance(track_in(geometry, mirror));
    REQUIRE(a.status == TripletStatus::ok);
    REQUIRE(b.status == TripletStatus::ok);
    // d0, phi0 and kappa change sign
    const Vector5 sign{-1, 1, -1, 1, -1};
    const Matrix5 flipped = sign.asDiagonal() * b.perigee * sign.asDiagonal();
    CHECK(deviation(flipped, a.perigee) < 1e-12);
  }
}

TEST_CASE("triplet fit: covariances are positive semidefinite") {
  const TrackingGeometry geometry(mixed_detector());
  for (const Sample& sample : samples())
    for (const Errors errors : {Errors::all, Errors::hits_only}) {
      const auto c = triplet_covariance(track_in(geometry, sample.track),
                                        {.errors = errors});
      for (const Matrix5& m :
           {c.perigee, c.perigee_without_inner, c.first_hit}) {
        CHECK(m == m.transpose());
        CHECK(least_eigenvalue_of_correlations(m) > -1e-15);
      }
    }
}

TEST_CASE("triplet fit: residual and fitted position share the hit error") {
  // V - Cov(fitted) is the covariance of the residual: positive, and summing
  // up its shares of V gives the degrees of freedom of hits-only fits
  using unit::deg, unit::um;
  Detector detector;
  detector.field = {FieldKind::solenoid, 2 * unit::T};
  for (int k = 0; k < 8; ++k)
    detector.layers.push_back(layer(make_cylinder(30 + 40 * k, {-900, 900}),
                                    0.0,
                                    {{0, (10 + k) * um}, {90 * deg, 30 * um}}));
  Track t;
  t.theta = 1.0;
  const TripletTrack track = track_in(TrackingGeometry(detector), t);
  const auto fitted = fitted_positions(track);
  double freedom = 0;
  for (std::size_t k = 0; k < fitted.size(); ++k)
    for (int i = 0; i < 2; ++i) {
      const double v = track.crossings[k].coordinates[std::size_t(i)].variance;
      const double residual = v - fitted[k].covariance(i, i);
      CHECK(residual > 0);
      freedom += residual / v;
    }
  CHECK(freedom == doctest::Approx(2 * 8 - 5).epsilon(1e-12));
}

}  // namespace gttf::test::GTTF_TEST_FILE
