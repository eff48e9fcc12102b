// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/plain_number.hpp"

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gttf {
namespace {

// All of these, and whole numbers below 2^53, are exact in double, so that
// their quotient is the nearest number. Source: W. Clinger, How to read
// floating point numbers accurately (1990).
constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3, 1e4,  1e5,
                                    1e6,  1e7,  1e8,  1e9, 1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15};
constexpr std::ptrdiff_t most_digits = 15;

constexpr std::uint64_t scale_of[] = {
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};

constexpr std::uint64_t in_all_bytes(std::uint64_t byte) {
  return byte * 0x0101010101010101;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Appends the digits at `at` to `number`; returns their end. The number is
/// right if there are up to 19.
[[gnu::always_inline]] inline const char* read_digits(const char* at,
                                                      const char* end,
                                                      std::uint64_t& number) {
  if constexpr (std::endian::native == std::endian::little) {
    // eight bytes at once: '0' ... '9' are 0x30 ... 0x39
    while (end - at >= 8) {
      std::uint64_t bytes;
      std::memcpy(&bytes, at, 8);
      const std::uint64_t other =
          ((bytes & in_all_bytes(0xf0)) ^ in_all_bytes(0x30)) |
          (((bytes & in_all_bytes(0x0f)) + in_all_bytes(0x06)) &
           in_all_bytes(0xf0));
      const int n = other == 0 ? 8 : std::countr_zero(other) / 8;
      if (n == 0) return at;
      // as the last of eight digits, zeros before
      bytes <<= 8 * (8 - n);
      bytes &= in_all_bytes(0x0f);
      bytes = ((bytes * (1 + (10 << 8))) >> 8) & 0x00ff00ff00ff00ff;
      bytes = ((bytes * (1 + (100 << 16))) >> 16) & 0x0000ffff0000ffff;
      bytes = (bytes * (1 + (std::uint64_t{10000} << 32))) >> 32;
      number = number * scale_of[n] + bytes;
      at += n;
      if (n < 8) return at;
    }
  }
  for (; at != end && is_digit(*at); ++at)
    number = number * 10 + static_cast<std::uint64_t>(*at - '0');
  return at;
}

}  // namespace

const char* read_plain_number(const char* at, const char* end, double& value) {
  const char* const first = at;
  // signs are random: no branches on them
  const std::size_t negative = at != end && *at == '-' ? 1 : 0;
  at += negative;
  std::uint64_t number = 0;
  const char* const whole = at;
  at = read_digits(at, end, number);
  std::ptrdiff_t n_digits = at - whole, n_fraction = 0;
  if (n_digits == 0) return nullptr;
  if (at != end && *at == '.') {
    const char* const fraction = ++at;
    at = read_digits(at, end, number);
    n_fraction = at - fraction;
    n_digits += n_fraction;
    if (n_fraction == 0) return nullptr;
  }
  const bool exponent = at != end && (*at == 'e' || *at == 'E');
  if (n_digits > most_digits || exponent) {
    const auto [last, error] = std::from_chars(first, end, value);
    return error == std::errc() ? last : nullptr;
  }
  const double size = static_cast<double>(number) / powers_of_ten[n_fraction];
  constexpr double sign[] = {1, -1};
  value = sign[negative] * size;
  return at;
}

}  // namespace gttf
