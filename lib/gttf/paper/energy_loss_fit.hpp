// SPDX-License-Identifier: Apache-2.0
// Energy loss in the triplet fit: local and global corrections for known
// losses, and the combined fit of track and losses.
#pragma once

#include <span>
#include <vector>

#include "gttf/paper/triplet_equations.hpp"

namespace gttf {

/// A triplet whose particle loses energy at the middle hit. Applied after the
/// fit without loss.
struct LocalLossCorrection {
  double kappa_first = 0;   ///< before the middle hit, 1/mm
  double kappa_second = 0;  ///< after it
  /// Rotation of the directions at the four ends of the segments: +rotation
  /// (hit 0), -rotation (1 before), -rotation (1 after), +rotation (2),
  /// rad.
  double rotation = 0;
};

/// First order in the momentum loss dp = dE/beta:
///
///   d kappa = kappa dp/p,  kappa_01 = kappa - L12/L02 d kappa,
///   kappa_12 = kappa + L01/L02 d kappa,  a = L01 L12/(2 L02) d kappa
///
/// with the 3D lengths, weighted by the index parameters (n L) for strong
/// bending.
/// @param kappa  of the triplet without loss, 1/mm
/// @param p      its momentum, GeV
/// @param loss   energy, GeV
/// Source: [GTTF] section on energy loss, local correction, where the rotation
///         is multiplied by sin(theta) instead; docs/theory/energy-loss.md
LocalLossCorrection local_loss_correction(const Triplet<double>& triplet,
                                          double kappa, double p, double mass,
                                          double loss);

/// The losses of a track.
struct TrackLosses {
  double mass = 0;              ///< GeV
  double charge_times_b = 0;    ///< |q B_ref|, GeV/mm: p = this/|kappa|
  std::vector<double> mean;     ///< at the middle hit of every triplet, GeV
  std::vector<double> sigma{};  ///< of each, GeV; combined fit
};

/// The curvatures of the segments as function of the first one.
enum class LossMap {
  exact,   ///< E_k = E_01 - sum of losses, for each segment of a triplet
  series,  ///< as in the paper: one curvature per triplet, first order in dp
};

/// The equations of a track with losses; kappa refers to the first segment.
///
/// exact, linearised at kappa_c with E_k = E_c - I_k, I_k the sum of losses
/// before segment k:
///
///   kappa_k = q B/p_k,  g_k = d kappa_k/d kappa_c
///   rho'_j = rho_j,1 g_j + rho_j,2 g_j+1
///   psi'_j = psi_j + sum_k rho_j,k (kappa_k - g_k kappa_c)
///
/// series, with I*_j = I_j + w_j dp_j, w_j = L12/L02:
///
///   psi'_j = psi_j - rho_j I*_j kappa_c^2/(qB)
///   rho'_j = rho_j (1 + 2 I*_j kappa_c/(qB))
///
/// @param kappa  kappa_c: an estimate, common to all triplets, 1/mm
/// Source: [GTTF] section on energy loss, global correction, corrected;
///         docs/theory/energy-loss.md
TripletEquations with_losses(const TripletEquations& equations,
                             std::span<const Triplet<double>> triplets,
                             const TrackLosses& losses, double kappa,
                             LossMap map = LossMap::exact);

/// A track fitted with its losses.
struct LossFit {
  TripletSolution track;            ///< kappa: of the first segment
  TripletEquations equations;       ///< as linearised last
  std::vector<double> losses;       ///< GeV; as given, or fitted
  Eigen::MatrixXd loss_covariance;  ///< GeV^2; empty if not fitted
  Eigen::VectorXd loss_with_kappa;  ///< Cov(loss, kappa)
};

/// The global fit with given losses. It is linearised at the curvature
/// of the fit without loss, then of the previous fit, until
/// convergence. Errors: LossFit::track.status; also singular if the
/// particle stops
LossFit fit_with_losses(const TripletEquations& equations,
                        std::span<const Triplet<double>> triplets,
                        const TrackLosses& losses,
                        LossMap map = LossMap::exact);

/// The combined fit of track and losses: each loss is a parameter with the
/// error TrackLosses::sigma,
///
///   kinks = psi' + rho' kappa + R eps - G u,  R_jl = d kinks_j/d loss_l
///   loss = mean + eps,  eps = -sigma^2 R^T K_rho psi'
///   Cov(eps) = C - C R^T K_rho R C,  Cov(eps, kappa) = -sigma_kappa^2 C R^T K
///   rho
///
/// The number of degrees of freedom is the same as without losses.
/// Source: [GTTF] section on the combined fit, corrected in three signs and an
///         index; docs/theory/energy-loss.md
LossFit fit_track_and_losses(const TripletEquations& equations,
                             std::span<const Triplet<double>> triplets,
                             const TrackLosses& losses);

}  // namespace gttf
