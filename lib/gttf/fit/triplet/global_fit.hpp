// SPDX-License-Identifier: Apache-2.0
// The global fits of a track: curvature, chi2, residuals, track parameters.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/track_parameters.hpp"
#include "gttf/fit/track/hits.hpp"

namespace gttf {

/// Errors included in the fit, and the source of the scattering angles.
enum class FitKind {
  general,           ///< hit errors and scattering
  hits,              ///< hit errors only, no scattering
  scattering,        ///< scattering only, the hits are exact; no inversion
  regularised,       ///< the same, chi2(kappa) with theta0 = b |kappa|
  common_curvature,  ///< the same, theta0 = b |kappa| for the fitted kappa
};

/// The curvature at which theta0 = b |kappa| is used (general, scattering).
enum class WeightSource {
  estimate,  ///< FitOptions::kappa
  local,     ///< the curvature of each triplet; biased, see bias.hpp
  update,    ///< a first fit's curvature: start from common_curvature, fit, and
             ///< fit again with the result
  shared,  ///< values of FitOptions::reference, including K and the slopes rho:
           ///< ideal weights; general, hits and scattering
};

std::string_view to_string(FitKind);
std::string_view to_string(WeightSource);

/// A kind of fit and the source of its scattering angles.
struct FitChoice {
  FitKind kind = FitKind::general;
  WeightSource weights = WeightSource::estimate;

  friend bool operator==(const FitChoice&, const FitChoice&) = default;
};

/// "general", "general-local", "scattering-updated", ...
std::string name_of(const FitChoice& fit);

/// The fit with this name; "ms" is short for "scattering".
std::optional<FitChoice> find_fit(std::string_view name);

/// All names, for messages.
std::vector<std::string> fit_names();

/// Requested results of a fit; each level includes the previous ones.
enum class FitDetail {
  curvature,  ///< kappa, its error, chi2
  perigee,    ///< track parameters at the closest approach to the origin
  hits,       ///< residuals and track parameters at every hit
};

struct FitOptions {
  WeightSource weights = WeightSource::estimate;
  /// Estimate of the curvature, 1/mm; 0: TrackHits::kappa_ref.
  double kappa = 0;
  /// WeightSource::shared: a reference track close to all tracks to be fitted,
  /// at the curvature kappa_ref. All tracks use the K, rho and errors of the
  /// reference; only the kinks at kappa_ref are their own. Falls back to
  /// WeightSource::estimate if there is no reference or the streaming fit is
  /// needed. Without re-linearisations.
  std::shared_ptr<const TrackHits> reference = {};
  /// Further steps, each linearised at the result of the previous step; ends
  /// early at convergence. General and hits only.
  int relinearisations = 0;
  FitDetail detail = FitDetail::perigee;
};

/// One measured point after the fit. Vectors and matrices are in the order of
/// TrackHit::coordinates; with one coordinate only the first entries count.
struct HitFit {
  std::size_t point = 0;                ///< index in TrackHits::points
  Eigen::Vector2d residual;             ///< measured minus fitted, mm
  Eigen::Matrix2d residual_covariance;  ///< V H^T K_rho H V, mm^2
  Eigen::Matrix2d fitted_covariance;  ///< of the fitted position: V minus that
  Eigen::Vector2d fitted_with_kappa;  ///< Cov(fitted position, kappa)
  TrackState before;  ///< at the fitted position, before its scattering
  TrackState after;   ///< after it; first hit: before = after, last: too
  /// Fitted energy loss in the layer and its error, GeV; NaN unless the fit
  /// includes losses (TrackHits::flight).
  double energy_loss = std::numeric_limits<double>::quiet_NaN();
  double sigma_energy_loss = std::numeric_limits<double>::quiet_NaN();
};

/// Momentum from scattering. Without field triplets have no parameters: each
/// has two kinks that depend on the momentum, 2 n_t degrees of freedom.
struct ScatteringMomentum {
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  /// False: the kinks are compatible with hit errors only. Then p is infinite,
  /// sigma is meaningless and only the bound applies.
  bool finite = false;
  double p = infinite;      ///< GeV
  double sigma = infinite;  ///< of p, GeV; expected width at p
  /// Lower bound of 95 % confidence: -2 ln L is 1.645^2 above its minimum.
  /// Exact for many triplets; for 8 in the transition region 92 %.
  double lower_bound = 0;  ///< GeV
};

/// Result of a global fit. NaN unless status is ok, and if not requested.
struct GlobalFit {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  FitStatus status = FitStatus::too_few_hits;
  double kappa = none;  ///< signed 3D curvature -q B/p, 1/mm; see TrackHits
  double sigma = none;  ///< its standard deviation
  double chi2 = none;
  int ndf = 0;
  int n_steps = 0;              ///< number of linear fits
  double kappa_weights = none;  ///< curvature at which theta0 was taken

  /// Without field: momentum estimated from the scattering of the track, if
  /// TrackHits::momentum is given and every hit has two coordinates.
  std::optional<ScatteringMomentum> scattering_momentum;

  Vector5 perigee;             ///< d0, z0, phi, theta, kappa; order of Perigee
  Matrix5 perigee_covariance;  ///< with first layer's and inner scattering
  Matrix5 perigee_covariance_without_inner;
  /// On the plane z = const. through the origin, order of OnPlane, with
  /// kappa; TrackHits::flight only. For tracks along z, which have no perigee.
  Vector5 start_plane;
  Matrix5 start_plane_covariance;  ///< as perigee_covariance
  std::vector<HitFit> hits;        ///< every measured point, in order of flight
};

/// Sets numbers to NaN and counts to 0; keeps memory.
void clear(GlobalFit& fit);

/// Fits tracks one after the other. Reuses its memory: no allocation from the
/// second track of the same size on.
///
/// general, for all hits at once and any mixture of errors:
///
///   K^-1 = D_MS^-1 + H V H^T,   kappa = -(rho K Psi)/(rho K rho)
///   sigma^2 = 1/(rho K rho),    chi2 = e^T K e,  e = Psi + rho kappa
///   delta = V H^T K e
///
/// evaluated with one banded Cholesky factor L of K^-1: a = L^-1 rho,
/// b = L^-1 Psi, kappa = -(a.b)/(a.a), chi2 = |b + kappa a|^2.
///
/// The hits themselves are the linearisation point. Tracks with unmeasured
/// coordinates, with coordinates too coarse to linearise at, or with
/// fluctuating energy loss are fitted by the streaming fit, which is
/// equivalent; scattering fits need two coordinates per hit and use the mean
/// losses. Where the streaming fit is not available (straight tracks, other
/// fields, WeightSource::shared), coarse coordinates are replaced by a track
/// fitted beforehand.
///
/// In any field (TrackHits::flight) the triplets' parameters come from flights
/// between the hits; nothing else changes.
/// Source: [GTTF] eq:kmatrix_inverse, eq:global_fit_c3d, eq:global_fit_sigma,
///         eq:global_fit_chi2; docs/theory/data-fits.md
class TrackFitter {
 public:
  explicit TrackFitter(const FitOptions& options = {});
  ~TrackFitter();
  TrackFitter(const TrackFitter&) = delete;
  TrackFitter& operator=(const TrackFitter&) = delete;
  TrackFitter(TrackFitter&&) noexcept;
  TrackFitter& operator=(TrackFitter&&) noexcept;

  /// Errors: none; see GlobalFit::status. The result is valid until the next
  /// call.
  const GlobalFit& fit(const TrackHits& hits, FitKind kind);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

/// One track, see TrackFitter.
GlobalFit fit_global(const TrackHits& hits, FitKind kind,
                     const FitOptions& options = {});

}  // namespace gttf
