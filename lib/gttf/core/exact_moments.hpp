// SPDX-License-Identifier: Apache-2.0
// ExactMoments: mean and width from sums that do not depend on their order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gttf {

/// A signed integer of 128 bits.
__extension__ using Integer128 = __int128;

std::string to_string(Integer128 value);
/// Nothing if `text` is not exactly what to_string() makes.
std::optional<Integer128> to_integer128(std::string_view text);

/// Sums of x, x^2, x^3 and x^4 as integers: each power is rounded once, to a
/// multiple of 2^-50, 2^-38, 2^-26 and 2^-14, and the sums are exact. So they
/// are the same in whatever order and in however many parts they are made. 2^64
/// numbers fit.
///
/// Numbers beyond `limit` (and NaN) are only counted: one of them would say
/// more than all others together.
class ExactMoments {
 public:
  static constexpr double limit = 4096;
  static constexpr int powers = 4;

  void add(double x) { add(std::span(&x, 1)); }
  void add(std::span<const double> numbers);
  void add(const ExactMoments& others);

  std::uint64_t count() const { return count_; }
  std::uint64_t beyond_limit() const { return beyond_limit_; }

  /// The estimates are NaN if there are too few numbers. Errors are standard
  /// errors: sigma/sqrt(n), and sqrt((m4 - sigma^4)/n)/(2 sigma) of the width.
  double mean() const;
  double mean_error() const;
  double width() const;  ///< sqrt of the unbiased variance
  double width_error() const;

  /// The state, to be stored and restored.
  struct State {
    std::uint64_t count = 0;
    std::uint64_t beyond_limit = 0;
    std::array<Integer128, powers> sums{};
  };
  State state() const { return {count_, beyond_limit_, sums_}; }
  explicit ExactMoments(const State& s)
      : count_(s.count), beyond_limit_(s.beyond_limit), sums_(s.sums) {}
  ExactMoments() = default;

 private:
  void add_small(std::span<const double> numbers);
  double raw_moment(int power) const;
  double variance() const;

  std::uint64_t count_ = 0;
  std::uint64_t beyond_limit_ = 0;
  std::array<Integer128, powers> sums_{};
};

}  // namespace gttf
