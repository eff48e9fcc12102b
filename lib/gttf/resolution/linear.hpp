// SPDX-License-Identifier: Apache-2.0
// Covariances of linear functions of the fitted line.
#pragma once

#include "gttf/core/matrix.hpp"
#include "gttf/fit/streaming/streaming.hpp"

namespace gttf::detail {

inline std::array<Row<double>, track_dim> rows_of(const Matrix5& m) {
  std::array<Row<double>, track_dim> rows;
  for (int i = 0; i < track_dim; ++i)
    for (int j = 0; j < track_dim; ++j)
      rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = m(i, j);
  return rows;
}

inline Vector5 vector_of(const Row<double>& row) {
  return Eigen::Map<const Vector5>(row.data());
}

inline Matrix5 matrix_of(const Covariance5<double>& c) {
  Matrix5 m;
  for (int i = 0; i < track_dim; ++i)
    for (int j = 0; j < track_dim; ++j)
      m(i, j) = c[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return m;
}

/// Covariance of functions (rows) of the line: a sum of positive terms.
inline Matrix5 covariance_of(const FiveEquations<double>& e,
                             const Matrix5& functions) {
  return matrix_of(covariance(e, rows_of(functions)));
}

/// What scattering and straggling in the first measuring layer and inside it
/// add to it.
template <Path P>
Matrix5 inner_material(const P& path, const Matrix5& functions) {
  Matrix5 sum = Matrix5::Zero();
  for (int k = 0; k <= path.first(); ++k) {
    const auto b = path.general_kinks(static_cast<std::size_t>(k));
    const auto add = [&](const Row<double>& column, double variance) {
      if (!(variance > 0)) return;
      const Vector5 change = functions * vector_of(column);
      sum += variance * (change * change.transpose()).eval();  // symmetric
    };
    add(b.theta, b.w);
    add(b.phi, b.w_phi);
    add(b.loss, b.w_loss);
  }
  return sum;
}

/// Cov(function, line) of M functions.
template <std::size_t M>
std::array<Row<double>, M> covariance_with_line(
    const FiveEquations<double>& e,
    const std::array<Row<double>, M>& functions) {
  const Covariance5<double> n = covariance(e);
  std::array<Row<double>, M> m;
  for (std::size_t q = 0; q < M; ++q)
    for (std::size_t j = 0; j < track_dim; ++j) {
      m[q][j] = 0;
      for (std::size_t i = 0; i < track_dim; ++i)
        m[q][j] += functions[q][i] * n[i][j];
    }
  return m;
}

}  // namespace gttf::detail
