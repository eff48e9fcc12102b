// SPDX-License-Identifier: Apache-2.0
// The triplet of solenoid.hpp for hits in lanes: chords are shared between
// neighbours, and arcs are made from the sines of their turns.
#pragma once

#include "gttf/core/pack_lane.hpp"
#include "gttf/core/short_series.hpp"
#include "gttf/fit/triplet/hit_lane_track.hpp"
#include "gttf/fit/triplet/segment.hpp"
#include "gttf/trajectory/surface_axes.hpp"

namespace gttf::detail {

/// A hit with the axes u', v' of its surface.
template <class S>
struct LaneHit {
  const HitLanePoint* point;
  Cartesian<S> at;
  AxisComponents<S> axes;

  /// v' is along z and u' across; otherwise both are across.
  bool upright() const {
    using Kind = SurfaceRecord::Kind;
    const Kind kind = point->surface.kind;
    return kind == Kind::cylinder || kind == Kind::plane;
  }
  /// The shift by one standard deviation of a coordinate.
  Cartesian<S> error(int c) const {
    const S u(point->error[c][0]), v(point->error[c][1]);
    return {u * axes.u[0] + v * axes.v[0], u * axes.u[1] + v * axes.v[1],
            u * axes.u[2] + v * axes.v[2]};
  }
};

/// Sets a hit in its place: copies of so many numbers are calls.
template <class S>
void set_hit(const HitLanePoint& point, const double* const* position,
             LaneHit<S>& h) {
  using L = Lane<S>;
  h.point = &point;
  h.at = {L::load(position[0]), L::load(position[1]), L::load(position[2])};
  h.axes = axis_components(point.surface, h.at.x, h.at.y);
}

/// A transverse axis seen from a chord: its part along, and by how much a shift
/// of the end along it turns the chord, 1/mm.
template <class S>
struct SeenAxis {
  S along, turn;
};

/// From a hit to the next one.
template <class S>
struct LaneChord {
  Cartesian<S> step;
  S length2, inverse;  ///< d^2, 1/d; transverse
  LaneMask<S> good;    ///< long, in units of the errors too
};

/// @param sigma  the largest of the errors at both ends
template <class S>
void set_chord(const Cartesian<S>& start, const Cartesian<S>& end, double sigma,
               LaneChord<S>& c) {
  using std::sqrt;
  c.step = end - start;
  c.length2 = transverse_dot(c.step, c.step);
  c.inverse = S(1) / sqrt(c.length2);
  constexpr double closest2 = 1e-12, largest_share = 0.02;
  c.good = both(c.length2 > S(closest2),
                c.length2 + c.step.z * c.step.z >=
                    S(sigma * sigma / (largest_share * largest_share)));
}

inline double largest_sigma(const HitLanePoint& a, const HitLanePoint& b) {
  return std::max(a.largest_sigma, b.largest_sigma);
}

/// The axes u', v' of both hits of a chord; v' unless upright.
template <class S>
struct SeenAxes {
  SeenAxis<S> start[2], end[2];
};

template <class S>
void set_axes(const LaneHit<S>& start, const LaneHit<S>& end,
              const LaneChord<S>& c, SeenAxes<S>& axes) {
  const S cosine = c.step.x * c.inverse, sine = c.step.y * c.inverse;
  const auto see = [&](const S(&axis)[3]) -> SeenAxis<S> {
    return {axis[0] * cosine + axis[1] * sine,
            (axis[1] * cosine - axis[0] * sine) * c.inverse};
  };
  axes.start[0] = see(start.axes.u);
  axes.end[0] = see(end.axes.u);
  if (!start.upright()) axes.start[1] = see(start.axes.v);
  if (!end.upright()) axes.end[1] = see(end.axes.v);
}

/// A segment of a triplet: see Segment, SegmentDerivatives and make_triplet.
template <class S>
struct LaneArc {
  S half_turn, length, sin_theta, cos_theta, index;
  S bending;      ///< n sin cos X^2 g
  S polar_slope;  ///< d(theta)/d(kappa)
  /// Gradients of Phi/2 and of theta along the chord and along z.
  S bend_along, bend_z, polar_along, polar_z;
  LaneMask<S> good;
};

/// With u = sin X and R = asin_excess(u^2):
///
///   X/sin X = 1 + u^2 R,   X^2 g = u^2 w,   w = 1/(1 + cos X) - R cos X
///
/// @param kappa_perp  2 sin X/d
template <class S>
LaneArc<S> arc_on(const LaneChord<S>& chord, const S& sine, const S& cosine,
                  const S& kappa_perp) {
  using std::sqrt;
  LaneArc<S> a;
  const S u2 = sine * sine;
  const S excess = short_excess(u2, [&] { return asin_excess(u2, cosine); });
  const S stretch = S(1) + u2 * excess;
  a.half_turn = sine * stretch;
  const S &z = chord.step.z, arc2 = chord.length2 * (stretch * stretch);
  const S length2 = arc2 + z * z;
  a.length = sqrt(length2);
  // w = w_p/p, n = L^2 p/pole
  const S p = S(1) + cosine, w_p = S(1) - cosine * p * excess;
  const S pl2 = p * length2, pole = pl2 - arc2 * u2 * w_p;
  // one division for 1/L and L^2/pole
  const S quotient = S(1) / (a.length * pole), inverse = quotient * pole;
  const S l2_pole = quotient * (a.length * length2);
  a.sin_theta = chord.length2 * chord.inverse * stretch * inverse;
  a.cos_theta = z * inverse;
  a.index = p * l2_pole;
  const S nw_cosine = w_p * l2_pole * a.cos_theta;
  a.bending = a.sin_theta * u2 * nw_cosine;
  a.polar_slope = S(0.25) * kappa_perp * chord.length2 * nw_cosine;
  const S bend = S(0.5) * a.index * kappa_perp * a.sin_theta;
  a.bend_along = bend * a.sin_theta * stretch;
  a.bend_z = bend * a.cos_theta;
  const S polar = a.index * a.sin_theta * chord.inverse;
  a.polar_along = polar * a.cos_theta;
  a.polar_z = -(polar * a.sin_theta * cosine);
  constexpr double least_inverse_index = 0.05;
  a.good = both(cosine > S(0), pole > S(least_inverse_index) * pl2);
  return a;
}

/// By how much a shift along an axis changes theta and phi of an arc.
template <class S>
struct AxisGradient {
  S theta, phi;
};

/// @param sign  +1: phi at the end of the arc, -1: at its start
template <int sign, class S>
AxisGradient<S> axis_gradient(const LaneArc<S>& arc, const SeenAxis<S>& axis) {
  const S bend = arc.bend_along * axis.along;
  return {arc.polar_along * axis.along,
          sign > 0 ? axis.turn + bend : axis.turn - bend};
}

template <int sign, class S>
AxisGradient<S> z_gradient(const LaneArc<S>& arc) {
  return {arc.polar_z, sign > 0 ? arc.bend_z : -arc.bend_z};
}

}  // namespace gttf::detail
