// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/passive_kink.hpp"

#include <cmath>

#include "gttf/fit/track/hit_surface.hpp"
#include "gttf/fit/triplet/passive_turns.hpp"

namespace gttf::detail {

bool set_passive_weights(const TrackHit& surface, const Vector3& before,
                         const Vector3& after, const Segment<double>& arc,
                         PassiveKink& kink) {
  const double at_before = distance(surface, before);
  const double at_after = distance(surface, after);
  const Helix<double> start{
      cartesian(before), std::atan2(arc.sin_theta, arc.cos_theta),
      std::atan2(arc.chord_sin, arc.chord_cos) - arc.half_turn, arc.kappa};
  // a cylinder may be met between hits that are both outside of it
  const bool on_both_sides = at_before * at_after <= 0;
  const double guess = on_both_sides
                           ? arc.arc * at_before / (at_before - at_after)
                           : (surface.position - before).head<2>().norm();
  const double fraction = arc_to(start, surface_of(surface), guess) / arc.arc;
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
  const Cartesian<double> middle = advanced(start, fraction * arc.arc).position;
  const double kappa_perp = arc.kappa / arc.sin_theta;
  const Segment<double> in = make_segment(cartesian(before), middle,
                                          fraction * arc.half_turn, kappa_perp);
  const Segment<double> out = make_segment(
      middle, cartesian(after), (1 - fraction) * arc.half_turn, kappa_perp);
  const SurfaceAxes plane = axes_at(surface, vector_of(middle));
  const PassiveTurns<double> turns =
      passive_turns<double>(in, out,
                            {{plane.u[0], plane.u[1], plane.u[2]},
                             {plane.v[0], plane.v[1], plane.v[2]}});
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) {
      kink.leaving(r, c) = turns.leaving[r][c];
      kink.arriving(r, c) = turns.arriving[r][c];
    }
  return kink.leaving.allFinite() && kink.arriving.allFinite();
}

}  // namespace gttf::detail
