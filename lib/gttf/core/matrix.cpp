// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/matrix.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace gttf {

Matrix5 inverse(const Matrix5& m) { return inverse<double, track_dim>(m); }

Eigen::MatrixXd square(const Eigen::MatrixXd& a) { return a * a.transpose(); }

Eigenvectors eigenvectors(const Eigen::MatrixXd& m) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(m);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

std::optional<Eigen::MatrixXd> cholesky(const Eigen::MatrixXd& m) {
  const Eigen::LLT<Eigen::MatrixXd> factor(m);
  if (factor.info() != Eigen::Success) return std::nullopt;
  return Eigen::MatrixXd(factor.matrixL());
}

Eigen::MatrixXd triangular_root(const Eigen::MatrixXd& a) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> factors(a);
  return factors.matrixQR().topRows(a.cols()).triangularView<Eigen::Upper>();
}

void solve_lower(const Eigen::MatrixXd& l,
                 Eigen::Ref<Eigen::MatrixXd> columns) {
  // Eigen needs a column
  if (columns.cols() > 0)
    l.triangularView<Eigen::Lower>().solveInPlace(columns);
}

}  // namespace gttf
