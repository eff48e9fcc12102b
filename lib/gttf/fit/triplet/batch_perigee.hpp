// SPDX-License-Identifier: Apache-2.0
// Perigee parameters with covariance from solved equations, for any scalar: the
// counterpart of state_on_segment() and set_perigee() for a single track.
#pragma once

#include "gttf/fit/triplet/batch_rows.hpp"
#include "gttf/fit/triplet/fitter.hpp"

namespace gttf::detail {

template <class S>
S scalar_product(const Cartesian<S>& a, const Cartesian<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// The arc between the first two measured hits and the state at its start.
template <class S>
struct FirstArc {
  Segment<S> arc;
  Helix<S> state;

  Direction<S> direction() const {
    const S &cos_x = arc.shape.cosine,
            sin_x = arc.half_turn / arc.shape.stretch;
    return {arc.sin_theta, arc.cos_theta,
            arc.chord_sin * cos_x - arc.chord_cos * sin_x,
            arc.chord_cos * cos_x + arc.chord_sin * sin_x};
  }
};

template <class S>
FirstArc<S> first_arc(const HitGroup& in, const TrackHead<S>& head,
                      const S& kappa) {
  using std::atan2;
  FirstArc<S> f;
  f.arc = segment_near(head.first.at, head.second.at, kappa, head.length);
  f.state = {head.first.at - Cartesian<S>{S(in.origin[0]), S(in.origin[1]),
                                          S(in.origin[2])},
             atan2(f.arc.sin_theta, f.arc.cos_theta),
             atan2(f.arc.chord_sin, f.arc.chord_cos) - f.arc.half_turn, kappa};
  return f;
}

/// Shifts of the first two hits by one standard deviation of each coordinate.
template <class S>
void set_errors(const TrackHead<S>& head, Cartesian<S> (&errors)[n_shifts]) {
  for (int c = 0; c < n_shifts; ++c)
    errors[c] = (c < 2 ? head.first : head.second).error(c % 2);
}

/// Sets HitPlane::perigee and covariance.
/// @tparam begin, end    range of existing errors
/// @param passive_scale  factor of the variances of passive layers between the
///                       first two hits
/// @return               tracks where all numbers are finite
template <int begin, int end, class S>
[[gnu::flatten]] MaskOf<S> store_perigee(
    const HitGroup& in, const TrackHead<S>& head, const S& kappa_0,
    const SegmentErrors<S>& e, const CurvatureFit<S>& fitted,
    const S& passive_scale, PackValues* out) {
  const S zero(0), one(1);
  Cartesian<S> errors[n_shifts];
  set_errors(head, errors);
  const S change = fitted.kappa - kappa_0;
  FirstArc<S> first = first_arc(in, head, fitted.kappa);
  const Segment<S>& arc = first.arc;
  Helix<S>& state = first.state;
  const SegmentDerivatives<S> d = derivatives(arc);
  Direction<S> direction = first.direction();
  if constexpr (begin < n_shifts) {
    // linear, see state_on_segment()
    Cartesian<S> moved[2] = {{zero, zero, zero}, {zero, zero, zero}};
    for (int c = 0; c < n_shifts; ++c) {
      const S error = e.by_b[c] + change * e.by_a[c];
      moved[c / 2] = moved[c / 2] - error * errors[c];
    }
    const Cartesian<S> step = moved[1] - moved[0];
    state.position = state.position + moved[0];
    state.theta = state.theta + scalar_product(d.polar, step);
    state.phi = state.phi + scalar_product(d.azimuth_start, step);
    direction = direction_of(state);
  }
  if constexpr (end > n_shifts) {
    state.theta = state.theta + e.by_b[n_shifts] + change * e.by_a[n_shifts];
    state.phi =
        state.phi + e.by_b[n_shifts + 1] + change * e.by_a[n_shifts + 1];
    direction = direction_of(state);
  }
  const PerigeeOf<S> p = perigee_of(state, direction);

  // d(perigee)/d(kappa, shifts); theta at the hit, shifts at fixed
  // kappa
  S slope[5], by_shift[n_errors][4];
  for (int i = 0; i < 3; ++i) {
    const S(&row)[6] = p.jacobian[i];
    slope[i] = row[3] * d.polar_slope - row[4] * d.azimuth_slope + row[5];
  }
  slope[3] = d.polar_slope;
  slope[4] = one;
  for (int c = begin; c < n_shifts; ++c) {
    const Cartesian<S>& shift = errors[c];
    const S theta = scalar_product(d.polar, shift);
    const S phi = scalar_product(d.azimuth_start, shift);
    for (int i = 0; i < 3; ++i) {
      const S(&row)[6] = p.jacobian[i];
      // one product after the other, because the choice of which one to fuse
      // with their sum could differ within a vector
      S sum = c < 2 && i == 1 ? -shift.z : zero;
      if (c < 2) {
        sum = sum - row[0] * shift.x;
        sum = sum - row[1] * shift.y;
      }
      sum = c < 2 ? sum + row[3] * theta : sum - row[3] * theta;
      by_shift[c][i] = c < 2 ? sum + row[4] * phi : sum - row[4] * phi;
    }
    by_shift[c][3] = c < 2 ? theta : -theta;
  }
  for (int c = n_shifts; c < end; ++c)
    for (int i = 0; i < 4; ++i)
      by_shift[c][i] = i < 3 ? p.jacobian[i][3 + c - n_shifts]
                             : (c == n_shifts ? one : zero);
  // Cov(u, kappa) = sigma^2 M^T a
  for (int i = 0; i < 4; ++i)
    for (int c = begin; c < end; ++c)
      slope[i] = slope[i] + e.by_a[c] * by_shift[c][i];
  S covariance[5][5];
  for (int i = 0; i < track_dim; ++i) {
    const S variance_slope = fitted.variance * slope[i];
    const bool shifted = begin < end && i < 4;
    S of_shift[n_errors];
    if (shifted)
      for (int c = begin; c < end; ++c) {
        of_shift[c] = zero;
        if (c < n_shifts) {
          of_shift[c] = by_shift[c][i];
        } else {  // turns are not in standard deviations, but have variances
          for (int k = n_shifts; k < end; ++k) {
            const auto& v = head.passive.leaving;
            const int r = c - n_shifts, q = k - n_shifts;
            of_shift[c] = of_shift[c] + passive_scale *
                                            (q <= r ? v[r][q] : v[q][r]) *
                                            by_shift[k][i];
          }
        }
        for (int k = begin; k < end; ++k)
          of_shift[c] =
              of_shift[c] -
              (k <= c ? e.products[c][k] : e.products[k][c]) * by_shift[k][i];
      }
    for (int j = 0; j <= i; ++j) {
      covariance[i][j] = variance_slope * slope[j];
      if (!shifted) continue;
      for (int c = begin; c < end; ++c)
        covariance[i][j] = covariance[i][j] + of_shift[c] * by_shift[c][j];
    }
  }
  add_inner_scattering(in, state, direction, p, fitted.inner_scale, covariance);
  return store_track(p.parameters, covariance, out);
}

}  // namespace gttf::detail
