// SPDX-License-Identifier: Apache-2.0
// Dense algebra with matrices of any size. Its templates take long to compile:
// they are in dense.cpp, and nowhere else.
#pragma once

#include <Eigen/Core>

namespace gttf::test {

Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
/// a b a^T.
Eigen::MatrixXd transformed(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
Eigen::MatrixXd inverse(const Eigen::MatrixXd& m);
/// m^-1 b for a symmetric matrix.
Eigen::MatrixXd solve_symmetric(const Eigen::MatrixXd& m,
                                const Eigen::MatrixXd& b);
/// x for which |a x - b| is least, by reflections.
Eigen::MatrixXd least_squares(const Eigen::MatrixXd& a,
                              const Eigen::MatrixXd& b);
/// Of a symmetric matrix, ascending.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& m);
/// The least eigenvalue of the correlations: negative if the covariance is not
/// positive semidefinite.
double least_eigenvalue_of_correlations(const Eigen::MatrixXd& covariance);

}  // namespace gttf::test
