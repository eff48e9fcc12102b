// SPDX-License-Identifier: Apache-2.0
// Arrays of hits of simulated tracks for batched fits, and their results.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "gttf/fit/batch_fit.hpp"
#include "gttf/trajectory/crossings.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf::test {

/// Hits of tracks of many momenta and angles on the surfaces of one list.
class HitList {
 public:
  /// Tracks that cross what the first one crosses; the others are left out.
  /// Hits are shifted by their errors, and walk as scattering lets them.
  HitList(const TrackingGeometry& geometry, std::size_t n_tracks,
          double p_least, double p_most)
      : engine_(7) {
    std::vector<std::vector<double>> columns[4];
    for (std::size_t i = 0; kappa_ref_.size() < n_tracks; ++i) {
      Track track;
      track.p = p_least + (p_most - p_least) * uniform();
      track.theta = 1.2 + 0.5 * uniform();
      track.phi = 6 * uniform() - 3;
      track.charge = i % 2 == 0 ? 1 : -1;
      const auto found = find_crossings(geometry, track, Scattering::highland);
      if (surfaces_.empty()) set_surfaces(geometry, found);
      if (found.list.size() == surfaces_.size()) add(geometry, found);
    }
  }

  std::size_t size() const { return kappa_ref_.size(); }
  HitArrays views() {
    arrange();
    return {size(),       surfaces_,    arranged_[0], arranged_[1],
            arranged_[2], arranged_[3], kappa_ref_};
  }
  std::vector<FitSurface>& surfaces() { return surfaces_; }
  /// Coordinate `axis` of hit h of track t.
  double& hit(std::size_t axis, std::size_t h, std::size_t t) {
    return rows_[axis][h][t];
  }

 private:
  double uniform() { return std::uniform_real_distribution<>(0, 1)(engine_); }
  double normal() { return normal_(engine_); }

  void set_surfaces(const TrackingGeometry& geometry,
                    const Crossings<double>& found) {
    for (const auto& x : found.list) {
      FitSurface& s = surfaces_.emplace_back();
      s.surface = geometry.surfaces()[x.surface];
      const auto axes = geometry.axes(s.surface);
      s.n_coordinates = static_cast<int>(axes.size());
      std::ranges::copy(axes, s.coordinates.begin());
      if (s.n_coordinates > 0)
        for (auto& axis : {0, 1, 2}) rows_[axis].emplace_back();
      rows_[3].emplace_back();
    }
  }

  void add(const TrackingGeometry& geometry, const Crossings<double>& found) {
    const Line<double>& l = found.line;
    kappa_ref_.push_back(l.kappa);
    double slope_u = 0, slope_v = 0, u = 0, v = 0, arc = 0;
    std::size_t hit = 0;
    for (std::size_t i = 0; i < found.list.size(); ++i) {
      const auto& x = found.list[i];
      const double step = x.at.arc - arc;
      arc = x.at.arc;
      u += slope_u * step;
      v += slope_v * step;
      slope_u += std::sqrt(x.theta0_2) * normal();
      slope_v += std::sqrt(x.theta0_2) * normal();
      rows_[3][i].push_back(x.theta0_2);
      const SurfaceRecord& s = geometry.surfaces()[x.surface];
      if (!s.measures()) continue;
      const double f = x.at.forward, g = x.at.sideward;
      Vector3 at(l.cos_phi * f - l.sin_phi * g, l.sin_phi * f + l.cos_phi * g,
                 arc * l.cot_theta);
      const auto [along_u, along_v] = surface_axes(s, at);
      const auto axes = geometry.axes(s);
      at += along_u * u + along_v * v;
      for (const CoordinateAxis& a : axes)
        at += (a.cosine * along_u + a.sine * along_v) *
              (std::sqrt(a.variance) * normal());
      if (s.kind == SurfaceRecord::Kind::cylinder)
        at.head<2>() *= s.position / at.head<2>().norm();
      for (int axis = 0; axis < 3; ++axis) rows_[axis][hit].push_back(at[axis]);
      ++hit;
    }
  }

  void arrange() {
    for (int c = 0; c < 4; ++c) {
      arranged_[c].clear();
      for (const auto& row : rows_[c])
        arranged_[c].insert(arranged_[c].end(), row.begin(), row.end());
    }
  }

  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  std::vector<FitSurface> surfaces_;
  std::vector<std::vector<double>> rows_[4];  ///< x, y, z, theta0_2
  std::vector<double> arranged_[4];
  std::vector<double> kappa_ref_;
};

/// All that fit() for batches can give.
struct FitOutput {
  explicit FitOutput(std::size_t n)
      : kappa(n),
        sigma(n),
        chi2(n),
        kappa_weights(n),
        perigee(5 * n),
        covariance(15 * n),
        plane(5 * n),
        plane_covariance(15 * n),
        momentum(n),
        status(n) {}

  FitArrays views() {
    return {kappa, sigma, chi2, kappa_weights, perigee, covariance, status};
  }
  /// Also those of traced tracks.
  FitArrays all_views() {
    FitArrays all = views();
    all.start_plane = plane;
    all.start_plane_covariance = plane_covariance;
    all.scattering_momentum = momentum;
    return all;
  }

  std::vector<double> kappa, sigma, chi2, kappa_weights, perigee, covariance;
  std::vector<double> plane, plane_covariance;  ///< GlobalFit::start_plane
  std::vector<double> momentum;                 ///< from scattering
  std::vector<FitStatus> status;
};

}  // namespace gttf::test
