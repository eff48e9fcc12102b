// SPDX-License-Identifier: Apache-2.0
// FilteredTrack: a track with its filter, kept for the backward pass.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "gttf/fit/streaming/determination.hpp"
#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/linear.hpp"

namespace gttf::detail {

template <class S, std::size_t M>
KinkStep<double, M> in_doubles(const KinkStep<S, M>& step) {
  return {step.crossing,
          in_doubles(step.theta),
          in_doubles(step.phi),
          static_cast<double>(step.w),
          static_cast<double>(step.w_phi),
          in_doubles(step.loss),
          static_cast<double>(step.w_loss)};
}

/// A track whose resolution exists, filtered once. Results are in doubles for
/// any scalar of the path.
template <Path P>
struct FilteredTrack {
  using S = typename P::Scalar;

  FilteredTrack(const AnyTrack& any, const P& its_path,
                const StartHit<S>* spot_hit)
      : track(any),
        path(its_path),
        parameters(parameter_rows(any)),
        equations(filter<Errors::all>(path, spot_hit, &gains)) {
    if (spot_hit) start_hit = *spot_hit;
    for (std::size_t q = 0; q < n_parameters; ++q)
      for (std::size_t i = 0; i < track_dim; ++i)
        functions[q][i] = S(parameters[q][i]);
  }

  const StartHit<S>* start() const { return start_hit ? &*start_hit : nullptr; }

  bool is_determined(const UndoubtedVariances& undoubted) const {
    const auto its_gains = [this]() -> const auto& { return gains; };
    return gttf::is_determined(path, start(), its_gains, equations, undoubted);
  }

  GeneralKinks<double> kinks(int k) const {
    return in_doubles(path.general_kinks(static_cast<std::size_t>(k)));
  }

  /// Cov(parameter, line) at the start.
  ParameterRows<double> with_line() const {
    return in_doubles(covariance_with_line(equations, functions));
  }

  template <class OnHit, class OnKink>
  void walk_back(OnHit&& on_hit, OnKink&& on_kink) const {
    const auto inside = covariance_with_line(equations, functions);
    if constexpr (std::is_same_v<S, double>) {
      backward_pass(path, start(), gains, inside, std::forward<OnHit>(on_hit),
                    std::forward<OnKink>(on_kink));
    } else {
      backward_pass(
          path, start(), gains, inside,
          [&](const HitStep<S, n_parameters>& step) {
            const Row<double> row = in_doubles(step.row);
            const ParameterRows<double> line = in_doubles(step.inside);
            on_hit(HitStep<double, n_parameters>{
                step.crossing, step.coordinate, row, in_doubles(step.gain),
                static_cast<double>(step.variance), line});
          },
          [&](const KinkStep<S, n_parameters>& step) {
            on_kink(in_doubles(step));
          });
    }
  }

  /// Variance of each parameter: a sum of positive terms.
  PerParameter variance() const {
    PerParameter total;
    for (std::size_t q = 0; q < n_parameters; ++q) {
      const Row<S> z = express(equations, functions[q]);
      for (std::size_t k = 0; k < track_dim; ++k)
        total.values[q] += static_cast<double>(equations.v[k] * z[k] * z[k]);
    }
    if (start_hit) return total;
    for (int k = 0; k <= path.first(); ++k) {
      const auto b = kinks(k);
      const auto theta = covariance_with(parameters, b.theta);
      const auto phi = covariance_with(parameters, b.phi);
      const auto loss = covariance_with(parameters, b.loss);
      for (std::size_t q = 0; q < n_parameters; ++q)
        total.values[q] += b.w * theta[q] * theta[q] +
                           b.w_phi * phi[q] * phi[q] +
                           b.w_loss * loss[q] * loss[q];
    }
    return total;
  }

  const AnyTrack& track;
  P path;
  ParameterRows<double> parameters;  ///< as functions of the line at the start
  ParameterRows<S> functions;        ///< the same
  std::optional<StartHit<S>> start_hit;
  std::vector<typename P::Gain> gains;
  FiveEquations<S> equations;
};

/// In doubles, even if they do not determine the track.
template <Path P>
FilteredTrack<P> filtered(const AnyTrack& track, const P& path,
                          const Model& model) {
  const auto hit =
      track.start_hit(model.beam_spot ? &*model.beam_spot : nullptr);
  return FilteredTrack<P>(track, path, hit ? &*hit : nullptr);
}

/// f(FilteredTrack), in doubles if they determine the track; for helices
/// otherwise in twice their precision.
template <class F>
void with_filtered_track(const AnyTrack& track, const Model& model, F&& f) {
  track.with_path([&](const auto& path) {
    const FilteredTrack t = filtered(track, path, model);
    if (track.traced() || t.is_determined(track.undoubted(t.start())))
      return f(t);
    track.with_wide_path(model.beam_spot ? &*model.beam_spot : nullptr,
                         [&](const auto& wide_path, const auto* wide_start) {
                           f(FilteredTrack(track, wide_path, wide_start));
                         });
  });
}

}  // namespace gttf::detail
