// SPDX-License-Identifier: Apache-2.0
// read_decimal: std::from_chars of a double, also where the library lacks it.
#pragma once

#include <charconv>
#include <cstdlib>
#include <string>
#include <system_error>

namespace gttf {

/// Like std::from_chars(first, last, value).
inline std::from_chars_result read_decimal(const char* first, const char* last,
                                           double& value) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(first, last, value);
#else  // libc++ 16, used for the explorer's module: the only locale is C
  const std::string text(first, last);
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  const auto size = end - text.c_str();
  return {first + size, size > 0 ? std::errc() : std::errc::invalid_argument};
#endif
}

}  // namespace gttf
