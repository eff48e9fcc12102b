// SPDX-License-Identifier: Apache-2.0
// Deviations of batches from the scalar path.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gttf/core/simd.hpp"
#include "gttf/resolution/budget.hpp"
#include "gttf/resolution/crossed_surfaces.hpp"
#include "support/at_level.hpp"
#include "support/batch.hpp"

namespace gttf::test {

/// Results of resolve() for every track: computed once for all levels, of which
/// they are independent.
struct ScalarResults {
  ScalarResults(const TrackingGeometry& geometry, const TrackList& list,
                const Model& model = {})
      : loses_energy(model.loss != EnergyLoss::off) {
    tracks.reserve(list.size());
    for (std::size_t t = 0; t < list.size(); ++t)
      tracks.push_back(resolve(geometry, list.views().track(t), model));
  }

  bool loses_energy;
  std::vector<Resolution> tracks;
};

/// Largest deviation of the batch from resolve(), relative; statuses, numbers
/// of hits and what exists must be equal.
inline double deviation_from(const ScalarResults& scalar,
                             const BatchOutput& r) {
  double worst = 0;
  const auto compare = [&](double got, double expected) {
    REQUIRE(std::isnan(got) == std::isnan(expected));
    if (!std::isnan(expected))
      worst = std::max(worst, std::abs(got / expected - 1));
  };
  // a share of 1: the gain of a hit that hardly matters is a difference
  const auto compare_share = [&](double got, double expected) {
    REQUIRE(std::isnan(got) == std::isnan(expected));
    if (!std::isnan(expected))
      worst = std::max(worst, std::abs(got - expected));
  };
  // along the z axis some parameters do not exist
  const auto compare_all = [&](const Matrix5& got, const Matrix5& expected,
                               int n) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        REQUIRE(std::isnan(got(i, j)) == std::isnan(expected(i, j)));
        if (!std::isnan(expected(i, j)))
          worst =
              std::max(worst, std::abs(got(i, j) - expected(i, j)) /
                                  std::sqrt(expected(i, i) * expected(j, j)));
      }
  };
  for (std::size_t t = 0; t < scalar.tracks.size(); ++t) {
    CAPTURE(t);
    const Resolution& one = scalar.tracks[t];
    REQUIRE(r.status[t] == one.status);
    REQUIRE(r.n_hits[t] == one.n_hits);
    REQUIRE(r.end[t] == one.end);
    detail::CrossedSurfaces crossed;
    for (const CrossingInfo& x : one.crossings) crossed.add(x.layer);
    REQUIRE(r.surfaces[t] == crossed.number());
    if (scalar.loses_energy)
      compare(r.x_over_x0[t], one.x_over_x0);
    else
      CHECK(r.x_over_x0[t] == doctest::Approx(one.x_over_x0).epsilon(1e-13));
    compare(r.x_over_x0_tracker[t], one.x_over_x0_tracker);
    if (one.status != Status::ok && one.status != Status::no_field) continue;
    const int n = one.status == Status::ok ? 5 : 4;
    compare_all(r.perigee.matrix(t), one.perigee, n);
    compare_all(r.without_inner.matrix(t), one.perigee_without_inner, n);
    compare_all(r.first_hit.matrix(t), one.first_hit, n);
    compare_all(r.start_plane.matrix(t), one.start_plane, n);
    compare(r.sigma_p[t], one.sigma_p_rel);
    compare(r.sigma_pt[t], one.sigma_pt_rel);
    compare(r.hit_only[t], one.sigma_p_rel_hit_only);
    compare(r.ms_only[t], one.sigma_p_rel_ms_only);
    compare_share(r.mu_phi[t], one.mu_phi);
    compare_share(r.mu_theta[t], one.mu_theta);
    compare(r.xi[t], one.xi);
  }
  return worst;
}

/// Resolves the tracks in a batch at every level, requires a deviation from the
/// scalar path below `most`, and calls check(statistics, results).
/// @param layers of which the variances are calculated: all or 0
template <class Check>
void compare_all_levels(const TrackingGeometry& geometry,
                        const TrackList& tracks, const Model& model,
                        std::size_t layers, double most, const Check& check) {
  const ScalarResults scalar(geometry, tracks, model);
  for (const SimdLevel level : available_simd_levels()) {
    CAPTURE(to_string(level));
    const AtLevel at(level);
    BatchOutput results(tracks.size(), layers);
    const BatchStatistics statistics =
        resolve(geometry, tracks.views(), model, results.views());
    CHECK(deviation_from(scalar, results) < most);
    check(statistics, std::as_const(results));
  }
}

/// Largest deviation of the budgets of every `step`-th track, in units of the
/// total variance.
inline double budget_deviation_from_scalar(const TrackingGeometry& geometry,
                                           const TrackList& tracks,
                                           const BatchOutput& r,
                                           std::size_t step,
                                           const Model& model = {}) {
  const std::size_t n = tracks.size(), layers = geometry.surfaces().size();
  double worst = 0;
  for (std::size_t t = 0; t < n; t += step) {
    const Budget one = make_budget(geometry, tracks.views().track(t), model);
    std::vector<double> hits(layers * n_parameters),
        scattering(layers * n_parameters);
    for (const BudgetPart& part : one.parts)
      for (std::size_t q = 0;
           q < n_parameters && part.cause != Cause::straggling; ++q)
        (part.cause == Cause::hit ? hits
                                  : scattering)[q * layers + part.layer] +=
            part.variance.values[q];
    for (std::size_t i = 0; i < hits.size(); ++i) {
      if (!one.exists()) {
        REQUIRE(std::isnan(r.hit_variance[i * n + t]));
        continue;
      }
      const double total = one.total.values[i / layers];
      worst = std::max(
          {worst, std::abs(r.hit_variance[i * n + t] - hits[i]) / total,
           std::abs(r.scattering_variance[i * n + t] - scattering[i]) / total});
    }
  }
  return worst;
}

/// Whether every third track has the same bits in the batch, with three
/// threads, as in a batch of its own.
inline bool is_independent_of_neighbours(const TrackingGeometry& geometry,
                                         const TrackList& tracks,
                                         const Model& model = {}) {
  BatchOutput whole(tracks.size(), 0);
  resolve(geometry, tracks.views(), model, whole.views(), 3);
  for (std::size_t t = 0; t < tracks.size(); t += 3) {
    TrackList one;
    one.add(tracks.views().track(t));
    BatchOutput r(1, 0);
    resolve(geometry, one.views(), model, r.views());
    if (!same_bits(r.numbers_of(0), whole.numbers_of(t))) return false;
  }
  return true;
}

}  // namespace gttf::test
