// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/band_square_root.hpp"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <array>
#include <random>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Random errors in the order of hits along a track, and the same as a dense
/// matrix with one column per error, functions below the kinks.
struct System {
  BandSquareRoot root;
  Eigen::MatrixXd dense;
};

System random_system(Eigen::Index triplets, double own_scale) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const Eigen::Index rows = 2 * triplets, functions = 4;
  const Eigen::VectorXd diagonal =
      own_scale * Eigen::VectorXd::NullaryExpr(
                      rows, [&] { return std::abs(normal(random)); });
  System s{BandSquareRoot(diagonal, functions, 2),
           Eigen::MatrixXd::Zero(rows + functions, rows + 2 * (triplets + 2))};
  s.dense.topLeftCorner(rows, rows) = diagonal.asDiagonal();
  for (Eigen::Index column = 0; column < 2 * (triplets + 2); ++column) {
    const Eigen::Index hit = column / 2;
    const Eigen::Index first = 2 * std::max<Eigen::Index>(0, hit - 2);
    const Eigen::Index last = std::min(rows, 2 * (hit + 1));
    std::array<double, 6> g{};
    for (Eigen::Index r = first; r < last; ++r)
      s.dense(r, rows + column) = g[static_cast<std::size_t>(r - first)] =
          normal(random);
    Eigen::VectorXd f =
        Eigen::VectorXd::NullaryExpr(functions, [&] { return normal(random); });
    s.dense.col(rows + column).tail(functions) = f;
    s.root.add(first,
               std::span(g).first(static_cast<std::size_t>(last - first)), f);
  }
  return s;
}

}  // namespace

TEST_CASE("band square root: equals the Cholesky factor of the summed errors") {
  for (const double own_scale : {0.0, 1e-3, 1.0}) {
    CAPTURE(own_scale);
    const System s = random_system(9, own_scale);
    const Eigen::Index n = s.root.rows();
    const Eigen::MatrixXd sum = s.dense * s.dense.transpose();
    const Eigen::MatrixXd k_inverse = sum.topLeftCorner(n, n);
    const Eigen::MatrixXd l = k_inverse.llt().matrixL();
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, -1, 2);
    // conditions of a few hundred
    CHECK((s.root.solve(x) - l.triangularView<Eigen::Lower>().solve(x).eval())
              .norm() < 1e-11);
    const Eigen::MatrixXd f = l.triangularView<Eigen::Lower>()
                                  .solve(sum.topRightCorner(n, 4))
                                  .transpose();
    CHECK((s.root.functions() - f).norm() < 1e-11);
    const Eigen::MatrixXd rest =
        sum.bottomRightCorner(4, 4) - f * f.transpose();
    CHECK((s.root.remainder().topRows(2) - rest.topLeftCorner(2, 2)).norm() <
          1e-11);
    CHECK((s.root.remainder().bottomRows(2) - rest.bottomRightCorner(2, 2))
              .norm() < 1e-11);
    CHECK(s.root.is_regular());
  }
}

TEST_CASE("band square root: a kink without any error is noticed") {
  BandSquareRoot root(Eigen::Vector4d(1, 1, 0, 0), 0, 1);
  CHECK_FALSE(root.is_regular());
  const std::array<double, 4> g = {0.1, 0.2, 0.3, 0.4};
  root.add(0, g, {});
  CHECK_FALSE(root.is_regular());  // two kinks, one error
  const std::array<double, 4> h = {0.1, 0.2, 0.3, -0.4};
  root.add(0, h, {});
  CHECK(root.is_regular());
}

TEST_CASE("band square root: graded errors keep their digits") {
  // an error of size 1 over own errors of 1e-9: the sum of squares loses the
  // small ones altogether
  BandSquareRoot root(Eigen::Vector2d(1e-9, 1e-9), 0, 1);
  root.add(0, std::array{1.0, 1.0}, {});
  // (1, -1) is orthogonal to the large error: x^T K x = |x|^2/1e-18
  const Eigen::VectorXd y = root.solve(Eigen::Vector2d(1, -1));
  CHECK(y.squaredNorm() == doctest::Approx(2e18).epsilon(1e-14));
}

}  // namespace gttf::test::GTTF_TEST_FILE
