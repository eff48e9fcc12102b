// SPDX-License-Identifier: Apache-2.0
// Quantities: convert "22.4 mm" to a number in native units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gttf {

/// Dimension of a quantity. Energy includes momentum and mass (c = 1); a
/// fraction may be a plain number or in %; a number has no unit.
enum class Dimension {
  length,
  energy,
  field,
  angle,
  density,
  fraction,
  number
};

/// A number in native units, or the error in the text.
template <class Number>
struct Parsed {
  Number value{};
  std::string problem;     ///< empty: `value` is valid
  std::string suggestion;  ///< suggested correction; may be empty
  std::size_t offset = 0;  ///< of the erroneous part
  std::size_t length = 1;

  explicit operator bool() const { return problem.empty(); }
};

/// Reads a decimal number and its unit, with or without a space between.
/// Locale independent. Hexadecimal, octal, infinite and not representable
/// numbers, decimal commas and trailing text are refused.
///
/// @param text          e.g. "22.4 mm", "0.1GeV", "1.5 %"
/// @param example_unit  unit to suggest if it is missing; the most common one
///                      of the dimension if empty
/// @return              value in native units (see core/units.hpp)
Parsed<double> parse_quantity(std::string_view text, Dimension dimension,
                              std::string_view example_unit = {});

/// Reads a decimal integer, also with an exponent: 1e6.
Parsed<std::int64_t> parse_integer(std::string_view text,
                                   std::string_view example = "10");

/// "a length", "an angle", ...
std::string_view name_of(Dimension dimension);

}  // namespace gttf

// The table of units for quantities and formulas.
namespace gttf::detail {

struct KnownUnit {
  std::string_view name;
  Dimension dimension;
  double factor;          ///< to native units
  bool is_alias = false;  ///< understood, not listed
};

/// The unit with this name, including `GeV/c` and `GeV/c^2`, or nullptr.
const KnownUnit* find_unit(std::string_view name);

/// Names to list in messages.
std::vector<std::string> units_of(Dimension dimension);

/// The unit to suggest if it is missing; empty for a plain number.
std::string_view usual_unit(Dimension dimension);

}  // namespace gttf::detail

// Powers: the dimension of a product of quantities.
namespace gttf {

/// Exponents of the base dimensions; all 0 for numbers and fractions. Angles
/// are treated as a dimension, so that a missing unit is detected.
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

/// A density has no exponents here and is treated as a number.
Powers powers_of(Dimension dimension);

/// "a length", "an angle", "a number"; others by unit: "a value in um/GeV".
std::string name_of(const Powers& powers);

/// The unit to suggest if it is missing: "um", "mrad", "1/GeV"; empty for a
/// number.
std::string example_unit(const Powers& powers);

}  // namespace gttf
