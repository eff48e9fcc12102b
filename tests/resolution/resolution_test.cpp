// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/resolution.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "support/compare.hpp"
#include "support/dense.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Resolution resolve_in(const Detector& d, const Track& t, Model m = {}) {
  return resolve(TrackingGeometry(d), t, m);
}

/// A detector of cylinders and disks: symmetric around the axis.
Detector collider() {
  Detector d = make_barrel(5, 30, 300, 2, 0.01, 0.01);
  for (Layer& layer : d.layers) layer.surface.v = {-300, 300};
  d.layers.push_back(make_layer("pipe", make_cylinder(22, {-1e3, 1e3}), 0.003));
  d.layers[2].coordinates = {{0.04, 0.02}, {-0.04, 0.02}};
  for (double z : {350.0, 450.0, 600.0}) {
    d.layers.push_back(make_layer("d" + std::to_string(z),
                                  make_disk(z, {30, 400}), 0.02,
                                  pixel(0.01, 0.05)));
    d.layers.push_back(make_layer("e" + std::to_string(z),
                                  make_disk(-z, {30, 400}), 0.02,
                                  pixel(0.01, 0.05)));
  }
  return d;
}

constexpr double angles[] = {15, 25, 40, 60, 90, 110, 155};

}  // namespace

TEST_CASE("resolution: invariant under rotation about z") {
  const Detector d = collider();
  for (double theta : angles) {
    Track t;
    t.theta = theta * unit::deg;
    t.vertex = {2, -1, 5};
    Track turned = t;
    const double a = 1.234;
    turned.phi += a;
    turned.vertex = {2 * std::cos(a) + std::sin(a),
                     2 * std::sin(a) - std::cos(a), 5};
    const Resolution r = resolve_in(d, t), s = resolve_in(d, turned);
    REQUIRE(r.status == Status::ok);
    CHECK(worst(s.perigee, r.perigee) < 1e-12);
    CHECK(worst(s.first_hit, r.first_hit) < 1e-12);
  }
}

TEST_CASE("resolution: charge and field reversed together change nothing") {
  Detector d = collider(), reversed = d;
  reversed.field.bz = -d.field.bz;
  for (double theta : angles) {
    Track t, anti;
    t.theta = anti.theta = theta * unit::deg;
    anti.charge = -t.charge;
    const Resolution r = resolve_in(d, t), s = resolve_in(reversed, anti);
    REQUIRE(r.status == Status::ok);
    Matrix5 flipped = s.perigee;  // q/p changes sign
    flipped.row(Perigee::qop) *= -1;
    flipped.col(Perigee::qop) *= -1;
    CHECK(worst(flipped, r.perigee) == 0);
  }
}

TEST_CASE("resolution: the other charge is the mirror image") {
  Detector d = collider();
  // a mirror image has the opposite stereo angles
  Detector mirrored = d;
  for (Layer& layer : mirrored.layers)
    for (Coordinate& c : layer.coordinates) c.angle = -c.angle;
  for (double theta : angles) {
    Track t, anti;
    t.theta = anti.theta = theta * unit::deg;
    anti.charge = -t.charge;
    const Resolution r = resolve_in(d, t), s = resolve_in(mirrored, anti);
    REQUIRE(r.status == Status::ok);
    Matrix5 flipped = s.perigee;
    for (int i : {+Perigee::d0, +Perigee::phi, +Perigee::qop}) {
      flipped.row(i) *= -1;
      flipped.col(i) *= -1;
    }
    CHECK(worst(flipped, r.perigee) < 1e-13);
  }
}

TEST_CASE("resolution: z reflected, theta to 180 deg - theta") {
  Detector d = collider();
  Detector mirrored = d;
  for (Layer& layer : mirrored.layers)
    for (Coordinate& c : layer.coordinates)
      if (layer.surface.shape == Shape::cylinder) c.angle = -c.angle;
  for (double theta : angles) {
    Track t, other;
    t.theta = theta * unit::deg;
    other.theta = unit::pi - t.theta;
    const Resolution r = resolve_in(d, t), s = resolve_in(mirrored, other);
    REQUIRE(r.status == Status::ok);
    CHECK(s.sigma_p_rel == doctest::Approx(r.sigma_p_rel).epsilon(1e-12));
    CHECK(std::sqrt(s.perigee(1, 1)) ==
          doctest::Approx(std::sqrt(r.perigee(1, 1))).epsilon(1e-12));
  }
}

TEST_CASE("resolution: the order of the layers in the file does not matter") {
  const Detector d = collider();
  std::mt19937 engine(3);
  for (double theta : angles) {
    Track t;
    t.theta = theta * unit::deg;
    Detector shuffled = d;
    std::shuffle(shuffled.layers.begin(), shuffled.layers.end(), engine);
    const Resolution r = resolve_in(d, t), s = resolve_in(shuffled, t);
    REQUIRE(r.status == Status::ok);
    // bit for bit: the crossings are taken in order of flight
    CHECK(worst(s.perigee, r.perigee) == 0);
  }
}

TEST_CASE("resolution: a coordinate pair equals two layers at one radius") {
  Detector d = collider(), split = d;
  Layer second = split.layers[1];
  second.name = "second";
  second.material.clear();
  second.coordinates.erase(second.coordinates.begin());
  split.layers[1].coordinates.pop_back();
  split.layers.push_back(second);
  Track t;
  t.theta = 1.1;
  // the massless copy must be crossed on the same side of the scatterer: both
  // orders are the same point
  CHECK(worst(resolve_in(split, t).perigee, resolve_in(d, t).perigee) < 1e-12);
}

TEST_CASE("resolution: more material or larger errors never help") {
  const Detector d = collider();
  Track t;
  t.theta = 0.8;
  const Resolution r = resolve_in(d, t);
  for (std::size_t k = 0; k < d.layers.size(); ++k) {
    Detector heavier = d, coarser = d;
    heavier.layers[k].material.push_back({"", 0, 0.01});
    for (Coordinate& c : coarser.layers[k].coordinates) c.sigma *= 1.5;
    for (const Resolution& s : {resolve_in(heavier, t), resolve_in(coarser, t)})
      for (int i = 0; i < 5; ++i)
        CHECK(s.perigee(i, i) >= r.perigee(i, i) * (1 - 1e-12));
  }
}

TEST_CASE("resolution: limits bound the total, which is below their sum") {
  const Detector d = collider();
  for (double p : {0.3, 1.0, 10.0, 100.0, 1000.0}) {
    Track t;
    t.p = p;
    const Resolution r = resolve_in(d, t);
    REQUIRE(r.status == Status::ok);
    CHECK(r.sigma_p_rel_hit_only <= r.sigma_p_rel);
    CHECK(r.sigma_p_rel_ms_only <= r.sigma_p_rel);
  }
}

TEST_CASE("resolution: without a field q/p is absent and angles are not") {
  Detector d = collider();
  d.field = {};
  Track t;
  const Resolution r = resolve_in(d, t);
  CHECK(r.status == Status::no_field);
  CHECK(std::isnan(r.sigma_p_rel));
  CHECK(std::isnan(r.perigee(Perigee::qop, Perigee::qop)));
  CHECK(std::isnan(r.perigee(Perigee::qop, Perigee::d0)));
  CHECK(r.perigee(Perigee::phi, Perigee::phi) > 0);
  CHECK(r.regime == Regime::unknown);
  // knowing p, the line is measured better than when p is fitted
  const Resolution with = resolve_in(collider(), t);
  CHECK(r.perigee(Perigee::d0, Perigee::d0) <
        with.perigee(Perigee::d0, Perigee::d0));
}

TEST_CASE("resolution: every reason for having none is distinguished") {
  Detector d = collider();
  Track t;
  t.p = 0.03;  // radius 50 mm
  CHECK(resolve_in(d, t).status == Status::curls_up);
  t = {};
  t.theta = 2 * unit::deg;
  CHECK(resolve_in(d, t).status == Status::too_few_hits);
  t = {};
  for (Layer& layer : d.layers)
    if (layer.measures()) layer.coordinates = {{0, 0.01}};
  const Resolution r = resolve_in(d, t);  // z is not measured anywhere
  CHECK(r.status == Status::not_determined);
  CHECK(std::isnan(r.perigee(0, 0)));
  CHECK(r.n_hits == 5);
}

TEST_CASE("resolution: mu and xi of a three-layer barrel are the paper's") {
  // one triplet at 90 deg and small bending: mu^2 = Gamma/(Gamma + theta0^2)
  // with Gamma = sigma^2 (1/l01^2 + (1/l01 + 1/l12)^2 + 1/l12^2), and
  // xi = xi_MS sqrt(1 - mu^2), xi_MS = a/(2 b) [GTTF] eq:def_tracking_scale,
  // eq:curvature_significance_MS2
  const double sigma = 0.01, l01 = 30, l12 = 50;
  Detector d = make_barrel(3, 30, 110, 2, 0.01, sigma);
  d.layers[1].surface.position = 60;
  Track t;
  for (double p : {3.0, 10.0, 30.0}) {
    t.p = p;
    const Resolution r = resolve_in(d, t);
    const double theta0 = r.crossings[1].theta0;
    const double both = 1 / l01 + 1 / l12;
    const double gamma =
        sigma * sigma * (1 / (l01 * l01) + both * both + 1 / (l12 * l12));
    const double mu2 = gamma / (gamma + theta0 * theta0);
    const double kappa = d.field.bz / p;
    const double xi_ms = (l01 + l12) * kappa / (2 * theta0);
    // corrections of order (bending angle)^2
    CHECK(r.mu_phi * r.mu_phi == doctest::Approx(mu2).epsilon(1e-3));
    CHECK(r.xi == doctest::Approx(xi_ms * std::sqrt(1 - mu2)).epsilon(1e-3));
  }
}

TEST_CASE("classify: thresholds 3 for xi and 0.15 for mu") {
  CHECK(classify(0.1, 5) == Regime::scattering);
  CHECK(classify(0.2, 5) == Regime::mixed);
  CHECK(classify(0.995, 5) == Regime::hits);
  CHECK(classify(0.1, 2.9) == Regime::weak);
  CHECK(classify(std::nan(""), 5) == Regime::unknown);
}

TEST_CASE("resolution: random layouts give positive semidefinite matrices") {
  RandomLayouts random(31);
  int checked = 0;
  for (int i = 0; i < 2000; ++i) {
    const Resolution r = resolve_in(random.detector(), random.track());
    if (r.status != Status::ok) continue;
    for (const Matrix5& m : {r.perigee, r.perigee_without_inner, r.first_hit}) {
      CHECK(m == m.transpose());
      // the rounding of storing a correlation near 1 in a double
      CHECK(least_eigenvalue_of_correlations(m) > -1e-14);
      ++checked;
    }
  }
  CHECK(checked > 2000);
}

}  // namespace gttf::test::GTTF_TEST_FILE
