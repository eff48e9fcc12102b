// SPDX-License-Identifier: Apache-2.0
// The front of choices alone, by evaluation of all combinations.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gttf/study/optimise/front_search.hpp"

namespace gttf {
namespace {

/// The objectives in units of their ranges.
std::vector<std::vector<double>> in_ranges(
    const std::vector<FrontDesign>& designs) {
  std::vector<std::vector<double>> places(designs.size());
  for (std::size_t i = 0; i < designs.front().f.size(); ++i) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const FrontDesign& d : designs)
      if (std::isfinite(d.f[i])) {
        low = std::min(low, d.f[i]);
        high = std::max(high, d.f[i]);
      }
    constexpr double least_range = 1e-12;
    const double range = std::max(high - low, least_range);
    // the logarithm of a quantity that is 0 is not finite
    for (std::size_t k = 0; k < designs.size(); ++k)
      places[k].push_back(std::isfinite(designs[k].f[i])
                              ? (designs[k].f[i] - low) / range
                              : -1);
  }
  return places;
}

}  // namespace

std::vector<FrontDesign> front_of_choices(FrontSearch& search) {
  std::vector<FrontDesign> all = search.best_designs();
  if (all.size() <= search.points()) return all;
  const std::vector<std::vector<double>> places = in_ranges(all);
  // of each design, to the nearest chosen one
  std::vector<double> room(all.size(), std::numeric_limits<double>::infinity());
  std::vector<char> is_chosen(all.size(), 0);
  std::size_t n_chosen = 0;
  const auto choose = [&](std::size_t k) {
    if (is_chosen[k] != 0) return;
    is_chosen[k] = 1;
    ++n_chosen;
    for (std::size_t other = 0; other < all.size(); ++other) {
      double sum = 0;
      for (std::size_t i = 0; i < places[k].size(); ++i)
        sum += std::pow(places[k][i] - places[other][i], 2);
      room[other] = std::min(room[other], sum);
    }
  };
  for (std::size_t i = 0; i < places.front().size(); ++i)
    choose(static_cast<std::size_t>(
        std::ranges::min_element(places, {},
                                 [i](const auto& place) { return place[i]; }) -
        places.begin()));
  while (n_chosen < search.points())
    choose(static_cast<std::size_t>(std::ranges::max_element(room) -
                                    room.begin()));
  std::vector<FrontDesign> chosen;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (is_chosen[k] != 0) chosen.push_back(std::move(all[k]));
  return chosen;
}

}  // namespace gttf
