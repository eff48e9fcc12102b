// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/recurling_track.hpp"

#include <algorithm>
#include <cmath>

namespace gttf::detail {

namespace {

/// A track as a circle in the transverse plane.
struct Circle {
  double x, y;      ///< centre
  double radius;    ///< > 0
  double turn_far;  ///< > 0, at the point farthest from the axis
  double sign;      ///< of the curvature

  /// From the start, against the direction in which the track turns.
  static Circle of(const Track& track, const Line<double>& l) {
    const double r = 1 / l.c;  // signed: the centre is to the left
    Circle c{track.vertex[0] - r * l.sin_phi, track.vertex[1] + r * l.cos_phi,
             std::abs(r), 0, r > 0 ? 1.0 : -1.0};
    // azimuth of the start and of the farthest point about the centre
    const double start =
        std::atan2(track.vertex[1] - c.y, track.vertex[0] - c.x);
    const double far = std::atan2(c.y, c.x);
    const double turn = std::fmod(c.sign * (far - start), 2 * unit::pi);
    c.turn_far = turn < 0 ? turn + 2 * unit::pi : turn;
    return c;
  }

  Vector3 position(double turn, const Track& track,
                   const Line<double>& l) const {
    const double azimuth =
        std::atan2(track.vertex[1] - y, track.vertex[0] - x) + sign * turn;
    return {x + radius * std::cos(azimuth), y + radius * std::sin(azimuth),
            l.z + radius * turn * l.cot_theta};
  }
};

struct Inward {
  double turn;
  std::size_t layer;
};

std::vector<Inward> inward_crossings(const TrackingGeometry& geometry,
                                     const Track& track, const Line<double>& l,
                                     const Circle& c) {
  std::vector<Inward> list;
  const double rho = std::hypot(c.x, c.y);
  const auto surfaces = geometry.surfaces();
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    const SurfaceRecord& s = surfaces[i];
    if (s.kind != SurfaceRecord::Kind::cylinder || !s.measures()) continue;
    const double cosine =
        (s.position * s.position - rho * rho - c.radius * c.radius) /
        (2 * rho * c.radius);
    if (!(std::abs(cosine) < 1)) continue;
    const double turn = c.turn_far + std::acos(cosine);
    if (turn >= 2 * unit::pi) continue;
    if (s.v.contains(c.position(turn, track, l).z())) list.push_back({turn, i});
  }
  std::sort(list.begin(), list.end(),
            [](const Inward& a, const Inward& b) { return a.turn < b.turn; });
  return list;
}

/// All except the scattering.
TripletPoint make_crossing(const TrackingGeometry& geometry, const Track& track,
                           const Line<double>& l, const Circle& c,
                           const Inward& x) {
  const SurfaceRecord& s = geometry.surfaces()[x.layer];
  TripletPoint crossing;
  crossing.position = c.position(x.turn, track, l);
  crossing.turn = c.sign * x.turn;
  const Vector3 radial =
      Vector3(crossing.position.x(), crossing.position.y(), 0).normalized();
  crossing.u = Vector3(-radial.y(), radial.x(), 0);
  crossing.v = Vector3::UnitZ();
  for (const CoordinateAxis& axis : geometry.axes(s))
    crossing.coordinates.push_back(
        {DoubleDouble(axis.cosine), DoubleDouble(axis.sine), axis.variance});
  return crossing;
}

/// x/X0 along the track of a cylinder.
/// @param x_over_x0  at normal incidence
double thickness_of(double x_over_x0, const Track& track, const Line<double>& l,
                    const TripletPoint& at) {
  const double phi = track.phi + at.turn;
  const Vector3 direction(std::cos(phi), std::sin(phi), 0);
  const Vector3 radial(at.u.y(), -at.u.x(), 0);
  return x_over_x0 / std::abs(l.sin_theta * radial.dot(direction));
}

}  // namespace

RecurlingTrack recurling_track(const TrackingGeometry& geometry,
                               const Track& track, Scattering model) {
  const Crossings<double> found = find_crossings(geometry, track, model);
  RecurlingTrack result;
  result.track = make_triplet_track(geometry, track, found);
  std::vector<TripletPoint> hits;
  std::vector<double> thickness;  // of each, x/X0
  for (std::size_t k = 0; k < found.list.size(); ++k) {
    if (!result.track.crossings[k].measures()) continue;
    hits.push_back(result.track.crossings[k]);
    thickness.push_back(found.list[k].at.x_over_x0);
    result.layers.push_back(found.list[k].surface);
  }
  const Line<double>& l = found.line;
  double total = found.material.to_last_hit;
  if (l.c != 0 && std::abs(l.cot_theta) < 1e3) {
    const Circle circle = Circle::of(track, l);
    for (const Inward& x : inward_crossings(geometry, track, l, circle)) {
      hits.push_back(make_crossing(geometry, track, l, circle, x));
      const double average = geometry.surfaces()[x.layer].x_over_x0;
      const double local =
          geometry.is_mapped(x.layer)
              ? geometry.x_over_x0_at(x.layer, hits.back().position)
              : average;
      thickness.push_back(thickness_of(local, track, l, hits.back()));
      total += thickness.back();
      result.layers.push_back(x.layer);
      ++result.n_inward;
    }
  }
  // the last hit is the last inward hit
  for (std::size_t k = 0; k < hits.size(); ++k)
    if (thickness[k] > 0)
      hits[k].kink_variance = theta0_squared(l, model, thickness[k], total);
  result.track.crossings = std::move(hits);
  return result;
}

}  // namespace gttf::detail
