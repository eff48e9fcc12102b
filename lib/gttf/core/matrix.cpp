// SPDX-License-Identifier: Apache-2.0
// Written out, because the decompositions of Eigen for matrices of any size
// take g++ longer than the rest of the library for one momentum.
#include "gttf/core/matrix.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace gttf {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Householder's reduction of a symmetric matrix, Q^T m Q = T, with
/// Q = H_0 H_1 ..., H_k = 1 - factor_k v_k v_k^T.
struct Tridiagonal {
  VectorXd diagonal, beside;  ///< of T
  MatrixXd v;                 ///< columns v_k
  VectorXd factor;

  /// @param m  both triangles are read
  explicit Tridiagonal(MatrixXd m);
  /// x <- Q x
  void turn_back(MatrixXd& x) const;
};

Tridiagonal::Tridiagonal(MatrixXd m) {
  const Index n = m.rows();
  v = MatrixXd::Zero(n, n);
  factor = VectorXd::Zero(n);
  VectorXd w(n);
  for (Index k = 0; k + 2 < n; ++k) {
    double below = 0;
    for (Index i = k + 2; i < n; ++i) below += m(i, k) * m(i, k);
    if (below == 0) continue;
    const double first = m(k + 1, k);
    const double norm =
        -std::copysign(std::hypot(first, std::sqrt(below)), first);
    for (Index i = k + 1; i < n; ++i) v(i, k) = m(i, k);
    v(k + 1, k) -= norm;
    factor[k] = 1 / (norm * (norm - first));
    double inner = 0;
    for (Index i = k + 1; i < n; ++i) {
      double sum = 0;
      for (Index j = k + 1; j < n; ++j) sum += m(j, i) * v(j, k);
      w[i] = factor[k] * sum;
      inner += w[i] * v(i, k);
    }
    for (Index i = k + 1; i < n; ++i) w[i] -= 0.5 * factor[k] * inner * v(i, k);
    for (Index j = k + 1; j < n; ++j)
      for (Index i = k + 1; i < n; ++i)
        m(i, j) -= v(i, k) * w[j] + w[i] * v(j, k);
    m(k + 1, k) = norm;
  }
  diagonal.resize(n);
  beside.resize(std::max<Index>(n - 1, 0));
  for (Index i = 0; i < n; ++i) diagonal[i] = m(i, i);
  for (Index i = 0; i + 1 < n; ++i) beside[i] = m(i + 1, i);
}

void Tridiagonal::turn_back(MatrixXd& x) const {
  const Index n = x.rows();
  for (Index k = n - 2; k-- > 0;)
    for (Index c = 0; factor[k] != 0 && c < x.cols(); ++c) {
      double sum = 0;
      for (Index i = k + 1; i < n; ++i) sum += v(i, k) * x(i, c);
      for (Index i = k + 1; i < n; ++i) x(i, c) -= factor[k] * sum * v(i, k);
    }
}

}  // namespace

Matrix5 inverse(const Matrix5& m) { return inverse<double, track_dim>(m); }

MatrixXd square(const MatrixXd& a) {
  const Index n = a.rows();
  MatrixXd c = MatrixXd::Zero(n, n);
  for (Index k = 0; k < a.cols(); ++k)
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) c(i, j) += a(i, k) * a(j, k);
  return c;
}

Eigenvectors eigenvectors(const MatrixXd& m) {
  const Index n = m.rows();
  double largest = 0;
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i)
      largest = std::max(largest, std::abs(m(i, j)));
  // the solver below expects entries of order one
  const double scale = largest > 0 ? largest : 1;
  MatrixXd scaled(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i) scaled(i, j) = scaled(j, i) = m(i, j) / scale;
  const Tridiagonal t(scaled);
  Eigen::SelfAdjointEigenSolver<MatrixXd> solver;
  solver.computeFromTridiagonal(t.diagonal, t.beside);
  Eigenvectors result{scale * solver.eigenvalues(), solver.eigenvectors()};
  t.turn_back(result.vectors);
  return result;
}

std::optional<MatrixXd> cholesky(const MatrixXd& m) {
  const Index n = m.rows();
  MatrixXd l = MatrixXd::Zero(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i) {
      double x = m(i, j);
      for (Index k = 0; k < j; ++k) x -= l(i, k) * l(j, k);
      if (i == j && !(x > 0)) return std::nullopt;
      l(i, j) = i == j ? std::sqrt(x) : x / l(j, j);
    }
  return l;
}

void solve_lower(const MatrixXd& l, Eigen::Ref<MatrixXd> columns) {
  for (Index c = 0; c < columns.cols(); ++c)
    for (Index i = 0; i < l.rows(); ++i) {
      double x = columns(i, c);
      for (Index k = 0; k < i; ++k) x -= l(i, k) * columns(k, c);
      columns(i, c) = x / l(i, i);
    }
}

void solve_upper(const MatrixXd& l, Eigen::Ref<MatrixXd> columns) {
  for (Index c = 0; c < columns.cols(); ++c)
    for (Index i = l.rows(); i-- > 0;) {
      double x = columns(i, c);
      for (Index k = i + 1; k < l.rows(); ++k) x -= l(k, i) * columns(k, c);
      columns(i, c) = x / l(i, i);
    }
}

}  // namespace gttf
