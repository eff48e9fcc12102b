// SPDX-License-Identifier: Apache-2.0
// Magnetic field of a detector.
#pragma once

namespace gttf {

enum class FieldKind { none, solenoid };

/// Uniform field along +z (`solenoid`) or no field.
struct Field {
  FieldKind kind = FieldKind::none;
  double bz = 0;  ///< GeV/(e mm), 0 for FieldKind::none; may be negative
};

}  // namespace gttf
