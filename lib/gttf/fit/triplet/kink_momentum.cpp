// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Cholesky>
#include <cmath>

#include "gttf/fit/triplet/kink_momentum.hpp"

namespace gttf::detail {

namespace {

/// Rows of a triplet in a column vector of kinks.
Eigen::Index row_of(std::size_t triplet) {
  return 2 * static_cast<Eigen::Index>(triplet);
}

/// Covariance of the kinks from scattering.
Eigen::MatrixXd scattering_of(const TrackHits& track,
                              const KinkSystem& system) {
  const std::size_t n_triplets = system.n_triplets();
  const Eigen::Index n = row_of(n_triplets);
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(n, n);
  std::vector<PassiveRows<double>> passive(n_triplets);
  for (std::size_t k = 0; k < system.sums.size(); ++k)
    add_passive_rows(system.sums[k], k, n_triplets, passive.data());
  for (std::size_t j = 0; j < n_triplets; ++j) {
    const double theta0_2 = track.points[system.hits[j + 1].point].theta0_2;
    const Eigen::Index i = row_of(j);
    c(i, i) = theta0_2;
    c(i + 1, i + 1) = theta0_2 * system.rows[j].inv_sin2;
    for (int r = 0; r < 2; ++r)
      for (int q = 0; q < 2; ++q) {
        if (q <= r) c(i + r, i + q) += passive[j].self[r][q];
        if (j + 1 < n_triplets) c(i + 2 + q, i + r) = passive[j].next[r][q];
      }
  }
  return c;  // lower triangle
}

}  // namespace

std::optional<ScatteringMomentum> kink_momentum(const TrackHits& track,
                                                const KinkSystem& system,
                                                bool with_hits) {
  if (!(track.momentum > 0)) return std::nullopt;
  const Eigen::LLT<Eigen::MatrixXd> factor(scattering_of(track, system));
  if (factor.info() != Eigen::Success) return std::nullopt;
  const Eigen::Index n = row_of(system.n_triplets());
  TripletEquations e;
  e.psi.resize(n);
  e.rho = Eigen::VectorXd::Zero(n);
  e.scattering = Eigen::VectorXd::Ones(n);
  e.errors = Eigen::MatrixXd::Zero(
      n, with_hits ? row_of(system.hits.size()) : Eigen::Index{0});
  for (std::size_t j = 0; j < system.n_triplets(); ++j) {
    const KinkRows<double>& row = system.rows[j];
    for (int r = 0; r < 2; ++r) {
      e.psi[row_of(j) + r] = row.psi[r];
      for (std::size_t i = 0; with_hits && i < 3; ++i)
        for (int q = 0; q < 2; ++q)
          e.errors(row_of(j) + r, row_of(j + i) + q) = row.shift[i][r][q];
    }
  }
  factor.matrixL().solveInPlace(e.psi);
  // Eigen needs a column
  if (with_hits) factor.matrixL().solveInPlace(e.errors);
  return scattering_momentum(e, track.momentum, track.mass);
}

}  // namespace gttf::detail
