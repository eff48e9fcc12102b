// SPDX-License-Identifier: Apache-2.0
// Rows of the kinks' equations from hits, for any scalar: KinkSystem in lanes.
#pragma once

#include "gttf/core/detail/pack_lane.hpp"
#include "gttf/core/pack_atan.hpp"
#include "gttf/fit/detail/hit_lanes.hpp"
#include "gttf/trajectory/surface_axes.hpp"
#include "gttf/triplet/solenoid.hpp"

namespace gttf::detail {

template <class S>
using LaneMask = typename Lane<S>::Mask;

/// kinks = psi + rho kappa - G u of one triplet, rows theta and phi.
template <class S>
struct KinkRows {
  S psi[2], rho[2];
  S shift[3][2][2];  ///< G: of each hit, [angle][coordinate]
  S inv_sin2;        ///< of the mean polar angle
};

/// A hit with its shifts by one standard deviation of each coordinate.
template <class S>
struct LaneHit {
  Cartesian<S> at, error[2];
};

/// What of the track the perigee is made from.
template <class S>
struct TrackHead {
  LaneHit<S> first, second;
  S length;  ///< 3D, of the arc between them
};

template <class S>
LaneHit<S> lane_hit(const HitLanePoint& point, const double* const* position) {
  using L = Lane<S>;
  LaneHit<S> h;
  h.at = {L::load(position[0]), L::load(position[1]), L::load(position[2])};
  const AxisComponents<S> a = axis_components(point.surface, h.at.x, h.at.y);
  for (int c = 0; c < 2; ++c) {
    const S u(point.error[c][0]), v(point.error[c][1]);
    h.error[c] = {u * a.u[0] + v * a.v[0], u * a.u[1] + v * a.v[1],
                  u * a.u[2] + v * a.v[2]};
  }
  return h;
}

template <class S>
S scalar_product(const Cartesian<S>& a, const Cartesian<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// Lanes in which a triplet is what the fit of hits in lanes is made for: the
/// conditions of check_triplet(), and errors small against distances, see
/// is_coarse().
template <class S>
LaneMask<S> is_plain(const Triplet<S>& t, const LaneHit<S>* const (&hits)[3],
                     const double (&sigma)[3]) {
  using std::abs;
  const auto &a = t.first, &b = t.second;
  const S most_turn(0.75 * unit::pi), least(0.05), closest2(1e-12);
  const S rises = a.rise * b.rise;
  LaneMask<S> good =
      both(both(abs(a.half_turn) <= most_turn, abs(b.half_turn) <= most_turn),
           both(a.inverse_index > least, b.inverse_index > least));
  good = both(good, abs(t.phi_tilde + t.theta_tilde + t.rho_phi) <
                        S(std::numeric_limits<double>::max()));
  if (any(rises < S(0))) {
    constexpr double tan_steep = 0.30933624960962325;  // of 0.3
    const S sine = abs(b.arc * a.rise - a.arc * b.rise);
    const S cosine = a.arc * b.arc + rises;
    good = both(good, either(rises >= S(0), sine <= S(tan_steep) * cosine));
  }
  const Cartesian<S> chord = hits[2]->at - hits[0]->at;
  good = both(good, transverse_dot(chord, chord) > closest2);
  good = both(good,
              both(a.chord * a.chord > closest2, b.chord * b.chord > closest2));
  const auto fine = [](double s, const S& d2) {
    constexpr double largest_share = 0.02;
    return S(s * s / (largest_share * largest_share)) <= d2;
  };
  const Cartesian<S> step01 = hits[1]->at - hits[0]->at,
                     step12 = hits[2]->at - hits[1]->at;
  const S d01 = scalar_product(step01, step01),
          d12 = scalar_product(step12, step12);
  good = both(good, both(fine(sigma[0], d01), fine(sigma[1], d01)));
  return both(good, both(fine(sigma[1], d12), fine(sigma[2], d12)));
}

/// Sets the rows of all triplets, each linearised at the circle through its
/// hits.
/// @return  lanes for which they can be used
template <class S>
[[gnu::flatten]] LaneMask<S> set_rows(const HitLanes& in, KinkRows<S>* rows,
                                      TrackHead<S>& head) {
  using std::sqrt;
  LaneMask<S> good = Lane<S>::mask(all_lanes<S>);
  LaneHit<S> ring[3];
  double sigma[3]{};
  std::size_t k = 0;
  for (std::size_t i = 0; i < in.n_points; ++i) {
    if (!in.points[i].measures) continue;
    ring[k % 3] = lane_hit<S>(in.points[i], in.hits + 3 * k);
    sigma[k % 3] = in.points[i].largest_sigma;
    if (k == 0) head.first = ring[0];
    if (k == 1) head.second = ring[1];
    if (++k < 3) continue;
    const LaneHit<S>* const hits[3] = {&ring[k % 3], &ring[(k + 1) % 3],
                                       &ring[(k + 2) % 3]};
    const Triplet<S> t = make_triplet(hits[0]->at, hits[1]->at, hits[2]->at);
    if (k == 3) head.length = t.first.length;
    good = both(
        good, is_plain(t, hits,
                       {sigma[k % 3], sigma[(k + 1) % 3], sigma[(k + 2) % 3]}));
    KinkRows<S>& r = rows[k - 3];
    r.psi[0] = t.theta_tilde;
    r.psi[1] = t.phi_tilde;
    r.rho[0] = t.rho_theta;
    r.rho[1] = t.rho_phi;
    for (int h = 0; h < 3; ++h)
      for (int c = 0; c < 2; ++c) {
        const auto n = static_cast<std::size_t>(h);
        r.shift[h][0][c] = scalar_product(t.h_theta[n], hits[h]->error[c]);
        r.shift[h][1][c] = scalar_product(t.h_phi[n], hits[h]->error[c]);
      }
    r.inv_sin2 = inverse_sin2_mean_theta(t);
  }
  return good;
}

}  // namespace gttf::detail
