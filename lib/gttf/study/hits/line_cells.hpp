// SPDX-License-Identifier: Apache-2.0
// Where the cells of a line end: found byte by byte, or all at once.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "gttf/study/hits/short_decimal.hpp"

namespace gttf::detail {

/// Reads a number that begins with a digit, behind a minus or not: nothing of
/// what std::from_chars takes besides ("nan", ".5"). It must fill its cell.
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

  /// Sets where each of so many cells begins, and behind them one behind the
  /// end of the line: a control character, or the end of the text.
  /// @return  false: the line has more cells, or fewer
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
/// cell is read, so that no number waits for the one before.
class MarkedCells {
 public:
  /// So much text there must be before and behind the begin of the line.
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

  /// As SearchedCells; false also if the line is longer.
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
  /// The lowest one that is set; there must be one.
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
