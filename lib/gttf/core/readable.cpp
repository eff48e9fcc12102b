// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/readable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <string_view>

namespace gttf {
namespace {

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

std::string readable(double value, int digits, Zeros zeros) {
  assert(digits >= 1 && digits <= 17);
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return "0";

  std::string text = fmt::format("{:.{}e}", value, digits - 1);
  // The exponent after rounding: 9.996 has exponent 1 with three digits.
  const char* first = text.data() + text.find('e') + 1;
  if (*first == '+') ++first;  // from_chars refuses a plus sign
  int exponent = 0;
  std::from_chars(first, text.data() + text.size(), exponent);
  if (exponent >= -4 && exponent < std::max(6, digits))
    text = fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
  return zeros == Zeros::keep ? text : without_trailing_zeros(text);
}

std::string readable_change(double value, int digits) {
  return (value >= 0 ? "+" : "") + readable(value, digits);
}

}  // namespace gttf
