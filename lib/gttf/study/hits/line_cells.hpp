// SPDX-License-Identifier: Apache-2.0
// Ends of the cells of a line: found byte by byte, or all at once.
#pragma once

// Branch-free parsing of decimals of up to 15 digits, typical of files of hits.
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <array>
#include <cstddef>
#include <cstdint>

namespace gttf::detail {

/// Number of bytes that may be read before the end of a short
/// decimal.
inline constexpr std::size_t short_decimal_bytes = 16;

#if defined(__SSE2__)

/// Digits, a point and digits that end at `end`: `length` characters, at least
/// one digit before the point, `decimals` after it.
///
/// value = digits / 10^decimals. Up to 15 digits and 10^14 are doubles, so that
/// the one division gives the nearest double, as std::from_chars does (Clinger,
/// "How to read floating point numbers accurately", 1990, section 4). The
/// lengths of numbers in a column vary, so loops over digits are mispredicted,
/// which costs more than all arithmetic here.
/// @return false if longer, or other characters; `value` is then undefined
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
  // the digits before the point are moved over it
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

#if defined(__SSE2__)
#endif

#include <bit>
#include <charconv>
#include <string_view>
#include <system_error>

namespace gttf::detail {

/// Reads a number that begins with a digit, optionally after a minus: no other
/// forms accepted by std::from_chars ("nan", ".5"). It must fill its cell.
inline bool read_plain_number(const char* begin, const char* end,
                              double& value) {
  const char* const digit = begin != end && *begin == '-' ? begin + 1 : begin;
  if (digit == end || *digit < '0' || *digit > '9') return false;
  const auto [stop, error] = std::from_chars(begin, end, value);
  return error == std::errc() && stop == end;
}

/// Finds one end after the other.
class SearchedCells {
 public:
  /// The line begins at `line`; the text ends at `end`.
  SearchedCells(const char* line, const char* end, char separator)
      : line_(line), end_(end), separator_(separator) {}

  /// Sets the beginning of the given number of cells, then the position after
  /// the line end: a control character, or the end of the text.
  /// @return false if the line has more or fewer cells
  bool find(std::size_t count, const char** begins) const {
    const char* at = line_;
    for (std::size_t i = 0; i < count; ++i) {
      *begins++ = at;
      while (at != end_ && *at != separator_ &&
             static_cast<unsigned char>(*at) >= ' ')
        ++at;
      const bool cut = at != end_ && *at == separator_;
      if (cut != (i + 1 < count)) return false;
      ++at;
    }
    *begins = at;
    return true;
  }

  static bool read_number(const char* begin, const char* end, double& value) {
    return read_plain_number(begin, end, value);
  }

 private:
  const char* line_;
  const char* end_;
  char separator_;
};

#if defined(__SSE2__)

/// Finds all ends in the next 64 bytes of a text, and all points, before any
/// cell is read, so that numbers are independent of each other.
class MarkedCells {
 public:
  /// Required length of text before and after the beginning of the line.
  static constexpr std::size_t before = short_decimal_bytes, ahead = 64;

  MarkedCells(const char* line, const char*, char separator) : line_(line) {
    const __m128i separators = _mm_set1_epi8(separator);
    const __m128i points = _mm_set1_epi8('.');
    const __m128i last_control = _mm_set1_epi8(' ' - 1);
    for (int i = 0; i < 4; ++i) {
      const __m128i text =
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(line) + i);
      const __m128i controls =
          _mm_cmpeq_epi8(_mm_min_epu8(text, last_control), text);
      separators_ |= mask_of(_mm_cmpeq_epi8(text, separators)) << 16 * i;
      controls_ |= mask_of(controls) << 16 * i;
      points_ |= mask_of(_mm_cmpeq_epi8(text, points)) << 16 * i;
    }
    controls_ &= ~separators_;                   // a tab may be one
    points_ |= std::uint64_t{1} << (ahead - 1);  // one at least
  }

  /// Like SearchedCells; also false if the line is longer.
  bool find(std::size_t count, const char** begins) const {
    if (controls_ == 0) return false;
    const std::size_t line_end = first_bit(controls_);
    std::uint64_t left = separators_ & ((std::uint64_t{1} << line_end) - 1);
    begins[0] = line_;
    for (std::size_t i = 1; i < count; ++i) {
      if (left == 0) return false;
      begins[i] = line_ + first_bit(left) + 1;
      left &= left - 1;
    }
    begins[count] = line_ + line_end + 1;
    return left == 0;
  }

  bool read_number(const char* begin, const char* end, double& value) const {
    const bool negative = *begin == '-';
    const char* const first = begin + (negative ? 1 : 0);
    const auto length = static_cast<std::size_t>(end - first);
    const std::size_t whole = first_bit(points_ >> (first - line_));
    if (!read_short_decimal(end, length, length - whole - 1, value))
      return read_plain_number(begin, end, value);
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) |
                                  std::uint64_t{negative} << 63);
    return true;
  }

 private:
  /// The lowest bit that is set; there must be one.
  static std::size_t first_bit(std::uint64_t mask) {
    return static_cast<unsigned>(__builtin_ctzll(mask));
  }
  static std::uint64_t mask_of(__m128i bytes) {
    return static_cast<std::uint64_t>(_mm_movemask_epi8(bytes));
  }

  const char* line_;
  std::uint64_t separators_ = 0, controls_ = 0, points_ = 0;
};

#endif

}  // namespace gttf::detail
