// SPDX-License-Identifier: Apache-2.0
// The front of three objectives, by limits on two of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "gttf/study/optimise/front_search.hpp"

namespace gttf {
namespace {

/// A pair of limits: the shares, from 0 to a power of 2, of the ranges of the
/// second and third objective.
using GridPlace = std::array<std::size_t, 2>;

class FrontOfThree {
 public:
  explicit FrontOfThree(FrontSearch& search) : search_(search) {}

  std::vector<FrontDesign> find() {
    find_ends();
    if (found_.size() == 3) {
      solve_grid();
      refine();
      try_neighbours();
    }
    drop_dominated();
    std::ranges::stable_sort(found_, {},
                             [](const FrontDesign& d) { return d.f; });
    return std::move(found_);
  }

 private:
  struct Solved {
    std::array<double, 2> limits;
    bool is_feasible;
    std::array<double, 2> f;  ///< of the objectives with limits
  };

  void find_ends() {
    for (std::size_t i = 0; i < 3 && !search_.is_interrupted(); ++i) {
      auto best = search_.least(i, found_.size());
      if (!best) return;
      best->limits = {std::nullopt, best->f[1], best->f[2]};
      found_.push_back(std::move(*best));
    }
    if (found_.size() < 3) return;
    for (std::size_t j = 0; j < 2; ++j) {
      const auto [low, high] = std::ranges::minmax(
          found_, {}, [&](const FrontDesign& d) { return d.f[j + 1]; });
      low_[j] = low.f[j + 1];
      range_[j] = std::max(high.f[j + 1] - low_[j], 1e-12);
    }
  }

  std::array<double, 2> limits_at(GridPlace place,
                                  std::size_t intervals) const {
    std::array<double, 2> limits{};
    for (std::size_t j = 0; j < 2; ++j)
      limits[j] = low_[j] + range_[j] * static_cast<double>(place[j]) /
                                static_cast<double>(intervals);
    return limits;
  }

  /// In units of the ranges, between limits and the design.
  double distance(const std::array<double, 2>& limits,
                  const FrontDesign& d) const {
    return std::hypot((limits[0] - d.f[1]) / range_[0],
                      (limits[1] - d.f[2]) / range_[1]);
  }

  /// Whether a design that was found with wider limits is the result, or even
  /// these have none.
  bool is_known(const std::array<double, 2>& limits) const {
    return std::ranges::any_of(solved_, [&](const Solved& s) {
      if (s.limits[0] < limits[0] || s.limits[1] < limits[1]) return false;
      return !s.is_feasible || (s.f[0] <= limits[0] && s.f[1] <= limits[1]);
    });
  }

  std::vector<std::vector<double>> nearest_designs(
      const std::array<double, 2>& limits) const {
    constexpr std::size_t most = 4;
    std::vector<const FrontDesign*> order;
    for (const FrontDesign& d : found_) order.push_back(&d);
    std::ranges::stable_sort(
        order, {}, [&](const FrontDesign* d) { return distance(limits, *d); });
    order.resize(std::min(most, order.size()));
    std::vector<std::vector<double>> designs;
    for (const FrontDesign* d : order) designs.push_back(d->x);
    return designs;
  }

  void solve(const std::array<double, 2>& limits) {
    if (is_known(limits)) return;
    auto design = search_.solve(0, {std::nullopt, limits[0], limits[1]},
                                nearest_designs(limits), false, found_.size());
    if (search_.is_interrupted()) return;
    ++n_solved_;
    if (!design) {
      solved_.push_back({limits, false, {}});
      return;
    }
    solved_.push_back({limits, true, {design->f[1], design->f[2]}});
    found_.push_back(std::move(*design));
  }

  /// From the widest limits to the narrowest, all of them.
  void solve_grid() {
    while ((intervals_ + 1) * (intervals_ + 1) <= search_.points())
      ++intervals_;
    --intervals_;
    intervals_ = std::max<std::size_t>(intervals_, 1);
    for (std::size_t i = intervals_ + 1; i-- > 0;)
      for (std::size_t k = intervals_ + 1; k-- > 0;)
        if (!search_.is_interrupted()) solve(limits_at({i, k}, intervals_));
    drop_dominated();
  }

  /// Limits between those of the grid, the furthest from any point first.
  void refine() {
    constexpr int most_levels = 3;
    const std::size_t most = 4 * search_.points();
    for (int level = 0; level < most_levels; ++level) {
      intervals_ *= 2;
      std::vector<std::array<double, 2>> left;
      for (std::size_t i = 0; i <= intervals_; ++i)
        for (std::size_t k = 0; k <= intervals_; ++k)
          if (i % 2 != 0 || k % 2 != 0)
            left.push_back(limits_at({i, k}, intervals_));
      while (found_.size() < search_.points() && n_solved_ < most &&
             !search_.is_interrupted()) {
        std::erase_if(left,
                      [&](const auto& limits) { return is_known(limits); });
        if (left.empty()) break;
        const auto room = [&](const std::array<double, 2>& limits) {
          double least = std::numeric_limits<double>::infinity();
          for (const FrontDesign& d : found_)
            least = std::min(least, distance(limits, d));
          return least;
        };
        const auto at = std::ranges::max_element(left, {}, room);
        const std::array<double, 2> limits = *at;
        left.erase(at);
        solve(limits);
        drop_dominated();
      }
    }
  }

  /// Every point from the designs around it.
  void try_neighbours() {
    if (!search_.has_variables()) return;
    for (FrontDesign& d : found_) {
      if (search_.is_interrupted()) return;
      // its own limits are met by the design, up to rounding
      auto better = search_.solve(
          0, d.limits, nearest_designs({d.f[1], d.f[2]}), true, found_.size());
      if (!better || better->f[0] >= d.f[0] - 1e-10) continue;
      better->certificate = d.certificate;
      d = std::move(*better);
    }
  }

  /// Whether `a` is not worse than `b` in any objective.
  static bool is_as_good(const FrontDesign& a, const FrontDesign& b) {
    for (std::size_t i = 0; i < 3; ++i)
      if (a.f[i] > b.f[i] + same_point) return false;
    return true;
  }

  /// Of designs that are alike the first one is kept.
  void drop_dominated() {
    std::vector<FrontDesign> kept;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      bool is_dominated = false;
      for (std::size_t k = 0; k < found_.size() && !is_dominated; ++k)
        is_dominated = k != i && is_as_good(found_[k], found_[i]) &&
                       (k < i || !is_as_good(found_[i], found_[k]));
      if (!is_dominated) kept.push_back(found_[i]);
    }
    found_ = std::move(kept);
  }

  FrontSearch& search_;
  std::vector<FrontDesign> found_;
  std::vector<Solved> solved_;
  std::array<double, 2> low_{}, range_{};  ///< of the second and third
  std::size_t intervals_ = 1, n_solved_ = 0;
};

}  // namespace

std::vector<FrontDesign> front_of_three(FrontSearch& search) {
  return FrontOfThree(search).find();
}

}  // namespace gttf
