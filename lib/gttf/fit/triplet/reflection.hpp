// SPDX-License-Identifier: Apache-2.0
// Reflections that reduce the number of independent errors on which linear
// functions depend.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

namespace gttf::detail {

/// Functions with smaller squares, or larger ones than the inverse, are scaled,
/// so that squares and their products stay within the range of doubles.
inline constexpr double least_square = 1e-200;

/// Replaces independent errors of unit variance by others, so that a function
/// depends on the first of them only; all covariances stay the same. The
/// largest coefficient is moved to the front, with which functions of any size
/// keep their digits.
/// @param row         the function
/// @param errors      a column for each: the coefficients of all functions
/// @tparam begin, end  of the functions to be transformed
/// @return            false if it depends on none
/// Source: [CoxHigham98]
template <std::size_t begin, std::size_t end, class S, std::size_t all>
bool reflect(std::size_t row, std::span<std::array<S, all>> errors) {
  using std::abs, std::sqrt;
  static_assert(end <= all);
  if (errors.empty()) return false;
  std::size_t largest = 0;
  for (std::size_t c = 1; c < errors.size(); ++c)
    if (abs(errors[c][row]) > abs(errors[largest][row])) largest = c;
  if (!(abs(errors[largest][row]) > S(0))) return false;
  if (largest != 0) std::swap(errors[0], errors[largest]);
  const auto squared = [&] {
    S sum(0);
    for (const auto& column : errors) sum += column[row] * column[row];
    return sum;
  };
  S square = squared(), unit(1);
  if (!(square > S(least_square) && square < S(1 / least_square)))
      [[unlikely]] {
    const int exponent = std::ilogb(static_cast<double>(abs(errors[0][row])));
    unit = S(std::ldexp(1.0, std::max(exponent, -1000)));
    const S inverse = S(1) / unit;
    for (auto& column : errors) column[row] *= inverse;
    square = squared();
  }
  const S size = sqrt(square), head = errors[0][row];
  const bool is_negative = head < S(0);
  errors[0][row] += is_negative ? -size : size;
  const S factor = S(1) / (square + size * abs(head));
  std::array<S, end - begin> sums{};
  for (const auto& column : errors) {
    const S v = column[row];
    for (std::size_t r = begin; r < end; ++r) sums[r - begin] += v * column[r];
  }
  for (S& sum : sums) sum *= factor;
  for (auto& column : errors) {
    const S v = column[row];
    for (std::size_t r = begin; r < end; ++r) column[r] -= sums[r - begin] * v;
    column[row] = S(0);
  }
  errors[0][row] = unit * (is_negative ? size : -size);
  return true;
}

/// Replaces errors by others, not more than there are functions.
/// @return  their number
template <std::size_t begin, std::size_t end, class S, std::size_t all>
std::size_t compress(std::span<std::array<S, all>> errors) {
  std::size_t n = 0;
  for (std::size_t r = begin; r < end; ++r)
    if (reflect<begin, end>(r, errors.subspan(n))) ++n;
  return n;
}

}  // namespace gttf::detail
