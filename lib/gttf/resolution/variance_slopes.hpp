// SPDX-License-Identifier: Apache-2.0
// Derivatives of variances with respect to design parameters.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/batch_sigmas.hpp"
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

/// The position of a point of an inclined plane relative to its centre, along u
/// and v.
inline std::array<double, 2> arms_about_centre(const SurfaceRecord& s,
                                               const Vector3& point) {
  const auto along = [&point](const std::array<double, 3>& e) {
    return point.dot(Vector3(e[0], e[1], e[2]));
  };
  return {along(s.u_vector) - 0.5 * (s.u.lower + s.u.upper),
          along(s.v_vector()) - 0.5 * (s.v.lower + s.v.upper)};
}

/// An axis of an inclined plane about which it rotates, right-handed about its
/// centre.
enum PlaneAxis : std::size_t { u_axis, v_axis, normal_axis };

/// How fast rotations by PlaneAxis move the plane along its normal at a point.
inline std::array<double, 3> rates_of_rotations(const SurfaceRecord& s,
                                                const Vector3& point) {
  const auto [u, v] = arms_about_centre(s, point);
  return {v, -u, 0};
}

/// An inclined plane after a rotation, rad.
Surface rotated(const Surface& plane, PlaneAxis axis, double by);

/// Derivatives of the variances with respect to the numbers of one crossing.
struct LayerSlopes {
  PerParameter position, material;
  std::vector<PerParameter> sigma;  ///< of each coordinate
  /// For each coordinate, the effect of a component along u and along v:
  /// rotating a strip at angle a adds components -sin(a) along u and cos(a)
  /// along v.
  std::vector<std::array<PerParameter, 2>> along;

  /// By PlaneAxis, of an inclined plane, for traced tracks; nothing: from the
  /// other numbers, with which no energy is lost.
  std::optional<std::array<PerParameter, 3>> rotations;

  /// Before the first coordinate: they need not come in their order.
  void resize(std::size_t n_coordinates) {
    sigma.resize(n_coordinates);
    along.resize(n_coordinates);
  }
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

/// In any field: hit errors and angles in closed form; position and material by
/// differences of single steps of the track, see LayerSteps; the field and the
/// beam spot, and with Model::at all parameters that change the trajectory, by
/// sixth-order differences of the traced track; 0 if they are not requested.
VarianceSlopes traced_slopes(const AnyTrack& track, const Model& model,
                             const SlopeKinds& kinds);

}  // namespace gttf::detail
