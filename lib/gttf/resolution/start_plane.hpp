// SPDX-License-Identifier: Apache-2.0
// A helix on the plane z = const. through its start, for one or more tracks.
#pragma once

#include <limits>

#include "gttf/fit/streaming/five_equations.hpp"
#include "gttf/trajectory/line.hpp"

namespace gttf::detail {

/// Changes on the plane from changes of the line:
///
///   x  = -sin(phi) d0 - tan(theta) cos(phi) z0
///   y  =  cos(phi) d0 - tan(theta) sin(phi) z0
///   tx = -tan(theta) sin(phi) (dphi - h z0) + cos(phi)/cos^2(theta) dtheta
///   ty =  tan(theta) cos(phi) (dphi - h z0) + sin(phi)/cos^2(theta) dtheta
///
/// with tx = dx/dz, ty = dy/dz and h = kappa/cos(theta), by which the direction
/// turns on the path to the plane; AnyTrack::at_start_plane() for a helix. NaN
/// within 0.57 deg of the plane.
template <class S>
class StartPlane {
 public:
  explicit StartPlane(const Line<S>& l)
      : cos_phi_(l.cos_phi), sin_phi_(l.sin_phi) {
    using std::abs;
    const S inverse =
        select(abs(l.cos_theta) < S(0.01),
               S(std::numeric_limits<double>::quiet_NaN()), S(1) / l.cos_theta);
    slope_ = l.sin_theta * inverse;
    turn_ = l.kappa * inverse;
    spread_ = inverse * inverse;
  }

  /// x, y, tx and ty for a change `s` of the line.
  std::array<S, 4> change(const Row<S>& s) const {
    const S way = slope_ * s[1];
    const S turn = slope_ * (s[2] - turn_ * s[1]);
    const S spread = spread_ * s[3];
    return {-(sin_phi_ * s[0]) - cos_phi_ * way,
            cos_phi_ * s[0] - sin_phi_ * way,
            cos_phi_ * spread - sin_phi_ * turn,
            cos_phi_ * turn + sin_phi_ * spread};
  }

  /// x, y, tx, ty and kappa as functions of the line.
  std::array<Row<S>, track_dim> rows() const {
    const S zero(0), one(1), slope_phi = slope_ * turn_;
    return {
        Row<S>{-sin_phi_, -(cos_phi_ * slope_), zero, zero, zero},
        Row<S>{cos_phi_, -(sin_phi_ * slope_), zero, zero, zero},
        Row<S>{zero, sin_phi_ * slope_phi, -(sin_phi_ * slope_),
               cos_phi_ * spread_, zero},
        Row<S>{zero, -(cos_phi_ * slope_phi), cos_phi_ * slope_,
               sin_phi_ * spread_, zero},
        Row<S>{zero, zero, zero, zero, one},
    };
  }

  /// Covariance of x, y, tx, ty and kappa from that of the line.
  Covariance5<S> covariance(const Covariance5<S>& c) const {
    std::array<Row<S>, track_dim>
        half;  // rows on the plane, columns of the line
    for (std::size_t j = 0; j < track_dim; ++j) {
      const auto column =
          change(Row<S>{c[0][j], c[1][j], c[2][j], c[3][j], c[4][j]});
      for (std::size_t i = 0; i < 4; ++i) half[i][j] = column[i];
      half[4][j] = c[4][j];
    }
    Covariance5<S> plane;
    for (std::size_t i = 0; i < track_dim; ++i) {
      const auto row = change(half[i]);
      for (std::size_t j = 0; j < 4; ++j) plane[i][j] = row[j];
      plane[i][4] = half[i][4];
    }
    return plane;
  }

 private:
  S cos_phi_, sin_phi_, slope_, turn_, spread_;
};

}  // namespace gttf::detail
