// SPDX-License-Identifier: Apache-2.0
// A helix that loses energy in layers: its changes from one crossing to the
// next, for numbers, vectors, or with derivatives.
#pragma once

#include <cmath>

#include "gttf/core/dual.hpp"
#include "gttf/core/unroll.hpp"
#include "gttf/resolution/batch_slabs.hpp"
#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/derivatives.hpp"

namespace gttf::detail {

/// The relation between a helix about one of its points and the line at the
/// start, in both directions: rows d0, z0, phi and kappa of d(helix)/ds and of
/// ds/d(helix); theta is unchanged.
template <class S>
struct HelixRows {
  Row<S> d0, z0, phi, kappa;

  HelixRows()
      : d0{S(1), S(0), S(0), S(0), S(0)},
        z0{S(0), S(1), S(0), S(0), S(0)},
        phi{S(0), S(0), S(1), S(0), S(0)},
        kappa{S(0), S(0), S(0), S(0), S(1)} {}
};

/// d(helix about a crossing)/d(helix about the point before),
///
///   d0'  = (cos Phi, 0, f, -cot g, 2D^2/sin)
///   z0'  = (-cot sin Phi, 1, -cot g, -(s + cot^2 f), -cot E/sin)
///   phi' = (-c sin Phi, 0, cos Phi, -cot sin Phi, f/sin)
///
/// of which the inverse is the same with -Phi, -s, -f and -E.
template <class S>
struct HelixStep {
  S cos_turn, sin_turn, forward, cot_sideward, along, cot_sine, c_sine;
  S d0_kappa, z0_kappa, phi_kappa;

  HelixStep() = default;
  HelixStep(const Line<S>& l, const Crossing<S>& x)
      : cos_turn(x.cos_turn),
        sin_turn(x.sin_turn),
        forward(x.forward),
        cot_sideward(l.cot_theta * x.sideward),
        along(x.arc + l.cot2_theta * x.forward),
        cot_sine(l.cot_theta * x.sin_turn),
        c_sine(l.c * x.sin_turn),
        d0_kappa(l.kappa_column * x.half_chord2),
        z0_kappa(l.kappa_column * (l.cot_theta * x.arc_excess)),
        phi_kappa(l.kappa_column * x.forward) {}

  /// The components of a changed helix about the crossing that differ from
  /// those about the point before.
  struct Moved {
    S d0, z0, phi;
  };
  /// @tparam T  S, or numbers without its derivatives
  template <class T>
  [[gnu::always_inline]] Moved moved(const Row<T>& h) const {
    Moved m = moved(h[0], h[1], h[2], h[4]);
    m.d0 = m.d0 - cot_sideward * h[3];
    m.z0 = m.z0 - along * h[3];
    m.phi = m.phi - cot_sine * h[3];
    return m;
  }

  /// Rows d0', z0' and phi' of d(helix about the crossing)/ds.
  [[gnu::always_inline]] void pass(HelixRows<S>& f) const {
    GTTF_UNROLL
    for (std::size_t i = 0; i < track_dim; ++i) {
      const Moved m = moved(f.d0[i], f.z0[i], f.phi[i], f.kappa[i]);
      f.d0[i] = m.d0;
      f.z0[i] = m.z0;
      f.phi[i] = m.phi;
    }
    f.d0[3] = f.d0[3] - cot_sideward;
    f.z0[3] = f.z0[3] - along;
    f.phi[3] = f.phi[3] - cot_sine;
  }

 private:
  /// With the same theta.
  template <class T>
  [[gnu::always_inline]] Moved moved(const T& d0, const T& z0, const T& phi,
                                     const T& kappa) const {
    return {cos_turn * d0 + forward * phi + d0_kappa * kappa,
            -(cot_sine * d0) - cot_sideward * phi - z0_kappa * kappa + z0,
            cos_turn * phi - c_sine * d0 + phi_kappa * kappa};
  }
};

/// The effect of a layer on the helix about its crossing: d(phi after) = d(phi)
/// + turn . (d0, z0), and d(kappa after).
template <class S>
struct LayerStep {
  S turn_d0, turn_z0;
  S d0, z0, phi, theta, kappa;  ///< of kappa after the layer

  /// The components of a changed helix that differ behind the layer.
  struct Moved {
    S phi, kappa;
  };
  /// @tparam T  S, or numbers without its derivatives
  template <class T>
  [[gnu::always_inline]] Moved moved(const Row<T>& h) const {
    Moved m = moved(h[0], h[1], h[2], h[4]);
    m.kappa = m.kappa + theta * h[3];
    return m;
  }

  /// Rows phi and kappa of d(helix behind the layer)/ds.
  [[gnu::always_inline]] void pass(HelixRows<S>& f) const {
    GTTF_UNROLL
    for (std::size_t i = 0; i < track_dim; ++i) {
      const Moved m = moved(f.d0[i], f.z0[i], f.phi[i], f.kappa[i]);
      f.phi[i] = m.phi;
      f.kappa[i] = m.kappa;
    }
    f.kappa[3] = f.kappa[3] + theta;
  }

 private:
  /// With the same theta.
  template <class T>
  [[gnu::always_inline]] Moved moved(const T& by_d0, const T& by_z0,
                                     const T& by_phi, const T& by_kappa) const {
    return {turn_d0 * by_d0 + turn_z0 * by_z0 + by_phi,
            kappa * by_kappa + d0 * by_d0 + z0 * by_z0 + phi * by_phi};
  }
};

/// A function of the helix about the point before a step, as one of the helix
/// behind it.
template <class S>
[[gnu::always_inline]] inline void take_back(const HelixStep<S>& step,
                                             Row<S>& row) {
  row = {row[0] * step.cos_turn + row[1] * step.cot_sine + row[2] * step.c_sine,
         row[1],
         row[2] * step.cos_turn - row[0] * step.forward -
             row[1] * step.cot_sideward,
         row[3] - row[0] * step.cot_sideward + row[1] * step.along +
             row[2] * step.cot_sine,
         row[0] * step.d0_kappa + row[1] * step.z0_kappa -
             row[2] * step.phi_kappa + row[4]};
}
template <class S>
[[gnu::always_inline]] inline void take_back(const LayerStep<S>& layer,
                                             const S& inverse_kappa,
                                             Row<S>& row) {
  const S kappa = row[4] * inverse_kappa, phi = row[2] - layer.phi * kappa;
  row = {row[0] - layer.turn_d0 * phi - layer.d0 * kappa,
         row[1] - layer.turn_z0 * phi - layer.z0 * kappa, phi,
         row[3] - layer.theta * kappa, kappa};
}

/// The rows of ds/d(helix behind it) from those before.
template <class S>
[[gnu::always_inline]] inline void take_back(const HelixStep<S>& step,
                                             HelixRows<S>& g) {
  take_back(step, g.d0);
  take_back(step, g.z0);
  take_back(step, g.phi);
  take_back(step, g.kappa);
}
template <class S>
[[gnu::always_inline]] inline void take_back(const LayerStep<S>& layer,
                                             HelixRows<S>& g) {
  const S inverse = S(1) / layer.kappa;
  take_back(layer, inverse, g.d0);
  take_back(layer, inverse, g.z0);
  take_back(layer, inverse, g.phi);
  take_back(layer, inverse, g.kappa);
}

/// Point and direction of a line at a crossing. A Line is large: it is not
/// copied but changed.
template <class S>
struct HelixPlace {
  S cos_phi, sin_phi;
  Cartesian<S> point;
  S r2, along;

  HelixPlace(const Line<S>& l, const Crossing<S>& x)
      : cos_phi(l.cos_phi * x.cos_turn - l.sin_phi * x.sin_turn),
        sin_phi(l.sin_phi * x.cos_turn + l.cos_phi * x.sin_turn),
        point(position_at(l, x)),
        r2(point.x * point.x + point.y * point.y),
        along(point.x * cos_phi + point.y * sin_phi) {}

  void put_into(Line<S>& l) const {
    l.cos_phi = cos_phi;
    l.sin_phi = sin_phi;
    set_start(point.x, point.y, point.z, l);
    l.on_axis = false;
  }
};

/// A crossing relative to its own point.
template <class S>
void set_at_its_point(const Crossing<S>& x, Crossing<S>& here) {
  here.forward = here.sideward = here.arc = here.sin_turn = here.arc_excess =
      here.half_chord2 = S(0);
  here.cos_turn = S(1);
  here.cos_psi = x.cos_psi;
  here.sin_psi = x.sin_psi;
  here.inv_cos_psi = x.inv_cos_psi;
  here.tan2_half = x.tan2_half;
  here.x_over_x0 = x.x_over_x0;
}

/// The direction of a track relative to a surface.
template <class S>
struct LayerIncidence {
  S cos_psi, sin_psi;  ///< of the Crossing
  S sin_theta, cos_theta;
  S along, beside, nz;  ///< the normal along e0, -n0 and z
  S cosine, inverse;    ///< n.t and 1/(n.t)
  S paths;              ///< path in the layer per thickness

  /// @param s  a SurfaceRecord, or numbers of the same names in vectors
  template <class Surface>
  LayerIncidence(const Surface& s, const S& cosine_psi, const S& sine_psi,
                 const S& sine_theta, const S& cosine_theta)
      : cos_psi(cosine_psi),
        sin_psi(sine_psi),
        sin_theta(sine_theta),
        cos_theta(cosine_theta) {
    using std::abs;
    using V = ValueOf<S>;
    const V nr = s.leans() ? V(s.normal_r) : V(s.is_upright() ? 1 : 0),
            up = s.leans() ? V(s.normal_z) : V(s.is_upright() ? 0 : 1);
    along = nr * cos_psi;
    beside = nr * sin_psi;
    nz = S(up);
    cosine = along * sin_theta + up * cos_theta;
    inverse = S(1) / cosine;
    paths = abs(inverse);
  }

  // the path from the plane across the direction to the surface, of a
  // displacement along d0 and z0
  S path_by_d0() const { return beside * inverse; }
  S path_by_z0() const { return -(nz * inverse); }
};

/// The azimuth of the direction, less that of the normal of a surface, changes
/// with the displacement of the crossing from its plane across the direction.
template <class S>
struct TurnOfNormal {
  S by_d0, by_path;

  /// @param inv_r  of a surface whose normal turns
  TurnOfNormal(const LayerIncidence<S>& at, bool is_curved, const S& inv_r,
               const S& kappa)
      : by_d0(S(0)), by_path(kappa) {
    if (!is_curved) return;
    by_d0 = -(inv_r * at.cos_psi);
    by_path = kappa - inv_r * (at.sin_psi * at.sin_theta);
  }
};

/// The momentum of a track.
template <class S>
struct SlowingMomentum {
  S kappa, p, kinetic;
};

/// What a layer does to a helix of which the loss in it is known.
template <class S>
struct SlowingLayer {
  S kappa, p;  ///< behind it
  LayerStep<S> step;
  /// d(kappa behind the layer)/d(kinks), due to the loss in the rest of it.
  S by_theta, by_phi;
  S relative_variance;  ///< of kappa behind it, to that of theta kinks

  SlowingLayer(const LayerIncidence<S>& at, bool is_curved, const S& inv_r,
               const SlowingMomentum<S>& before, const S& rest,
               const ElementLoss<S>& loss) {
    using std::sqrt;
    const S& behind = loss.kinetic;
    const S energy = behind + rest;
    p = sqrt(behind * (behind + ValueOf<S>(2) * rest));
    const S ratio = before.p / p;
    kappa = before.kappa * ratio;
    // d(kappa after)/d(energy after), and /d(paths) by that
    const S per_energy = -(kappa * energy / (p * p));
    const S by_incidence =
        per_energy * loss.per_path * at.paths * at.inverse;  // d(n.t)
    const S by_d0 = at.path_by_d0(), by_z0 = at.path_by_z0();
    const S bend = before.kappa - kappa;
    step.turn_d0 = bend * by_d0;
    step.turn_z0 = bend * by_z0;
    const S by_azimuth = -(at.beside * at.sin_theta) * by_incidence;
    const TurnOfNormal<S> turn(at, is_curved, inv_r, before.kappa);
    step.d0 = by_azimuth * (turn.by_d0 + turn.by_path * by_d0);
    step.z0 = by_azimuth * (turn.by_path * by_z0);
    step.phi = by_azimuth;
    const S by_polar = at.along * at.cos_theta - at.nz * at.sin_theta;
    step.theta = by_incidence * by_polar;
    step.kappa = ratio * ratio * ratio * (energy / (before.kinetic + rest)) *
                 loss.transmission;
    const S per_path = per_energy * at.inverse * at.paths;
    const S own_theta = per_path * by_polar, own_phi = -(per_path * at.beside);
    by_theta = loss.ahead * own_theta;
    by_phi = loss.ahead * own_phi * at.sin_theta;
    relative_variance =
        loss.ahead_variance * (own_theta * own_theta + own_phi * own_phi);
  }
};

}  // namespace gttf::detail
