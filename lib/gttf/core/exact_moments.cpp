// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/exact_moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gttf {

namespace {

__extension__ using Unsigned128 = unsigned __int128;

// Fractional bits of the powers; limit^k 2^bits = 2^62 fits an int64.
constexpr std::array<int, ExactMoments::powers> fraction_bits{50, 38, 26, 14};

// 2^9 numbers up to 2^3, of which x 2^50 is the largest power, fit an int64.
constexpr std::size_t at_once = 512;
constexpr double small = 8;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::string to_string(Integer128 value) {
  const bool negative = value < 0;
  auto rest = static_cast<Unsigned128>(value);
  if (negative) rest = -rest;
  std::string text;
  do {
    text += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0);
  if (negative) text += '-';
  std::ranges::reverse(text);
  return text;
}

std::optional<Integer128> to_integer128(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('-')) digits.remove_prefix(1);
  // 38 digits are below 2^127
  if (digits.empty() || digits.size() > 38) return std::nullopt;
  Integer128 value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  if (text.starts_with('-')) value = -value;
  if (to_string(value) != text) return std::nullopt;
  return value;
}

void ExactMoments::add(std::span<const double> numbers) {
  while (numbers.size() > at_once) {
    add(numbers.first(at_once));
    numbers = numbers.subspan(at_once);
  }
  const bool are_small = std::ranges::all_of(
      numbers, [](double x) { return std::abs(x) <= small; });
  if (are_small) {
    add_small(numbers);
    return;
  }
  for (const double x : numbers) {
    if (std::abs(x) <= limit)
      add_small(std::span(&x, 1));
    else
      ++beyond_limit_;
  }
}

/// Numbers whose powers fit an int64, all together.
void ExactMoments::add_small(std::span<const double> numbers) {
  std::array<std::int64_t, powers> sums{};
  for (const double x : numbers) {
    double power = x;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      constexpr auto scale = [](std::size_t i) {
        return static_cast<double>(std::int64_t{1} << fraction_bits[i]);
      };
      sums[k] += std::llrint(power * scale(k));
      power *= x;
    }
  }
  count_ += numbers.size();
  for (std::size_t k = 0; k < sums.size(); ++k) sums_[k] += sums[k];
}

void ExactMoments::add(const ExactMoments& others) {
  count_ += others.count_;
  beyond_limit_ += others.beyond_limit_;
  for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += others.sums_[k];
}

double ExactMoments::raw_moment(int power) const {
  const auto k = static_cast<std::size_t>(power - 1);
  return std::ldexp(static_cast<double>(sums_[k]), -fraction_bits[k]) /
         static_cast<double>(count_);
}

double ExactMoments::mean() const { return count_ < 1 ? none : raw_moment(1); }

double ExactMoments::variance() const {
  if (count_ < 2) return none;
  const double n = static_cast<double>(count_), m = mean();
  return std::max(0.0, raw_moment(2) - m * m) * (n / (n - 1));
}

double ExactMoments::mean_error() const {
  return std::sqrt(variance() / static_cast<double>(count_));
}

double ExactMoments::width() const { return std::sqrt(variance()); }

double ExactMoments::width_error() const {
  if (count_ < 4) return none;
  const double n = static_cast<double>(count_), m = mean(), v = variance();
  const double fourth = raw_moment(4) - 4 * m * raw_moment(3) +
                        6 * m * m * raw_moment(2) - 3 * m * m * m * m;
  return 0.5 * std::sqrt(std::max(0.0, (fourth - v * v) / (n * v)));
}

}  // namespace gttf
