// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/number.hpp"

#include <dragonbox/dragonbox_to_chars.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "gttf/core/expect.hpp"

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

// "1.500e-07" to "1.5e-07", "2.50" to "2.5", "3.00" to "3".
std::string without_trailing_zeros(std::string_view text) {
  const std::size_t mantissa_end = std::min(text.find('e'), text.size());
  std::string_view mantissa = text.substr(0, mantissa_end);
  if (mantissa.find('.') != std::string_view::npos) {
    mantissa = mantissa.substr(0, mantissa.find_last_not_of('0') + 1);
    if (mantissa.back() == '.') mantissa.remove_suffix(1);
  }
  return std::string(mantissa).append(text.substr(mantissa_end));
}

/// Dragonbox's "1.2345E-1" as "0.12345": the same digits, the point where the
/// exponent, -3 to 4, puts it. The digits are made where they stay, but
/// for some bytes: to copy all of a text just written, the processor waits.
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
  // In this range fixed notation is never longer than the other.
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
  GTTF_EXPECT(digits >= 1 && digits <= 17);
  Buffer buffer;
  out += print(buffer, value, std::chars_format::general, digits);
}

std::string readable(double value, int digits, Zeros zeros) {
  GTTF_EXPECT(digits >= 1 && digits <= 17);
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return "0";

  Buffer buffer;
  std::string_view text =
      print(buffer, value, std::chars_format::scientific, digits - 1);
  // The exponent after rounding: 9.996 has exponent 1 with three digits.
  const std::size_t e = text.find('e');
  int exponent = 0;
  const char* first = text.data() + e + 1;
  if (*first == '+') ++first;  // from_chars refuses a plus sign
  std::from_chars(first, text.data() + text.size(), exponent);

  if (exponent >= -4 && exponent < std::max(6, digits))
    text = print(buffer, value, std::chars_format::fixed,
                 std::max(0, digits - 1 - exponent));
  return zeros == Zeros::keep ? std::string(text)
                              : without_trailing_zeros(text);
}

}  // namespace gttf
