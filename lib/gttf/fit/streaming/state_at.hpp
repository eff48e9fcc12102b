// SPDX-License-Identifier: Apache-2.0
// The line of a track where it meets any of the surfaces that it crosses.
#pragma once

#include "gttf/fit/streaming/streaming.hpp"

namespace gttf {

/// What all hits and the start hit say about the line just before crossing k:
/// the hits outside, seen through the material from there on to each of them
/// (the layer's own included), and the hits inside, through what lies between.
/// The crossing may be any, before, between or beyond the hits.
/// @param own_hit  whether the layer's own coordinates are used
template <Path P, class S = typename P::Scalar>
FiveEquations<S> line_before(const P& path, const StartHit<S>* start,
                             std::size_t k, bool own_hit = true) {
  constexpr auto zero = ZeroVariance::excluded;
  const int at = static_cast<int>(k);
  FiveEquations<S> outer, inner;
  for (int i = path.last(); i >= at; --i) {
    const auto index = static_cast<std::size_t>(i);
    if (i < path.last()) scatter<zero, false>(outer, path.kinks(index));
    if (i > at || own_hit) detail::measure_crossing(path, index, outer);
  }
  if (start) detail::measure_start<false>(*start, inner);
  for (int i = innermost(path, start); i < at; ++i) {
    const auto index = static_cast<std::size_t>(i);
    detail::measure_crossing(path, index, inner);
    scatter<zero, false>(inner, path.kinks(index));
  }
  join(outer, inner);
  if (!path.fits_momentum()) outer.v[4] = S(0);
  return outer;
}

}  // namespace gttf
