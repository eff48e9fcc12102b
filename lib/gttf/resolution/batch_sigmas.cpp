// SPDX-License-Identifier: Apache-2.0
// Errors of all parameters of many tracks.
#include "gttf/resolution/batch_sigmas.hpp"

#include "gttf/core/parallel.hpp"

namespace gttf {

std::vector<PerParameter> sigmas_and_hits(const TrackingGeometry& geometry,
                                          const TrackArrays& tracks,
                                          const Model& model, unsigned threads,
                                          std::span<int> n_hits) {
  const std::size_t n = tracks.size;
  std::vector<double> perigee(track_triangle * n),
      start_plane(track_triangle * n), p(n), pt(n);
  ResolutionArrays results;
  results.perigee = perigee;
  results.start_plane = start_plane;
  results.sigma_p_rel = p;
  results.sigma_pt_rel = pt;
  results.n_hits = n_hits;
  resolve(geometry, tracks, model, results, thread_count(threads));

  std::vector<PerParameter> all(n);
  Resolution one;
  for (std::size_t t = 0; t < n; ++t) {
    one.sigma_p_rel = p[t];
    one.sigma_pt_rel = pt[t];
    for (int i = 0; i < track_dim; ++i) {
      const auto element = static_cast<std::size_t>(i * (i + 3) / 2) * n + t;
      one.perigee(i, i) = perigee[element];
      one.start_plane(i, i) = start_plane[element];
    }
    all[t] = sigmas(one);
  }
  return all;
}

std::vector<PerParameter> sigmas(const TrackingGeometry& geometry,
                                 const TrackArrays& tracks, const Model& model,
                                 unsigned threads) {
  return sigmas_and_hits(geometry, tracks, model, threads, {});
}

}  // namespace gttf
