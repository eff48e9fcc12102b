// SPDX-License-Identifier: Apache-2.0
// Errors of all parameters of many tracks.
#include <cmath>

#include "gttf/core/parallel.hpp"
#include "gttf/resolution/batch.hpp"

namespace gttf {

std::vector<PerParameter> sigmas(const TrackingGeometry& geometry,
                                 const TrackArrays& tracks, const Model& model,
                                 unsigned threads) {
  constexpr std::size_t triangle = 15;
  const std::size_t n = tracks.size;
  std::vector<double> perigee(triangle * n), start_plane(triangle * n), p(n),
      pt(n);
  ResolutionArrays results;
  results.perigee = perigee;
  results.start_plane = start_plane;
  results.sigma_p_rel = p;
  results.sigma_pt_rel = pt;
  resolve(geometry, tracks, model, results, thread_count(threads));

  std::vector<PerParameter> all(n);
  for (std::size_t t = 0; t < n; ++t) {
    const auto sigma = [&](const std::vector<double>& matrix, int i) {
      const auto element = static_cast<std::size_t>(i * (i + 3) / 2);
      return std::sqrt(matrix[element * n + t]);
    };
    PerParameter& s = all[t];
    s[Parameter::p] = p[t];
    s[Parameter::pt] = pt[t];
    s[Parameter::d0] = sigma(perigee, Perigee::d0);
    s[Parameter::z0] = sigma(perigee, Perigee::z0);
    s[Parameter::phi0] = sigma(perigee, Perigee::phi);
    s[Parameter::theta] = sigma(perigee, Perigee::theta);
    for (int i = 0; i < 4; ++i)
      s[start_plane_parameters[static_cast<std::size_t>(i)]] =
          sigma(start_plane, i);
  }
  return all;
}

}  // namespace gttf
