// SPDX-License-Identifier: Apache-2.0
// Sensitivity: effect of a small change of the detector on a resolution.
#pragma once

#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "gttf/resolution/parameter.hpp"
#include "gttf/resolution/resolution.hpp"

namespace gttf {

/// A design parameter that can be changed.
enum class Quantity {
  position,   ///< radius, z of a disk, distance of a plane; mm
  x_over_x0,  ///< at normal incidence
  sigma,      ///< of a measured coordinate, mm
  angle,      ///< of a measured coordinate, rad
  beam_spot,  ///< error of the start along x, y or z, mm
  field,      ///< GeV/(e mm), at fixed momentum
  length,     ///< all positions scaled together; value 1
  /// Rotations of a plane not normal to an axis about its centre, right-handed
  /// about its u, v and normal, rad; value 0.
  about_u,
  about_v,
  about_normal
};

std::string_view to_string(Quantity);

/// Response of the errors of all parameters to one design parameter, with all
/// others and the track fixed.
struct Sensitivity {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  Quantity quantity = Quantity::position;
  std::size_t layer = none;       ///< index in Detector::layers
  std::size_t coordinate = none;  ///< index in Layer; beam spot: 0 x, 1 y, 2 z
  double value = 0;               ///< present value, native units
  PerParameter slope;             ///< d ln(sigma)/d(value)

  /// d ln(sigma)/d ln(value): the relative change of the error per relative
  /// change of the number. 0 for a value of 0.
  PerParameter elasticity() const;
};

struct Sensitivities {
  Resolution resolution;
  PerParameter sigma;              ///< native units; NaN: not measured
  std::vector<Sensitivity> items;  ///< order of flight; empty: no resolution

  bool exists() const { return !items.empty(); }
};

/// Exact first derivatives in closed form, from one backward pass of the
/// streaming fit for all design parameters together. They are valid as long as
/// the track crosses the same layers in the same order. Layers without material
/// have no item x_over_x0; without field there is no item field. With Model::at
/// the errors are those at that layer, see is_at_layer(); positions, rotations,
/// x/X0 and the field are then differentiated numerically.
/// Errors: none; see Resolution::status
/// Source: docs/theory/sensitivity.md
Sensitivities make_sensitivities(const TrackingGeometry& geometry,
                                 const Track& track, const Model& model = {});

}  // namespace gttf
