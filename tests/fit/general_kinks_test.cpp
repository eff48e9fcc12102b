// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/streaming/general_kinks.hpp"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <random>

#include "gttf/fit/streaming/streaming.hpp"
#include "support/compare.hpp"
#include "support/dense.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using Equations = FiveEquations<double>;
constexpr auto no_zero = ZeroVariance::excluded;
constexpr const StartHit<double>* no_start = nullptr;

Matrix5 as_matrix(const Covariance5<double>& c) {
  Matrix5 m;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      m(i, j) = c[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return m;
}

Vector5 as_vector(const Row<double>& a) {
  return Eigen::Map<const Vector5>(a.data());
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()() { return distribution_(engine_); }
  Row<double> row() {
    Row<double> x;
    for (double& value : x) value = (*this)();
    return x;
  }
  GeneralKinks<double> kinks() { return {row(), row(), 0.4, 0.9, row(), 0.3}; }
  Equations equations() {
    Equations e;
    for (int i = 0; i < 8; ++i) measure<no_zero>(e, row(), 0.3);
    return e;
  }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> distribution_{0, 1};
};

/// A path without geometry: all derivatives are random.
class RandomPath {
 public:
  RandomPath(int n_layers, unsigned seed) : geometry(layers(n_layers)) {
    Random random(seed);
    track.b_ref = 1;
    track.kappa = 0.1;
    for (int k = 0; k < n_layers; ++k) {
      TracedCrossing x{};
      x.position = x.direction = Vector3::Zero();
      x.surface = static_cast<unsigned>(k);
      for (auto& row : x.on_surface) row = random.row();
      // a kink changes the direction on the surface and nothing else there
      Matrix5 j;
      for (int i = 0; i < 5; ++i)
        j.row(i) =
            as_vector(x.on_surface[static_cast<std::size_t>(i)]).transpose();
      const Matrix5 inverse = test::inverse(j);
      const auto column = [&inverse](int i) {
        Row<double> row;
        for (int n = 0; n < 5; ++n)
          row[static_cast<std::size_t>(n)] = inverse(n, i);
        return row;
      };
      x.phi_kink = column(OnSurface::phi);
      x.theta_kink = column(OnSurface::theta);
      x.kappa_behind = x.on_surface[OnSurface::qop];
      x.loss_kink = column(OnSurface::qop);
      x.theta0_2 = 0.01 * (1 + k % 3);
      x.inv_sin2 = 1 + 0.1 * k;
      x.loss_variance = k % 4 == 2 ? 0 : 0.002 * (1 + k % 2);
      track.list.push_back(x);
    }
    track.first = 1;
    track.last = n_layers - 2;
  }

  TracedPath path() const { return TracedPath(geometry, track); }

  TrackingGeometry geometry;
  TracedTrack track;

 private:
  /// Passive ones first, last and in between.
  static TrackingGeometry layers(int n) {
    Detector d = make_barrel(n, 30, 500, 2, 0.01, 0.1);
    for (const int k : {0, 4, n - 1})
      d.layers[static_cast<std::size_t>(k)].coordinates.clear();
    d.layers[3].coordinates.pop_back();
    return TrackingGeometry(d);
  }
};

/// The joint least-squares problem of the line and three random changes per
/// crossing, solved as one dense system.
class Dense {
 public:
  /// @param silent  crossings up to this index change nothing
  /// @param omit    crossing whose coordinates are left out
  explicit Dense(const RandomPath& p, int silent = -1, int omit = -1) : p_(p) {
    const auto n = static_cast<Eigen::Index>(p.track.list.size());
    Eigen::MatrixXd information = Eigen::MatrixXd::Zero(5 + 3 * n, 5 + 3 * n);
    const TracedPath path = p.path();
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto index = static_cast<std::size_t>(k);
      if (k != omit)
        for (const CoordinateAxis& axis : path.axes(index)) {
          const Eigen::RowVectorXd row =
              as_vector(path.row(index, axis.cosine, axis.sine)).transpose() *
              line(k);
          information += row.transpose() * row / axis.variance;
        }
      const auto b = path.kinks(index);
      const double w[] = {b.w, b.w_phi, b.w_loss};
      for (int i = 0; i < 3; ++i) {
        // what does not change has an infinite weight
        const bool fixed = k <= silent || w[i] == 0;
        information(5 + 3 * k + i, 5 + 3 * k + i) += fixed ? 1e15 : 1 / w[i];
      }
    }
    covariance_ = inverse(information);
  }

  /// Of the line before crossing k.
  Matrix5 before(Eigen::Index k) const {
    const Eigen::MatrixXd f = line(k);
    return transformed(f, covariance_);
  }

 private:
  /// The line before crossing k as a function of all unknowns.
  Eigen::MatrixXd line(Eigen::Index k) const {
    const auto n = static_cast<Eigen::Index>(p_.track.list.size());
    Eigen::MatrixXd f = Eigen::MatrixXd::Zero(5, 5 + 3 * n);
    f.leftCols<5>().setIdentity();
    for (Eigen::Index i = 0; i < k; ++i) {
      const TracedCrossing& x = p_.track.list[static_cast<std::size_t>(i)];
      f.col(5 + 3 * i) = as_vector(x.theta_kink);
      f.col(6 + 3 * i) = as_vector(x.phi_kink);
      f.col(7 + 3 * i) = as_vector(x.loss_kink);
    }
    return f;
  }

  const RandomPath& p_;
  Eigen::MatrixXd covariance_;
};

}  // namespace

TEST_CASE("general kinks: scatter adds the covariance of all three changes") {
  Random random(7);
  for (int n = 0; n < 20; ++n) {
    Equations e = random.equations();
    const GeneralKinks<double> k = random.kinks();
    const auto product = [](const Row<double>& b) -> Matrix5 {
      return as_vector(b) * as_vector(b).transpose();
    };
    const Matrix5 expected = as_matrix(covariance(e)) + k.w * product(k.theta) +
                             k.w_phi * product(k.phi) +
                             k.w_loss * product(k.loss);
    scatter<no_zero, false>(e, k);
    CHECK(worst(as_matrix(covariance(e)), expected) < 1e-11);
  }
}

TEST_CASE("general kinks: those of a helix give the helix's result") {
  Random random(3);
  Equations a = random.equations(), b = a;
  const HelixKinks<double> helix{
      {{random(), random(), random()}, {random(), random(), random()}},
      0.4,
      0.9};
  const auto& [theta, phi] = helix.columns;
  const GeneralKinks<double> general{{theta[0], theta[1], theta[2], 1, 0},
                                     {phi[0], phi[1], phi[2], 0, 0},
                                     0.4,
                                     0.9,
                                     {0, 0, 0, 0, 1},
                                     0};
  scatter<no_zero, false>(a, helix);
  scatter<no_zero, false>(b, general);
  CHECK(worst(as_matrix(covariance(a)), as_matrix(covariance(b))) < 1e-13);
}

TEST_CASE("general kinks: no variance, no change, bit for bit") {
  Random random(9);
  const Equations before = random.equations();
  Equations after = before;
  GeneralKinks<double> k = random.kinks();
  k.w = k.w_phi = k.w_loss = 0;
  scatter<no_zero, false>(after, k);
  CHECK(after.v == before.v);
  CHECK(after.r == before.r);
}

TEST_CASE("general kinks: the filter is a dense least squares") {
  for (unsigned seed : {1u, 2u, 3u}) {
    const RandomPath p(9, seed);
    Covariance5<double> c = covariance(filter<Errors::all>(p.path()));
    CHECK(worst(as_matrix(c), Dense(p, p.track.first).before(0)) < 1e-9);
    add_inner_material(p.path(), c);
    CHECK(worst(as_matrix(c), Dense(p).before(0)) < 1e-9);
  }
}

TEST_CASE("general kinks: shares of all errors add up to the covariance") {
  for (unsigned seed : {4u, 5u, 6u}) {
    const RandomPath p(9, seed);
    std::vector<GeneralGain<double>> gains;
    const auto e = filter<Errors::all>(p.path(), no_start, &gains);
    const Covariance5<double> n = covariance(e);
    Matrix5 sum = Matrix5::Zero();
    const auto add = [&sum](const Row<double>& gain, double variance) {
      if (variance > 0)
        sum += as_vector(gain) * as_vector(gain).transpose() / variance;
    };
    backward_pass(
        p.path(), no_start, gains, n,
        [&](const HitStep<double, 5>& s) { add(s.gain, s.variance); },
        [&](const KinkStep<double, 5>& s) {
          add(s.theta, s.w);
          add(s.phi, s.w_phi);
          add(s.loss, s.w_loss);
        });
    CHECK(worst(sum, as_matrix(n)) < 1e-10);
  }
}

TEST_CASE("state at a layer: both sides together are a dense least squares") {
  for (unsigned seed : {7u, 8u}) {
    const RandomPath p(9, seed);
    const Dense all(p);
    for (int k = 0; k < 9; ++k) {
      CAPTURE(k);
      const auto index = static_cast<std::size_t>(k);
      CHECK(worst(as_matrix(covariance(line_before(p.path(), no_start, index))),
                  all.before(k)) < 1e-9);
      const auto without = line_before(p.path(), no_start, index, false);
      CHECK(worst(as_matrix(covariance(without)), Dense(p, -1, k).before(k)) <
            1e-9);
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
