// SPDX-License-Identifier: Apache-2.0
// Magnetic field of a detector.
#pragma once

#include <memory>
#include <vector>

#include "gttf/detector/surface.hpp"

namespace gttf {

class FieldMap;

enum class FieldKind { none, solenoid, dipole, map };

/// Uniform field in the gap between two planes, zero outside.
struct DipoleGap {
  Axis normal = Axis::z;     ///< of entrance and exit plane
  Interval extent;           ///< entrance and exit, mm along `normal`
  Axis direction = Axis::y;  ///< of the field, not `normal`
  double field = 0;          ///< GeV/(e mm), signed, along `direction`
};

/// The field of a detector: none, uniform along +z (`solenoid`), in the gaps of
/// dipoles, or given by a map.
struct Field {
  FieldKind kind = FieldKind::none;
  double bz = 0;  ///< GeV/(e mm), of a solenoid, else 0; may be negative
  std::vector<DipoleGap> dipoles = {};       ///< not overlapping
  std::shared_ptr<const FieldMap> map = {};  ///< null unless kind is map
  /// B_ref, GeV/(e mm): the curvature of a track is given as kappa = -q B_ref/p
  /// everywhere. A solenoid's bz, the strongest dipole's field, the largest |B|
  /// of a map's nodes; 0 for none.
  double reference = 0;
  /// The axis closest to the main direction of the field; z without field.
  Axis axis = Axis::z;
};

/// Sets `reference` and `axis` from the other members of `field`.
void set_reference(Field& field);

/// Multiplies the field by `factor` everywhere.
void scale_field(Field& field, double factor);

}  // namespace gttf
