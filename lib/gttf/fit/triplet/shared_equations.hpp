// SPDX-License-Identifier: Apache-2.0
// SharedEquations: the solved equations of one track, as plain numbers for
// others to share.
#pragma once

#include <cstddef>

namespace gttf::detail {

/// K and the slopes rho of a reference track: kinks b at its curvature kappa_0
/// are all that a track with WeightSource::shared brings along,
///
///   K^-1 = L L^T,   a = L^-1 rho,   x = L^-1 b,   M = L^-1 G,
///   kappa = kappa_0 - (a.x)/(a.a),   chi2 = x.x - (a.x)^2/(a.a),
///   u = M^T (x + (kappa - kappa_0) a)
///
/// From the outermost triplet inwards and in each from phi to theta, so that
/// the shifts of the first two hits and the kinks between them are in the last
/// two steps only.
struct SharedEquations {
  /// What is known of one triplet: phi first, then theta.
  struct Step {
    double far[2][2]{}, near[2][2]{};  ///< L, next but one and next outwards
    double lower = 0, inverse[2]{};    ///< L of the triplet itself, 1/diagonal
    double a[2]{};
  };
  /// u of the first two hits; theta and phi at the first hit by passive layers.
  static constexpr std::size_t n_shifts = 4, n_columns = n_shifts + 2;

  const Step* steps = nullptr;  ///< outermost first
  std::size_t n_steps = 0;
  bool diagonal = false;                    ///< no far, near, lower
  bool shifts_hits = false, turns = false;  ///< which columns there are
  double kappa_0 = 0, inverse_aa = 0;
  /// M of the last step and of the one before: phi, theta.
  double column[n_columns][2][2]{};
};

}  // namespace gttf::detail
