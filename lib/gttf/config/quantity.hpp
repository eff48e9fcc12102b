// SPDX-License-Identifier: Apache-2.0
// Quantities: "22.4 mm" to a number in native units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gttf {

/// What a quantity measures. Energy stands for momentum and mass too (c = 1);
/// a fraction may be a plain number or in %; a number has no unit.
enum class Dimension {
  length,
  energy,
  field,
  angle,
  density,
  fraction,
  number
};

/// A number in native units, or why the text is not one.
template <class Number>
struct Parsed {
  Number value{};
  std::string problem;     ///< empty: `value` holds
  std::string suggestion;  ///< what to write instead; may be empty
  std::size_t offset = 0;  ///< of the part that is wrong
  std::size_t length = 1;

  explicit operator bool() const { return problem.empty(); }
};

/// Reads a decimal number and its unit, with or without a space between.
/// Locale independent. Hexadecimal, octal, infinite and not representable
/// numbers, decimal commas and trailing text are refused.
///
/// @param text          e.g. "22.4 mm", "0.1GeV", "1.5 %"
/// @param example_unit  unit to show where none was written; the most common
///                      one of the dimension if empty
/// @return              value in native units (see core/units.hpp)
Parsed<double> parse_quantity(std::string_view text, Dimension dimension,
                              std::string_view example_unit = {});

/// Reads a decimal integer.
Parsed<std::int64_t> parse_integer(std::string_view text,
                                   std::string_view example = "10");

/// "a length", "an angle", ...
std::string_view name_of(Dimension dimension);

}  // namespace gttf
