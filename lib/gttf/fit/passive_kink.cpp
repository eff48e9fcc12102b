// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/detail/passive_kink.hpp"

#include <Eigen/LU>
#include <cmath>

#include "gttf/fit/detail/helix.hpp"

namespace gttf::detail {

namespace {

Eigen::Matrix<double, 2, 3> rows(const Cartesian<double>& theta,
                                 const Cartesian<double>& phi) {
  Eigen::Matrix<double, 2, 3> m;
  m << theta.x, theta.y, theta.z, phi.x, phi.y, phi.z;
  return m;
}

}  // namespace

bool set_passive_weights(const TrackHit& surface, const Vector3& before,
                         const Vector3& after, const Segment<double>& arc,
                         PassiveKink& kink) {
  const double at_before = distance(surface, before).value;
  const double at_after = distance(surface, after).value;
  const Helix start{before,
                    std::atan2(arc.chord_sin, arc.chord_cos) - arc.half_turn,
                    std::atan2(arc.sin_theta, arc.cos_theta), arc.kappa};
  const double fraction =
      arc_to(start, surface, arc.arc * at_before / (at_before - at_after)) /
      arc.arc;
  constexpr double at_hit = 1e-9;
  if (!(fraction > -at_hit && fraction < 1 + at_hit)) return false;
  kink.leaving = kink.arriving = Matrix2::Zero();
  if (fraction < at_hit) {
    kink.leaving = -Matrix2::Identity();
    return true;
  }
  if (fraction > 1 - at_hit) {
    kink.arriving.setIdentity();
    return true;
  }
  const Vector3 at = start.advanced(fraction * arc.arc).position;
  const auto middle = cartesian(at);
  const double kappa_perp = arc.kappa / arc.sin_theta;
  const auto in = derivatives(make_segment(
      cartesian(before), middle, fraction * arc.half_turn, kappa_perp));
  const auto out = derivatives(make_segment(
      middle, cartesian(after), (1 - fraction) * arc.half_turn, kappa_perp));
  const SurfaceAxes in_plane = axes_at(surface, at);
  Matrix32 axes;
  axes << in_plane.u, in_plane.v;
  const Matrix2 start_in = rows(in.polar, in.azimuth_start) * axes;
  const Matrix2 end_in = rows(in.polar, in.azimuth_end) * axes;
  const Matrix2 start_out = rows(out.polar, out.azimuth_start) * axes;
  const Matrix2 end_out = rows(out.polar, out.azimuth_end) * axes;
  const Matrix2 shift = (-(start_out + end_in)).inverse();
  kink.leaving = start_in * shift;
  kink.arriving = -end_out * shift;
  return kink.leaving.allFinite() && kink.arriving.allFinite();
}

}  // namespace gttf::detail
