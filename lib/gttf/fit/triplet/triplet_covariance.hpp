// SPDX-License-Identifier: Apache-2.0
// Covariances from the global triplet fit.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/track/errors.hpp"
#include "gttf/fit/triplet/triplet_track.hpp"

namespace gttf {

/// The reason why a covariance does not exist, or ok.
enum class TripletStatus {
  ok,
  too_few_hits,    ///< fewer than 3 hits (2 without field), start included
  singular,        ///< K^-1 not positive definite: some kinks have no error
  not_determined,  ///< the hits do not determine a parameter
};

/// Covariances of one track; mm, rad, kappa in 1/mm. Matrices are NaN unless
/// status is ok. Without field, rows and columns of kappa are zero.
struct TripletCovariance {
  TripletStatus status = TripletStatus::too_few_hits;
  int n_hits = 0;  ///< measuring crossings
  /// A segment between two hits bends so strongly that its direction is poorly
  /// determined by its end points, 1/n < 0.05: the covariance of the linear fit
  /// is still correct, but a fit of real hits would not be linear.
  bool index_pole = false;
  double variance_kappa = 0;      ///< 1/(rho^T K rho)
  Matrix5 first_hit;              ///< order of OnSurface, after its scattering
  Matrix5 perigee_without_inner;  ///< order of Perigee, with kappa
  Matrix5 perigee;  ///< with the first layer and everything inside
};

/// Covariance of a fitted position, along u and v of its surface.
struct FittedPosition {
  Eigen::Matrix2d covariance;  ///< mm^2; of the residual: V minus this
  Eigen::Vector2d with_kappa;  ///< covariance with kappa; no unit
};

/// Settings of the calculation that are not properties of the track.
struct TripletOptions {
  Errors errors = Errors::all;
  /// The track is determined, but not beyond doubt (see UndoubtedVariances):
  /// it is calculated in twice the precision of a double, and no pivot is too
  /// small.
  bool doubtful = false;
};

/// The covariance of the general fit
///
///   K^-1 = D_MS^-1 + H V H^T,   sigma_kappa^2 = 1/(rho^T K rho)
///
/// extended to passive layers (kinks as nuisance parameters with exact
/// weights) and to coordinates that are not measured (free parameters instead
/// of large variances), and transported to the start of the track.
/// Coordinates at the start act as an additional hit, and the inner material
/// is then part of the fit. Cost: linear in the number of hits.
/// K^-1 is not formed: its condition number is about n^4 where hit errors
/// dominate. Reflections make its root triangular, in doubles if these give 12
/// digits, otherwise in twice their precision.
/// Errors: none; see TripletCovariance::status
/// Source: [GTTF] eq:kmatrix_inverse, eq:global_fit_sigma, eq:global_fit_cov
///         and its appendix on track parameters; docs/theory/global-fit.md
TripletCovariance triplet_covariance(const TripletTrack& track,
                                     const TripletOptions& options = {});

/// The same for one track with different errors: its arcs are made once.
class TripletFit {
 public:
  /// @param track     must exist as long as this
  /// @param doubtful  see TripletOptions
  TripletFit(const TripletTrack& track, bool doubtful);

  TripletCovariance covariance(Errors errors) const;

 private:
  struct Segments;
  std::shared_ptr<const Segments> segments_;
};

/// Covariance of the fitted position of every measuring crossing, in order of
/// flight; empty if the fit does not exist. Quadratic in the number of hits.
/// Source: [GTTF] eq:global_fit_cov
std::vector<FittedPosition> fitted_positions(
    const TripletTrack& track, const TripletOptions& options = {});

}  // namespace gttf
