// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/streaming/streaming.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "gttf/core/dual.hpp"
#include "gttf/core/matrix.hpp"
#include "support/layouts.hpp"
#include "support/wide.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr std::size_t kappa = Perigee::kappa;
constexpr const StartHit<double>* no_start = nullptr;

template <class S>
Covariance5<S> at_perigee(const TrackingGeometry& geometry,
                          const Crossings<S>& c) {
  Covariance5<S> n = covariance(filter<Errors::all>(HelixPath(geometry, c)));
  add_inner_material(HelixPath(geometry, c), n);
  return n;
}

double worst(const Covariance5<double>& a, const Covariance5<Wide>& b) {
  double w = 0;
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 5; ++j) {
      const double scale = std::sqrt(static_cast<double>(b[i][i] * b[j][j]));
      w = std::max(
          w, std::abs(static_cast<double>(Wide(a[i][j]) - b[i][j])) / scale);
    }
  return w;
}

/// Deviation of the double from the 113-bit computation, geometry included.
double rounding(const Detector& d, const Track& t) {
  const TrackingGeometry geometry(d);
  const auto c = find_crossings(geometry, t, Scattering::highland);
  const auto wide = with_scalar(geometry, c, make_line<Wide>(t, d.field.bz),
                                Scattering::highland);
  return worst(at_perigee(geometry, c), at_perigee(geometry, wide));
}

}  // namespace

TEST_CASE("streaming: 1e-12 against 113 bits up to 1000 hits and 1 TeV") {
  double error = 0;
  for (int n : {3, 10, 100, 1000})
    for (double p : {1.0, 30.0, 1000.0})
      for (double x0 : {0.0, 1e-5, 1e-3, 1e-2})
        for (double theta : {40.0, 90.0}) {
          Track t;
          t.p = p;
          t.theta = theta * unit::deg;
          error = std::max(error,
                           rounding(make_barrel(n, 30, 1000, 2, x0, 0.01), t));
        }
  CAPTURE(error);
  CHECK(error < 1e-12);
}

TEST_CASE("streaming: random mixed layouts keep their digits") {
  RandomLayouts random(11);
  int checked = 0, loose = 0;
  for (int i = 0; i < 300; ++i) {
    const Detector d = random.detector();
    const Track t = random.track();
    const TrackingGeometry geometry(d);
    const auto c = find_crossings(geometry, t, Scattering::highland);
    if (c.n_measuring < 5) continue;
    const auto e = filter<Errors::all>(HelixPath(geometry, c));
    if (*std::max_element(e.v.begin(), e.v.end()) > 1e6) continue;
    const double error = rounding(d, t);
    CHECK(error < 1e-10);
    loose += error > 1e-12;
    ++checked;
  }
  CHECK(checked > 100);
  // conditioning: about 1 % of the layouts amplify rounding further
  CHECK(loose <= checked / 20);
}

TEST_CASE("streaming: Gluckstern's formula for N equidistant layers") {
  // [Gluckstern63]: sigma(c) = sigma/L^2 sqrt(720 N^3/((N-1)(N+1)(N+2)(N+3)))
  // for N + 1 points, no scattering, straight limit.
  for (int n : {2, 3, 5, 9, 19, 49, 99}) {
    const double length = 1000, sigma = 0.01, m = n;
    Detector d = make_barrel(n + 1, 50, 50 + length, 2, 0.01, sigma);
    Track t;
    t.p = 1e7;  // turns by 1e-7: corrections of its square
    const TrackingGeometry geometry(d);
    const auto c = find_crossings(geometry, t, Scattering::off);
    const auto e = filter<Errors::all>(HelixPath(geometry, c));
    const double expected =
        sigma / (length * length) *
        std::sqrt(720 * m * m * m / ((m - 1) * (m + 1) * (m + 2) * (m + 3)));
    CHECK(std::sqrt(e.v[kappa]) == doctest::Approx(expected).epsilon(1e-10));
  }
}

TEST_CASE("streaming: three layers, scattering only: theta0 over half length") {
  // one kink: sigma(kappa) = theta0/(sin(theta) (l01 + l12)/2), [GTTF]
  // eq:rho_phi_limit, in the straight limit and for exact hits
  Detector d = make_barrel(3, 30, 90, 2, 0.01, 1e-9);
  Track t;
  t.p = 1e6;
  const TrackingGeometry geometry(d);
  const auto c = find_crossings(geometry, t, Scattering::highland);
  const auto e = filter<Errors::scattering_only>(HelixPath(geometry, c));
  CHECK(std::sqrt(e.v[kappa]) ==
        doctest::Approx(std::sqrt(c.list[1].theta0_2) / 30).epsilon(1e-8));
}

TEST_CASE("streaming: the scattering-only limit is the limit of small errors") {
  Track t;
  t.p = 0.7;
  t.theta = 1.1;
  const TrackingGeometry exact(make_barrel(8, 30, 500, 2, 0.01, 1.0));
  const TrackingGeometry small(make_barrel(8, 30, 500, 2, 0.01, 1e-6));
  const auto a = find_crossings(exact, t, Scattering::highland);
  const auto b = find_crossings(small, t, Scattering::highland);
  const double limit =
      filter<Errors::scattering_only>(HelixPath(exact, a)).v[kappa];
  const double near = filter<Errors::all>(HelixPath(small, b)).v[kappa];
  CHECK(near == doctest::Approx(limit).epsilon(1e-6));
  CHECK(near >= limit);
}

TEST_CASE(
    "streaming: a third coordinate of a surface adds no exact knowledge") {
  Detector two = make_barrel(6, 30, 500, 2, 0.01, 0.01), three = two;
  for (Layer& layer : three.layers) layer.coordinates.push_back({0.3, 0.02});
  Track t;
  t.theta = 1.0;
  const TrackingGeometry a(two), b(three);
  const auto ca = find_crossings(a, t, Scattering::highland);
  const auto cb = find_crossings(b, t, Scattering::highland);
  CHECK(filter<Errors::scattering_only>(HelixPath(a, ca)).v[kappa] ==
        doctest::Approx(
            filter<Errors::scattering_only>(HelixPath(b, cb)).v[kappa])
            .epsilon(1e-12));
}

TEST_CASE("streaming: the hit-only limit is the fit without scattering") {
  RandomLayouts random(5);
  Track t = random.track();
  const TrackingGeometry geometry(make_barrel(8, 30, 500, 2, 0.01, 0.01));
  const auto on = find_crossings(geometry, t, Scattering::highland);
  const auto off = find_crossings(geometry, t, Scattering::off);
  CHECK(filter<Errors::hits_only>(HelixPath(geometry, on)).v ==
        filter<Errors::all>(HelixPath(geometry, off)).v);
}

TEST_CASE(
    "backward pass: the shares of all errors add up to every covariance") {
  RandomLayouts random(21);
  int checked = 0;
  double error = 0;
  for (int i = 0; i < 300; ++i) {
    const Detector d = random.detector();
    const Track t = random.track();
    const TrackingGeometry geometry(d);
    const auto c = find_crossings(geometry, t, Scattering::highland);
    if (c.n_measuring < 5) continue;
    std::vector<KinkGain<double>> gains;
    const auto e =
        filter<Errors::all>(HelixPath(geometry, c), no_start, &gains);
    if (*std::max_element(e.v.begin(), e.v.end()) > 1e3) continue;
    const Covariance5<double> n = covariance(e);
    Covariance5<double> sum{};
    const auto add = [&sum](const Row<double>& p, double variance) {
      for (std::size_t a = 0; a < 5; ++a)
        for (std::size_t b = 0; b < 5; ++b) sum[a][b] += p[a] * p[b] / variance;
    };
    backward_pass(
        HelixPath(geometry, c), no_start, gains, n,
        [&](const HitStep<double, 5>& hit) { add(hit.gain, hit.variance); },
        [&](const KinkStep<double, 5>& kinks) {
          add(kinks.theta, kinks.w);
          add(kinks.phi, kinks.w_phi);
        });
    for (std::size_t a = 0; a < 5; ++a)
      for (std::size_t b = 0; b < 5; ++b)
        error = std::max(error, std::abs(sum[a][b] - n[a][b]) /
                                    std::sqrt(n[a][a] * n[b][b]));
    ++checked;
  }
  CHECK(checked > 100);
  CAPTURE(error);
  CHECK(error < 1e-10);  // conditioning of random layouts; see the test above
}

TEST_CASE("backward pass: a share is the derivative d ln var/d ln that error") {
  Detector d = make_barrel(6, 30, 400, 2, 0.01, 0.01);
  d.layers.push_back(
      make_layer("passive", make_cylinder(200, {-1e5, 1e5}), 0.02));
  Track t;
  t.theta = 1.2;
  const auto variance_with = [&](double sigma_scale, double x0_scale) {
    Detector changed = d;
    changed.layers[2].coordinates[0].sigma *= std::sqrt(sigma_scale);
    const TrackingGeometry geometry(changed);
    auto c = find_crossings(geometry, t, Scattering::highland);
    for (auto& x : c.list)
      if (x.surface == 6) x.theta0_2 *= x0_scale;
    return filter<Errors::all>(HelixPath(geometry, c)).v[kappa];
  };
  const double h = 1e-4, base = variance_with(1, 1);
  const TrackingGeometry geometry(d);
  const auto c = find_crossings(geometry, t, Scattering::highland);
  std::vector<KinkGain<double>> gains;
  const auto e = filter<Errors::all>(HelixPath(geometry, c), no_start, &gains);
  double hit = 0, passive = 0;
  backward_pass(
      HelixPath(geometry, c), no_start, gains, covariance(e),
      [&](const HitStep<double, 5>& s) {
        if (c.list[s.crossing].surface == 2 && s.coordinate == 0)
          hit = s.gain[kappa] * s.gain[kappa] / s.variance;
      },
      [&](const KinkStep<double, 5>& s) {
        if (c.list[s.crossing].surface == 6)
          passive = s.theta[kappa] * s.theta[kappa] / s.w +
                    s.phi[kappa] * s.phi[kappa] / s.w_phi;
      });
  const double d_hit =
      (variance_with(1 + h, 1) - variance_with(1 - h, 1)) / (2 * h);
  const double d_passive =
      (variance_with(1, 1 + h) - variance_with(1, 1 - h)) / (2 * h);
  CHECK(hit / base == doctest::Approx(d_hit / base).epsilon(1e-6));
  CHECK(passive / base == doctest::Approx(d_passive / base).epsilon(1e-6));
}

TEST_CASE("streaming: dual numbers give the derivative in momentum") {
  const Detector d = make_barrel(7, 30, 600, 2, 0.01, 0.01);
  const TrackingGeometry geometry(d);
  Track t;
  t.p = 3;
  t.theta = 1.0;
  using D = Dual<1>;
  const auto c = find_crossings(geometry, t, Scattering::highland);
  // seed p: everything in the line that depends on it
  Line<D> line = make_line<D>(t, d.field.bz);
  const D p = D::variable(t.p, 0), m_over_p = D(t.mass) / p;
  const D inv_beta2 = D(1) + m_over_p * m_over_p;
  line.kappa = D(-t.charge * d.field.bz) / p;
  line.c = line.kappa * line.inv_sin_theta;
  const D k = D(13.6 * unit::MeV * t.charge) / p;
  line.strength = {k * k * inv_beta2, log(inv_beta2)};
  const auto dual = at_perigee(
      geometry, with_scalar(geometry, c, line, Scattering::highland));
  const auto at_p = [&](double momentum) {
    Track moved = t;
    moved.p = momentum;
    return at_perigee(geometry,
                      find_crossings(geometry, moved, Scattering::highland));
  };
  const double h = 1e-5;
  const auto up = at_p(3 + h), down = at_p(3 - h);
  for (std::size_t i = 0; i < 5; ++i) {
    const double slope = (up[i][i] - down[i][i]) / (2 * h);
    CHECK(dual[i][i].derivative[0] == doctest::Approx(slope).epsilon(1e-7));
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
