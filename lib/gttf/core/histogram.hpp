// SPDX-License-Identifier: Apache-2.0
// Histogram: counts in bins of equal width, and outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace gttf {

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

  /// The number below which the given part of all lies, on a straight line
  /// through its bin; NaN if it lies outside of the bins.
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
