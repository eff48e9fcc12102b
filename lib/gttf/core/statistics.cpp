// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/statistics.hpp"

#include <math.h>  // lgamma_r: std::lgamma writes a global variable
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

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

namespace {

/// Degrees of freedom and chi2/2 up to which the terms of the sum, from the
/// first one on, neither overflow nor underflow.
constexpr int most_terms = 64;
constexpr double largest_half = 600;

/// 1/(k + offset) for offset 0 and 1/2.
constexpr auto inverses = [] {
  std::array<std::array<double, most_terms>, 2> table{};
  for (int k = 1; k < most_terms; ++k)
    for (std::size_t odd = 0; odd < 2; ++odd)
      table[odd][static_cast<std::size_t>(k)] =
          1 / (k + 0.5 * static_cast<double>(odd));
  return table;
}();

/// sum_k x^(k + offset)/Gamma(k + offset + 1) exp(-x), k = 0 ... m - 1.
double short_sum(double x, int m, bool odd) {
  double term = std::exp(-x);
  if (odd) term *= 2 * std::sqrt(x * std::numbers::inv_pi);
  double sum = term;
  for (std::size_t k = 1; k < static_cast<std::size_t>(m); ++k)
    sum += term *= x * inverses[odd ? 1 : 0][k];
  return sum;
}

}  // namespace

double chi2_probability(double chi2, int ndf) {
  if (!(chi2 >= 0) || ndf < 1) return std::numeric_limits<double>::quiet_NaN();
  if (chi2 == 0) return 1;
  const double x = 0.5 * chi2, offset = ndf % 2 == 0 ? 0 : 0.5;
  const int m = ndf / 2;
  const double head = ndf % 2 == 0 ? 0 : std::erfc(std::sqrt(x));
  if (m == 0) return head;
  if (m <= most_terms && x < largest_half)
    return std::min(1.0, head + short_sum(x, m, ndf % 2 != 0));
  // Term k is x^(k + offset)/Gamma(k + offset + 1). From the largest one on,
  // in both directions, nothing overflows.
  const int largest = static_cast<int>(std::min(double(m - 1), std::floor(x)));
  double start = 0;
  if (largest == 0) {
    start = offset == 0
                ? std::exp(-x)
                : std::exp(-x) * 2 * std::sqrt(x * std::numbers::inv_pi);
  } else {
    const double power = largest + offset;
    int sign = 0;
    start = std::exp(power * std::log(x) - x - lgamma_r(power + 1, &sign));
  }
  double sum = start, term = start;
  for (int k = largest + 1; k < m; ++k) sum += term *= x / (k + offset);
  term = start;
  for (int k = largest; k > 0; --k) sum += term *= (k + offset) / x;
  return std::min(1.0, head + sum);
}

double normal_quantile(double p) {
  if (!(p > 0)) return p == 0 ? -std::numeric_limits<double>::infinity() : none;
  if (!(p < 1)) return p == 1 ? std::numeric_limits<double>::infinity() : none;
  if (p > 0.5) return -normal_quantile(1 - p);
  // Newton's method for ln Phi, which is concave, from the left of the root
  double x = -std::sqrt(-2 * std::log(p));
  constexpr int most = 60;
  for (int i = 0; i < most; ++i) {
    const double below = 0.5 * std::erfc(-x * std::numbers::sqrt2 / 2);
    const double density = std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi *
                           (std::numbers::sqrt2 / 2);
    const double step = below / density * std::log(p / below);
    x += step;
    if (std::abs(step) <= 1e-15 * std::max(1.0, std::abs(x))) break;
  }
  return x;
}

void WeightedNumbers::add(double x, double weight) {
  if (!std::isnan(x) && weight > 0) items_.push_back({x, weight});
}

void WeightedNumbers::sort() {
  weight_ = 0;
  mean_ = width_ = none;
  for (const Item& item : items_) weight_ += item.weight;
  if (items_.empty()) return;
  mean_ = 0;
  for (const Item& item : items_) mean_ += item.weight / weight_ * item.x;
  width_ = 0;
  for (const Item& item : items_)
    width_ += item.weight / weight_ * (item.x - mean_) * (item.x - mean_);
  width_ = std::sqrt(width_);
  std::ranges::stable_sort(items_, {}, &Item::x);
}

double WeightedNumbers::quantile(double q) const {
  constexpr double rounding = 1e-12;
  double sum = 0;
  for (const Item& item : items_) {
    sum += item.weight;
    if (sum >= (q - rounding) * weight_) return item.x;
  }
  return items_.empty() ? none : items_.back().x;
}

}  // namespace gttf
