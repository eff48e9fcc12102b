// SPDX-License-Identifier: Apache-2.0
// Hit edges: limits that keep the layers which a track crosses.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "gttf/study/optimise/design_numbers.hpp"
#include "gttf/trajectory/track.hpp"

namespace gttf {

/// A condition for the crossing of a track with a layer.
struct HitEdge {
  /// Values of `side` above those of DesignNumber::part of an extent: the layer
  /// must not lie before the start of the track; the track must reach it before
  /// it turns back, and not too close to the layer's direction.
  static constexpr std::size_t start = 4, turn = 5, n_sides = 6;

  std::size_t group = 0, track = 0;  ///< index in a DesignProgram
  std::size_t layer = 0;
  std::size_t side = 0;
  bool is_outside = false;  ///< the condition must not be met

  /// In a working set, samples have smaller numbers.
  static constexpr std::size_t first_number = std::size_t{1} << 52;

  static bool is_number(std::size_t n) { return n >= first_number; }
  /// Nothing for more groups, tracks or layers than a number has room for.
  std::optional<std::size_t> number() const;
  static HitEdge of(std::size_t number);
};

/// How far a design is beyond a HitEdge, mm, to first order in its numbers. A
/// turn is in mm of the position of the layer.
struct HitMargin {
  /// A track on an edge has a hit or not, depending on rounding.
  static constexpr double inside = detail::same_place;

  struct Slope {
    std::size_t number = 0;  ///< of the design
    double value = 0;        ///< the derivative
    double start = 0;        ///< the present value of the number
  };
  double at = 0;  ///< at the present numbers, above 0: beyond
  std::array<Slope, 4> slopes{};

  /// At most 0 if the condition is met by at least `inside`.
  template <class S>
  S missing(std::span<const S> numbers) const {
    S sum(at + inside);
    for (const Slope& slope : slopes)
      if (slope.value != 0)
        sum += S(slope.value) * (numbers[slope.number] - S(slope.start));
    return sum;
  }
};

/// At the present numbers of a design in a solenoid or without field. Nothing
/// if there is no such edge, or the track does not come near it.
std::optional<HitMargin> hit_margin(const DesignNumbers& design,
                                    const HitEdge& edge, const Track& track);

}  // namespace gttf
