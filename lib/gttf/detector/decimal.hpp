// SPDX-License-Identifier: Apache-2.0
// Decimal numbers as written: shifts the decimal point without rounding.
#pragma once

#include <string>

namespace gttf::detail {

/// `value` times 10^power as the shortest text equal to the shifted decimal
/// number: 0.0137 m is "13.7" mm (0.0137 * 1000 is 13.700000000000001). `value`
/// is finite.
std::string shifted_text(double value, int power);

/// The same, as a number.
double shifted(double value, int power);

/// Converts metres, the unit of other programs, to mm: shifted(m, mm_of_m).
inline constexpr int mm_of_m = 3;

/// A computed `value`, whose last digit is rounding error: up to 15 significant
/// digits, without trailing zeros.
std::string computed_text(double value);

}  // namespace gttf::detail
