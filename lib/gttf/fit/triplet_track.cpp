// SPDX-License-Identifier: Apache-2.0
// Crossings of a detector as input of the triplet fit.
#include "gttf/fit/triplet_track.hpp"

#include <cmath>

#include "gttf/trajectory/surface_axes.hpp"

namespace gttf {

TripletTrack make_triplet_track(const TrackingGeometry& geometry,
                                const Track& track,
                                const Crossings<double>& found,
                                const StartHit<double>* start) {
  const Line<double>& line = found.line;
  TripletTrack t;
  t.start = {track.vertex[0], track.vertex[1], track.vertex[2]};
  t.phi = track.phi;
  t.theta = std::atan2(line.sin_theta, line.cos_theta);
  t.kappa = line.kappa;
  t.fit_kappa = geometry.bz() != 0;
  if (start) {
    // the rows begin with the coefficients of d0 and z0
    for (const auto& [row, variance] :
         {std::pair{start->transverse, start->transverse_variance},
          std::pair{start->longitudinal, start->longitudinal_variance}}) {
      const double length = std::hypot(row[0], row[1]);
      t.start_coordinates.push_back(
          {row[0] / length, row[1] / length, variance / (length * length)});
    }
  }
  t.crossings.reserve(found.list.size());
  for (const TrackCrossing<double>& x : found.list) {
    const SurfaceRecord& s = geometry.surfaces()[x.surface];
    const double f = x.at.forward, g = x.at.sideward;
    TripletCrossing c;
    c.position = t.start + Vector3(line.cos_phi * f - line.sin_phi * g,
                                   line.sin_phi * f + line.cos_phi * g,
                                   x.at.arc * line.cot_theta);
    c.turn = line.kappa * x.at.arc * line.inv_sin_theta;
    const auto [u, v] = surface_axes(s, c.position);
    const auto [user_u, user_v] = s.user_axes();
    c.u = user_u.cosine * u + user_u.sine * v;
    c.v = user_v.cosine * u + user_v.sine * v;
    for (const CoordinateAxis& axis : geometry.axes(s))
      c.coordinates.push_back(
          {axis.cosine * user_u.cosine + axis.sine * user_u.sine,
           axis.cosine * user_v.cosine + axis.sine * user_v.sine,
           axis.variance});
    c.kink_variance = x.theta0_2;
    t.crossings.push_back(std::move(c));
  }
  return t;
}

}  // namespace gttf
