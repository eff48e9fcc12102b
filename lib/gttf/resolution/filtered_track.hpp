// SPDX-License-Identifier: Apache-2.0
// FilteredTrack: a track with its filter, kept for the way back.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/linear.hpp"

namespace gttf::detail {

/// A track whose resolution exists, filtered once.
template <Path P>
struct FilteredTrack {
  FilteredTrack(const AnyTrack& any, const P& its_path, const Model& model)
      : track(any),
        path(its_path),
        parameters(parameter_rows(any)),
        start_hit(any.start_hit(model.beam_spot ? &*model.beam_spot : nullptr)),
        equations(filter<Errors::all>(path, start(), &gains)) {}

  const StartHit<double>* start() const {
    return start_hit ? &*start_hit : nullptr;
  }

  template <class OnHit, class OnKink>
  void walk_back(OnHit&& on_hit, OnKink&& on_kink) const {
    way_back(path, start(), gains, covariance_with_line(equations, parameters),
             std::forward<OnHit>(on_hit), std::forward<OnKink>(on_kink));
  }

  /// Variance of each parameter: a sum of positive terms.
  PerParameter variance() const {
    PerParameter total;
    for (std::size_t q = 0; q < n_parameters; ++q) {
      const Row<double> z = express(equations, parameters[q]);
      for (std::size_t k = 0; k < track_dim; ++k)
        total.values[q] += equations.v[k] * z[k] * z[k];
    }
    if (start_hit) return total;
    for (int k = 0; k <= path.first(); ++k) {
      const auto b = path.general_kinks(static_cast<std::size_t>(k));
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
  std::optional<StartHit<double>> start_hit;
  std::vector<typename P::Gain> gains;
  FiveEquations<double> equations;
};

}  // namespace gttf::detail
