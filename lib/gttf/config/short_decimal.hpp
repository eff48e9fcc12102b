// SPDX-License-Identifier: Apache-2.0
// Short decimal numbers, read without branches on how long they are.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gttf {

namespace detail {

inline constexpr double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};

}  // namespace detail

/// The eight bytes at `from`, the first in the lowest byte.
inline std::uint64_t load_eight(const char* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  if constexpr (std::endian::native == std::endian::big)
    word = __builtin_bswap64(word);
  return word;
}

/// Reads a number of at most eight digits without an exponent, such as
/// "-691.43838": the digits of a whole number and a power of ten, both exact in
/// a double, so that their quotient is rounded as std::from_chars() does (W. D.
/// Clinger, PLDI 1990). All others are left to that.
///
/// @param end  of the text; it must go on behind the number
/// @return  behind the number; nullptr: it is not such a one
inline const char* read_short_decimal(const char* at, const char* end,
                                      double& value) {
  constexpr std::ptrdiff_t reach = 16;                // bytes looked at
  constexpr std::uint64_t text = 0x3030303030303030;  // "00000000"
  // a bit in every byte that is no digit; sound up to the first one
  const auto others = [](std::uint64_t digits) {
    return ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
  };
  if (end - at < reach) return nullptr;
  const bool negative = *at == '-';
  at += negative ? 1 : 0;
  std::uint64_t digits = load_eight(at) ^ text;
  const int whole = std::countr_zero(others(digits)) / 8;  // digits before "."
  if (whole == 0 || whole == 8) return nullptr;
  int n = whole;
  if (at[whole] == '.') {
    // what is behind the point moves to its place
    const std::uint64_t before = (std::uint64_t{1} << 8 * whole) - 1;
    digits = (digits & before) | ((load_eight(at + 1) ^ text) & ~before);
    n = std::countr_zero(others(digits)) / 8;
    ++at;
  }
  at += n;
  // a ninth digit, an exponent, or what is not known here ("1.5.2", "1x")
  if (const auto c = static_cast<unsigned char>(*at); c >= '.' && c != ';')
    return nullptr;
  digits <<= 64 - 8 * n;  // zeros before them
  digits = digits * 10 + (digits >> 8);
  constexpr std::uint64_t pairs = 0x000000ff000000ff;
  digits = ((digits & pairs) * (100 + (std::uint64_t{1000000} << 32)) +
            (digits >> 16 & pairs) * (1 + (std::uint64_t{10000} << 32))) >>
           32;
  const double size = static_cast<double>(static_cast<std::int64_t>(digits)) /
                      detail::tens[n - whole];
  // signs follow no pattern: no branch
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) |
                                std::uint64_t{negative} << 63);
  return at;
}

}  // namespace gttf
