// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/matrix.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace gttf::test::GTTF_TEST_FILE {
namespace {

Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns,
                              unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  Eigen::MatrixXd m(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j) m(i, j) = number(engine);
  return m;
}

double distance(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

TEST_CASE("matrix: the inverse, also where a pivot is zero") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Matrix5 m = random_matrix(5, 5, seed);
    m.row(0) *= 1e6;
    m(0, 0) = m(1, 0) = 0;
    const Matrix5 product = m * inverse(m), identity = Matrix5::Identity();
    CHECK(distance(product, identity) < 1e-8);
  }
  Matrix5 singular = random_matrix(5, 5, 1);
  singular.row(3).setZero();
  CHECK(!inverse(singular).allFinite());
}

TEST_CASE("matrix: eigenvectors") {
  for (const Eigen::Index n : {1, 2, 3, 5, 12}) {
    CAPTURE(n);
    const Eigen::MatrixXd root =
        random_matrix(n, n, static_cast<unsigned>(n) + 100);
    const Eigen::MatrixXd m = root * root.transpose();
    const Eigenvectors e = eigenvectors(m);
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(n, n);
    CHECK(distance(e.vectors * e.vectors.transpose(), identity) < 1e-13);
    CHECK(distance(e.vectors * e.values.asDiagonal() * e.vectors.transpose(),
                   m) < 1e-13);
  }
}

TEST_CASE("matrix: eigenvectors of a matrix that is not of full rank") {
  const Eigen::MatrixXd root = random_matrix(8, 3, 7);
  const Eigenvectors e = eigenvectors(root * root.transpose());
  int zeros = 0;
  for (const double value : e.values) zeros += std::abs(value) < 1e-14;
  CHECK(zeros == 5);
}

TEST_CASE("matrix: eigenvectors of large, tiny and huge matrices") {
  const Eigen::Index n = 60;
  const Eigen::MatrixXd root = random_matrix(n, n, 11);
  const Eigen::MatrixXd m = root * root.transpose() / n;
  for (const double scale : {1e-200, 1.0, 1e200}) {
    CAPTURE(scale);
    const Eigenvectors e = eigenvectors(scale * m);
    const Eigen::VectorXd values = e.values / scale;
    CHECK(distance(e.vectors * values.asDiagonal() * e.vectors.transpose(), m) <
          1e-13);
    CHECK(std::is_sorted(e.values.begin(), e.values.end()));
  }
  const Eigenvectors none = eigenvectors(Eigen::MatrixXd::Zero(4, 4));
  CHECK(none.values.isZero(0));
  CHECK(distance(none.vectors * none.vectors.transpose(),
                 Eigen::MatrixXd::Identity(4, 4)) < 1e-15);
}

TEST_CASE("matrix: products, of fixed and of any size") {
  const Eigen::Matrix<double, 4, 3> a = random_matrix(4, 3, 21);
  const Eigen::Matrix<double, 3, 5> b = random_matrix(3, 5, 22);
  const Eigen::Matrix3d root = random_matrix(3, 3, 23);
  const Eigen::Matrix3d c = root * root.transpose();
  const auto same = [](const Eigen::MatrixXd& x, const Eigen::MatrixXd& y) {
    CHECK(distance(x, y) < 1e-14);
  };
  same(product(a, b), a * b);
  same(square(a), a * a.transpose());
  same(square(Eigen::MatrixXd(a)), a * a.transpose());
  same(propagated(a, c), a * c * a.transpose());
  CHECK(propagated(a, c) == propagated(a, c).transpose());
}

TEST_CASE("matrix: Cholesky's factor and its solution") {
  const Eigen::MatrixXd root = random_matrix(6, 6, 3);
  Eigen::MatrixXd m = root * root.transpose();
  Eigen::MatrixXd lower = m;
  lower.triangularView<Eigen::StrictlyUpper>().setConstant(NAN);  // not read
  const auto factor = cholesky(lower);
  REQUIRE(factor);
  const Eigen::MatrixXd l = factor->triangularView<Eigen::Lower>();
  CHECK(distance(l * l.transpose(), m) < 1e-13);
  Eigen::MatrixXd x = random_matrix(6, 2, 4);
  const Eigen::MatrixXd b = x;
  solve_lower(*factor, x);
  CHECK(distance(l * x, b) < 1e-13);
  m(4, 4) = -1;
  CHECK(!cholesky(m));
}

}  // namespace
}  // namespace gttf::test::GTTF_TEST_FILE
