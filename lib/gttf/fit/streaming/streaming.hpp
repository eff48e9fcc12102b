// SPDX-License-Identifier: Apache-2.0
// The streaming fit: crossings are taken up from the outermost to the first
// measuring one; cost linear, memory independent of the number of layers.
#pragma once

#include <vector>

#include "gttf/fit/streaming/kink_steps.hpp"
#include "gttf/fit/track/beam_spot.hpp"
#include "gttf/fit/track/errors.hpp"
#include "gttf/fit/track/path.hpp"

namespace gttf {

/// Index of the innermost crossing that takes part in the fit.
template <Path P>
int innermost(const P& path, const StartHit<typename P::Scalar>* start) {
  return start ? 0 : path.first();
}

/// Does scattering at crossing k matter: is there a hit on either side?
template <Path P>
bool kinks_at(const P& path, const StartHit<typename P::Scalar>* start, int k) {
  return k < path.last() && (start || k > path.first());
}

namespace detail {

/// Takes up the measured coordinates of a crossing.
template <Path P, class S = typename P::Scalar>
void measure_crossing(const P& path, std::size_t k, FiveEquations<S>& e) {
  constexpr auto zero = ZeroVariance::excluded;
  const auto axes = path.axes(k);
  const auto row = [&](std::size_t q) {
    return path.row(k, axes[q].cosine, axes[q].sine);
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
template <Path P, class S = typename P::Scalar>
void measure_crossing_exactly(const P& path, std::size_t k,
                              FiveEquations<S>& e) {
  constexpr auto zero = ZeroVariance::allowed;
  const auto axes = path.axes(k);
  if (axes.empty()) return;
  const auto row = [&](const CoordinateAxis& a) {
    return path.row(k, a.cosine, a.sine);
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
/// @param gains  if not null, one per crossing, for the way back
template <Errors errors, Path P, class S = typename P::Scalar>
FiveEquations<S> filter(const P& path, const StartHit<S>* start = nullptr,
                        std::vector<typename P::Gain>* gains = nullptr) {
  constexpr bool exact = errors == Errors::scattering_only;
  constexpr auto zero = exact ? ZeroVariance::allowed : ZeroVariance::excluded;
  FiveEquations<S> e;
  if (gains) gains->resize(path.size());
  for (int k = path.last(); k >= innermost(path, start) && k >= 0; --k) {
    const auto index = static_cast<std::size_t>(k);
    if constexpr (errors != Errors::hits_only) {
      if (kinks_at(path, start, k)) {
        if (gains)
          scatter<zero, true>(e, path.kinks(index), &(*gains)[index]);
        else
          scatter<zero, false>(e, path.kinks(index));
      }
    }
    if constexpr (exact)
      detail::measure_crossing_exactly(path, index, e);
    else
      detail::measure_crossing(path, index, e);
  }
  if (start) detail::measure_start<exact>(*start, e);
  if (!path.fits_momentum()) e.v[4] = S(0);
  return e;
}

/// What all hits and the start hit say about the line just outside the first
/// measuring layer: `outer`, filtered without the start hit, joined with the
/// start hit as seen from there, through the inner material.
template <Path P, class S = typename P::Scalar>
FiveEquations<S> join_with_start(const P& path, const StartHit<S>& start,
                                 FiveEquations<S> outer) {
  FiveEquations<S> inner;
  detail::measure_start<false>(start, inner);
  for (int k = 0; k <= path.first(); ++k)
    scatter<ZeroVariance::excluded, false>(
        inner, path.kinks(static_cast<std::size_t>(k)));
  join(outer, inner);
  return outer;
}

/// Adds the scattering and straggling of the first measuring layer and of
/// everything inside it, W b_theta b_theta^T + W/sin^2 b_phi b_phi^T + ...:
/// material that broadens the perigee parameters. Only straggling, or a field
/// along the way that is not that of a solenoid, touches kappa.
template <Path P, class S = typename P::Scalar>
void add_inner_material(const P& path, Covariance5<S>& covariance) {
  constexpr std::size_t n = P::kinks_touch_kappa ? 5 : 4;
  for (int k = 0; k <= path.first(); ++k) {
    const auto b = path.general_kinks(static_cast<std::size_t>(k));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        S sum = b.w * b.theta[i] * b.theta[j] + b.w_phi * b.phi[i] * b.phi[j];
        if constexpr (P::kinks_touch_kappa)
          sum = sum + b.w_loss * b.loss[i] * b.loss[j];
        covariance[i][j] = covariance[j][i] = covariance[i][j] + sum;
      }
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
/// theta_i^2/w + phi_i^2/w_phi if w > 0, and loss_i^2/w_loss if w_loss > 0.
template <class S, std::size_t M>
struct KinkStep {
  std::size_t crossing;
  std::array<S, M> theta, phi;
  S w, w_phi;
  std::array<S, M> loss;
  S w_loss;
};

namespace detail {

/// inside += change b^T
template <class S, std::size_t M>
void add_product(std::array<Row<S>, M>& inside, const std::array<S, M>& change,
                 const Row<S>& b) {
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      inside[i][j] = inside[i][j] + change[i] * b[j];
}

template <class S, std::size_t M>
std::array<S, M> negative_product(const std::array<Row<S>, M>& inside,
                                  const Row<S>& a) {
  std::array<S, M> y = covariance_with(inside, a);
  for (S& x : y) x = -x;
  return y;
}

/// Passes the kinks of a layer outwards: fills `step`, changes `inside`.
template <class S, std::size_t M>
void pass_kinks(const HelixKinks<S>& kinks, const KinkGain<S>& gain,
                std::array<Row<S>, M>& inside, KinkStep<S, M>& step) {
  const KinkCovariance<S, M> with = pass_outwards(kinks.columns, gain, inside);
  step.theta = with.theta;
  step.phi = with.phi;
  step.loss.fill(S(0));
  step.w_loss = S(0);
}

template <class S, std::size_t M>
void pass_kinks(const GeneralKinks<S>& kinks, const GeneralGain<S>& gain,
                std::array<Row<S>, M>& inside, KinkStep<S, M>& step) {
  step.loss = negative_product(inside, gain.loss);
  step.w_loss = kinks.w_loss;
  add_product(inside, step.loss, kinks.loss);
  step.theta = negative_product(inside, gain.theta);
  step.phi = negative_product(inside, gain.phi);
  add_product(inside, step.theta, kinks.theta);
  add_product(inside, step.phi, kinks.phi);
}

}  // namespace detail

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
template <Path P, class S, std::size_t M, class OnHit, class OnKink>
void way_back(const P& path, const StartHit<S>* start,
              const std::vector<typename P::Gain>& gains,
              std::array<Row<S>, M> inside, OnHit&& on_hit, OnKink&& on_kink) {
  const auto hit = [&](std::size_t k, std::size_t q, const Row<S>& a,
                       const S& variance) {
    on_hit(
        HitStep<S, M>{k, q, a, covariance_with(inside, a), variance, inside});
  };
  if (start) {
    hit(start_index, 0, start->transverse, start->transverse_variance);
    hit(start_index, 1, start->longitudinal, start->longitudinal_variance);
  }
  for (int k = innermost(path, start); k <= path.last() && k >= 0; ++k) {
    const auto index = static_cast<std::size_t>(k);
    const auto axes = path.axes(index);
    for (std::size_t q = 0; q < axes.size(); ++q)
      hit(index, q, path.row(index, axes[q].cosine, axes[q].sine),
          S(axes[q].variance));
    if (!kinks_at(path, start, k)) continue;
    const auto kinks = path.kinks(index);
    if (!kinks.any()) continue;
    KinkStep<S, M> step;
    step.crossing = index;
    step.w = kinks.w;
    step.w_phi = kinks.w_phi;
    detail::pass_kinks(kinks, gains[index], inside, step);
    on_kink(step);
  }
}

}  // namespace gttf
