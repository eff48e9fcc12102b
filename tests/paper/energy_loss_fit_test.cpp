// SPDX-License-Identifier: Apache-2.0
#include "gttf/paper/energy_loss_fit.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "gttf/core/random.hpp"
#include "gttf/core/units.hpp"
#include "gttf/fit/triplet/solenoid.hpp"
#include "gttf/trajectory/energy_loss.hpp"
#include "support/dense.hpp"
#include "support/triplets.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr double qb = 2 * unit::T;

struct LossTrack {
  std::vector<Cartesian<double>> hits;
  std::vector<double> kappa;  ///< of every segment
  std::vector<Triplet<double>> triplets;
  TripletEquations equations;

  std::vector<double> theta0_2() const {
    return std::vector<double>(triplets.size(), 1e-6);
  }
};

double energy(double p, double mass) { return std::hypot(p, mass); }

/// Hits on helix pieces, with loss[k] at hit k + 1 and, if given, kinks there:
/// theta and azimuth times sin(theta).
LossTrack fly(double p, double mass, double theta,
              const std::vector<double>& loss,
              const std::vector<double>& kinks = {}) {
  constexpr double spacing = 45;
  LossTrack t;
  HelixState<double> state{{30, 0, 0}, 0.2, theta};
  t.hits.push_back(state.position);
  double e = energy(p, mass);
  for (std::size_t k = 0; k <= loss.size(); ++k) {
    const double kappa = -qb / std::sqrt(e * e - mass * mass);
    const double length =
        spacing / std::sin(theta) * (1 + 0.3 * static_cast<double>(k % 2));
    state = propagate(state, kappa, length);
    t.hits.push_back(state.position);
    t.kappa.push_back(kappa);
    if (k < loss.size()) e -= loss[k];
    if (2 * k + 1 < kinks.size()) {
      state.phi += kinks[2 * k + 1] / std::sin(state.theta);
      state.theta += kinks[2 * k];
    }
  }
  return t;
}

void make_fit(LossTrack& t, const std::vector<Eigen::Matrix3d>& errors = {}) {
  for (std::size_t j = 0; j + 2 < t.hits.size(); ++j)
    t.triplets.push_back(make_triplet(t.hits[j], t.hits[j + 1], t.hits[j + 2]));
  t.equations = make_equations(t.triplets, errors, t.theta0_2());
}

double relative(double kappa, double truth) { return kappa / truth - 1; }

/// Mean losses in layers of silicon along the track, crossed at `theta`.
std::vector<double> silicon_losses(double p, double mass, double theta, int n,
                                   double x_over_x0) {
  Layer layer;
  layer.material = {{"", 0, x_over_x0}};
  const auto slabs = make_loss_slabs(layer);
  std::vector<double> list;
  for (int i = 0; i < n; ++i) {
    list.push_back(energy_loss(slabs, {mass, -1}, p, 1 / std::sin(theta)).mean);
    const double e = energy(p, mass) - list.back();
    p = std::sqrt(e * e - mass * mass);
  }
  return list;
}

constexpr double proton = 0.93827208943, kaon = 0.493677, pion = 0.13957039;

}  // namespace

TEST_CASE("energy loss, local: rotations are divided by sin(theta)") {
  // erratum F4 of docs/theory/energy-loss.md; the exact track: the curvature
  // steps at the middle hit, and the azimuth has no kink
  for (const double theta : {1.5707963, 0.7, 0.4}) {
    const double p = 1, loss = 1e-4 * p;
    const double kappa = -qb / p;
    HelixState<double> a{{30, 0, 0}, 0.3, theta};
    const auto b = propagate(a, kappa, 60 / std::sin(theta));
    const auto c = propagate(b, kappa, 100 / std::sin(theta));
    const auto t = make_triplet(a.position, b.position, c.position);
    const LocalLossCorrection l = local_loss_correction(t, kappa, p, 0, loss);
    // exact: Newton for the first curvature with kappa_12 = kappa_01 + step
    const double step = l.kappa_second - l.kappa_first;
    CHECK(step == doctest::Approx(kappa * loss / p).epsilon(1e-9));
    double first = kappa;
    Segment<double> s, u;
    for (int i = 0; i < 20; ++i) {
      s = segment_at_curvature(a.position, b.position, first);
      u = segment_at_curvature(b.position, c.position, first + step);
      const double turn =
          std::atan2(u.chord_sin * s.chord_cos - u.chord_cos * s.chord_sin,
                     u.chord_cos * s.chord_cos + u.chord_sin * s.chord_sin);
      first += (turn - s.half_turn - u.half_turn) /
               (0.5 * (s.index * s.length + u.index * u.length));
    }
    CHECK(first - kappa ==
          doctest::Approx(l.kappa_first - kappa).epsilon(2e-3));
    // direction at hit 0: chord azimuth - half turn
    const double rotation = t.first.half_turn - s.half_turn;
    CHECK(rotation == doctest::Approx(l.rotation).epsilon(2e-3));
    // with transverse lengths it is s01 s12 d kappa/(2 s02 sin(theta)); in
    // print it is multiplied with sin(theta)
    const double printed = 60. * 100 / 320 * step * std::sin(theta);
    if (theta < 1) CHECK(std::abs(printed / rotation - 1) > 0.5);
  }
}

TEST_CASE("energy loss, global: slow particles to 1e-5 with the exact map") {
  struct Particle {
    double p, mass;
  };
  for (const Particle& q : {Particle{0.3, proton}, {1, kaon}}) {
    const double theta = 1.0;
    const auto loss = silicon_losses(q.p, q.mass, theta, 8, 0.004);
    LossTrack t = fly(q.p, q.mass, theta, loss);
    make_fit(t);
    const TrackLosses losses{q.mass, qb, loss};
    const auto exact = fit_with_losses(t.equations, t.triplets, losses);
    REQUIRE(exact.track.status == FitStatus::ok);
    const double error = std::abs(relative(exact.track.kappa, t.kappa[0]));
    CHECK(error < 1e-5);
    const double none =
        std::abs(relative(solve(t.equations).kappa, t.kappa[0]));
    const double series = std::abs(relative(
        fit_with_losses(t.equations, t.triplets, losses, LossMap::series)
            .track.kappa,
        t.kappa[0]));
    CHECK(series < none);
    CHECK(error < 0.1 * series);
  }
}

TEST_CASE("energy loss, global: the printed corrections fail") {
  const double p = 1, mass = 0.0005, theta = 1;
  const std::vector<double> loss(6, 0.004);
  LossTrack t = fly(p, mass, theta, loss);
  make_fit(t);
  const TrackLosses losses{mass, qb, loss};
  const double truth = t.kappa[0];
  const auto series =
      fit_with_losses(t.equations, t.triplets, losses, LossMap::series);
  CHECK(std::abs(relative(series.track.kappa, truth)) < 3e-4);
  const double none = std::abs(relative(solve(t.equations).kappa, truth));
  CHECK(none > 0.01);
  // every triplet linearised at its own curvature k, as the paper does
  const auto error = [&](const auto& change) {
    TripletEquations e = t.equations;
    for (std::size_t j = 0; j < t.triplets.size(); ++j) {
      const Triplet<double>& triplet = t.triplets[j];
      const double k = triplet.kappa_perp * sin_mean_theta(triplet);
      const auto [lost, constant, slope] = change(j, k);
      const auto r = static_cast<Eigen::Index>(2 * j);
      e.psi.segment<2>(r) += e.rho.segment<2>(r) * lost / -qb * constant;
      e.rho.segment<2>(r) *= 1 + lost / -qb * slope;
    }
    return std::abs(relative(solve(e).kappa, truth));
  };
  struct Term {
    double lost, constant, slope;
  };
  const auto weight = [&](std::size_t j) {
    const Triplet<double>& triplet = t.triplets[j];
    return triplet.second.length /
           (triplet.first.length + triplet.second.length);
  };
  const auto lost = [&](std::size_t j) {
    return (static_cast<double>(j) + weight(j)) * loss[0];
  };
  CHECK(error([&](std::size_t j, double k) {
          return Term{lost(j), -k * k, 2 * k};
        }) < 3e-4);
  // F6: in print kappa^2 = k^2 + 2 (kappa - k), without the factor k
  CHECK(error([&](std::size_t j, double k) {
          return Term{lost(j), k * k - 2 * k, 2};
        }) > none);
  // F10: in print the weights are those of the triplet before
  CHECK(error([&](std::size_t j, double k) {
          const double before =
              j == 0 ? 0
                     : (static_cast<double>(j) - 1 + weight(j - 1)) * loss[0];
          return Term{before, -k * k, 2 * k};
        }) > 10 * 3e-4);
}

TEST_CASE("energy loss: momentum losses are dE/beta") {
  // F5: with dE instead of dE/beta, most of the error of a slow proton remains
  const double p = 0.3;
  const std::vector<double> loss(6, 0.0005 * p);
  LossTrack t = fly(p, proton, 1, loss);
  make_fit(t);
  const auto error = [&](const TrackLosses& l, LossMap map) {
    const auto f = fit_with_losses(t.equations, t.triplets, l, map);
    return std::abs(relative(f.track.kappa, t.kappa[0]));
  };
  const double none = std::abs(relative(solve(t.equations).kappa, t.kappa[0]));
  // massless particles have beta = 1
  CHECK(error({0, qb, loss}, LossMap::series) > 0.5 * none);
  CHECK(error({proton, qb, loss}, LossMap::series) < 0.02 * none);
  CHECK(error({proton, qb, loss}, LossMap::exact) < 1e-6);
}

TEST_CASE("energy loss, combined: closed form equals dense least squares") {
  const double p = 1, mass = pion;
  const std::vector<double> mean(5, 0.004);
  std::vector<double> loss = mean, random(64);
  fill_normals({.seed = 3}, random);
  for (std::size_t i = 0; i < loss.size(); ++i) loss[i] *= 1 + 0.3 * random[i];
  for (const bool hits : {false, true}) {
    LossTrack t = fly(p, mass, 1, loss);
    for (std::size_t k = 0; k < t.hits.size(); ++k)
      t.hits[k] = t.hits[k] + Cartesian<double>{0.02 * random[10 + 3 * k],
                                                0.02 * random[11 + 3 * k],
                                                0.02 * random[12 + 3 * k]};
    const std::vector<Eigen::Matrix3d> errors(
        hits ? t.hits.size() : 0, 4e-4 * Eigen::Matrix3d::Identity());
    make_fit(t, errors);
    const TrackLosses losses{mass, qb, mean, std::vector<double>(5, 0.0012)};
    const LossFit f = fit_track_and_losses(t.equations, t.triplets, losses);
    REQUIRE(f.track.status == FitStatus::ok);
    // all parameters (kappa, u) at once: rows of kinks, then priors
    const TripletEquations& e = f.equations;
    const Eigen::Index n = e.psi.size(), m = e.errors.cols();
    Eigen::MatrixXd design = Eigen::MatrixXd::Zero(n + m, m + 1);
    Eigen::VectorXd value = Eigen::VectorXd::Zero(n + m);
    const Eigen::VectorXd weight = e.scattering.cwiseSqrt().cwiseInverse();
    const double scale = f.track.sigma;  // of kappa, for the condition
    design.topLeftCorner(n, 1) = scale * weight.cwiseProduct(e.rho);
    design.topRightCorner(n, m) = -(weight.asDiagonal() * e.errors);
    design.bottomRightCorner(m, m).setIdentity();
    value.head(n) = weight.cwiseProduct(e.psi);
    const Eigen::MatrixXd covariance =
        inverse(product(design.transpose(), design));
    const Eigen::VectorXd x =
        -product(covariance, product(design.transpose(), value));
    CHECK(f.track.kappa == doctest::Approx(scale * x[0]).epsilon(1e-9));
    CHECK(f.track.sigma ==
          doctest::Approx(scale * std::sqrt(covariance(0, 0))).epsilon(1e-9));
    CHECK(f.track.chi2 ==
          doctest::Approx((value + product(design, x)).squaredNorm())
              .epsilon(1e-9));
    CHECK(f.track.ndf == static_cast<int>(n) - 1);
    for (Eigen::Index l = 0; l < 5; ++l) {
      const Eigen::Index i = 1 + m - 5 + l;
      CHECK(f.losses[static_cast<std::size_t>(l)] ==
            doctest::Approx(0.004 + 0.0012 * x[i]).epsilon(1e-9));
      CHECK(f.loss_covariance(l, l) ==
            doctest::Approx(0.0012 * 0.0012 * covariance(i, i)).epsilon(1e-9));
      CHECK(f.loss_with_kappa[l] ==
            doctest::Approx(0.0012 * scale * covariance(i, 0)).epsilon(1e-9));
    }
  }
}

TEST_CASE("energy loss, combined: the slopes of losses are differences") {
  const std::vector<double> mean(5, 0.004);
  LossTrack t = fly(0.6, kaon, 0.8, mean);
  make_fit(t);
  const double kappa = 1.01 * t.kappa[0];
  const TrackLosses losses{kaon, qb, mean, std::vector<double>(5, 1.0)};
  const LossFit fit = fit_track_and_losses(
      t.equations, t.triplets, {kaon, qb, mean, std::vector<double>(5, 1e-6)});
  const double at = fit.track.kappa;
  for (std::size_t l = 0; l < 5; ++l) {
    const auto kinks = [&](double change) {
      TrackLosses moved = losses;
      moved.mean[l] += change;
      const auto e = with_losses(t.equations, t.triplets, moved, at);
      return Eigen::VectorXd(e.psi + e.rho * at);
    };
    const double h = 1e-4;
    const Eigen::VectorXd slope = (kinks(h) - kinks(-h)) / (2 * h);
    const Eigen::VectorXd column =
        -fit.equations.errors.rightCols(5).col(static_cast<Eigen::Index>(l)) /
        1e-6;
    CHECK((slope - column).norm() < 1e-6 * column.norm());
  }
  CHECK(kappa != at);
}

TEST_CASE("energy loss, combined: identifies the layer with too much loss") {
  // errata F8 and F9: no errors, the loss at one layer twice as large; with a
  // plus in dp_fit = dp_exp - ... the fitted loss would go down
  const double p = 1, mass = 0.0005;
  std::vector<double> mean(7, 0.002), loss = mean;
  loss[2] *= 2;
  LossTrack t = fly(p, mass, 1, loss);
  make_fit(t);
  t.equations.scattering *= 1e-6;  // 1 urad
  const LossFit f = fit_track_and_losses(
      t.equations, t.triplets, {mass, qb, mean, std::vector<double>(7, 0.002)});
  REQUIRE(f.track.status == FitStatus::ok);
  CHECK(f.losses[2] / 0.002 > 1.8);
  for (const std::size_t l : {0u, 1u, 3u, 4u, 5u})
    CHECK(f.losses[l] / 0.002 == doctest::Approx(1).epsilon(0.15));
  CHECK(std::abs(relative(f.track.kappa, t.kappa[0])) < 1e-3);
}

TEST_CASE("energy loss, combined: pulls of curvature and losses are 1") {
  // 10 000 tracks with scattering and straggling on exact helices: 0.7 % each;
  // the straggling is the larger part of the error of the losses' sum
  const double p = 0.5, mass = proton, theta0 = 1e-3;
  const std::vector<double> mean(6, 0.001), sigma(6, 0.0004);
  constexpr std::uint64_t n = 10000;
  double square = 0, chi2 = 0, loss_square = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    std::vector<double> random(18), loss = mean, kinks;
    fill_normals({.seed = 9, .stream = 1, .index = i}, random);
    for (std::size_t l = 0; l < 6; ++l) loss[l] += sigma[l] * random[12 + l];
    for (std::size_t k = 0; k < 12; ++k) kinks.push_back(theta0 * random[k]);
    LossTrack t = fly(p, mass, 1.2, loss, kinks);
    make_fit(t);
    const LossFit f =
        fit_track_and_losses(t.equations, t.triplets, {mass, qb, mean, sigma});
    REQUIRE(f.track.status == FitStatus::ok);
    const double pull = (f.track.kappa - t.kappa[0]) / f.track.sigma;
    square += pull * pull;
    chi2 += f.track.chi2;
    const double off = f.losses[2] - loss[2];
    loss_square += off * off / f.loss_covariance(2, 2);
  }
  CHECK(std::sqrt(square / n) == doctest::Approx(1).epsilon(0.02));
  CHECK(std::sqrt(loss_square / n) == doctest::Approx(1).epsilon(0.02));
  CHECK(chi2 / n == doctest::Approx(11).epsilon(0.02));
}

TEST_CASE("energy loss: a particle that stops is not fitted") {
  LossTrack t = fly(0.3, proton, 1, std::vector<double>(4, 0.001));
  make_fit(t);
  const auto f = fit_with_losses(t.equations, t.triplets,
                                 {proton, qb, std::vector<double>(4, 0.02)});
  CHECK(f.track.status != FitStatus::ok);
  CHECK(std::isnan(f.track.kappa));
}

}  // namespace gttf::test::GTTF_TEST_FILE
