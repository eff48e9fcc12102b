// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/pareto_front.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "gttf/study/optimise/front_search.hpp"

namespace gttf {
namespace {

/// A gap reduced below this share of the front is a jump: no design lies in
/// it.
constexpr double least_gap = 1e-3;

/// Of two objectives: the second one decreases along the front.
class FrontOfTwo {
 public:
  explicit FrontOfTwo(FrontSearch& search) : search_(search) {}

  std::vector<FrontDesign> find() {
    find_ends();
    fill();
    for (int pass = 0; pass < 2; ++pass) try_neighbours();
    drop_dominated();
    return std::move(found_);
  }

 private:
  /// The limit of the second objective up to which no other design was found.
  static double limit_of(const FrontDesign& d) {
    return d.limits[1].value_or(d.f[1]);
  }

  std::optional<FrontDesign> solve(double limit,
                                   std::vector<std::vector<double>> also_from,
                                   bool local) {
    return search_.solve(0, {std::nullopt, limit}, std::move(also_from), local,
                         found_.size());
  }

  /// The minimum of each, and then the minimum of the other.
  void find_ends() {
    for (std::size_t i = 0; i < 2 && !search_.is_interrupted(); ++i) {
      auto best = search_.least(i, found_.size());
      if (!best) return;
      best->limits = {std::nullopt, best->f[1]};
      found_.push_back(std::move(*best));
    }
    sort();
  }

  void sort() {
    std::ranges::stable_sort(found_, std::ranges::greater(),
                             [](const FrontDesign& d) { return d.f[1]; });
  }

  /// Limits where the front has its largest gaps: between a point and the next
  /// one with a smaller second objective.
  void fill() {
    if (found_.size() < 2) return;
    const std::array<double, 2> range{
        std::max(std::abs(found_.back().f[0] - found_.front().f[0]), 1e-12),
        std::max(std::abs(found_.back().f[1] - found_.front().f[1]), 1e-12)};
    const std::size_t most = 4 * search_.points();
    for (std::size_t n = 0; n < most && !search_.is_interrupted() &&
                            found_.size() < search_.points();
         ++n) {
      std::size_t at = 0;
      double widest = 0;
      for (std::size_t i = 0; i + 1 < found_.size(); ++i) {
        // below the limit of the next one no new design is found
        const double gap = (found_[i].f[1] - std::max(limit_of(found_[i + 1]),
                                                      found_[i + 1].f[1])) /
                           range[1];
        if (gap < least_gap) continue;
        const double size =
            std::hypot(gap, (found_[i + 1].f[0] - found_[i].f[0]) / range[0]);
        if (size > widest) {
          widest = size;
          at = i;
        }
      }
      if (widest == 0) break;
      FrontDesign& next = found_[at + 1];
      const double limit =
          0.5 * (found_[at].f[1] + std::max(limit_of(next), next.f[1]));
      auto point = solve(limit, {found_[at].x, next.x}, false);
      if (!point || point->f[1] - next.f[1] < same_point) {
        // a jump up to this limit
        if (point && point->f[0] < next.f[0] - same_point)
          next = std::move(*point);
        next.limits = {std::nullopt, limit};
        continue;
      }
      found_.push_back(std::move(*point));
      sort();
    }
  }

  /// Every point from the designs on both sides of it.
  void try_neighbours() {
    if (!search_.has_variables()) return;
    for (std::size_t i = 0; i < found_.size() && !search_.is_interrupted();
         ++i) {
      std::vector<std::vector<double>> designs{found_[i].x};
      if (i > 0) designs.push_back(found_[i - 1].x);
      if (i + 1 < found_.size()) designs.push_back(found_[i + 1].x);
      auto point = solve(std::max(limit_of(found_[i]), found_[i].f[1]),
                         std::move(designs), true);
      if (!point || point->f[0] >= found_[i].f[0] - 1e-10) continue;
      point->certificate = found_[i].certificate;
      found_[i] = std::move(*point);
    }
    sort();
  }

  void drop_dominated() {
    std::vector<FrontDesign> kept;
    double least = std::numeric_limits<double>::infinity();
    // from the minimum of the second objective, the first must decrease
    for (auto it = found_.rbegin(); it != found_.rend(); ++it) {
      if (it->f[0] > least - same_point) continue;
      least = it->f[0];
      kept.push_back(std::move(*it));
    }
    std::ranges::reverse(kept);
    found_ = std::move(kept);
  }

  FrontSearch& search_;
  std::vector<FrontDesign> found_;  ///< the second objective decreases
};

}  // namespace

ParetoFront pareto_front(const OptimisationProblem& problem,
                         const SearchOptions& options) {
  FrontSearch search(problem, options);
  if (search.can_list_designs()) return search.front(front_of_choices(search));
  return search.front(problem.pareto.of.size() == 2 ? FrontOfTwo(search).find()
                                                    : front_of_three(search));
}

}  // namespace gttf
