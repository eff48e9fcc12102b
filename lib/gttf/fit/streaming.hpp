// SPDX-License-Identifier: Apache-2.0
// The streaming fit: crossings are taken up from the outermost to the first
// measuring one; cost linear, memory independent of the number of layers.
#pragma once

#include <vector>

#include "gttf/fit/beam_spot.hpp"
#include "gttf/fit/errors.hpp"
#include "gttf/fit/kink_steps.hpp"
#include "gttf/trajectory/crossings.hpp"

namespace gttf {

/// Index of the innermost crossing that takes part in the fit.
template <class S>
int innermost(const Crossings<S>& c, const StartHit<S>* start) {
  return start ? 0 : c.first;
}

/// Does scattering at crossing k matter: is there a hit on either side?
template <class S>
bool kinks_at(const Crossings<S>& c, const StartHit<S>* start, int k) {
  return k < c.last && (start || k > c.first);
}

namespace detail {

/// Takes up the measured coordinates of a crossing.
template <class S>
void measure_crossing(const TrackingGeometry& geometry, const Line<S>& line,
                      const TrackCrossing<S>& x, FiveEquations<S>& e) {
  constexpr auto zero = ZeroVariance::excluded;
  const SurfaceRecord& s = geometry.surfaces()[x.surface];
  const auto axes = geometry.axes(s);
  const auto row = [&](std::size_t q) {
    return coordinate_row(line, s, x.at, axes[q].cosine, axes[q].sine);
  };
  const auto variance = [&](std::size_t q) { return S(axes[q].variance); };
  std::size_t q = 0;
  for (; q + 1 < axes.size(); q += 2)
    measure_pair<zero>(e, row(q), variance(q), row(q + 1), variance(q + 1));
  if (q < axes.size()) measure<zero>(e, row(q), variance(q));
}

template <bool exact, class S>
void measure_start(const StartHit<S>& start, FiveEquations<S>& e) {
  if constexpr (exact)
    measure_pair<ZeroVariance::allowed>(e, start.transverse, S(0),
                                        start.longitudinal, S(0));
  else
    measure_pair<ZeroVariance::excluded>(
        e, start.transverse, start.transverse_variance, start.longitudinal,
        start.longitudinal_variance);
}

/// The same with exact coordinates. Only two of a surface can be independent; a
/// third would be 0 = rounding error, with infinite weight.
template <class S>
void measure_crossing_exactly(const TrackingGeometry& geometry,
                              const Line<S>& line, const TrackCrossing<S>& x,
                              FiveEquations<S>& e) {
  constexpr auto zero = ZeroVariance::allowed;
  const SurfaceRecord& s = geometry.surfaces()[x.surface];
  const auto axes = geometry.axes(s);
  if (axes.empty()) return;
  const auto row = [&](const CoordinateAxis& a) {
    return coordinate_row(line, s, x.at, a.cosine, a.sine);
  };
  for (const CoordinateAxis& other : axes.subspan(1)) {
    const double sine =
        axes[0].cosine * other.sine - axes[0].sine * other.cosine;
    if (std::abs(sine) > 1e-9) {
      measure_pair<zero>(e, row(axes[0]), S(0), row(other), S(0));
      return;
    }
  }
  measure<zero>(e, row(axes[0]), S(0));
}

}  // namespace detail

/// What all hits say about the line at the start.
///
/// Without a start hit: about the line inside the first measuring layer, whose
/// own scattering and all inner material are not included. With one: about the
/// line at the start, everything included. Scattering of the last layer and of
/// anything after it has no effect on the fit.
///
/// With no field, kappa is not a parameter: its equation has variance 0.
/// @param start  the beam spot as a hit at the start point; may be null
/// @param gains  if not null, one KinkGain per crossing for the way back
template <Errors errors, class S>
FiveEquations<S> filter(const TrackingGeometry& geometry, const Crossings<S>& c,
                        const StartHit<S>* start = nullptr,
                        std::vector<KinkGain<S>>* gains = nullptr) {
  constexpr bool exact = errors == Errors::scattering_only;
  constexpr auto zero = exact ? ZeroVariance::allowed : ZeroVariance::excluded;
  FiveEquations<S> e;
  if (gains) gains->resize(c.list.size());
  const S inv_sin2 = c.line.inv_sin_theta * c.line.inv_sin_theta;
  for (int k = c.last; k >= innermost(c, start) && k >= 0; --k) {
    const TrackCrossing<S>& x = c.list[static_cast<std::size_t>(k)];
    if constexpr (errors != Errors::hits_only) {
      if (kinks_at(c, start, k)) {
        const Kink<S> b = kink(c.line, x.at);
        const S w_phi = x.theta0_2 * inv_sin2;
        if (gains)
          scatter<zero, true>(e, b, x.theta0_2, w_phi,
                              &(*gains)[static_cast<std::size_t>(k)]);
        else
          scatter<zero, false>(e, b, x.theta0_2, w_phi);
      }
    }
    if constexpr (exact)
      detail::measure_crossing_exactly(geometry, c.line, x, e);
    else
      detail::measure_crossing(geometry, c.line, x, e);
  }
  if (start) detail::measure_start<exact>(*start, e);
  if (geometry.bz() == 0) e.v[4] = S(0);
  return e;
}

/// What all hits and the start hit say about the line just outside the first
/// measuring layer: `outer`, filtered without the start hit, joined with the
/// start hit as seen from there, through the inner material.
template <class S>
FiveEquations<S> join_with_start(const Crossings<S>& c,
                                 const StartHit<S>& start,
                                 FiveEquations<S> outer) {
  constexpr auto zero = ZeroVariance::excluded;
  FiveEquations<S> inner;
  detail::measure_start<false>(start, inner);
  const S inv_sin2 = c.line.inv_sin_theta * c.line.inv_sin_theta;
  for (int k = 0; k <= c.first; ++k) {
    const TrackCrossing<S>& x = c.list[static_cast<std::size_t>(k)];
    scatter<zero, false>(inner, kink(c.line, x.at), x.theta0_2,
                         x.theta0_2 * inv_sin2);
  }
  for (std::size_t i = 0; i < 5; ++i) {
    Row<S> equation{S(0), S(0), S(0), S(0), S(0)};
    equation[i] = S(1);
    for (std::size_t j = i + 1; j < 5; ++j)
      equation[j] = inner.r[FiveEquations<S>::at(i, j)];
    measure<zero>(outer, equation, inner.v[i]);
  }
  return outer;
}

/// Adds W b_theta b_theta^T + W/sin^2 b_phi b_phi^T of the first measuring
/// layer and of everything inside it: material that broadens the perigee
/// parameters and not kappa.
template <class S>
void add_inner_material(const Crossings<S>& c, Covariance5<S>& covariance) {
  const S inv_sin2 = c.line.inv_sin_theta * c.line.inv_sin_theta;
  for (int k = 0; k <= c.first; ++k) {
    const TrackCrossing<S>& x = c.list[static_cast<std::size_t>(k)];
    add_kink_variance(kink(c.line, x.at), x.theta0_2, x.theta0_2 * inv_sin2,
                      covariance);
  }
}

/// The crossing index by which way_back() calls the start hit.
inline constexpr std::size_t start_index = static_cast<std::size_t>(-1);

/// How the error of one measured coordinate enters M linear functions of the
/// line: with variance gain_i^2/variance.
template <class S, std::size_t M>
struct HitStep {
  std::size_t crossing, coordinate;
  const Row<S>& row;                    ///< of the coordinate
  std::array<S, M> gain;                ///< inside * row
  S variance;                           ///< of the measurement
  const std::array<Row<S>, M>& inside;  ///< see way_back()
};

/// How the kinks of one crossing enter: with variance
/// theta_i^2/w + phi_i^2/w_phi, w > 0.
template <class S, std::size_t M>
struct KinkStep {
  std::size_t crossing;
  const Kink<S>& kink;
  std::array<S, M> theta, phi;
  S w, w_phi;
};

/// Walks from the innermost to the last measuring layer and tells how every
/// single error enters M linear functions of the line at the start, usually
/// the five parameters themselves.
///
/// @param inside  covariance of the functions (rows) with the five parameters,
///                from filter() with the same `start`; on the way, with what
///                the parameters of the line at the crossing would be if only
///                the errors outside of it were there
/// @param on_hit, on_kink  called with a HitStep and a KinkStep each. All
///                variances of a function sum up to its variance; products of
///                two functions, to their covariance
template <class S, std::size_t M, class OnHit, class OnKink>
void way_back(const TrackingGeometry& geometry, const Crossings<S>& c,
              const StartHit<S>* start, const std::vector<KinkGain<S>>& gains,
              std::array<Row<S>, M> inside, OnHit&& on_hit, OnKink&& on_kink) {
  const S inv_sin2 = c.line.inv_sin_theta * c.line.inv_sin_theta;
  const auto hit = [&](std::size_t k, std::size_t q, const Row<S>& a,
                       const S& variance) {
    on_hit(
        HitStep<S, M>{k, q, a, covariance_with(inside, a), variance, inside});
  };
  if (start) {
    hit(start_index, 0, start->transverse, start->transverse_variance);
    hit(start_index, 1, start->longitudinal, start->longitudinal_variance);
  }
  for (int k = innermost(c, start); k <= c.last && k >= 0; ++k) {
    const auto index = static_cast<std::size_t>(k);
    const TrackCrossing<S>& x = c.list[index];
    const SurfaceRecord& s = geometry.surfaces()[x.surface];
    const auto axes = geometry.axes(s);
    for (std::size_t q = 0; q < axes.size(); ++q)
      hit(index, q,
          coordinate_row(c.line, s, x.at, axes[q].cosine, axes[q].sine),
          S(axes[q].variance));
    if (!kinks_at(c, start, k) || s.x_over_x0 == 0) continue;
    const Kink<S> b = kink(c.line, x.at);
    const KinkCovariance<S, M> with = pass_outwards(b, gains[index], inside);
    on_kink(KinkStep<S, M>{index, b, with.theta, with.phi, x.theta0_2,
                           x.theta0_2 * inv_sin2});
  }
}

}  // namespace gttf
