// SPDX-License-Identifier: Apache-2.0
// Hit edges: limits that keep the crossings of tracks within their layers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "gttf/study/optimise/design_numbers.hpp"
#include "gttf/trajectory/track.hpp"

namespace gttf {

/// An edge of a layer, within which a track must cross it.
struct HitEdge {
  std::size_t group = 0, track = 0;  ///< index in a DesignProgram
  std::size_t layer = 0;
  std::size_t side = 0;  ///< DesignNumber::part of the extent

  /// In a working set, samples have smaller numbers.
  static constexpr std::size_t first_number = std::size_t{1} << 52;

  static bool is_number(std::size_t n) { return n >= first_number; }
  /// Nothing for more groups, tracks or layers than a number has room for.
  std::optional<std::size_t> number() const;
  static HitEdge of(std::size_t number);
};

/// How far outside of an edge a track crosses the surface of a layer, mm, to
/// first order in the numbers of the design.
struct HitMargin {
  /// A track on an edge has a hit or not, depending on rounding.
  static constexpr double inside = detail::same_place;

  std::size_t position = 0, extent = 0;  ///< indices of numbers
  double sign = 1;                       ///< 1: upper edge, -1: lower
  double at = 0;                         ///< coordinate of the crossing
  double by_position = 0;                ///< its derivative
  double start = 0;                      ///< the position

  template <class S>
  S outside(std::span<const S> numbers) const {
    const S coordinate =
        S(at) + S(by_position) * (numbers[position] - S(start));
    return S(sign) * (coordinate - numbers[extent]) + S(inside);
  }
};

/// Nothing for cones and inclined planes, or if the track does not reach the
/// surface. @param bz  of a solenoid; 0: no field
std::optional<HitMargin> hit_margin(const DesignNumbers& design,
                                    std::size_t layer, std::size_t side,
                                    const Track& track, double bz);

}  // namespace gttf
