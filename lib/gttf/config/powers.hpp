// SPDX-License-Identifier: Apache-2.0
// Powers: the dimension of a product of quantities.
#pragma once

#include <string>

#include "gttf/config/quantity.hpp"

namespace gttf {

/// Exponents of the base dimensions; all 0 for numbers and fractions. Angles
/// count as a dimension, so that one without its unit is noticed.
struct Powers {
  double length = 0, energy = 0, field = 0, angle = 0;

  friend bool operator==(const Powers&, const Powers&) = default;
};

inline Powers operator+(const Powers& a, const Powers& b) {
  return {a.length + b.length, a.energy + b.energy, a.field + b.field,
          a.angle + b.angle};
}
inline Powers operator*(double exponent, const Powers& a) {
  return {exponent * a.length, exponent * a.energy, exponent * a.field,
          exponent * a.angle};
}
inline bool is_number(const Powers& a) { return a == Powers{}; }

/// Errors: a density has none and gives those of a number.
Powers powers_of(Dimension dimension);

/// "a length", "an angle", "a number"; others by unit: "a value in um/GeV".
std::string name_of(const Powers& powers);

/// The unit to show where one is missing: "um", "mrad", "1/GeV"; empty for a
/// number.
std::string example_unit(const Powers& powers);

}  // namespace gttf
