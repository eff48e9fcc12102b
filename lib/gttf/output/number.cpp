// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/number.hpp"

#include <fmt/compile.h>

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

}  // namespace

char* write_exact(char* to, double value) {
  const double size = std::abs(value);
  // {fmt} is faster, and in this range, where fixed notation is never longer
  // than the other, gives the same text
  if (size >= 1e-3 && size < 1e5)
    return fmt::format_to(to, FMT_COMPILE("{}"), value);
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
