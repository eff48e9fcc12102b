// SPDX-License-Identifier: Apache-2.0
// The least value of a function of several coordinates.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "gttf/study/optimise/design_space.hpp"

namespace gttf {

/// The least value of a function of several coordinates with a number of places
/// each: the best place of one after the other, until none improves it. Exact
/// if each coordinate always moves the value the same way.
/// @param at  where it begins
template <class F>
double least_value(std::vector<std::size_t> at,
                   const std::vector<std::size_t>& places, F&& value) {
  double least = std::numeric_limits<double>::infinity();
  for (bool has_improved = true; has_improved;) {
    has_improved = false;
    for (std::size_t c = 0; c < at.size(); ++c) {
      std::size_t best = at[c];
      for (std::size_t i = 0; i < places[c]; ++i) {
        at[c] = i;
        const double now = value(at);
        if (!(now < least)) continue;
        least = now;
        best = i;
        has_improved = true;
      }
      at[c] = best;
    }
  }
  return least;
}

/// Places of a variable, evenly in its range; one more is where it begins.
inline constexpr std::size_t places_in_range = 33;

inline double value_at_place(const DesignVariable& variable,
                             std::size_t place) {
  if (place == places_in_range) return variable.start;
  return std::lerp(
      variable.from, variable.to,
      static_cast<double>(place) / static_cast<double>(places_in_range - 1));
}

}  // namespace gttf
