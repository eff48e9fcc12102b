// SPDX-License-Identifier: Apache-2.0
// Tracks that cross layers again: inwards from a displaced vertex, and after
// more than half a turn. Compared with a separate least-squares fit, in limits,
// rotated as a whole, by toys, and fitted from hits.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/resolution/budget.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "gttf/study/hits/hit_track.hpp"
#include "support/compare.hpp"
#include "support/flown_toys.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr std::array engines{Engine::streaming, Engine::triplet};

struct Cylinder {
  double radius, half_length, x_over_x0, sigma_rphi, sigma_z;  // mm

  bool measures() const { return sigma_rphi > 0; }
};

/// Two double layers and a passive pipe in 1 T: tracks of 30 MeV curl in it.
const std::vector<Cylinder>& cylinders() {
  static const std::vector<Cylinder> list{{10, 200, 2e-3, 0, 0},
                                          {23.3, 200, 1.15e-3, 0.02, 0.03},
                                          {29.8, 200, 1.15e-3, 0.02, 0.03},
                                          {73.9, 200, 1.3e-3, 0.03, 0.03},
                                          {86.3, 200, 1.3e-3, 0.03, 0.05}};
  return list;
}
constexpr double tesla = 1;

Detector detector_of(const std::vector<Cylinder>& list) {
  std::string text = fmt::format(
      "gttf-detector: 1\nname: curls\nfield: {{ solenoid: {} T }}\nlayers:\n",
      tesla);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Cylinder& c = list[i];
    text += fmt::format(
        "  - {{ name: L{}, cylinder: {{ radius: {} mm, half_length: {} mm }}, "
        "material: {}",
        i, c.radius, c.half_length, c.x_over_x0);
    if (c.measures())
      text += fmt::format(", measures: {{ rphi: {} mm, z: {} mm }}",
                          c.sigma_rphi, c.sigma_z);
    text += " }\n";
  }
  return parse_detector(text, "curls.yaml").detector;
}

const TrackingGeometry& geometry() {
  static const TrackingGeometry g(detector_of(cylinders()));
  return g;
}

Track electron(double p, double theta, double phi,
               const std::array<double, 3>& vertex) {
  Track t;
  t.p = p;
  t.theta = theta;
  t.phi = phi;
  t.mass = 0.51099895e-3;
  t.vertex = vertex;
  return t;
}

// The independent least squares: helices with kinks, stepped along, explicit
// angles as parameters, derivatives by differences, a dense matrix.

using Real = long double;

struct State {
  Real x, y, z, theta, phi, kappa;
};

State advanced(State s, Real path) {
  const Real turn = s.kappa * path, sine = std::sin(s.theta);
  const Real radius = sine / s.kappa;
  s.x += radius * (std::sin(s.phi + turn) - std::sin(s.phi));
  s.y -= radius * (std::cos(s.phi + turn) - std::cos(s.phi));
  s.z += path * std::cos(s.theta);
  s.phi += turn;
  return s;
}

struct Met {
  std::size_t cylinder;
  Real path;  ///< from the crossing before
  Real cosine;
};

Real gap(const State& s, const Cylinder& c) {
  return std::hypot(s.x, s.y) - static_cast<Real>(c.radius);
}

/// The crossing with a cylinder near a path.
State onto(const State& from, const Cylinder& c, Real& path) {
  State s = advanced(from, path);
  for (int i = 0; i < 40; ++i) {
    const Real slope = std::sin(s.theta) *
                       (s.x * std::cos(s.phi) + s.y * std::sin(s.phi)) /
                       std::hypot(s.x, s.y);
    const Real step = -gap(s, c) / slope;
    path += step;
    s = advanced(from, path);
    if (std::abs(step) < 1e-16L) break;
  }
  return s;
}

State start_of(const Track& t) {
  const Real b = 0.299792458e-3L * tesla;
  return {
      t.vertex[0], t.vertex[1],
      t.vertex[2], t.theta,
      t.phi,       -static_cast<Real>(t.charge) * b / static_cast<Real>(t.p)};
}

/// All crossings of the track without kinks, looked for in small steps.
std::vector<Met> meet(const State& start, Real turns) {
  std::vector<Met> list;
  const Real end = 2 * std::numbers::pi_v<Real> * turns / std::abs(start.kappa);
  constexpr Real step = 0.05L;
  Real last = 0;
  for (Real path = 0; path < end; path += step) {
    const State a = advanced(start, path),
                b = advanced(start, std::min(path + step, end));
    for (std::size_t i = 0; i < cylinders().size(); ++i) {
      const Cylinder& c = cylinders()[i];
      if ((gap(a, c) > 0) == (gap(b, c) > 0)) continue;
      Real at = path + step / 2;
      const State s = onto(start, c, at);
      if (std::abs(s.z) > static_cast<Real>(c.half_length)) continue;
      const Real cosine = std::sin(s.theta) *
                          (s.x * std::cos(s.phi) + s.y * std::sin(s.phi)) /
                          static_cast<Real>(c.radius);
      list.push_back({i, at - last, std::abs(cosine)});
      last = at;
    }
  }
  return list;
}

/// Measured coordinates for start parameters (d0, z0, phi, theta, kappa) and
/// kinks (theta, phi sin(theta)) at each crossing, before its kink.
std::vector<Real> measure(const State& nominal, const std::vector<Met>& list,
                          const std::vector<Real>& p) {
  State s = nominal;
  s.phi += p[2];
  s.theta += p[3];
  s.kappa += p[4];
  // the perigee about the start: across the direction there
  s.x = nominal.x - p[0] * std::sin(s.phi);
  s.y = nominal.y + p[0] * std::cos(s.phi);
  s.z = nominal.z + p[1];
  std::vector<Real> m;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Cylinder& c = cylinders()[list[k].cylinder];
    Real path = list[k].path;
    s = onto(s, c, path);
    if (c.measures()) {
      m.push_back(static_cast<Real>(c.radius) * std::atan2(s.y, s.x));
      m.push_back(s.z);
    }
    const Real sine = std::sin(s.theta);
    s.theta += p[5 + 2 * k];
    s.phi += p[6 + 2 * k] / sine;
  }
  return m;
}

Real theta0_squared(const Track& t, Real x) {
  const Real p = t.p, m = t.mass, q = t.charge;
  const Real beta2 = p * p / (p * p + m * m);
  const Real bracket = 1 + 0.038L * std::log(x * q * q / beta2);
  return 13.6e-3L * 13.6e-3L * q * q / (p * p * beta2) * x * bracket * bracket;
}

/// The covariance of (d0, z0, phi, theta, q/p).
Matrix5 dense_covariance(const Track& track, const std::vector<Met>& list) {
  const State nominal = start_of(track);
  const std::size_t n = 5 + 2 * list.size();
  std::vector<Real> p(n, 0);
  const std::vector<Real> at = measure(nominal, list, p);
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  const auto rows = static_cast<Eigen::Index>(at.size());
  Matrix j(rows, static_cast<Eigen::Index>(n));
  for (std::size_t i = 0; i < n; ++i) {
    const Real h = i < 2    ? 1e-2L
                   : i == 4 ? 1e-6L * std::abs(nominal.kappa)
                            : 1e-5L;
    const auto moved = [&](Real by) {
      p[i] = by * h;
      auto m = measure(nominal, list, p);
      p[i] = 0;
      return m;
    };
    const auto a = moved(1), b = moved(-1), c = moved(2), d = moved(-2);
    for (std::size_t k = 0; k < at.size(); ++k)
      j(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) =
          (8 * (a[k] - b[k]) - (c[k] - d[k])) / (12 * h);
  }
  // in units of the errors that make all entries of order one
  Eigen::Index row = 0;
  for (const Met& x : list) {
    const Cylinder& c = cylinders()[x.cylinder];
    if (!c.measures()) continue;
    j.row(row++) /= static_cast<Real>(c.sigma_rphi);
    j.row(row++) /= static_cast<Real>(c.sigma_z);
  }
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Real x = static_cast<Real>(cylinders()[list[k].cylinder].x_over_x0) /
                   list[k].cosine;
    const Real theta0 = std::sqrt(theta0_squared(track, x));
    for (const std::size_t i : {5 + 2 * k, 6 + 2 * k})
      j.col(static_cast<Eigen::Index>(i)) *= theta0;
  }
  Matrix information = j.transpose() * j;
  for (auto i = Eigen::Index{5}; i < information.rows(); ++i)
    information(i, i) += 1;
  const Matrix covariance = information.inverse();
  Matrix5 result = covariance.topLeftCorner<5, 5>().cast<double>();
  const double per_kappa = -1 / (0.299792458e-3 * tesla);
  result.row(4) *= per_kappa;
  result.col(4) *= per_kappa;
  return result;
}

struct Case {
  Track track;
  double turns;
};

/// Recurling electrons, and one that starts outside of two layers, inwards.
std::vector<Case> cases() {
  return {{electron(0.020, 1.3, 0.4, {2, -1, 5}), 1},
          {electron(0.020, 1.45, 0.4, {2, -1, 5}), 1.7},
          {electron(0.0125, 1.1, -2, {-3, 1, -20}), 2.2},
          {electron(0.035, 1.8, 1, {40, 5, 0}), 1},
          {electron(0.3, 1.2, 3, {50, -6, -4}), 0}};
}

Model with(double turns, Engine engine = Engine::streaming) {
  Model m;
  m.turns = turns;
  m.engine = engine;
  return m;
}

}  // namespace

TEST_CASE("turning: the covariance is that of a dense least-squares fit") {
  for (const Case& c : cases()) {
    const std::vector<Met> list =
        meet(start_of(c.track), std::max(0.5, c.turns));
    const Matrix5 expected = dense_covariance(c.track, list);
    for (const Engine engine : engines) {
      CAPTURE(c.turns);
      const Resolution r = resolve(geometry(), c.track, with(c.turns, engine));
      REQUIRE(r.status == Status::ok);
      REQUIRE(r.crossings.size() == list.size());
      double path = 0;
      for (std::size_t k = 0; k < list.size(); ++k) {
        path += static_cast<double>(list[k].path);
        CHECK(r.crossings[k].layer == list[k].cylinder);
        CHECK(std::abs(r.crossings[k].path - path) < 1e-9 * path);
      }
      CHECK(worst(r.perigee, expected) < 1e-8);
    }
  }
}

TEST_CASE("turning: inner layers count twice for tracks that fly inwards") {
  // from outside of L1 and L2, past the axis: in and out again
  const Track track = electron(1, 1.4, std::numbers::pi, {50, 3, 0});
  const Resolution r = resolve(geometry(), track, Model());
  REQUIRE(r.status == Status::ok);
  std::string layers;
  for (const CrossingInfo& x : r.crossings) layers += std::to_string(x.layer);
  CHECK(layers == "21001234");
  CHECK(r.n_hits == 6);
  // one that misses L1 crosses L2 twice
  const Resolution aside = resolve(
      geometry(), electron(1, 1.4, std::numbers::pi, {50, 25, 0}), Model());
  CHECK(aside.n_hits == 4);
  // outwards from the same place nothing is crossed again
  CHECK(resolve(geometry(), electron(1, 1.4, 0, {50, 3, 0}), Model()).n_hits ==
        2);
}

TEST_CASE("turning: tracks that do not recurl are the same to the bit") {
  for (const double p : {0.2, 1.0, 20.0})
    for (const double theta : {0.6, 1.5})
      for (const double turns : {0.5, 1.0, 3.0}) {
        const Track track = electron(p, theta, 0.3, {1, -0.5, 3});
        const Resolution a = resolve(geometry(), track, Model());
        const Resolution b = resolve(geometry(), track, with(turns));
        // it turns by less than half before it has left the last layer
        const bool curls = a.end == TrackEnd::curls_up;
        REQUIRE_FALSE(curls);
        if (b.crossings.size() != a.crossings.size()) continue;
        CHECK(a.sigma_p_rel == b.sigma_p_rel);
        CHECK((a.perigee - b.perigee).cwiseAbs().maxCoeff() == 0);
      }
}

TEST_CASE("turning: results turn with the track") {
  for (const Case& c : cases()) {
    const Resolution r = resolve(geometry(), c.track, with(c.turns));
    for (const double angle : {0.7, 2.9}) {
      Track turned = c.track;
      turned.phi += angle;
      const auto& v = c.track.vertex;
      turned.vertex = {v[0] * std::cos(angle) - v[1] * std::sin(angle),
                       v[0] * std::sin(angle) + v[1] * std::cos(angle), v[2]};
      const Resolution t = resolve(geometry(), turned, with(c.turns));
      REQUIRE(t.crossings.size() == r.crossings.size());
      CHECK(worst(t.perigee, r.perigee) < 1e-10);
    }
  }
}

TEST_CASE("turning: the budget adds up, and lists every crossing") {
  for (const Case& c : cases()) {
    const Budget b = make_budget(geometry(), c.track, with(c.turns));
    REQUIRE(b.exists());
    const PerParameter sum = b.sum_of_shares();
    for (const Parameter q : {Parameter::p, Parameter::d0, Parameter::z0})
      CHECK(std::abs(sum[q] - 1) < 1e-9);
    CHECK(b.total[Parameter::d0] ==
          doctest::Approx(b.resolution.perigee(0, 0)).epsilon(1e-9));
  }
}

TEST_CASE("turning: sensitivities are those of layers, however often crossed") {
  const Case c = cases()[1];
  const Sensitivities s =
      make_sensitivities(geometry(), c.track, with(c.turns));
  REQUIRE(s.exists());
  std::vector<int> positions(cylinders().size());
  for (const Sensitivity& item : s.items) {
    if (item.quantity != Quantity::position &&
        item.quantity != Quantity::x_over_x0)
      continue;
    const bool is_position = item.quantity == Quantity::position;
    if (is_position) ++positions[item.layer];
    const auto sigma = [&](double relative) {
      TrackingGeometry changed = geometry();
      if (is_position)
        changed.move(item.layer, item.value * (1 + relative));
      else
        changed.scale_material(item.layer, 1 + relative);
      return resolve(changed, c.track, with(c.turns)).sigma_p_rel;
    };
    const double h = 1e-5;
    const double slope =
        (8 * (sigma(h) - sigma(-h)) - (sigma(2 * h) - sigma(-2 * h))) /
        (12 * h * item.value) / sigma(0);
    CAPTURE(item.layer);
    CAPTURE(is_position);
    CHECK(std::abs(item.slope[Parameter::p] - slope) <
          1e-6 * std::abs(slope) + 1e-8);
  }
  for (const int n : positions) CHECK(n <= 1);
}

TEST_CASE("turning: energy is lost in every crossing") {
  const Case c = cases()[1];
  Model model = with(c.turns);
  model.loss = EnergyLoss::mean;
  const Resolution r = resolve(geometry(), c.track, model);
  REQUIRE(r.status == Status::ok);
  for (std::size_t k = 1; k < r.crossings.size(); ++k)
    CHECK(r.crossings[k].p < r.crossings[k - 1].p);
  model.engine = Engine::triplet;
  CHECK(worst(resolve(geometry(), c.track, model).perigee, r.perigee) < 1e-8);
}

namespace {

Detector with_material(double factor) {
  std::vector<Cylinder> list = cylinders();
  for (Cylinder& c : list) c.x_over_x0 *= factor;
  return detector_of(list);
}

/// The same layers, much thinner: biases of second order in the scattering
/// angles, a quarter of a standard deviation of q/p in the layers as they are,
/// are then smaller than the errors of means.
const Detector& thin_detector() {
  static const Detector d = with_material(0.03);
  return d;
}
const TrackingGeometry& thin() {
  static const TrackingGeometry g(thin_detector());
  return g;
}

}  // namespace

// Widths and means within 4.5 standard errors: by chance outside once in
// 150 000; the seed is fixed.
TEST_CASE("turning: toys of recurling tracks have pulls of one") {
  for (const std::size_t i : {0u, 4u}) {
    const Case c = cases()[i];
    FlownToys toys;
    StreamingFitter fitter;
    toys.run(
        ToySimulator(thin(), c.track, with(c.turns)), 400,
        false, [&](const TrackHits& hits) -> auto& {
          return fitter.fit(hits);
        });
    CAPTURE(i);
    CHECK(toys.failed == 0);
    CHECK(toys.missed < 10);
    toys.check(4.5, 5);
  }
}

// The bias over theta0^2 is the same within 4.5 standard errors, by chance
// outside once in 150 000, and not zero; of first order, it would be larger by
// sqrt(1/0.3) in the thinner layers, 5 standard errors. docs/theory/biases.md
TEST_CASE("turning: the bias of a looper is of second order") {
  const Case c = cases()[0];
  std::array<double, 2> bias, error;
  for (const std::size_t i : {0u, 1u}) {
    const double factor = i == 0 ? 0.3 : 1;
    const TrackingGeometry g(with_material(factor));
    const ToySimulator simulator(g, c.track, with(c.turns));
    ToyTrack toy = simulator.prototype();
    StreamingFitter fitter;
    ExactMoments relative;
    for (std::uint64_t n = 0; n < 4000; ++n) {
      if (!simulator.simulate({5, 0, n}, toy)) continue;
      const GlobalFit& fit = fitter.fit(toy.hits);
      REQUIRE(fit.status == FitStatus::ok);
      relative.add(fit.perigee[Perigee::kappa] / toy.truth[Perigee::kappa] - 1);
    }
    REQUIRE(relative.count() > 3900);
    bias[i] = relative.mean() / factor;
    error[i] = relative.mean_error() / factor;
    CHECK(bias[i] > 3 * error[i]);
  }
  CHECK(std::abs(bias[0] - bias[1]) < 4.5 * std::hypot(error[0], error[1]));
}

TEST_CASE("turning: hits of a file are fitted with the right crossings") {
  const Case c = cases()[1];
  StudyRequest request;
  request.particle = {"electron", c.track.mass, c.track.charge};
  request.vertex = c.track.vertex;
  request.turns = c.turns;
  HitTrackBuilder builder(thin_detector(), thin(), request, {});
  FlownToys toys;
  StreamingFitter fitter;
  GlobalFit none;
  none.status = FitStatus::not_converged;
  const auto fit = [&](const TrackHits& simulated) -> const GlobalFit& {
    std::vector<MeasuredHit> hits;
    for (const TrackHit& h : simulated.points)
      if (h.measures()) hits.emplace_back().position = h.position;
    if (!builder.find(hits).empty() || !builder.make_points(hits).empty())
      return none;
    return fitter.fit(builder.track());
  };
  toys.run(ToySimulator(thin(), c.track, with(c.turns)), 80, false, fit);
  CHECK(toys.failed == 0);
  toys.check(4.5, 5);
}

TEST_CASE("turning: a looper ends where it leaves along z") {
  const Track track = electron(0.0125, 0.6, 0, {1, 0, 0});
  const Resolution many = resolve(geometry(), track, with(50));
  CHECK(many.end == TrackEnd::leaves);
  REQUIRE(many.crossings.size() > 0);
  for (const CrossingInfo& x : many.crossings)
    CHECK(std::abs(x.position.z()) <= 200);
  const Resolution more = resolve(geometry(), track, with(90));
  CHECK(more.crossings.size() == many.crossings.size());
}

}  // namespace gttf::test::GTTF_TEST_FILE
