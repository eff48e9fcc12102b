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
  const Eigen::Index n = row_of(system.n_triplets());
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(n, n);
  for (std::size_t j = 0; j < system.n_triplets(); ++j) {
    const double theta0_2 = track.points[system.hits[j + 1].point].theta0_2;
    const double sine = sin_mean_theta(system.triplets[j]);
    c(row_of(j), row_of(j)) = theta0_2;
    c(row_of(j) + 1, row_of(j) + 1) = theta0_2 / (sine * sine);
  }
  Eigen::MatrixXd columns(n, 2);
  for (const PassiveKink& p : system.passive) {
    columns.setZero();
    if (p.before > 0)
      columns.middleRows<2>(row_of(p.before - 1)) =
          -p.leaving * p.sigma.asDiagonal();
    if (p.before < system.n_triplets())
      columns.middleRows<2>(row_of(p.before)) =
          p.arriving * p.sigma.asDiagonal();
    c += columns * columns.transpose();
  }
  return c;
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
  e.psi = Eigen::Map<const Eigen::VectorXd>(system.psi.data(), n);
  e.rho = Eigen::VectorXd::Zero(n);
  e.scattering = Eigen::VectorXd::Ones(n);
  e.errors = Eigen::MatrixXd::Zero(
      n, with_hits ? row_of(system.hits.size()) : Eigen::Index{0});
  if (with_hits)
    for (std::size_t j = 0; j < system.n_triplets(); ++j)
      for (std::size_t i = 0; i < 3; ++i)
        e.errors.block<2, 2>(row_of(j), row_of(j + i)) = system.gradient[j][i];
  factor.matrixL().solveInPlace(e.psi);
  // Eigen needs a column
  if (with_hits) factor.matrixL().solveInPlace(e.errors);
  return scattering_momentum(e, track.momentum, track.mass);
}

}  // namespace gttf::detail
