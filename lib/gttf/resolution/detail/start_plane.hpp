// SPDX-License-Identifier: Apache-2.0
// A helix on the plane z = const. through its start, for one track or lanes.
#pragma once

#include <limits>

#include "gttf/fit/five_equations.hpp"
#include "gttf/trajectory/line.hpp"

namespace gttf::detail {

/// x, y, tx = dx/dz and ty = dy/dz on the plane for a change `s` of the line:
///
///   x  = -sin(phi) d0 - tan(theta) cos(phi) z0
///   y  =  cos(phi) d0 - tan(theta) sin(phi) z0
///   tx = -tan(theta) sin(phi) (dphi - h z0) + cos(phi)/cos^2(theta) dtheta
///   ty =  tan(theta) cos(phi) (dphi - h z0) + sin(phi)/cos^2(theta) dtheta
///
/// with h = kappa/cos(theta), by which the direction turns on the way into the
/// plane; AnyTrack::at_start_plane() for a helix. NaN within 0.57 deg of the
/// plane.
template <class S>
std::array<S, 4> at_start_plane(const Line<S>& l, const Row<S>& s) {
  using std::abs;
  const S inverse =
      select(abs(l.cos_theta) < S(0.01),
             S(std::numeric_limits<double>::quiet_NaN()), S(1) / l.cos_theta);
  const S slope = l.sin_theta * inverse;
  const S way = slope * s[1];
  const S turn = slope * (s[2] - l.kappa * inverse * s[1]);
  const S spread = inverse * inverse * s[3];
  return {-(l.sin_phi * s[0]) - l.cos_phi * way,
          l.cos_phi * s[0] - l.sin_phi * way,
          l.cos_phi * spread - l.sin_phi * turn,
          l.cos_phi * turn + l.sin_phi * spread};
}

/// Covariance of x, y, tx, ty and kappa from that of the line.
template <class S>
Covariance5<S> at_start_plane(const Line<S>& line, const Covariance5<S>& c) {
  std::array<Row<S>, 5> half;  // rows on the plane, columns of the line
  for (std::size_t j = 0; j < 5; ++j) {
    const auto column = at_start_plane(
        line, Row<S>{c[0][j], c[1][j], c[2][j], c[3][j], c[4][j]});
    for (std::size_t i = 0; i < 4; ++i) half[i][j] = column[i];
    half[4][j] = c[4][j];
  }
  Covariance5<S> plane;
  for (std::size_t i = 0; i < 5; ++i) {
    const auto row = at_start_plane(line, half[i]);
    for (std::size_t j = 0; j < 4; ++j) plane[i][j] = row[j];
    plane[i][4] = half[i][4];
  }
  return plane;
}

}  // namespace gttf::detail
