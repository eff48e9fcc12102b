// SPDX-License-Identifier: Apache-2.0
// Errors of all parameters of many tracks.
#include "gttf/resolution/batch_sigmas.hpp"

#include <algorithm>

#include "gttf/core/parallel.hpp"

namespace gttf {
namespace {

/// Whether one of them is measured on the plane of the start.
bool are_on_start_plane(std::span<const Parameter> parameters) {
  return std::ranges::any_of(parameters, [](Parameter q) {
    return std::ranges::count(start_plane_parameters, q) > 0;
  });
}

std::vector<PerParameter> sigmas_with(const TrackingGeometry& geometry,
                                      const TrackArrays& tracks,
                                      const Model& model,
                                      std::span<const Parameter> parameters,
                                      const SlopeArrays& slopes,
                                      unsigned threads, std::span<int> n_hits,
                                      KnownLists* known) {
  const std::size_t n = tracks.size;
  std::vector<double> perigee(track_triangle * n),
      start_plane(are_on_start_plane(parameters) ? perigee.size() : 0), p(n),
      pt(n);
  ResolutionArrays results;
  results.perigee = perigee;
  results.start_plane = start_plane;
  results.sigma_p_rel = p;
  results.sigma_pt_rel = pt;
  results.n_hits = n_hits;
  resolve(geometry, tracks, model, results, slopes, thread_count(threads),
          CodePath::best, known);

  std::vector<PerParameter> all(n);
  Resolution one;
  for (std::size_t t = 0; t < n; ++t) {
    one.sigma_p_rel = p[t];
    one.sigma_pt_rel = pt[t];
    for (int i = 0; i < track_dim; ++i) {
      const auto element = static_cast<std::size_t>(i * (i + 3) / 2) * n + t;
      one.perigee(i, i) = perigee[element];
      if (!start_plane.empty()) one.start_plane(i, i) = start_plane[element];
    }
    all[t] = sigmas(one);
  }
  return all;
}

}  // namespace

std::vector<PerParameter> sigmas_and_hits(
    const TrackingGeometry& geometry, const TrackArrays& tracks,
    const Model& model, std::span<const Parameter> parameters, unsigned threads,
    std::span<int> n_hits, KnownLists* known) {
  return sigmas_with(geometry, tracks, model, parameters, {}, threads, n_hits,
                     known);
}

BatchSensitivities::BatchSensitivities(const TrackingGeometry& geometry,
                                       const TrackArrays& tracks,
                                       const Model& model,
                                       std::span<const Parameter> parameters,
                                       unsigned threads, std::span<int> n_hits,
                                       KnownLists* known, SlopeKinds kinds)
    : n_layers_(geometry.surfaces().size()),
      n_coordinates_(coordinate_count(geometry)),
      position_(kinds.position ? parameters.size() * n_layers_ * tracks.size
                               : 0),
      material_(kinds.material ? parameters.size() * n_layers_ * tracks.size
                               : 0),
      sigma_(parameters.size() * n_coordinates_ * tracks.size) {
  SlopeArrays slopes;
  slopes.kinds = kinds;
  slopes.kinds.others = false;
  const auto part = [&](std::vector<double>& all, std::size_t i) {
    const std::size_t size = all.size() / parameters.size();
    return std::span(all).subspan(i * size, size);
  };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter q = parameters[i];
    index_[static_cast<std::size_t>(q)] = i;
    slopes.position[q] = part(position_, i);
    slopes.material[q] = part(material_, i);
    slopes.sigma[q] = part(sigma_, i);
  }
  sigmas_ = sigmas_with(geometry, tracks, model, parameters, slopes, threads,
                        n_hits, known);
}

std::vector<PerParameter> sigmas(const TrackingGeometry& geometry,
                                 const TrackArrays& tracks, const Model& model,
                                 unsigned threads) {
  return sigmas_and_hits(geometry, tracks, model, all_parameters, threads, {});
}

}  // namespace gttf
