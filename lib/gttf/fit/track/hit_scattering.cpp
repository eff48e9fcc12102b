// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/track/hit_scattering.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gttf/core/kernels.hpp"
#include "gttf/fit/hit_batch.hpp"

namespace gttf {
namespace {

std::vector<detail::ScatterPoint> scatter_points(
    std::span<const FitSurface> surfaces) {
  const auto measures_both = [](const FitSurface& s) {
    return s.n_coordinates == 2;
  };
  // if there are two such hits, the others are ignored
  const bool enough = std::ranges::count_if(surfaces, measures_both) > 1;
  std::vector<detail::ScatterPoint> points;
  for (const FitSurface& s : surfaces)
    points.push_back({s.surface, std::log(s.surface.x_over_x0),
                      s.n_coordinates > 0, !enough || measures_both(s)});
  return points;
}

}  // namespace

void find_scattering(const HitArrays& hits,
                     std::span<const SurfaceRecord> others, double bz,
                     const HitScattering& model, std::span<double> theta0_2,
                     std::span<double> kappa_ref, std::span<char> known) {
  const detail::HitKernel& kernel = detail::kernels(simd_level()).triplet_fit;
  const std::vector<detail::ScatterPoint> points =
      scatter_points(hits.surfaces);
  detail::ScatterGroup task;
  for (const detail::ScatterPoint& p : points)
    if (p.measures) ++task.n_hits;
  detail::BatchWorkspace workspace(
      kernel.workspace(points.size(), task.n_hits));
  std::vector<detail::PackValues> copies(3 * task.n_hits), out(points.size());
  std::vector<const double*> from(copies.size());
  detail::PackValues kappa;
  task.points = points.data();
  task.n_points = points.size();
  task.others = others.data();
  task.n_others = others.size();
  task.hits = from.data();
  for (int i = 0; i < 3; ++i) task.origin[i] = hits.origin[i];
  task.model = model;
  task.bz = bz;
  task.workspace = workspace.data();
  task.theta0_2 = out.data();
  task.kappa_ref = &kappa;

  const std::size_t size = hits.size, width = kernel.width;
  const std::span<const double> axes[] = {hits.x, hits.y, hits.z};
  for (std::size_t t = 0; t < size; t += width) {
    const std::size_t n = std::min(width, size - t);
    for (std::size_t i = 0; i < from.size(); ++i)
      from[i] = detail::whole(axes[i % 3].data() + i / 3 * size + t, n, width,
                              copies[i]);
    kernel.find_scattering(task);
    for (std::size_t i = 0; i < out.size(); ++i)
      std::copy_n(out[i].value, n, theta0_2.data() + i * size + t);
    std::copy_n(kappa.value, n, kappa_ref.data() + t);
    for (std::size_t element = 0; element < n; ++element)
      known[t + element] = static_cast<char>(task.known >> element & 1);
  }
}

}  // namespace gttf
