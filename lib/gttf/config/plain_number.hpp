// SPDX-License-Identifier: Apache-2.0
// Numbers of large tables, read fast.
#pragma once

namespace gttf {

/// Reads the decimal number that begins at `at`, digits with a point between
/// them or none and a minus before, with or without an exponent: the nearest
/// double, as std::from_chars has it, in a fraction of the time if it has up
/// to 15 digits.
/// @return  behind the number; nullptr: it is written in another way, or is too
///          large or too small; parse_number() may read it or tell why it is
///          none
const char* read_plain_number(const char* at, const char* end, double& value);

}  // namespace gttf
