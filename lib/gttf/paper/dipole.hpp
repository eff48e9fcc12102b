// SPDX-License-Identifier: Apache-2.0
// Triplets around the gap of a dipole: uniform field along the polar axis
// between two planes, none outside.
#pragma once

#include <cmath>

#include "gttf/fit/triplet/directed_segment.hpp"
#include "gttf/fit/triplet/solenoid.hpp"

namespace gttf {

/// A gap between two parallel planes that contain the polar axis, in flight
/// direction.
struct Gap {
  double normal_cos = 1;  ///< azimuth of the planes' normal, along the flight
  double normal_sin = 0;
  double entrance = 0;  ///< along the normal, mm
  double exit = 0;      ///< > entrance
  double strength = 1;  ///< field over B_ref, signed; not 0
};

namespace detail {

/// The path through a gap: straight for nu1, an arc for nuB, straight for nu2,
/// all measured along the normal; azimuths from the normal. With phi2 = phi1 +
/// Phi, phiB = phi1 + Phi/2, X = Phi/2:
///
///   x12 = nu1 tan phi1 + nuB tan phiB + nu2 tan phi2
///   1/R = 2 sin X cos phiB/nuB,  sB = nuB/cos phiB X/sin X
///   S = nu1/cos phi1 + sB + nu2/cos phi2,  tan beta = z12/S
///   kappa = cos beta/R
template <class S>
struct GapPath {
  S nu1, nu_b, nu2, x12, z12;  ///< given, mm
  S phi1, turn;                ///< turn = Phi; found
  S sec1, sec_b, sec2, tan1, tan_b, tan2;
  ArcShape<S> shape;
  S inverse_radius, arc_b, arc;  ///< 1/R, sB, S
  S cos_beta, sin_beta;
  S kappa;

  GapPath(const Cartesian<S>& start, const Cartesian<S>& end, const Gap& gap) {
    const S c(gap.normal_cos), s(gap.normal_sin);
    const Cartesian<S> step = end - start;
    nu1 = S(gap.entrance) - (c * start.x + s * start.y);
    nu_b = S(gap.exit - gap.entrance);
    nu2 = c * end.x + s * end.y - S(gap.exit);
    x12 = c * step.y - s * step.x;
    z12 = step.z;
  }

  /// Computes all other members from phi1 and turn.
  void update() {
    using std::cos, std::sin, std::sqrt;
    const S half = S(0.5) * turn, b = phi1 + half, phi2 = phi1 + turn;
    sec1 = S(1) / cos(phi1);
    sec_b = S(1) / cos(b);
    sec2 = S(1) / cos(phi2);
    tan1 = sin(phi1) * sec1;
    tan_b = sin(b) * sec_b;
    tan2 = sin(phi2) * sec2;
    shape = arc_shape(half);
    inverse_radius = S(2) * sin(half) / (sec_b * nu_b);
    arc_b = nu_b * sec_b * shape.stretch;
    arc = nu1 * sec1 + arc_b + nu2 * sec2;
    cos_beta = arc / sqrt(arc * arc + z12 * z12);
    sin_beta = z12 / sqrt(arc * arc + z12 * z12);
    kappa = inverse_radius * cos_beta;
  }

  S excess() const { return nu1 * tan1 + nu_b * tan_b + nu2 * tan2 - x12; }
  /// Its derivatives with phi1 and turn.
  S by_phi1() const {
    return nu1 * sec1 * sec1 + nu_b * sec_b * sec_b + nu2 * sec2 * sec2;
  }
  S by_turn() const {
    return S(0.5) * nu_b * sec_b * sec_b + nu2 * sec2 * sec2;
  }

  /// Changes of kappa and beta, from those of phi1, the turn, z12, nu1, nu2.
  struct Change {
    S kappa, beta;
  };
  Change change(const S& d_phi1, const S& d_turn, const S& d_z, const S& d_nu1,
                const S& d_nu2) const {
    const S d_phi2 = d_phi1 + d_turn, half = S(0.5) * turn;
    const S d_radius = (d_phi2 / sec2 - d_phi1 / sec1) / nu_b;
    // d ln(X/sin X) = X g(X) dX
    const S d_arc_b = arc_b * (tan_b * (d_phi1 + S(0.5) * d_turn) +
                               S(0.5) * half * shape.index_term * d_turn);
    const S d_arc = nu1 * sec1 * tan1 * d_phi1 + sec1 * d_nu1 + d_arc_b +
                    nu2 * sec2 * tan2 * d_phi2 + sec2 * d_nu2;
    const S d_beta = cos_beta * (cos_beta * d_z - sin_beta * d_arc) / arc;
    return {cos_beta * d_radius - inverse_radius * sin_beta * d_beta, d_beta};
  }
};

/// Newton steps: convergence is quadratic from the start values used here, for
/// turns below a right angle.
inline constexpr int gap_iterations = 12;

/// The path that leaves at the azimuth phi1 from the normal.
template <class S>
void solve_turn(GapPath<S>& p, const S& phi1) {
  p.phi1 = phi1;
  p.turn = S(0);
  for (int i = 0; i < gap_iterations; ++i) {
    p.update();
    p.turn -= p.excess() / p.by_turn();
  }
  p.update();
}

/// The path of curvature `kappa` in the gap: Newton for phi1 and turn.
template <class S>
void solve_curvature(GapPath<S>& p, const S& kappa) {
  using std::atan2;
  p.phi1 = atan2(p.x12, p.nu1 + p.nu_b + p.nu2);
  p.turn = S(0);
  for (int i = 0; i < gap_iterations; ++i) {
    p.update();
    const S zero(0), f = p.excess(), g = p.kappa - kappa;
    const S g1 = p.change(S(1), zero, zero, zero, zero).kappa;
    const S g2 = p.change(zero, S(1), zero, zero, zero).kappa;
    const S f1 = p.by_phi1(), f2 = p.by_turn(), det = f1 * g2 - f2 * g1;
    p.phi1 -= (f * g2 - f2 * g) / det;
    p.turn -= (f1 * g - f * g1) / det;
  }
  p.update();
}

/// Directions and derivatives of a solved path.
template <class S>
DirectedSegment<S> directed(const GapPath<S>& p, const Cartesian<S>& start,
                            const Cartesian<S>& end, const Gap& gap) {
  using std::atan2, std::sqrt;
  const S zero(0), normal = S(std::atan2(gap.normal_sin, gap.normal_cos));
  // phi1, turn and beta at fixed kappa for a change of one of the coordinates;
  // x12 = const + by_phi1 d phi1 + by_turn d turn + tan1 d nu1 + tan2 d nu2
  struct Answer {
    S phi1, phi2, beta;
  };
  const auto turn_for = [&](const S& d_x, const S& d_phi1) {
    return (d_x - p.by_phi1() * d_phi1) / p.by_turn();
  };
  const auto turning = p.change(S(1), turn_for(zero, S(1)), zero, zero, zero);
  const auto answer = [&](const S& d_x, const S& d_z, const S& d_nu1,
                          const S& d_nu2) {
    const S rest = d_x - p.tan1 * d_nu1 - p.tan2 * d_nu2;
    const auto fixed = p.change(zero, turn_for(rest, zero), d_z, d_nu1, d_nu2);
    const S d_phi1 = -fixed.kappa / turning.kappa;
    return Answer{d_phi1, d_phi1 + turn_for(rest, d_phi1),
                  fixed.beta + turning.beta * d_phi1};
  };
  const Answer across = answer(S(1), zero, zero, zero);
  const Answer up = answer(zero, S(1), zero, zero);
  const Answer before = answer(zero, zero, S(1), zero);
  const Answer behind = answer(zero, zero, zero, S(1));
  const S c(gap.normal_cos), s(gap.normal_sin);
  const auto vector = [&](const S& along, const S& left, const S& z) {
    return Cartesian<S>{c * along - s * left, s * along + c * left, z};
  };
  const auto angle = [&](const S& value, S Answer::*what, const S& sign,
                         const S& slope) {
    return SegmentAngle<S>{
        value, sign * vector(-(before.*what), -(across.*what), -(up.*what)),
        sign * vector(behind.*what, across.*what, up.*what), slope};
  };
  const S per_kappa = S(gap.strength) / turning.kappa;
  DirectedSegment<S> d;
  d.kappa = p.kappa / S(gap.strength);
  d.azimuth_start = angle(normal + p.phi1, &Answer::phi1, S(1), per_kappa);
  d.azimuth_end = angle(normal + p.phi1 + p.turn, &Answer::phi2, S(1),
                        per_kappa * (S(1) + turn_for(zero, S(1))));
  d.polar_start = angle(atan2(p.cos_beta, p.sin_beta), &Answer::beta, S(-1),
                        -(per_kappa * turning.beta));
  d.polar_end = d.polar_start;
  d.path = make_segment(start, end, zero, zero);
  d.path.half_turn = S(0.5) * p.turn;
  d.path.arc = p.arc;
  d.path.length = sqrt(p.arc * p.arc + p.z12 * p.z12);
  d.path.sin_theta = p.cos_beta;
  d.path.cos_theta = p.sin_beta;
  d.path.kappa = p.kappa;
  return d;
}

}  // namespace detail

/// The segment of curvature `kappa` (-q B_ref/p) through a gap between its end
/// points.
/// @param start, end  mm, before the entrance and after the exit
/// Source  [GTTF] section on the gap spectrometer dipole; docs/theory/dipole.md
template <class S>
DirectedSegment<S> dipole_segment(const Cartesian<S>& start,
                                  const Cartesian<S>& end, const Gap& gap,
                                  const S& kappa) {
  detail::GapPath<S> path(start, end, gap);
  detail::solve_curvature(path, S(gap.strength) * kappa);
  return detail::directed(path, start, end, gap);
}

/// The segment that leaves `start` at the azimuth `phi`, for any
/// curvature.
template <class S>
DirectedSegment<S> dipole_segment_from(const Cartesian<S>& start, const S& phi,
                                       const Cartesian<S>& end,
                                       const Gap& gap) {
  using std::atan2, std::cos, std::sin;
  detail::GapPath<S> path(start, end, gap);
  const S from_normal = phi - S(std::atan2(gap.normal_sin, gap.normal_cos));
  detail::solve_turn(path, atan2(sin(from_normal), cos(from_normal)));
  return detail::directed(path, start, end, gap);
}

/// The segment that arrives at `end` with the azimuth `phi`: the mirror image
/// of the segment from there.
template <class S>
DirectedSegment<S> dipole_segment_to(const Cartesian<S>& start,
                                     const Cartesian<S>& end, const S& phi,
                                     const Gap& gap) {
  const Gap back{-gap.normal_cos, -gap.normal_sin, -gap.exit, -gap.entrance,
                 gap.strength};
  const DirectedSegment<S> reversed =
      dipole_segment_from(end, phi + S(unit::pi), start, back);
  return dipole_segment(start, end, gap, -reversed.kappa);
}

/// Position of a gap with respect to three hits: between 0 and 1, 1 and 2.
enum class GapPlace { before_middle, behind_middle };

/// Triplet with the gap between two of its hits; the other segment is straight.
/// Linearised at the curvature for which the azimuth has no kink:
///
///   Psi_phi = -rho_phi kappa_ref
///   Psi_theta = theta_12 - theta_01 - rho_theta kappa_ref
///
/// General solution for any gaps and tilts. A triplet on one side of all
/// magnets is make_triplet(straight_segment(...), straight_segment(...)).
template <class S>
Triplet<S> make_dipole_triplet(const Cartesian<S>& x0, const Cartesian<S>& x1,
                               const Cartesian<S>& x2, const Gap& gap,
                               GapPlace place = GapPlace::behind_middle) {
  if (place == GapPlace::behind_middle) {
    DirectedSegment<S> first = straight_segment(x0, x1);
    const DirectedSegment<S> second =
        dipole_segment_from(x1, first.azimuth_end.value, x2, gap);
    return make_triplet(first, second);
  }
  DirectedSegment<S> second = straight_segment(x1, x2);
  const DirectedSegment<S> first =
      dipole_segment_to(x0, x1, second.azimuth_start.value, gap);
  second.kappa = first.kappa;
  return make_triplet(first, second);
}

/// The small-bending approximation, gap after the middle hit:
///
///   Psi_phi = atan(x12/y12) - phi_01,  Psi_theta = theta of the chords,
///   rho_phi = -1/2 |x2 - x1| (nuB/y12) (1 + (nu2 - nu1)/y12),  rho_theta = 0
///
/// and the gradients without field.
template <class S>
Triplet<S> make_small_bending_triplet(const Cartesian<S>& x0,
                                      const Cartesian<S>& x1,
                                      const Cartesian<S>& x2, const Gap& gap) {
  const DirectedSegment<S> second = straight_segment(x1, x2);
  Triplet<S> t = make_triplet(straight_segment(x0, x1), second);
  const detail::GapPath<S> p(x1, x2, gap);
  const S y12 = p.nu1 + p.nu_b + p.nu2;
  t.rho_phi = -(S(0.5 * gap.strength) * second.path.length * (p.nu_b / y12) *
                (S(1) + (p.nu2 - p.nu1) / y12));
  return t;
}

}  // namespace gttf
