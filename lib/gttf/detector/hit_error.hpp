// SPDX-License-Identifier: Apache-2.0
// HitError: an error of a hit that depends on the track.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gttf/config/formula.hpp"

namespace gttf {

struct Surface;

/// What an error may depend on.
struct HitErrorInput {
  double p = 0, theta = 0, phi = 0;  ///< of the track at its start; GeV, rad
  double alpha = 0, beta = 0;  ///< incidence in the planes of u and v, rad:
                               ///< tan(alpha) = t.u/t.n, tan(beta) = t.v/t.n
  double z = 0, r = 0;         ///< of the crossing, mm
  double bz = 0;               ///< field along z there, GeV/(e mm)
};

/// The variables of an error in a detector file.
std::vector<FormulaVariable> hit_error_variables();

/// An error as a formula. Of a crossing it is the coordinate's sigma times
/// relative(), so that a changed sigma scales it.
class HitError {
 public:
  /// @param drift_to  |z| of the end of the drift volume, mm; `drift` in the
  ///                  formula is drift_to - |z|
  HitError(Formula formula, const Surface& surface, double drift_to);

  /// The error at normal incidence of a track of 1 GeV at 90 deg in 1 T, in the
  /// middle of the surface; mm.
  double nominal() const { return nominal_; }
  /// The error divided by nominal().
  double relative(const HitErrorInput& at) const {
    return value(at) / nominal_;
  }
  double drift_to() const { return drift_to_; }
  const std::string& text() const { return formula_.text(); }
  bool uses_drift() const;

 private:
  double value(const HitErrorInput& at) const;

  Formula formula_;
  double drift_to_, nominal_;
};

}  // namespace gttf
