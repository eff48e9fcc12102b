// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/hit_scattering.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gttf/fit/detail/hit_batch.hpp"

namespace gttf {
namespace {

detail::ScatterPoint scatter_point(const SurfaceRecord& s, bool measures) {
  return {s, std::log(s.x_over_x0), measures};
}

}  // namespace

void find_scattering(const HitArrays& hits,
                     std::span<const SurfaceRecord> others, double bz,
                     const HitScattering& model, std::span<double> theta0_2,
                     std::span<double> kappa_ref, std::span<char> known) {
  const detail::HitKernel& kernel = detail::hit_kernel(simd_level());
  std::vector<detail::ScatterPoint> points, other_points;
  detail::ScatterLanes task;
  for (const FitSurface& s : hits.surfaces) {
    points.push_back(scatter_point(s.surface, s.n_coordinates > 0));
    if (points.back().measures) ++task.n_hits;
  }
  for (const SurfaceRecord& s : others)
    other_points.push_back(scatter_point(s, false));
  detail::LaneWorkspace workspace(kernel.workspace(task.n_hits));
  std::vector<detail::LaneValues> copies(3 * task.n_hits), out(points.size());
  std::vector<const double*> from(copies.size());
  detail::LaneValues kappa;
  task.points = points.data();
  task.n_points = points.size();
  task.others = other_points.data();
  task.n_others = other_points.size();
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
    for (std::size_t lane = 0; lane < n; ++lane)
      known[t + lane] = static_cast<char>(task.known >> lane & 1);
  }
}

}  // namespace gttf
