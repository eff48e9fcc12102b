// SPDX-License-Identifier: Apache-2.0
#include "gttf/paper/triplet_equations.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

namespace gttf {
namespace {

/// A matrix A with A A^T = V, also for singular V.
Eigen::Matrix3d square_root(const Eigen::Matrix3d& v) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> s(v);
  return s.eigenvectors() *
         s.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
}

}  // namespace

void TripletEquations::append(const Eigen::MatrixXd& columns) {
  const Eigen::Index n = errors.cols();
  errors.conservativeResize(psi.size(), n + columns.cols());
  errors.rightCols(columns.cols()) = columns;
}

TripletEquations make_equations(std::span<const Triplet<double>> triplets,
                                std::span<const Eigen::Matrix3d> hits,
                                std::span<const double> theta0_2) {
  const auto rows = static_cast<Eigen::Index>(2 * triplets.size());
  TripletEquations e;
  e.psi.resize(rows);
  e.rho.resize(rows);
  e.scattering.resize(rows);
  for (const Eigen::Matrix3d& v : hits) e.roots.push_back(square_root(v));
  e.errors =
      Eigen::MatrixXd::Zero(rows, static_cast<Eigen::Index>(3 * hits.size()));
  for (std::size_t j = 0; j < triplets.size(); ++j) {
    const Triplet<double>& t = triplets[j];
    const auto r = static_cast<Eigen::Index>(2 * j);
    const double sine = sin_mean_theta(t);
    e.psi.segment<2>(r) << t.theta_tilde, t.phi_tilde;
    e.rho.segment<2>(r) << t.rho_theta, t.rho_phi;
    e.scattering.segment<2>(r) << theta0_2[j], theta0_2[j] / (sine * sine);
    if (hits.empty()) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const Eigen::Matrix3d& root = e.roots[j + k];
      const auto c = static_cast<Eigen::Index>(3 * (j + k));
      e.errors.block<1, 3>(r, c) = vector_of(t.h_theta[k]).transpose() * root;
      e.errors.block<1, 3>(r + 1, c) = vector_of(t.h_phi[k]).transpose() * root;
    }
  }
  return e;
}

Vector3 TripletSolution::residual(const TripletEquations& e,
                                  std::size_t k) const {
  return e.roots[k] * errors.segment<3>(static_cast<Eigen::Index>(3 * k));
}

TripletSolution solve(const TripletEquations& e, bool fit_kappa) {
  TripletSolution s;
  Eigen::MatrixXd k_inverse = e.errors * e.errors.transpose();
  k_inverse.diagonal() += e.scattering;
  const Eigen::LLT<Eigen::MatrixXd> factor(k_inverse);
  if (factor.info() != Eigen::Success) return s;
  const Eigen::VectorXd a = factor.matrixL().solve(e.rho);
  const Eigen::VectorXd b = factor.matrixL().solve(e.psi);
  Eigen::MatrixXd m = e.errors;
  if (m.size() > 0) factor.matrixL().solveInPlace(m);  // Eigen needs a column
  double variance = 0;
  s.kappa = 0;
  if (fit_kappa) {
    if (!(a.squaredNorm() > 0)) {
      s.status = FitStatus::no_curvature;
      s.kappa = TripletSolution::none;
      return s;
    }
    variance = 1 / a.squaredNorm();
    s.kappa = -a.dot(b) * variance;
  }
  const Eigen::VectorXd r = b + s.kappa * a, along = m.transpose() * a;
  s.status = FitStatus::ok;
  s.sigma = std::sqrt(variance);
  s.chi2 = r.squaredNorm();
  s.ndf = static_cast<int>(e.psi.size()) - (fit_kappa ? 1 : 0);
  s.errors = m.transpose() * r;
  s.covariance = Eigen::MatrixXd::Identity(m.cols(), m.cols()) -
                 m.transpose() * m + variance * along * along.transpose();
  s.with_kappa = variance * along;
  return s;
}

}  // namespace gttf
