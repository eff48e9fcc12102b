// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/track/beam_spot.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>

#include "gttf/resolution/resolution.hpp"
#include "support/compare.hpp"
#include "support/dense.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Detector barrel_with_pipe() {
  Detector d = make_barrel(6, 30, 400, 2, 0.01, 0.01);
  d.layers.push_back(make_layer("pipe", make_cylinder(22, {-1e4, 1e4}), 0.005));
  return d;
}

Track some_track() {
  Track t;
  t.theta = 1.1;
  t.phi = 0.7;
  t.p = 2;
  return t;
}

}  // namespace

TEST_CASE("beam spot: is a Gaussian prior on d0 and z0 at the start") {
  // C^-1 = C_hits^-1 + prior, with Var(d0), Var(z0), Cov from the projection
  const TrackingGeometry geometry(barrel_with_pipe());
  const Track t = some_track();
  const BeamSpot spot{.x = 0.02, .y = 0.05, .z = 30};
  const double cot = 1 / std::tan(t.theta);
  const Eigen::Vector2d e0{std::cos(t.phi), std::sin(t.phi)};
  const Eigen::Vector2d n0{-e0[1], e0[0]};
  const Eigen::Vector2d v{spot.x * spot.x, spot.y * spot.y};
  Eigen::Matrix2d prior;
  prior(0, 0) = n0.cwiseProduct(v).dot(n0);
  prior(0, 1) = prior(1, 0) = -cot * n0.cwiseProduct(v).dot(e0);
  prior(1, 1) = spot.z * spot.z + cot * cot * e0.cwiseProduct(v).dot(e0);

  const Resolution hits = resolve(geometry, t);
  const Resolution both =
      resolve(geometry, t, {Scattering::highland, Engine::streaming, spot});
  Matrix5 information = inverse(hits.perigee);
  information.topLeftCorner<2, 2>() += prior.inverse();
  CHECK(worst(both.perigee, inverse(information)) < 1e-9);
  // and for the parameters without inner material
  information = inverse(hits.perigee_without_inner);
  information.topLeftCorner<2, 2>() += prior.inverse();
  CHECK(worst(both.perigee_without_inner, inverse(information)) < 1e-9);
}

TEST_CASE("beam spot: a very wide one changes nothing") {
  const TrackingGeometry geometry(barrel_with_pipe());
  const Track t = some_track();
  const Resolution off = resolve(geometry, t);
  const Resolution wide = resolve(
      geometry, t,
      {Scattering::highland, Engine::streaming, BeamSpot{1e6, 1e6, 1e6}});
  CHECK(worst(wide.perigee, off.perigee) < 1e-9);
  CHECK(worst(wide.first_hit, off.first_hit) < 1e-9);
  CHECK(wide.sigma_p_rel_hit_only ==
        doctest::Approx(off.sigma_p_rel_hit_only).epsilon(1e-9));
}

TEST_CASE("beam spot: equals a measuring layer close to the start") {
  // a pixel cylinder of 1 nm radius without material measures d0 and z0
  Detector d = barrel_with_pipe(), with_layer = d;
  Track t = some_track();
  t.phi = 0;
  with_layer.layers.push_back(
      make_layer("start", make_cylinder(1e-6, {-1, 1}), 0, pixel(0.02, 0.05)));
  const Resolution layer = resolve(TrackingGeometry(with_layer), t);
  // at phi = 0 the cylinder's r-phi is y; an error of x along the track would
  // move z0, that of a cylinder does not: sigma_x = 0, except that it must be >
  // 0
  const Resolution spot = resolve(
      TrackingGeometry(d), t,
      {Scattering::highland, Engine::streaming, BeamSpot{1e-9, 0.02, 0.05}});
  CHECK(worst(spot.perigee, layer.perigee) < 1e-6);
  CHECK(spot.sigma_p_rel == doctest::Approx(layer.sigma_p_rel).epsilon(1e-9));
  CHECK(spot.sigma_p_rel_hit_only ==
        doctest::Approx(layer.sigma_p_rel_hit_only).epsilon(1e-9));
  CHECK(spot.sigma_p_rel_ms_only ==
        doctest::Approx(layer.sigma_p_rel_ms_only).epsilon(1e-9));
  CHECK(spot.mu_phi == doctest::Approx(layer.mu_phi).epsilon(1e-9));
}

TEST_CASE("beam spot: both engines agree, with and without field") {
  for (double tesla : {0.0, 2.0}) {
    Detector d = barrel_with_pipe();
    d.field.bz = tesla * unit::T;
    const BeamSpot spot{0.02, 0.05, 3};
    const Resolution a =
        resolve(TrackingGeometry(d), some_track(),
                {Scattering::highland, Engine::streaming, spot});
    const Resolution b = resolve(TrackingGeometry(d), some_track(),
                                 {Scattering::highland, Engine::triplet, spot});
    const int n = tesla == 0 ? 4 : 5;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const auto scaled = [&](const Matrix5& x, const Matrix5& y) {
          return std::abs(x(i, j) - y(i, j)) / std::sqrt(x(i, i) * x(j, j));
        };
        CHECK(scaled(a.perigee, b.perigee) < 1e-10);
        CHECK(scaled(a.perigee_without_inner, b.perigee_without_inner) < 1e-10);
        CHECK(scaled(a.first_hit, b.first_hit) < 1e-9);
      }
    if (tesla == 0) continue;
    CHECK(b.sigma_p_rel_hit_only ==
          doctest::Approx(a.sigma_p_rel_hit_only).epsilon(1e-10));
    CHECK(b.sigma_p_rel_ms_only ==
          doctest::Approx(a.sigma_p_rel_ms_only).epsilon(1e-10));
  }
}

TEST_CASE("beam spot: two layers and a spot measure the momentum") {
  Detector d = make_barrel(2, 30, 400, 2, 0.01, 0.01);
  const Track t = some_track();
  CHECK(resolve(TrackingGeometry(d), t).status == Status::too_few_hits);
  const Resolution r = resolve(
      TrackingGeometry(d), t,
      {Scattering::highland, Engine::streaming, BeamSpot{0.01, 0.01, 1}});
  CHECK(r.status == Status::ok);
  CHECK(r.sigma_p_rel > 0);
}

}  // namespace gttf::test::GTTF_TEST_FILE
