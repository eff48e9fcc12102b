// SPDX-License-Identifier: Apache-2.0
// Derivatives of variances with respect to the numbers of a design.
#pragma once

#include <array>
#include <vector>

#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/parameter.hpp"

namespace gttf::detail {

/// The direction of a coordinate in the axes u and v of the layer.
struct UserDirection {
  double cosine = 1, sine = 0;
  double angle() const { return std::atan2(sine, cosine); }
};

inline UserDirection user_direction(const SurfaceRecord& s,
                                    const CoordinateAxis& axis) {
  const auto [u, v] = s.user_axes();
  return {axis.cosine * u.cosine + axis.sine * u.sine,
          axis.cosine * v.cosine + axis.sine * v.sine};
}

/// Derivatives of the variances with respect to the numbers of one crossing.
struct LayerSlopes {
  PerParameter position, material;
  std::vector<PerParameter> sigma;  ///< of each coordinate
  /// Of each coordinate what a part along u and along v adds to it: with the
  /// direction of a strip at angle a the part -sin(a) of u and cos(a) of v
  /// grows.
  std::vector<std::array<PerParameter, 2>> along;
};

/// All of a track. Derivatives that do not exist are NaN.
struct VarianceSlopes {
  PerParameter variance;
  std::vector<LayerSlopes> crossings;
  PerParameter field;                     ///< with respect to ln(field)
  std::array<PerParameter, 3> beam_spot;  ///< of the errors of x, y, z
};

/// In closed form: one way back of the fit for all of them.
VarianceSlopes helix_slopes(const AnyTrack& track, const Model& model);

/// In any field: hit errors and angles, and scattering if no energy is lost,
/// in closed form; what changes the trajectory by differences of sixth order of
/// the traced track.
VarianceSlopes traced_slopes(const AnyTrack& track, const Model& model);

}  // namespace gttf::detail
