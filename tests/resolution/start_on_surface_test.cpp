// SPDX-License-Identifier: Apache-2.0
// Resolutions of tracks that start on a layer: its hit and its material count,
// in both engines, for single tracks and batches.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "gttf/resolution/resolution.hpp"
#include "support/batch.hpp"
#include "support/compare.hpp"
#include "support/plane_least_squares.hpp"
#include "support/telescope.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// The track from the place of a crossing, `back` mm before it on the tangent.
Track from(const Track& t, const CrossingInfo& x, double back = 0) {
  Track moved = t;
  moved.theta = x.theta;
  moved.phi = x.phi;
  const double step[] = {std::sin(x.theta) * std::cos(x.phi),
                         std::sin(x.theta) * std::sin(x.phi),
                         std::cos(x.theta)};
  for (std::size_t i = 0; i < 3; ++i)
    moved.vertex[i] = x.position[static_cast<int>(i)] - back * step[i];
  return moved;
}

bool has_covariance(const Resolution& r) {
  // barely determined tracks measure conditioning
  return (r.status == Status::ok && r.sigma_p_rel < 1 &&
          r.perigee(2, 2) < 1e-2) ||
         (r.status == Status::no_field && r.perigee(2, 2) < 1e-2);
}

/// Errors of the direction over those of the point, 1/mm.
double directions_per_point(const Matrix5& perigee, const Track& t) {
  const auto sigma = [&perigee](int i) { return std::sqrt(perigee(i, i)); };
  const double sine = std::sin(t.theta);
  return sigma(Perigee::phi) / sigma(Perigee::d0) +
         sigma(Perigee::theta) / (sine * sine * sigma(Perigee::z0));
}

}  // namespace

TEST_CASE("start on a layer: six planes of a telescope, dense least squares") {
  const Detector d = make_telescope();
  const TrackingGeometry geometry(d);
  Track t;
  t.p = 4;
  t.theta = 0;
  t.mass = 0.51099895e-3;
  Model model;
  model.at = AtLayer{.layer = 0, .own_hit = true};
  const Resolution r = resolve(geometry, t, model);
  REQUIRE(r.status == Status::no_field);
  CHECK(r.n_hits == 6);
  REQUIRE(r.crossings.size() == 7);
  std::vector<PlaneLeastSquares::Plane> planes;
  for (const CrossingInfo& x : r.crossings) {
    planes.push_back({.z = x.position.z(), .theta0_2 = x.theta0 * x.theta0});
    if (!x.measured) continue;
    const double variance = std::pow(3 * unit::um, 2);
    planes.back().coordinates = {{1, 0, variance}, {0, 1, variance}};
  }
  PlaneLeastSquares::State start = PlaneLeastSquares::State::Zero();
  start[4] = 1 / t.p;
  const PlaneLeastSquares dense(
      start, -1, planes,
      [](const Eigen::Vector3d&) { return Eigen::Vector3d::Zero().eval(); }, {},
      false);
  const Matrix5 before = dense.before(0);
  CHECK(worst(r.start_plane, before, 4) < 1e-9);
  REQUIRE(r.at);
  CHECK(r.at->exists);
  CHECK(worst(r.at->slopes, before, 4) < 1e-9);
  for (const Engine engine : {Engine::streaming, Engine::triplet}) {
    model.engine = engine;
    const Resolution b = resolve(geometry, t, model);
    REQUIRE(b.status == r.status);
    CHECK(worst(b.start_plane, before, 4) < 1e-9);
  }
  // at a layer after the first, the start has no effect
  model.engine = Engine::streaming;
  model.at = AtLayer{.layer = 6, .own_hit = true};
  Track earlier = t;
  earlier.vertex[2] = -10;
  const Resolution at = resolve(geometry, t, model);
  const Resolution at_earlier = resolve(geometry, earlier, model);
  CHECK(worst(at.at->slopes, at_earlier.at->slopes, 4) < 1e-12);
}

TEST_CASE("start on a layer: engines, batches and starts before it agree") {
  RandomLayouts random(5);
  int checked = 0, with_spot = 0;
  for (int i = 0; i < 400; ++i) {
    Detector d = random.detector();
    if (i % 4 == 0) d.field = {};
    const TrackingGeometry geometry(d);
    const Track far = random.track();
    const Resolution whole = resolve(geometry, far);
    if (whole.crossings.size() < 4) continue;
    const auto pick = static_cast<std::size_t>(
        random.uniform(0, 0.5) * static_cast<double>(whole.crossings.size()));
    const Track t = from(far, whole.crossings[pick]);
    Model streaming, triplet;
    triplet.engine = Engine::triplet;
    const Resolution a = resolve(geometry, t, streaming);
    if (!has_covariance(a)) continue;
    CAPTURE(i);
    const int n = a.status == Status::ok ? 5 : 4;
    REQUIRE(a.crossings[0].layer == whole.crossings[pick].layer);
    const Resolution b = resolve(geometry, t, triplet);
    REQUIRE(b.status == a.status);
    // as engines_test.cpp
    CHECK(worst(b.perigee, a.perigee, n) < 1e-6);
    CHECK(worst(b.perigee_without_inner, a.perigee_without_inner, n) < 1e-6);
    CHECK(worst(b.first_hit, a.first_hit, n) < 1e-6);

    TrackList list;
    list.add(t);
    BatchOutput batch(1, 0);
    resolve(geometry, list.views(), streaming, batch.views());
    CHECK(batch.status[0] == a.status);
    CHECK(batch.n_hits[0] == a.n_hits);
    CHECK(worst(batch.perigee.matrix(0), a.perigee, n) < 1e-9);
    CHECK(batch.x_over_x0[0] == doctest::Approx(a.x_over_x0).epsilon(1e-12));

    for (const double back : {1e-7, 1e-6, 1e-5, 1e-4, 1e-3})
      for (const Model& model : {streaming, triplet}) {
        CAPTURE(back);
        const Resolution c =
            resolve(geometry, from(far, whole.crossings[pick], back), model);
        REQUIRE(c.status == a.status);
        CHECK(c.n_hits == a.n_hits);
        // `back` is along the tangent: a track of 100 mm radius turns by it
        CHECK(c.x_over_x0 ==
              doctest::Approx(a.x_over_x0).epsilon(1e-6 + 0.05 * back));
        // errors of the direction times the path, against those of the point
        CHECK(worst(c.perigee, a.perigee, n) <
              1e-6 + back * (1 + 2 * directions_per_point(a.perigee, t)));
      }
    ++checked;

    streaming.beam_spot = triplet.beam_spot = BeamSpot{0.02, 0.01, 5};
    const Resolution e = resolve(geometry, t, streaming);
    const Resolution f = resolve(geometry, t, triplet);
    if (!has_covariance(e)) continue;
    CHECK(f.status == e.status);
    CHECK(worst(f.perigee, e.perigee, n) < 1e-6);
    CHECK(worst(f.perigee_without_inner, e.perigee_without_inner, n) < 1e-6);
    ++with_spot;
  }
  CHECK(checked > 60);
  CHECK(with_spot > 60);
}

}  // namespace gttf::test::GTTF_TEST_FILE
