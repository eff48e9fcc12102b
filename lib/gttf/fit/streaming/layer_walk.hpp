// SPDX-License-Identifier: Apache-2.0
// How single errors enter functions of the line at any crossing of a track.
#pragma once

#include <vector>

#include "gttf/fit/streaming/streaming.hpp"

namespace gttf {

/// The contribution of every single error to M linear functions of the line
/// just before crossing k, which line_before() estimates from all hits.
///
/// The hits on either side are filtered towards the crossing, with gains, and
/// the two sides are combined. From the covariance of the functions with that
/// line, one pass goes outwards, like backward_pass(), and another one inwards:
/// passed in that direction, a layer has the same columns with kinks of
/// opposite sign, whose squares are the same.
///
/// @param functions  of the line at the crossing, in the parameters of the
///                   start
/// @param own_hit    whether the layer's own coordinates are used
/// @param on_hit, on_kink  called with a HitStep and a KinkStep each, in no
///                   order; all variances of a function sum up to its variance
/// @return  the variance of each function, from the joined equations
/// Source: docs/theory/budget.md, at a layer
template <Path P, class S, std::size_t M, class OnHit, class OnKink>
std::array<S, M> walk_from_layer(const P& path, const StartHit<S>* start,
                                 std::size_t k, bool own_hit,
                                 const std::array<Row<S>, M>& functions,
                                 OnHit&& on_hit, OnKink&& on_kink) {
  const PathSource<P> source(path);
  const std::size_t end = source.end();
  const std::size_t outside = own_hit ? k : k + 1;
  const int first = innermost(path, start);
  // crossings inside of k have gains of one filter, the others of the other
  std::vector<typename P::Gain> gains(path.size());
  PathFit<Errors::all, P> outer, inner;
  outer.gains.gains = &gains;
  inner.gains.gains = &gains;
  stream_inwards(source, outside, end, outer);
  if (!own_hit && k < end) outer.on_kinks(k, path.kinks(k));
  if (start) detail::measure_start(*start, inner.equations);
  if (first >= 0)
    stream_outwards(source, static_cast<std::size_t>(first), k, inner);
  join(outer.equations, inner.equations);
  if (!path.fits_momentum()) outer.equations.v[4] = S(0);

  const Covariance5<S> line = covariance(outer.equations);
  std::array<Row<S>, M> with_line;
  std::array<S, M> variances;
  for (std::size_t q = 0; q < M; ++q) {
    for (std::size_t j = 0; j < track_dim; ++j) {
      with_line[q][j] = S(0);
      for (std::size_t i = 0; i < track_dim; ++i)
        with_line[q][j] = with_line[q][j] + functions[q][i] * line[i][j];
    }
    const Row<S> z = express(outer.equations, functions[q]);
    variances[q] = S(0);
    for (std::size_t i = 0; i < track_dim; ++i)
      variances[q] = variances[q] + outer.equations.v[i] * z[i] * z[i];
  }
  detail::ErrorWalk<P, M, OnHit, OnKink> outwards{
      {}, gains, with_line, on_hit, on_kink};
  if (!own_hit && k < end && source.scatters(k))
    outwards.on_kinks(k, path.kinks(k));
  stream_outwards(source, outside, end, outwards);
  detail::ErrorWalk<P, M, OnHit, OnKink> inwards{
      {}, gains, with_line, on_hit, on_kink};
  if (first >= 0)
    stream_inwards(source, static_cast<std::size_t>(first), k, inwards);
  if (start) {
    inwards.hit(start_index, 0, start->transverse, start->transverse_variance);
    inwards.hit(start_index, 1, start->longitudinal,
                start->longitudinal_variance);
  }
  return variances;
}

}  // namespace gttf
