// SPDX-License-Identifier: Apache-2.0
// BandSquareRoot: Cholesky factor of the triplet covariance, grown error by
// error with rotations, without ever forming the covariance itself.
#pragma once

#include <Eigen/Core>
#include <span>

namespace gttf {

/// Lower triangular band matrix L with L L^T = K^-1 = sum of g g^T over all
/// independent errors; g tells how an error of one standard deviation moves the
/// kinks. An error that also moves linear functions f of the track (c = its
/// coefficients) turns the columns (g; c) into
///
///   ( L   0 )        L L^T = K^-1,  F L^T = sum c g^T
///   ( F   R ),       R R^T = sum c c^T - F F^T
///
/// R R^T is the covariance of the functions when the kinks are known exactly.
/// It comes out as a sum of squares, so nothing cancels and it is positive
/// semidefinite, where the printed V - V H^T K H V is a difference.
/// Compared with a factorisation of K^-1 the condition number enters with its
/// square root only. Cost: linear in the number of errors.
/// Source: [GTTF] eq:kmatrix_inverse; rotations as in [Golub13] section 5.1
class BandSquareRoot {
 public:
  /// Diagonal and sub-diagonals: three triplets share a hit, two kinks each.
  static constexpr Eigen::Index width = 6;

  /// @param diagonal     standard deviation of the independent error of every
  ///                     row, >= 0
  /// @param n_functions  number of linear functions to be followed
  /// @param block        only covariances within blocks of this size are kept
  BandSquareRoot(const Eigen::VectorXd& diagonal, Eigen::Index n_functions,
                 Eigen::Index block);

  /// Adds an error that moves the kinks first_row, first_row + 1, ... and the
  /// functions. The last row must not decrease from call to call, which keeps
  /// the factor within its band.
  void add(Eigen::Index first_row, std::span<const double> kinks,
           Eigen::VectorXd functions);

  /// Does every kink combination have an error? If not, L has no inverse.
  bool is_regular() const;

  /// L^-1 x.
  Eigen::VectorXd solve(Eigen::VectorXd x) const;

  Eigen::Index rows() const { return band_.cols(); }
  /// F, n_functions x rows.
  const Eigen::MatrixXd& functions() const { return functions_; }
  /// The diagonal blocks of R R^T, n_functions x block.
  const Eigen::MatrixXd& remainder() const { return remainder_; }

 private:
  Eigen::Matrix<double, width, Eigen::Dynamic> band_;  ///< columns of L
  Eigen::VectorXd row_scale2_;                         ///< diagonal of L L^T
  Eigen::MatrixXd functions_;
  Eigen::MatrixXd remainder_;
};

}  // namespace gttf
