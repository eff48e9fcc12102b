// SPDX-License-Identifier: Apache-2.0
// Decimal numbers as people write them: shifting the point without rounding.
#pragma once

#include <string>

namespace gttf::detail {

/// `value` times 10^power as the shortest text that reads back as the decimal
/// that was written: 0.0137 m is "13.7" mm (0.0137 * 1000 is
/// 13.700000000000001). `value` is finite.
std::string shifted_text(double value, int power);

/// The same as a number.
double shifted(double value, int power);

/// Metres, in which other programs give lengths, in mm: shifted(m, mm_of_m).
inline constexpr int mm_of_m = 3;

/// `value` of a computation, where the last digit is rounding error: 15
/// significant digits, as few as needed.
std::string computed_text(double value);

}  // namespace gttf::detail
