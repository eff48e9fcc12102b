// SPDX-License-Identifier: Apache-2.0
// Magnetic field of a detector.
#pragma once

#include <memory>
#include <vector>

#include "gttf/detector/surface.hpp"

namespace gttf {

class FieldMap;

enum class FieldKind { none, solenoid, dipole, map };

/// Uniform field in the gap between two planes, none outside of it.
struct DipoleGap {
  Axis normal = Axis::z;     ///< of entrance and exit plane
  Interval extent;           ///< entrance and exit, mm along `normal`
  Axis direction = Axis::y;  ///< of the field, not `normal`
  double field = 0;          ///< GeV/(e mm), signed, along `direction`
};

/// The field of a detector: none, uniform along +z (`solenoid`), in the gaps
/// of dipoles, or as mapped.
struct Field {
  FieldKind kind = FieldKind::none;
  double bz = 0;  ///< GeV/(e mm), of a solenoid, else 0; may be negative
  std::vector<DipoleGap> dipoles = {};       ///< not overlapping
  std::shared_ptr<const FieldMap> map = {};  ///< null unless kind is map
  /// B_ref, GeV/(e mm): the curvature of a track is quoted as
  /// kappa = -q B_ref/p wherever it is. A solenoid's bz, the strongest dipole's
  /// field, the largest |B| of a map's nodes; 0 for none.
  double reference = 0;
  /// The axis next to the field's main direction; z without field.
  Axis axis = Axis::z;
};

/// Sets `reference` and `axis` from what else is in `field`.
void set_reference(Field& field);

/// Makes the field `factor` times as strong everywhere.
void scale_field(Field& field, double factor);

}  // namespace gttf
