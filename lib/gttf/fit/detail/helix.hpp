// SPDX-License-Identifier: Apache-2.0
// Helix: a track state that can be moved along its helix, and onto a surface.
#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "gttf/core/series.hpp"
#include "gttf/fit/hits.hpp"

namespace gttf::detail {

/// Position, direction and curvature.
struct Helix {
  Vector3 position;
  double phi = 0, theta = 0, kappa = 0;

  double perp_curvature() const { return kappa / std::sin(theta); }
  /// Direction per transverse arc length.
  Vector3 slope() const {
    return {std::cos(phi), std::sin(phi), 1 / std::tan(theta)};
  }
  /// The state after the transverse arc length s.
  Helix advanced(double s) const {
    const double x = 0.5 * perp_curvature() * s;
    const double chord = s / arc_shape(x).stretch;
    Helix h = *this;
    h.position += Vector3(chord * std::cos(phi + x), chord * std::sin(phi + x),
                          s / std::tan(theta));
    h.phi += 2 * x;
    return h;
  }
};

/// Distance from a surface in its own measure, zero on it, and the gradient.
struct SurfaceDistance {
  double value;
  Vector3 gradient;
};

inline SurfaceDistance distance(const TrackHit& s, const Vector3& x) {
  if (!s.cylinder) {
    const Vector3 normal = s.u.cross(s.v);
    return {normal.dot(x - s.position), normal};
  }
  const Vector3 radial(x[0], x[1], 0);
  return {0.5 * (radial.squaredNorm() - s.position.head<2>().squaredNorm()),
          radial};
}

/// Axes u, v of the surface at a point of it.
struct SurfaceAxes {
  Vector3 u, v;
};

inline SurfaceAxes axes_at(const TrackHit& s, const Vector3& x) {
  if (!s.cylinder) return {s.u, s.v};
  // turn by the azimuth between the two points
  const double cosine = s.position[0] * x[0] + s.position[1] * x[1];
  const double sine = s.position[0] * x[1] - s.position[1] * x[0];
  const double r2 = std::hypot(cosine, sine), c = cosine / r2, d = sine / r2;
  const auto turn = [c, d](const Vector3& a) {
    return Vector3(c * a[0] - d * a[1], d * a[0] + c * a[1], a[2]);
  };
  return {turn(s.u), turn(s.v)};
}

/// Transverse arc length from `from` to its crossing with a surface, by
/// Newton's method from a guess; NaN if there is none.
inline double arc_to(const Helix& from, const TrackHit& surface, double guess) {
  double s = guess;
  for (int step = 0; step < 20; ++step) {
    const Helix h = from.advanced(s);
    const SurfaceDistance d = distance(surface, h.position);
    const double move = d.value / d.gradient.dot(h.slope());
    s -= move;
    if (!(std::abs(move) > 1e-13 * (1 + std::abs(s)))) return s;
  }
  return std::nan("");
}

}  // namespace gttf::detail
