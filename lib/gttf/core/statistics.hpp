// SPDX-License-Identifier: Apache-2.0
// ExactMoments: mean and width from sums that do not depend on their order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gttf {

/// A signed integer of 128 bits.
__extension__ using Integer128 = __int128;

std::string to_string(Integer128 value);
/// Nothing if `text` is not exactly the output of to_string().
std::optional<Integer128> to_integer128(std::string_view text);

/// Sums of x, x^2, x^3 and x^4 as integers: each power is rounded once, to a
/// multiple of 2^-50, 2^-38, 2^-26 and 2^-14, and the sums are exact. The
/// result is independent of the order and of the division into parts. 2^64
/// numbers fit.
///
/// Numbers beyond `limit` (and NaN) are only counted: one of them would
/// outweigh all others.
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

// Probability of a chi2 at least as large.

/// Q(ndf/2, chi2/2), the upper tail of the chi2 distribution: uniform in (0, 1)
/// for a correct model.
///
///   ndf = 2 m:      e^-x sum_{k=0}^{m-1} x^k/k!,                x = chi2/2
///   ndf = 2 m + 1:  erfc(sqrt x) + e^-x sum_{k=0}^{m-1} x^(k+1/2)/Gamma(k+3/2)
///
/// @param ndf  >= 1
/// @return     relative error below 1e-12; NaN if chi2 is NaN or negative
double chi2_probability(double chi2, int ndf);

/// x for which a standard normal number is below x with probability p: to 1e-14
/// of x, or of 1 if that is larger. Infinite at 0 and 1.
double normal_quantile(double p);

// WeightedNumbers: a distribution given by numbers with weights.

/// Mean, standard deviation and quantiles. NaN and its weight are ignored.
class WeightedNumbers {
 public:
  void clear() { items_.clear(); }
  void reserve(std::size_t n) { items_.reserve(n); }
  /// @param weight  >= 0
  void add(double x, double weight);

  /// To be called after the last number, before any result.
  void sort();

  double weight() const { return weight_; }
  double mean() const { return mean_; }
  double width() const { return width_; }
  /// The smallest number such that it and all smaller ones have at least the
  /// fraction q of the weight. NaN without numbers.
  double quantile(double q) const;

 private:
  struct Item {
    double x, weight;
  };
  std::vector<Item> items_;
  double weight_ = 0, mean_ = 0, width_ = 0;
};

// Histogram: counts in bins of equal width, and outside.

/// Bin i holds lower + i w <= x < lower + (i + 1) w; NaN is not counted.
struct Histogram {
  double lower = 0;
  double upper = 1;
  std::vector<std::uint64_t> bins;
  std::uint64_t below = 0;
  std::uint64_t above = 0;  ///< x >= upper

  Histogram(double from, double to, std::size_t n)
      : lower(from), upper(to), bins(n) {}

  void add(double x) {
    if (!(x >= lower)) {
      if (x < lower) ++below;
      return;
    }
    const double at =
        (x - lower) / (upper - lower) * static_cast<double>(bins.size());
    if (at < static_cast<double>(bins.size()))
      ++bins[static_cast<std::size_t>(at)];
    else
      ++above;
  }

  void add(std::span<const double> numbers) {
    for (const double x : numbers) add(x);
  }

  void add(const Histogram& other) {
    for (std::size_t i = 0; i < bins.size(); ++i) bins[i] += other.bins[i];
    below += other.below;
    above += other.above;
  }

  void clear() {
    bins.assign(bins.size(), 0);
    below = above = 0;
  }

  std::uint64_t total() const {
    std::uint64_t sum = below + above;
    for (const std::uint64_t n : bins) sum += n;
    return sum;
  }

  /// The quantile for the given fraction, interpolated linearly within its bin;
  /// NaN if it lies outside the bins.
  double quantile(double part) const {
    const double wanted = part * static_cast<double>(total());
    double sum = static_cast<double>(below);
    if (sum <= wanted)
      for (std::size_t i = 0; i < bins.size(); ++i) {
        const double in_bin = static_cast<double>(bins[i]);
        if (in_bin > 0 && wanted <= sum + in_bin)
          return lower + (upper - lower) / static_cast<double>(bins.size()) *
                             (static_cast<double>(i) + (wanted - sum) / in_bin);
        sum += in_bin;
      }
    return std::numeric_limits<double>::quiet_NaN();
  }
};

}  // namespace gttf
