// SPDX-License-Identifier: Apache-2.0
// Rotation of the directions at two hits by a kink between, for any scalar.
#pragma once

#include "gttf/fit/triplet/segment.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf::detail {

/// Change of the direction (theta, phi) after the first hit and before the
/// second hit, per kink (theta, phi) in between, at fixed hit positions.
template <class S>
struct PassiveTurns {
  S leaving[2][2], arriving[2][2];
};

/// The shift x of the crossing in the plane of the axes u, v compensates a kink
/// k: with A, B the gradients of the directions at the end of the incoming and
/// at the start of the outgoing arc,
///
///   k = -(A + B) x
///
/// @param in, out  arcs of one helix to and from the crossing
template <class S>
PassiveTurns<S> passive_turns(const Segment<S>& in, const Segment<S>& out,
                              const AxisComponents<S>& axes) {
  struct Block {
    S at[2][2];
  };
  const auto seen = [&axes](const Cartesian<S>& theta,
                            const Cartesian<S>& phi) {
    Block b;
    const Cartesian<S>* const gradients[] = {&theta, &phi};
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 2; ++c) {
        const S(&axis)[3] = c == 0 ? axes.u : axes.v;
        const Cartesian<S>& g = *gradients[r];
        S sum = g.x * axis[0];
        sum = sum + g.y * axis[1];
        b.at[r][c] = sum + g.z * axis[2];
      }
    return b;
  };
  const SegmentDerivatives<S> d_in = derivatives(in), d_out = derivatives(out);
  const Block start_in = seen(d_in.polar, d_in.azimuth_start);
  const Block end_in = seen(d_in.polar, d_in.azimuth_end);
  const Block start_out = seen(d_out.polar, d_out.azimuth_start);
  const Block end_out = seen(d_out.polar, d_out.azimuth_end);
  S kink[2][2];
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c)
      kink[r][c] = -(start_out.at[r][c] + end_in.at[r][c]);
  const S ahead = kink[0][0] * kink[1][1];
  const S inverse = S(1) / (ahead - kink[0][1] * kink[1][0]);
  const S shift[2][2] = {{kink[1][1] * inverse, -(kink[0][1] * inverse)},
                         {-(kink[1][0] * inverse), kink[0][0] * inverse}};
  PassiveTurns<S> turns;
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) {
      S sum = start_in.at[r][0] * shift[0][c];
      turns.leaving[r][c] = sum + start_in.at[r][1] * shift[1][c];
      sum = end_out.at[r][0] * shift[0][c];
      turns.arriving[r][c] = -(sum + end_out.at[r][1] * shift[1][c]);
    }
  return turns;
}

}  // namespace gttf::detail
