// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "gttf/detector/decimal.hpp"

namespace gttf::detail {
namespace {

/// Exponents that are written out with zeros.
constexpr int most_plain = 7, least_plain = -5;

}  // namespace

std::string shifted_text(double value, int power) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                 value, std::chars_format::scientific)
                       .ptr;
  const std::string text(buffer.data(), end);  // "-1.37e-02"
  const std::size_t e = text.find('e');
  std::string digits;
  for (const char c : text.substr(0, e))
    if (c >= '0' && c <= '9') digits += c;
  if (digits == "0") return "0";
  const int exponent = std::stoi(text.substr(e + 1)) + power;
  const std::string sign = text[0] == '-' ? "-" : "";
  const int n = static_cast<int>(digits.size());
  if (exponent > most_plain || exponent < least_plain) {
    if (n > 1) digits.insert(1, ".");
    return fmt::format("{}{}e{}", sign, digits, exponent);
  }
  if (exponent < 0)
    return sign + "0." +
           std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  if (n <= exponent + 1)
    return sign + digits +
           std::string(static_cast<std::size_t>(exponent + 1 - n), '0');
  digits.insert(static_cast<std::size_t>(exponent + 1), ".");
  return sign + digits;
}

double shifted(double value, int power) {
  const std::string text = shifted_text(value, power);
  double result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

std::string computed_text(double value) {
  const std::string rounded = fmt::format("{:.15g}", value);
  double result = 0;
  std::from_chars(rounded.data(), rounded.data() + rounded.size(), result);
  return shifted_text(result, 0);
}

}  // namespace gttf::detail
