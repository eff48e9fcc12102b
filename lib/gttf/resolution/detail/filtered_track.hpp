// SPDX-License-Identifier: Apache-2.0
// FilteredTrack: crossings and filter of a track, kept for the way back.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "gttf/fit/streaming.hpp"
#include "gttf/resolution/parameter.hpp"
#include "gttf/resolution/resolution.hpp"

namespace gttf::detail {

template <class S>
using ParameterRows = std::array<Row<S>, n_parameters>;

/// The columns of the two kinks of a crossing with all five components.
template <class S>
struct KinkRows {
  Row<S> theta, phi;
};

template <class S>
KinkRows<S> kink_rows(const Kink<S>& b) {
  return {{b.theta[0], b.theta[1], b.theta[2], S(1), S(0)},
          {b.phi[0], b.phi[1], b.phi[2], S(0), S(0)}};
}

template <class S>
std::array<S, n_parameters> times(const ParameterRows<S>& m, const Row<S>& a) {
  std::array<S, n_parameters> y;
  for (std::size_t q = 0; q < n_parameters; ++q) {
    y[q] = m[q][0] * a[0];
    for (std::size_t j = 1; j < 5; ++j) y[q] = y[q] + m[q][j] * a[j];
  }
  return y;
}

/// A track whose resolution exists, filtered once.
struct FilteredTrack {
  FilteredTrack(const TrackingGeometry& detector, const Track& track,
                const Model& model)
      : geometry(detector),
        crossings(find_crossings(detector, track, model.scattering)),
        parameters(parameter_rows(crossings.line)) {
    if (model.beam_spot)
      start_hit = make_start_hit(crossings.line, *model.beam_spot);
    equations = filter<Errors::all>(geometry, crossings, start(), &gains);
  }

  const StartHit<double>* start() const {
    return start_hit ? &*start_hit : nullptr;
  }

  /// Cov(parameter, line at the start), without the material that add_inner
  /// material() adds if there is no start hit.
  ParameterRows<double> covariance_with_line() const {
    const Covariance5<double> n = covariance(equations);
    ParameterRows<double> m;
    for (std::size_t q = 0; q < n_parameters; ++q)
      for (std::size_t j = 0; j < 5; ++j) {
        m[q][j] = 0;
        for (std::size_t i = 0; i < 5; ++i)
          m[q][j] += parameters[q][i] * n[i][j];
      }
    return m;
  }

  template <class OnHit, class OnKink>
  void walk_back(OnHit&& on_hit, OnKink&& on_kink) const {
    way_back(geometry, crossings, start(), gains, covariance_with_line(),
             std::forward<OnHit>(on_hit), std::forward<OnKink>(on_kink));
  }

  /// Variance of each parameter: a sum of positive terms.
  PerParameter variance() const {
    PerParameter total;
    const double inv_sine = crossings.line.inv_sin_theta;
    for (std::size_t q = 0; q < n_parameters; ++q) {
      const Row<double> z = express(equations, parameters[q]);
      for (std::size_t k = 0; k < 5; ++k)
        total.values[q] += equations.v[k] * z[k] * z[k];
    }
    if (start_hit) return total;
    for (int k = 0; k <= crossings.first; ++k) {
      const auto& x = crossings.list[static_cast<std::size_t>(k)];
      const KinkRows<double> b = kink_rows(kink(crossings.line, x.at));
      const auto theta = times(parameters, b.theta);
      const auto phi = times(parameters, b.phi);
      for (std::size_t q = 0; q < n_parameters; ++q)
        total.values[q] += x.theta0_2 * (theta[q] * theta[q] +
                                         phi[q] * phi[q] * inv_sine * inv_sine);
    }
    return total;
  }

  const TrackingGeometry& geometry;
  Crossings<double> crossings;
  ParameterRows<double> parameters;  ///< as functions of the line at the start
  std::optional<StartHit<double>> start_hit;
  std::vector<KinkGain<double>> gains;
  FiveEquations<double> equations;
};

}  // namespace gttf::detail
