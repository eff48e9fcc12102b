// SPDX-License-Identifier: Apache-2.0
// Small matrices and vectors. Functions whose templates take g++ seconds per
// use are compiled once, in matrix.cpp.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <optional>
#include <utility>

#include "gttf/core/cartesian.hpp"
#include "gttf/core/track_parameters.hpp"

namespace gttf {

inline Cartesian<double> cartesian(const Vector3& v) {
  return {v[0], v[1], v[2]};
}
inline Vector3 vector_of(const Cartesian<double>& c) { return {c.x, c.y, c.z}; }

/// a b, for any scalar: g++ takes far longer for Eigen's products.
template <class S, int rows, int inner, int columns>
Eigen::Matrix<S, rows, columns> product(
    const Eigen::Matrix<S, rows, inner>& a,
    const Eigen::Matrix<S, inner, columns>& b) {
  Eigen::Matrix<S, rows, columns> c;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      S sum = a(i, 0) * b(0, j);
      for (int k = 1; k < inner; ++k) sum += a(i, k) * b(k, j);
      c(i, j) = sum;
    }
  return c;
}

/// a b^T, if it is symmetric, to the last bit.
template <class S, int n, int columns>
Eigen::Matrix<S, n, n> symmetric_product(
    const Eigen::Matrix<S, n, columns>& a,
    const Eigen::Matrix<S, n, columns>& b) {
  static_assert(n > 0 && columns > 0);
  Eigen::Matrix<S, n, n> c;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      S sum = a(i, 0) * b(j, 0);
      for (int k = 1; k < columns; ++k) sum += a(i, k) * b(j, k);
      c(i, j) = c(j, i) = sum;
    }
  return c;
}

/// a a^T.
template <class S, int n, int columns>
Eigen::Matrix<S, n, n> square(const Eigen::Matrix<S, n, columns>& a) {
  return symmetric_product(a, a);
}

/// J C J^T: the covariance of J x, if C is that of x.
template <class S, int n, int m>
Eigen::Matrix<S, n, n> propagated(const Eigen::Matrix<S, n, m>& j,
                                  const Eigen::Matrix<S, m, m>& c) {
  return symmetric_product(product(j, c), j);
}

/// By elimination with partial pivoting; not finite if it does not exist.
template <class S, int n>
Eigen::Matrix<S, n, n> inverse(Eigen::Matrix<S, n, n> m) {
  using std::abs;
  Eigen::Matrix<S, n, n> x =
      Eigen::Matrix<double, n, n>::Identity().template cast<S>();
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (abs(m(i, k)) > abs(m(best, k))) best = i;
    for (int j = 0; j < n; ++j) {
      std::swap(m(k, j), m(best, j));
      std::swap(x(k, j), x(best, j));
    }
    const S pivot = S(1) / m(k, k);
    for (int j = 0; j < n; ++j) {
      m(k, j) *= pivot;
      x(k, j) *= pivot;
    }
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const S factor = m(i, k);
      for (int j = 0; j < n; ++j) {
        m(i, j) -= factor * m(k, j);
        x(i, j) -= factor * x(k, j);
      }
    }
  }
  return x;
}

/// The same, compiled once.
Matrix5 inverse(const Matrix5& m);

/// a a^T, of any size.
Eigen::MatrixXd square(const Eigen::MatrixXd& a);

/// A symmetric matrix as vectors diag(values) vectors^T; values ascend.
struct Eigenvectors {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;  ///< columns
};

/// From the lower triangle of `m`. Errors of all values are of the order of
/// rounding of the largest.
Eigenvectors eigenvectors(const Eigen::MatrixXd& m);

/// L of m = L L^T, from the lower triangle of `m`; none if m is not positive
/// definite.
std::optional<Eigen::MatrixXd> cholesky(const Eigen::MatrixXd& m);

/// R of a = Q R, upper triangular, with Q^T Q = 1: R^T R = a^T a. `a` has at
/// least as many rows as columns.
Eigen::MatrixXd triangular_root(const Eigen::MatrixXd& a);

/// Solves L x = b for columns in place.
void solve_lower(const Eigen::MatrixXd& l, Eigen::Ref<Eigen::MatrixXd> columns);

}  // namespace gttf
