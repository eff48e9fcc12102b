// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/number.hpp"

#include <dragonbox/dragonbox_to_chars.h>
#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <string_view>

namespace gttf {
namespace {

// Longest: fixed notation of a number below 1e6 with 17 digits, or %g.
using Buffer = std::array<char, longest_number>;

template <class... Args>
std::string_view print(Buffer& buffer, Args... args) {
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), args...);
  return {buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data())};
}

/// Converts "1.2345E-1" from Dragonbox to "0.12345": the same digits, with the
/// point shifted by the exponent, -3 to 4. Most digits are generated in their
/// final position, because copying text just written stalls the processor.
char* write_fixed(char* to, double value) {
  const double size = std::abs(value);
  if (value < 0) *to++ = '-';
  if (size < 1) {
    const int zeros = (size < 0.1) + (size < 0.01);
    char* const first = to + 1 + zeros;
    char* const end = jkj::dragonbox::to_chars_n(size, first) - 3;
    first[1] = first[0];
    *to++ = '0';
    *to++ = '.';
    for (int i = 0; i < zeros; ++i) *to++ = '0';
    return std::max(end, first + 2);  // "5E-1" has no point
  }
  char* const end = jkj::dragonbox::to_chars_n(size, to) - 2;
  const std::ptrdiff_t behind_point = end - to - 2;  // negative: no point
  const int exponent =
      (size >= 10) + (size >= 100) + (size >= 1000) + (size >= 10000);
  for (int i = 0; i < exponent; ++i)
    to[1 + i] = i < behind_point ? to[2 + i] : '0';
  if (behind_point <= exponent) return to + 1 + exponent;
  to[1 + exponent] = '.';
  return end;
}

}  // namespace

char* write_exact(char* to, double value) {
  const double size = std::abs(value);
  // In this range fixed notation is never longer than the exponential one.
  if (size >= 1e-3 && size < 1e5) return write_fixed(to, value);
  return std::to_chars(to, to + longest_number,
                       value == 0 ? 0.0 : value)  // no "-0"
      .ptr;
}

char* write_exact(char* to, std::int64_t value) {
  return std::to_chars(to, to + longest_number, value).ptr;
}

void append_exact(std::string& out, double value) {
  Buffer buffer;
  out.append(buffer.data(), write_exact(buffer.data(), value));
}

void append_exact(std::string& out, std::int64_t value) {
  Buffer buffer;
  out.append(buffer.data(), write_exact(buffer.data(), value));
}

void append_rounded(std::string& out, double value, int digits) {
  assert(digits >= 1 && digits <= 17);
  Buffer buffer;
  out += print(buffer, value, std::chars_format::general, digits);
}

}  // namespace gttf
