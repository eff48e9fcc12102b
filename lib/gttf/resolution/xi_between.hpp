// SPDX-License-Identifier: Apache-2.0
// XiBetween: xi of the triplets of a track at any momentum, from a few at which
// all of them are calculated.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gttf/resolution/momentum_searches.hpp"

namespace gttf::detail {

/// Searches request every triplet at a momentum of its own; to follow the track
/// for each would take a time that grows with the square of their number. Where
/// enough momenta are known nearby, 1/xi^2, which is nearly linear in p^2, is
/// interpolated by Newton's polynomial in p^2, if its last two terms are below
/// the tolerance of the searches.
class XiBetween {
 public:
  using Layers = std::array<std::size_t, 3>;

  /// @param triplets  their layers
  explicit XiBetween(std::vector<Layers> triplets)
      : triplets_(std::move(triplets)) {
    std::ranges::sort(triplets_);
    triplets_.erase(std::unique(triplets_.begin(), triplets_.end()),
                    triplets_.end());
  }

  std::span<const Layers> triplets() const { return triplets_; }

  /// xi of one of triplets() at p, or nothing: then they have to be added.
  std::optional<double> at(const Layers& triplet, double p) const {
    const std::size_t column = index_of(triplet);
    const auto next = std::ranges::lower_bound(points_, p, {}, &Point::p);
    if (next != points_.end() && next->p == p) return next->xi[column];
    if (next == points_.begin() || next == points_.end()) return std::nullopt;
    if (next->p > widest * (next - 1)->p) return std::nullopt;
    return interpolated(static_cast<std::size_t>(next - points_.begin()),
                        column, p);
  }

  /// A momentum to be added, if p is next to one that is known, but not between
  /// two: those of other triplets will be next to it, too.
  std::optional<double> beside(double p) const {
    constexpr double step = 1.05;
    const auto next = std::ranges::lower_bound(points_, p, {}, &Point::p);
    const double above = next == points_.end() ? infinite : next->p,
                 below = next == points_.begin() ? 0 : (next - 1)->p;
    if (above == p) return std::nullopt;
    if (above < step * p && widest * below < above) return p / step;
    if (p < step * below && above > widest * below) return p * step;
    return std::nullopt;
  }

  /// @param xi  of all triplets(); NaN: none
  void add(double p, std::vector<double> xi) {
    const auto next = std::ranges::lower_bound(points_, p, {}, &Point::p);
    points_.insert(next, {p, std::move(xi)});
  }

 private:
  struct Point {
    double p;
    std::vector<double> xi;
  };
  /// Between the momenta on both sides of another one.
  static constexpr double widest = 1.3;
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  std::size_t index_of(const Layers& triplet) const {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(triplets_, triplet) - triplets_.begin());
  }

  /// @param above  the first point above p
  std::optional<double> interpolated(std::size_t above, std::size_t column,
                                     double p) const {
    constexpr std::size_t most = 12;
    std::array<double, most> x, differences;  // the latest divided differences
    const double here = p * p;
    double value = 0, product = 1;
    bool was_small = false;
    std::size_t below = above;
    for (std::size_t k = 0; k < most; ++k) {
      const bool is_first = below == 0, is_last = above == points_.size();
      if (is_first && is_last) break;
      // the nearest on either side
      const bool upwards =
          is_first ||
          (!is_last && points_[above].p * points_[below - 1].p < here);
      const Point& point = points_[upwards ? above++ : --below];
      const double xi = point.xi[column];
      if (std::isnan(xi)) break;
      x[k] = point.p * point.p;
      double difference = 1 / (xi * xi);
      for (std::size_t j = 0; j < k; ++j) {
        const double next =
            (difference - differences[j]) / (x[k] - x[k - 1 - j]);
        differences[j] = std::exchange(difference, next);
      }
      differences[k] = difference;
      const double term = difference * product;
      value += term;
      product *= here - x[k];
      const bool is_small =
          std::abs(term) <= SignificantMomentum::tolerance * std::abs(value);
      if (k > 2 && is_small && was_small && value > 0)
        return 1 / std::sqrt(value);
      was_small = is_small;
    }
    return std::nullopt;
  }

  std::vector<Layers> triplets_;
  std::vector<Point> points_;  ///< ascending momenta
};

}  // namespace gttf::detail
