// SPDX-License-Identifier: Apache-2.0
// What is still unseen after local searches from many designs.
#pragma once

#include <algorithm>
#include <cstddef>

namespace gttf {

/// Expected share of designs from which a search would end at an optimum that
/// none of `n` searches has reached, after they found `w` different ones. Every
/// number of optima, and every division of the designs among them, is equally
/// likely beforehand.
/// @pre n > 1
/// Source: [BoenderRinnooyKan87]
inline double unseen_share(std::size_t n, std::size_t w) {
  const auto searches = static_cast<double>(n), optima = static_cast<double>(w);
  // the estimate of a few searches may exceed 1
  return std::min(1.0, optima * (optima + 1) / (searches * (searches - 1)));
}

/// Whether more searches are unlikely to find another optimum: less than half
/// an optimum is expected to be unseen, the stopping rule of the source, and
/// unseen optima are expected to be reached from few designs, because the
/// starting designs are not fully independent samples.
/// Source: [BoenderRinnooyKan87]
inline bool are_all_seen(std::size_t n, std::size_t w) {
  constexpr double most_unseen = 0.5, most_share = 0.005;
  if (w == 0 || n <= w + 2) return false;
  const auto searches = static_cast<double>(n), optima = static_cast<double>(w);
  const double expected = optima * (searches - 1) / (searches - optima - 2);
  return expected < optima + most_unseen && unseen_share(n, w) < most_share;
}

}  // namespace gttf
