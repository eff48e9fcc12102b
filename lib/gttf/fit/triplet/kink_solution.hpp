// SPDX-License-Identifier: Apache-2.0
// KinkSolution: a KinkSystem with weights, solved for the curvature.
#pragma once

#include "gttf/fit/triplet/band_cholesky.hpp"
#include "gttf/fit/triplet/kink_system.hpp"

namespace gttf::detail {

/// Which errors enter K^-1.
struct ErrorChoice {
  bool hits = true;
  bool scattering = true;
};

/// The generic least-squares problem of all fits,
///
///   K^-1 = D^-1 + G G^T (hits and passive kinks, per standard deviation)
///   a = L^-1 rho,  b = L^-1 psi,  r = b + kappa a,  u = M^T r,  M = L^-1 G
///   Cov(u) = 1 - M^T M + sigma^2 (M^T a)(M^T a)^T,  Cov(u, kappa) = sigma^2
///   M^T a
///
/// Source: [GTTF] eq:kmatrix_inverse to eq:global_fit_chi2;
///         docs/theory/data-fits.md
class KinkSolution {
 public:
  /// Scattering variances theta0^2 scale[j] for the triplets; passive kinks
  /// take the mean of their neighbours.
  void set_weights(const TrackHits& track, KinkSystem& system,
                   const std::vector<double>& scale);

  /// K^-1 with the weights set.
  BandCholesky inverse_weights(const KinkSystem& system,
                               ErrorChoice errors) const;
  /// Factorises K^-1 and makes a and b.
  /// @return  false if K^-1 is singular
  bool factorise(const KinkSystem& system, ErrorChoice errors);

  double aa = 0, ab = 0, bb = 0;  ///< a.a, a.b, b.b

  /// Fixes kappa and its variance; makes r.
  void set_kappa(double kappa, double variance);
  double kappa() const { return kappa_; }
  double variance() const { return variance_; }
  double chi2() const;  ///< |r|^2

  /// Shift of every hit, u = M^T r, in standard deviations; and of the
  /// passive kinks. Without hit errors the shifts are zero.
  void make_shifts(const KinkSystem& system);
  const std::vector<Vector2>& shifts() const { return shifts_; }
  const std::vector<Vector2>& passive_kinks() const { return kinks_; }

  /// M for hits below `n_hits` and passive kinks before them.
  void make_columns(const KinkSystem& system, std::size_t n_hits);

  static constexpr std::size_t no_column = static_cast<std::size_t>(-1);
  bool has_hit_errors() const { return errors_.hits; }
  /// Cov(u_i, u_j), of columns as numbered by hit_column and passive_column.
  double covariance(std::size_t i, std::size_t j) const;
  /// Cov(u_i, kappa).
  double with_kappa(std::size_t i) const;
  /// M_i . M_j - ...: what the data say about u_i: 1 - Cov(u).
  double reduction(std::size_t i, std::size_t j) const;
  static std::size_t hit_column(std::size_t hit, std::size_t coordinate) {
    return 2 * hit + coordinate;
  }
  std::size_t passive_column(std::size_t passive, std::size_t angle) const {
    return 2 * n_column_hits_ + 2 * passive + angle;
  }

 private:
  void add_inverse_weights(const KinkSystem& system, ErrorChoice errors,
                           BandCholesky& to) const;
  std::size_t rows() const { return a_.size(); }
  const double* column(std::size_t i) const {
    return columns_.data() + i * rows();
  }
  double dot(const double* x, const double* y) const;

  ErrorChoice errors_;
  std::vector<double> scattering_;  ///< D^-1
  BandCholesky factor_;
  std::vector<double> a_, b_, r_, w_;
  double kappa_ = 0, variance_ = 0;
  std::vector<Vector2> shifts_, kinks_;
  std::vector<double> columns_;
  std::vector<double> along_a_;  ///< M^T a
  std::size_t n_column_hits_ = 0;
};

}  // namespace gttf::detail
