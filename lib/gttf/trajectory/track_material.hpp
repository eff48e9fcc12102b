// SPDX-License-Identifier: Apache-2.0
// The material along a track: all of it, and the part relevant for the hits.
#pragma once

#include <cstddef>

namespace gttf {

/// Sums of x/X0 along a track.
template <class S>
struct TrackMaterial {
  S all = S(0);          ///< of all crossings
  S to_last_hit = S(0);  ///< up to and including the layer of the last hit
};

/// Sums in order of flight.
/// @param n     number of crossings
/// @param last  index of the one with the last hit, -1: no hit
/// @param thickness  thickness(k): x/X0 of crossing k
template <class S, class Thickness>
TrackMaterial<S> sum_material(std::size_t n, int last,
                              const Thickness& thickness) {
  TrackMaterial<S> sum;
  for (std::size_t k = 0; k < n; ++k) {
    sum.all = sum.all + thickness(k);
    if (static_cast<int>(k) == last) sum.to_last_hit = sum.all;
  }
  return sum;
}

/// Calls scatter(k, T) for every crossing, T being the sum of x/X0 in the
/// logarithm of Scattering::highland_total. This is the sum up to the last hit:
/// material beyond it changes no hit, and must not influence the result. A
/// layer beyond the last hit uses the sum up to its own end.
/// @param n, last, thickness  as sum_material()
template <class S, class Thickness, class Scatter>
TrackMaterial<S> scatter_in_order(std::size_t n, int last,
                                  const Thickness& thickness,
                                  const Scatter& scatter) {
  const TrackMaterial<S> sum = sum_material<S>(n, last, thickness);
  S total = sum.to_last_hit;
  for (std::size_t k = 0; k < n; ++k) {
    if (static_cast<int>(k) > last) total = total + thickness(k);
    scatter(k, total);
  }
  return sum;
}

}  // namespace gttf
