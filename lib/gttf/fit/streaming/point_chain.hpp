// SPDX-License-Identifier: Apache-2.0
// PointChain: the scattering-only limit of a track whose hits are points and
// which is scattered at its hits only.
#pragma once

#include "gttf/trajectory/derivatives.hpp"

namespace gttf {

/// An exact hit may contradict an exact start if a kink there moves the start by
/// less, mm.
inline constexpr double least_lever = 10 * unit::um;

/// A crossing through which the track is known to go.
///
/// Lines through it differ by the columns b of its two kinks and by
///
///   b_kappa = (2D^2/sin, cot E/sin, -f/sin, 0, 1),
///
/// kappa with position and direction kept here. A line s goes through it if
/// A_n s = A_z s = 0 (displacement_row()), which have the same numbers.
template <class S>
struct ExactPoint {
  Kink<S> b;
  S across;    ///< 2D^2/sin
  S vertical;  ///< cot E/sin
  S turn;      ///< -f/sin
};

template <class S>
ExactPoint<S> exact_point(const Line<S>& l, const Crossing<S>& x,
                          const Kink<S>& k) {
  return {k, l.kappa_column * x.half_chord2,
          l.kappa_column * (l.cot_theta * x.arc_excess),
          l.kappa_column * k.phi[0]};
}

/// Directions of the line through two points, as multiples of their kink
/// columns, if kappa is 1.
template <class S>
struct PointDirections {
  S outer_theta, outer_phi, inner_theta, inner_phi;
};

/// With T = (A_n; A_z)_inner (b_phi, b_theta)_outer: the same matrix with outer
/// and inner exchanged is (-T_11, T_21; T_12, -T_22), with the same
/// determinant.
template <class S>
PointDirections<S> directions(const ExactPoint<S>& outer,
                              const ExactPoint<S>& inner) {
  const auto &pt = outer.b.theta, &pp = outer.b.phi;
  const auto &qt = inner.b.theta, &qp = inner.b.phi;
  const S n_phi = qp[2] * pp[0] - qp[0] * pp[2];
  const S n_theta = qp[1] + (qp[2] * pt[0] - qp[0] * pt[2]);
  const S z_phi = pp[1] + (qt[0] * pp[2] - qt[2] * pp[0]);
  const S z_theta = (pt[1] - qt[1]) + (qt[0] * pt[2] - qt[2] * pt[0]);
  // A b_kappa, at the inner point for the outer one and the reverse
  const S n_inner = inner.across + (qp[2] * outer.across - qp[0] * outer.turn);
  const S n_outer = outer.across + (pp[2] * inner.across - pp[0] * inner.turn);
  const S change = outer.vertical - inner.vertical;
  const S z_inner = change + (qt[0] * outer.turn - qt[2] * outer.across);
  const S z_outer = (pt[0] * inner.turn - pt[2] * inner.across) - change;
  const S inverse = S(1) / (n_phi * z_theta - n_theta * z_phi);
  return {(z_phi * n_inner - n_phi * z_inner) * inverse,
          (n_theta * z_inner - z_theta * n_inner) * inverse,
          (n_phi * z_outer + n_theta * n_outer) * inverse,
          (z_theta * n_outer + z_phi * z_outer) * inverse};
}

/// Points one after the other, from the outermost one inwards. Every three of
/// them measure kappa by the kinks that they need; no kink belongs to two such
/// triplets, so that their information adds up.
template <class S>
struct PointChain {
  ExactPoint<S> last;
  /// Direction of the line outside of it, as PointDirections, and 1/(variances
  /// of its kinks); 0: none.
  S theta, phi, weight, weight_phi;
  S information;  ///< about kappa

  void start(const ExactPoint<S>& p) {
    last = p;
    theta = phi = weight = weight_phi = information = S(0);
  }

  /// @param w, w_phi  1/(variances of the kinks)
  void add(const ExactPoint<S>& p, const S& w, const S& w_phi) {
    const PointDirections<S> d = directions(last, p);
    const S kink_theta = theta - d.outer_theta, kink_phi = phi - d.outer_phi;
    information = information + weight * kink_theta * kink_theta +
                  weight_phi * kink_phi * kink_phi;
    last = p;
    theta = d.inner_theta;
    phi = d.inner_phi;
    weight = w;
    weight_phi = w_phi;
  }

  /// Sets every number x of it to choose(x, that of `other`).
  template <class Choose>
  void merge(const PointChain& other, const Choose& choose) {
    const auto each = [&](S& x, const S& y) { x = choose(x, y); };
    for (std::size_t i = 0; i < 3; ++i) {
      each(last.b.theta[i], other.last.b.theta[i]);
      each(last.b.phi[i], other.last.b.phi[i]);
    }
    each(last.across, other.last.across);
    each(last.vertical, other.last.vertical);
    each(last.turn, other.last.turn);
    each(theta, other.theta);
    each(phi, other.phi);
    each(weight, other.weight);
    each(weight_phi, other.weight_phi);
    each(information, other.information);
  }
};

}  // namespace gttf
