// SPDX-License-Identifier: Apache-2.0
// Numbers as text for files: exact, or rounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gttf {

/// Appends the shortest text that reads back as exactly `value`: "0.1",
/// "1e-07". NaN gives "nan", infinity "inf"; callers that need other words must
/// check first.
void append_exact(std::string& out, double value);
void append_exact(std::string& out, std::int64_t value);

/// Buffer size needed by write_exact().
inline constexpr std::size_t longest_number = 64;
/// The text of append_exact() at `to`; returns its end.
char* write_exact(char* to, double value);
char* write_exact(char* to, std::int64_t value);

/// Appends `value` rounded to `digits` (1 to 17) significant digits in %g
/// style: "1.5e-07".
void append_rounded(std::string& out, double value, int digits);

}  // namespace gttf
