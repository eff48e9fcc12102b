// SPDX-License-Identifier: Apache-2.0
#include "support/dense.hpp"

#include <Eigen/Dense>

namespace gttf::test {

Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a * b;
}

Eigen::MatrixXd transformed(const Eigen::MatrixXd& a,
                            const Eigen::MatrixXd& b) {
  return product(product(a, b), a.transpose());
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& m) { return m.inverse(); }

Eigen::MatrixXd solve_symmetric(const Eigen::MatrixXd& m,
                                const Eigen::MatrixXd& b) {
  return m.ldlt().solve(b);
}

Eigen::MatrixXd least_squares(const Eigen::MatrixXd& a,
                              const Eigen::MatrixXd& b) {
  return a.householderQr().solve(b);
}

Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& m) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(m,
                                                        Eigen::EigenvaluesOnly)
      .eigenvalues();
}

double least_eigenvalue_of_correlations(const Eigen::MatrixXd& covariance) {
  const Eigen::VectorXd scale =
      covariance.diagonal().cwiseSqrt().cwiseInverse();
  return eigenvalues(scale.asDiagonal() * covariance * scale.asDiagonal())[0];
}

}  // namespace gttf::test
