// SPDX-License-Identifier: Apache-2.0
// SharedEquations: the solved equations of one track, as plain numbers shared
// by others.
#pragma once

#include "gttf/fit/triplet/band_system.hpp"

namespace gttf::detail {

/// K and the slopes rho of a reference track: a track with WeightSource::shared
/// only provides its kinks b at the curvature kappa_0,
///
///   K^-1 = L D L^T,   a = L^-1 rho,   x = L^-1 b,   M = L^-1 G,
///   kappa = kappa_0 - (a.x)/(a.a),   chi2 = x.x - (a.x)^2/(a.a),
///   u = M^T (x + (kappa - kappa_0) a)
///
/// with scalar products weighted by D^-1. The slopes of the direction at the
/// first hit are those of the reference, too.
struct SharedEquations {
  const KeptSteps<double>* steps = nullptr;
  bool diagonal = false;  ///< L = 1
  /// The existing errors of the first segment.
  bool shifts_hits = false, turns = false;
  double kappa_0 = 0, inverse_aa = 0;
  /// D^-1 M of the two innermost triplets, theta and phi, with zeros for
  /// missing ones; the rest of M is zero.
  double column[n_errors][2][2]{};
  /// Changes of theta, phi at the first hit by u of the hits, at given kappa.
  double turn[n_shifts][2]{};
};

}  // namespace gttf::detail
