// SPDX-License-Identifier: Apache-2.0
// Fits with WeightSource::shared, for any scalar: of each track only its kinks,
// a substitution and its perigee parameters.
#pragma once

#include "gttf/fit/triplet/hit_lane_perigee.hpp"
#include "gttf/fit/triplet/shared_equations.hpp"

namespace gttf::detail {

template <class S>
struct SharedSolution {
  S kappa, chi2;
  S u[SharedEquations::n_columns];
};

/// @param kinks  theta, phi of every triplet
template <class S>
[[gnu::flatten]] void solve_shared(const SharedEquations& e,
                                   const S (*kinks)[2], SharedSolution<S>& s) {
  const std::size_t n = e.n_steps;
  S ring[3][2];  // x, phi and theta
  S ax(0), xx(0);
  for (std::size_t i = 0; i < n; ++i) {
    const SharedEquations::Step& step = e.steps[i];
    const S(&kink)[2] = kinks[n - 1 - i];
    S(&x)[2] = ring[i % 3];
    S phi = kink[1], theta = kink[0];
    if (!e.diagonal) {
      const S(&next)[2] = ring[(i + 2) % 3];
      const S(&after)[2] = ring[(i + 1) % 3];
      for (int c = 0; c < 2 && i > 0; ++c) {
        phi = phi - S(step.near[0][c]) * next[c];
        theta = theta - S(step.near[1][c]) * next[c];
      }
      for (int c = 0; c < 2 && i > 1; ++c) {
        phi = phi - S(step.far[0][c]) * after[c];
        theta = theta - S(step.far[1][c]) * after[c];
      }
    }
    x[0] = phi * S(step.inverse[0]);
    x[1] = (theta - S(step.lower) * x[0]) * S(step.inverse[1]);
    for (int r = 0; r < 2; ++r) {
      ax = ax + S(step.a[r]) * x[r];
      xx = xx + x[r] * x[r];
    }
  }
  const S change = -(ax * S(e.inverse_aa));
  s.kappa = S(e.kappa_0) + change;
  s.chi2 = xx + ax * change;
  for (S& u : s.u) u = S(0);
  for (std::size_t back = 0; back < 2 && back < n; ++back) {
    const std::size_t i = n - 1 - back;
    for (int r = 0; r < 2; ++r) {
      const S residual = ring[i % 3][r] + change * S(e.steps[i].a[r]);
      for (std::size_t c = 0; c < SharedEquations::n_columns; ++c)
        s.u[c] = s.u[c] + S(e.column[c][back][r]) * residual;
    }
  }
}

/// @return  lanes where all numbers are finite
template <class S>
[[gnu::flatten]] LaneMask<S> store_shared_perigee(const HitLanes& in,
                                                  const TrackHead<S>& head,
                                                  const SharedEquations& e,
                                                  const SharedSolution<S>& s,
                                                  LaneValues* out) {
  Cartesian<S> ends[2] = {head.first.at, head.second.at};
  if (e.shifts_hits) {
    Cartesian<S> errors[n_columns];
    set_errors(head, errors);
    for (int c = 0; c < n_columns; ++c)
      ends[c / 2] = ends[c / 2] - s.u[c] * errors[c];
  }
  FirstArc<S> first = first_arc(in, ends, s.kappa, head.length);
  S sum;
  if (e.turns) {
    first.state.theta = first.state.theta + s.u[SharedEquations::n_shifts];
    first.state.phi = first.state.phi + s.u[SharedEquations::n_shifts + 1];
    sum = store_parameters(perigee_of(first.state).parameters, out);
  } else {
    sum = store_parameters(
        perigee_of(first.state, first.direction()).parameters, out);
  }
  return sum <= S(0);
}

/// Such fits of one group of tracks, all with the same kappa_0.
template <class S>
class SharedLaneFitter {
 public:
  SharedLaneFitter(const HitLanes& in, double kappa_0, S* workspace)
      : in_(in), kinks_(reinterpret_cast<S (*)[2]>(workspace)) {
    plain_ = set_kinks(in, S(kappa_0), kinks_, head_);
  }

  LaneBits fit(const HitLaneFit& asked) {
    using std::abs;
    using L = Lane<S>;
    const SharedEquations& e = *asked.shared;
    SharedSolution<S> s;
    solve_shared(e, kinks_, s);
    LaneMask<S> good =
        both(plain_, abs(s.chi2) < S(std::numeric_limits<double>::max()));
    L::store(s.kappa, asked.out[HitPlane::kappa]);
    L::store(s.chi2, asked.out[HitPlane::chi2]);
    if (asked.perigee)
      good = both(good, store_shared_perigee(in_, head_, e, s, asked.out));
    return L::bits(good);
  }

  static std::size_t workspace(std::size_t n_hits) {
    return (n_hits - 2) * 2 * sizeof(S);
  }

 private:
  const HitLanes& in_;
  S (*kinks_)[2];
  TrackHead<S> head_;
  LaneMask<S> plain_;
};

}  // namespace gttf::detail
