// SPDX-License-Identifier: Apache-2.0
// Decimals of up to 15 digits, as files of hits have them, without branches.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <array>
#include <cstddef>
#include <cstdint>

namespace gttf::detail {

/// Where text may be read besides a short decimal: so many bytes before its
/// end.
inline constexpr std::size_t short_decimal_bytes = 16;

#if defined(__SSE2__)

/// Digits, a point and digits that end at `end`: `length` characters, at least
/// one digit before the point, `decimals` behind it.
///
/// value = digits / 10^decimals. Up to 15 digits and 10^14 are doubles, so that
/// the one division gives the nearest double, as std::from_chars does (Clinger,
/// "How to read floating point numbers accurately", 1990, section 4). The
/// lengths of numbers in a column vary, which loops over digits guess wrong:
/// that takes longer than all arithmetic here.
/// @return  false: longer, or other characters; `value` means nothing
inline bool read_short_decimal(const char* end, std::size_t length,
                               std::size_t decimals, double& value) {
  constexpr std::size_t bytes = short_decimal_bytes;
  // 2 to 16, and up to length - 2
  if (length - 2 > bytes - 2 || decimals > length - 2) return false;
  // from steps + n on: 16 bytes of which the last n are set
  static constexpr std::array<std::int8_t, 2 * bytes> steps = [] {
    std::array<std::int8_t, 2 * bytes> all{};
    for (std::size_t i = bytes; i < all.size(); ++i) all[i] = -1;
    return all;
  }();
  const auto last = [](std::size_t n) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(steps.data() + n));
  };
  const __m128i text =
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(end - bytes));
  // what is before the point moves over it
  const __m128i behind = last(decimals);
  const __m128i joined =
      _mm_or_si128(_mm_and_si128(behind, text),
                   _mm_andnot_si128(behind, _mm_slli_si128(text, 1)));
  const __m128i digits =
      _mm_and_si128(_mm_sub_epi8(joined, _mm_set1_epi8('0')), last(length - 1));
  const __m128i nine = _mm_set1_epi8(9);
  const __m128i good = _mm_cmpeq_epi8(_mm_max_epu8(digits, nine), nine);
  if (_mm_movemask_epi8(good) != 0xFFFF) return false;
  // pairs of digits, of pairs and of fours to numbers below 10^2, 10^4 and 10^8
  const __m128i twos =
      _mm_add_epi16(_mm_mullo_epi16(_mm_and_si128(digits, _mm_set1_epi16(0xFF)),
                                    _mm_set1_epi16(10)),
                    _mm_srli_epi16(digits, 8));
  const __m128i fours = _mm_madd_epi16(twos, _mm_set1_epi32(100 | 1 << 16));
  const __m128i eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours),
                                        _mm_set1_epi32(10000 | 1 << 16));
  const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
  const std::uint64_t all = (both & 0xFFFFFFFF) * 100000000 + (both >> 32);
  static constexpr std::array<double, bytes> powers{
      1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  value =
      static_cast<double>(static_cast<std::int64_t>(all)) / powers[decimals];
  return true;
}

#else

inline bool read_short_decimal(const char*, std::size_t, std::size_t, double&) {
  return false;
}

#endif

}  // namespace gttf::detail
