// SPDX-License-Identifier: Apache-2.0
// Numbers as text for readers.
#pragma once

#include <string>

namespace gttf {

/// Whether a rounded number keeps trailing zeros ("1.00" or "1").
enum class Zeros { strip, keep };

/// `value` for a reader: `digits` significant digits, without an exponent from
/// 1e-4 to 1e6, digits before the point never rounded away ("1235" for three
/// digits). NaN gives "-".
std::string readable(double value, int digits, Zeros zeros = Zeros::strip);

/// The same for a change, with a plus sign.
std::string readable_change(double value, int digits);

}  // namespace gttf
