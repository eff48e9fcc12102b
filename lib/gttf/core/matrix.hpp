// SPDX-License-Identifier: Apache-2.0
// Small matrices and vectors. Functions whose templates take g++ seconds per
// use are compiled once, in matrix.cpp.
#pragma once

#include <optional>

#include "gttf/core/cartesian.hpp"
#include "gttf/core/track_parameters.hpp"

namespace gttf {

inline Cartesian<double> cartesian(const Vector3& v) {
  return {v[0], v[1], v[2]};
}
inline Vector3 vector_of(const Cartesian<double>& c) { return {c.x, c.y, c.z}; }

/// Not finite if the inverse does not exist.
Matrix5 inverse(const Matrix5& m);

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

/// Solves L x = b for columns in place.
void solve_lower(const Eigen::MatrixXd& l, Eigen::Ref<Eigen::MatrixXd> columns);

}  // namespace gttf
