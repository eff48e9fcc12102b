// SPDX-License-Identifier: Apache-2.0
// Derivatives of variances with respect to design parameters.
#pragma once

#include <array>
#include <vector>

#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/parameter.hpp"

namespace gttf::detail {

/// The angle of a coordinate in the axes of the layer, and the orthogonal
/// axis.
struct UserAngle {
  double value = 0;
  CoordinateAxis turned;
};

inline UserAngle user_angle(const SurfaceRecord& s,
                            const CoordinateAxis& axis) {
  const auto [u, v] = s.user_axes();
  const double cosine = axis.cosine * u.cosine + axis.sine * u.sine;
  const double sine = axis.cosine * v.cosine + axis.sine * v.sine;
  return {std::atan2(sine, cosine),
          {.cosine = cosine * v.cosine - sine * u.cosine,
           .sine = cosine * v.sine - sine * u.sine}};
}

/// Derivatives of the variances with respect to the numbers of one crossing.
struct LayerSlopes {
  PerParameter position, material;
  std::vector<PerParameter> sigma, angle;  ///< of each coordinate
};

/// All derivatives of a track. Derivatives that do not exist are NaN.
struct VarianceSlopes {
  PerParameter variance;
  std::vector<LayerSlopes> crossings;
  PerParameter field;                     ///< with respect to ln(field)
  std::array<PerParameter, 3> beam_spot;  ///< of the errors of x, y, z
};

/// In closed form, from one backward pass of the fit for all of them.
VarianceSlopes helix_slopes(const AnyTrack& track, const Model& model);

/// In any field: hit errors and angles, and scattering if no energy is lost, in
/// closed form; parameters that change the trajectory by sixth-order
/// differences of the traced track.
VarianceSlopes traced_slopes(const AnyTrack& track, const Model& model);

}  // namespace gttf::detail
