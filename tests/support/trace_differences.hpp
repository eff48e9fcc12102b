// SPDX-License-Identifier: Apache-2.0
// Derivatives of traced tracks against differences of traces.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "gttf/trajectory/traced_track.hpp"

namespace gttf::test {

/// Size of the entries of a row: positions 1, angles L, curvature L^2.
inline double row_difference(const Row<double>& a, const Row<double>& b,
                             double path) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const double unit = i < 2 ? 1 : i < 4 ? path : path * path;
    worst = std::max(worst, std::abs(a[i] - b[i]) / unit);
    largest = std::max(largest, std::abs(b[i]) / unit);
  }
  return worst / largest;
}

/// The same for all rows and kinks of a crossing.
inline double row_difference(const TracedCrossing& a, const TracedCrossing& b) {
  double worst = 0;
  for (std::size_t i = 0; i < 5; ++i)
    worst = std::max(worst,
                     row_difference(a.on_surface[i], b.on_surface[i], b.path));
  worst = std::max(worst, row_difference(a.phi_kink, b.phi_kink, 1 / b.path));
  return std::max(worst,
                  row_difference(a.theta_kink, b.theta_kink, 1 / b.path));
}

/// The track with parameter i of the start, in the frame, changed by h.
inline Track displaced(const Track& track, const TracedTrack& t, int i,
                       double h) {
  Track moved = track;
  double phi = t.phi, theta = t.theta;
  Vector3 shift = Vector3::Zero();
  if (i == 0) shift = h * Vector3(-std::sin(phi), std::cos(phi), 0);
  if (i == 1) shift = {0, 0, h};
  if (i == 2) phi += h;
  if (i == 3) theta += h;
  if (i == 4) moved.p = -track.charge * t.b_ref / (t.kappa + h);
  shift = t.frame.out_of(shift);
  for (std::size_t k = 0; k < 3; ++k)
    moved.vertex[k] += shift[static_cast<int>(k)];
  const Vector3 d =
      t.frame.out_of({std::sin(theta) * std::cos(phi),
                      std::sin(theta) * std::sin(phi), std::cos(theta)});
  moved.phi = std::atan2(d.y(), d.x());
  moved.theta = std::atan2(std::hypot(d.x(), d.y()), d.z());
  return moved;
}

/// Axes u', v' at a crossing.
inline std::pair<Vector3, Vector3> axes_at(const SurfaceRecord& s,
                                           const Vector3& x) {
  if (s.kind == SurfaceRecord::Kind::disk_plane) return {{0, 1, 0}, {1, 0, 0}};
  if (s.kind == SurfaceRecord::Kind::plane)
    return {{-s.normal_sin, s.normal_cos, 0}, {0, 0, 1}};
  if (s.kind == SurfaceRecord::Kind::inclined) {
    const auto& n = s.normal_vector;
    const Vector3 normal(n[0], n[1], n[2]);
    const Vector3 u = Vector3::UnitZ().cross(normal).normalized();
    return {u, normal.cross(u)};
  }
  const double r = std::hypot(x.x(), x.y());
  const Vector3 azimuthal(-x.y() / r, x.x() / r, 0);
  if (s.kind == SurfaceRecord::Kind::cylinder) return {azimuthal, {0, 0, 1}};
  const Vector3 radial(x.x() / r, x.y() / r, 0);
  if (s.kind == SurfaceRecord::Kind::cone)
    return {azimuthal,
            (s.slope * radial + Vector3::UnitZ()) / std::hypot(1, s.slope)};
  return {azimuthal, radial};
}

/// d(u', v', phi, theta) of crossing k by five-point differences of traces.
inline double worst_difference(const TrackingGeometry& geometry,
                               const Track& track, const Frame& frame,
                               EnergyLoss loss = EnergyLoss::off) {
  const auto flown = [&](const Track& t) {
    return trace(geometry, t, Scattering::off, loss, frame);
  };
  const TracedTrack here = flown(track);
  double worst = 0;
  for (int i = 0; i < (geometry.has_field() ? 5 : 4); ++i) {
    const double h = i < 2 ? 1e-1 : i < 4 ? 1e-4 : 2e-3 * std::abs(here.kappa);
    std::vector<TracedTrack> at;
    for (const int k : {-2, -1, 1, 2})
      at.push_back(flown(displaced(track, here, i, k * h)));
    for (const TracedCrossing& x : here.list) {
      std::vector<std::array<double, 4>> values;
      for (const TracedTrack& t : at) {
        REQUIRE(t.list.size() == here.list.size());
        // close surfaces may be crossed in another order
        const auto there =
            std::ranges::find(t.list, x.surface, &TracedCrossing::surface);
        REQUIRE(there != t.list.end());
        const auto [u, v] = axes_at(geometry.surfaces()[x.surface], x.position);
        const Vector3 d = frame.into(there->direction);
        const Vector3 d0 = frame.into(x.direction);
        values.push_back({u.dot(there->position), v.dot(there->position),
                          std::atan2(d.y() * d0.x() - d.x() * d0.y(),
                                     d.x() * d0.x() + d.y() * d0.y()),
                          std::atan2(std::hypot(d.x(), d.y()), d.z())});
      }
      for (std::size_t row = 0; row < 4; ++row) {
        const double slope = (values[0][row] - 8 * values[1][row] +
                              8 * values[2][row] - values[3][row]) /
                             (12 * h);
        const double unit = (row < 2 ? x.path : 1) * (i < 2   ? 1 / x.path
                                                      : i < 4 ? 1
                                                              : x.path);
        worst = std::max(
            worst,
            std::abs(slope - x.on_surface[row][static_cast<std::size_t>(i)]) /
                unit);
      }
    }
  }
  return worst;
}

}  // namespace gttf::test
