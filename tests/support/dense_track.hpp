// SPDX-License-Identifier: Apache-2.0
// A dense fit of a helix in 113 bits, geometry included.
#pragma once

#include <Eigen/Dense>
#include <boost/multiprecision/eigen.hpp>
#include <optional>
#include <vector>

#include "gttf/fit/streaming/streaming.hpp"
#include "support/wide.hpp"

namespace gttf::test {

/// Standard deviations of the line at the start (with the material inside of
/// all hits left out, as by filter()) by generalised least squares: the
/// covariance matrix V of all coordinates is written down and inverted,
///
///   V_gh = delta_gh sigma_h^2 + sum_k W_k (a_g . b_k) (a_h . b_k)
///
/// with the kinks k before both hits, and (A^T V^-1 A)^-1 is the result.
/// @param start  null: no beam spot
inline std::vector<Wide> dense_sigmas(const HelixPath<Wide>& path,
                                      const StartHit<Wide>* start) {
  using Matrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;
  std::vector<Row<Wide>> rows;
  std::vector<Wide> variances;
  std::vector<int> crossing;
  const auto add = [&](const Row<Wide>& row, const Wide& variance, int k) {
    rows.push_back(row);
    variances.push_back(variance);
    crossing.push_back(k);
  };
  if (start) {
    add(start->transverse, start->transverse_variance, -1);
    add(start->longitudinal, start->longitudinal_variance, -1);
  }
  const int n_crossings = static_cast<int>(path.size());
  for (int k = 0; k < n_crossings; ++k)
    for (const CoordinateAxis& a : path.axes(static_cast<std::size_t>(k)))
      add(path.row(static_cast<std::size_t>(k), a.cosine, a.sine),
          Wide(a.variance), k);
  const auto n = static_cast<Eigen::Index>(rows.size());
  const auto at = [](Eigen::Index i) { return static_cast<std::size_t>(i); };
  Matrix v = Matrix::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) v(i, i) = variances[at(i)];
  for (int k = start ? 0 : path.first() + 1; k < path.last(); ++k) {
    const auto kinks = path.general_kinks(static_cast<std::size_t>(k));
    for (const auto& [column, variance] :
         {std::pair{kinks.theta, kinks.w}, std::pair{kinks.phi, kinks.w_phi}}) {
      Eigen::Matrix<Wide, Eigen::Dynamic, 1> moved(n);
      for (Eigen::Index i = 0; i < n; ++i) {
        moved[i] = 0;
        for (std::size_t j = 0; crossing[at(i)] > k && j < track_dim; ++j)
          moved[i] += rows[at(i)][j] * column[j];
      }
      v += variance * (moved * moved.transpose()).eval();
    }
  }
  const Eigen::Index size = path.fits_momentum() ? track_dim : track_dim - 1;
  Matrix a(n, size);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < size; ++j) a(i, j) = rows[at(i)][at(j)];
  Matrix information = a.transpose() * v.llt().solve(a).eval();
  // of unit diagonal: parameters in their own units
  Matrix scale = Matrix::Zero(size, size);
  for (Eigen::Index j = 0; j < size; ++j)
    scale(j, j) = 1 / sqrt(information(j, j));
  information = (scale * information * scale).eval();
  const Matrix c = information.llt().solve(Matrix::Identity(size, size));
  std::vector<Wide> sigmas;
  for (Eigen::Index j = 0; j < size; ++j)
    sigmas.push_back(sqrt(c(j, j)) * scale(j, j));
  return sigmas;
}

}  // namespace gttf::test
