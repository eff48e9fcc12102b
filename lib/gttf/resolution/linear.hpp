// SPDX-License-Identifier: Apache-2.0
// Covariances of linear functions of the fitted line.
#pragma once

#include "gttf/core/matrix.hpp"
#include "gttf/fit/streaming/streaming.hpp"

namespace gttf::detail {

template <class S = double>
std::array<Row<S>, track_dim> rows_of(const Matrix5& m) {
  std::array<Row<S>, track_dim> rows;
  for (int i = 0; i < track_dim; ++i)
    for (int j = 0; j < track_dim; ++j)
      rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] =
          S(m(i, j));
  return rows;
}

template <class S, std::size_t M>
std::array<double, M> in_doubles(const std::array<S, M>& list) {
  std::array<double, M> doubles;
  for (std::size_t i = 0; i < M; ++i) doubles[i] = static_cast<double>(list[i]);
  return doubles;
}
template <class S, std::size_t M, std::size_t N>
std::array<std::array<double, N>, M> in_doubles(
    const std::array<std::array<S, N>, M>& list) {
  std::array<std::array<double, N>, M> doubles;
  for (std::size_t i = 0; i < M; ++i) doubles[i] = in_doubles(list[i]);
  return doubles;
}
template <class S>
GeneralKinks<double> in_doubles(const GeneralKinks<S>& b) {
  return {.theta = in_doubles(b.theta),
          .phi = in_doubles(b.phi),
          .w = static_cast<double>(b.w),
          .w_phi = static_cast<double>(b.w_phi),
          .loss = in_doubles(b.loss),
          .w_loss = static_cast<double>(b.w_loss)};
}

inline Vector5 vector_of(const Row<double>& row) {
  return Eigen::Map<const Vector5>(row.data());
}

template <class S>
Matrix5 matrix_of(const Covariance5<S>& c) {
  Matrix5 m;
  for (int i = 0; i < track_dim; ++i)
    for (int j = 0; j < track_dim; ++j)
      m(i, j) = static_cast<double>(
          c[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
  return m;
}

/// Covariance of functions (rows) of the line: a sum of positive terms.
template <class S>
Matrix5 covariance_of(const FiveEquations<S>& e,
                      const std::array<Row<S>, track_dim>& functions) {
  return matrix_of(covariance(e, functions));
}
template <class S>
Matrix5 covariance_of(const FiveEquations<S>& e, const Matrix5& functions) {
  return covariance_of(e, rows_of<S>(functions));
}

/// Adds the contribution of scattering and straggling in the first measuring
/// layer and inside it to the covariance of functions of the line.
template <Path P, class S = typename P::Scalar>
void add_inner_material(const P& path,
                        const std::array<Row<S>, track_dim>& functions,
                        Covariance5<S>& covariance) {
  for (int k = 0; k <= path.first(); ++k) {
    const GeneralKinks<S> b = path.general_kinks(static_cast<std::size_t>(k));
    const auto add = [&](const Row<S>& column, const S& variance) {
      if (!(variance > S(0))) return;
      const std::array<S, track_dim> change =
          covariance_with(functions, column);
      for (std::size_t i = 0; i < track_dim; ++i)
        for (std::size_t j = 0; j <= i; ++j)
          covariance[i][j] = covariance[j][i] =
              covariance[i][j] + variance * (change[i] * change[j]);
    };
    add(b.theta, b.w);
    add(b.phi, b.w_phi);
    add(b.loss, b.w_loss);
  }
}

/// Cov(function, line) of M functions.
template <std::size_t M, class S>
std::array<Row<S>, M> covariance_with_line(
    const FiveEquations<S>& e, const std::array<Row<S>, M>& functions) {
  const Covariance5<S> n = covariance(e);
  std::array<Row<S>, M> m;
  for (std::size_t q = 0; q < M; ++q)
    for (std::size_t j = 0; j < track_dim; ++j) {
      m[q][j] = S(0);
      for (std::size_t i = 0; i < track_dim; ++i)
        m[q][j] += functions[q][i] * n[i][j];
    }
  return m;
}

}  // namespace gttf::detail
