// SPDX-License-Identifier: Apache-2.0
// Converts crossings of a detector to input of the triplet fit.
#include "gttf/fit/triplet/triplet_track.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "gttf/fit/track/path.hpp"
#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf {

namespace {

Vector3 vertex_of(const Track& track) {
  return {track.vertex[0], track.vertex[1], track.vertex[2]};
}

void set_start(const StartHit<double>* start, TripletTrack& t) {
  if (!start) return;
  // the rows begin with the coefficients of d0 and z0
  for (const auto& [row, variance] :
       {std::pair{start->transverse, start->transverse_variance},
        std::pair{start->longitudinal, start->longitudinal_variance}}) {
    const double length = std::hypot(row[0], row[1]);
    t.start_coordinates.push_back(
        {row[0] / length, row[1] / length, variance / (length * length)});
  }
}

/// A crossing of `s` at a point, with axes and coordinates of the surface.
TripletPoint crossing_of(const TrackingGeometry& geometry,
                         const SurfaceRecord& s, const Vector3& position) {
  TripletPoint c;
  c.position = position;
  const auto [u, v] = surface_axes(s, position);
  const auto [user_u, user_v] = s.user_axes();
  c.u = user_u.cosine * u + user_u.sine * v;
  c.v = user_v.cosine * u + user_v.sine * v;
  for (const CoordinateAxis& axis : geometry.axes(s))
    c.coordinates.push_back(
        {axis.cosine * user_u.cosine + axis.sine * user_u.sine,
         axis.cosine * user_v.cosine + axis.sine * user_v.sine, axis.variance});
  return c;
}

/// @param rows  Path::on_surface()
template <class S>
void set_local(const std::array<Row<S>, track_dim>& rows, TracedArc& arc) {
  for (const OnSurface::Index i :
       {OnSurface::u, OnSurface::v, OnSurface::phi, OnSurface::theta})
    for (std::size_t j = 0; j < track_dim; ++j)
      arc.local(i, static_cast<int>(j)) =
          DoubleDouble(rows[static_cast<std::size_t>(i)][j]);
}

/// d(d0, z0 at the start)/d(u, v) of a crossing at the start: a shift along the
/// surface, and back along the track to the closest approach.
Eigen::Matrix2d into_start(const TripletTrack& t, const TripletPoint& c) {
  if (c.traced)
    return c.traced->local.topLeftCorner<2, 2>().cast<double>().inverse();
  const Vector3 e0(std::cos(t.phi), std::sin(t.phi), 0);
  const Vector3 n0(-e0.y(), e0.x(), 0);
  const double cot = std::cos(t.theta) / std::sin(t.theta);
  Eigen::Matrix2d m;
  int column = 0;
  for (const Vector3& axis : {c.u, c.v})
    m.col(column++) << n0.dot(axis), axis.z() - cot * e0.dot(axis);
  return m;
}

/// Coordinates along other axes; `m` = d(old axes)/d(new axes).
CoordinateAxis turned(const CoordinateAxis& a, const Eigen::Matrix2d& m) {
  const Eigen::RowVector2d row = Eigen::RowVector2d(a.cosine, a.sine) * m;
  const double length = row.norm();
  return {row[0] / length, row[1] / length, a.variance / (length * length)};
}

/// Combines the start and the layers on which the track starts into one hit.
void join_start(TripletTrack& t) {
  if (t.start_coordinates.empty()) return;
  const auto begin = t.crossings.begin();
  const auto end =
      std::find_if(begin, t.crossings.end(), [&t](const TripletPoint& c) {
        return (c.position - t.start).norm() > detail::longest_arc_at_start;
      });
  const auto hit = std::find_if(
      begin, end, [](const TripletPoint& c) { return c.measures(); });
  if (hit != end) {
    const Eigen::Matrix2d m = into_start(t, *hit);
    for (const CoordinateAxis& a : t.start_coordinates)
      hit->coordinates.push_back(turned(a, m));
    t.start_coordinates.clear();
    return;
  }
  for (auto c = begin; c != end; ++c) {
    t.start_kink_variance += c->kink_variance;
    if (t.loses_energy) t.start_kinks.push_back(c->traced->kinks);
  }
  t.crossings.erase(begin, end);
}

/// The direction between coincident hits is undefined: the coordinates of the
/// outer hit are moved to the inner one, and the outer hit remains as a layer
/// that only scatters. A coordinate along c measures a shift x along the
/// surface of the inner hit as
///
///   (c - n (c . t)/(n . t)) . x
///
/// with n the normal of its own surface and t the direction of the track.
/// @param directions  of the track at every crossing
void join_hits_at_one_place(const std::vector<Vector3>& directions,
                            TripletTrack& t) {
  TripletPoint* inner = nullptr;
  for (std::size_t i = 0; i < t.crossings.size(); ++i) {
    TripletPoint& c = t.crossings[i];
    if (!c.measures()) continue;
    if (inner == nullptr ||
        (c.position - inner->position).norm() > detail::same_place) {
      inner = &c;
      continue;
    }
    const Vector3 normal = c.u.cross(c.v);
    for (const CoordinateAxis& axis : c.coordinates) {
      const Vector3 along = axis.cosine * c.u + axis.sine * c.v;
      const Vector3 seen =
          along - along.dot(directions[i]) / normal.dot(directions[i]) * normal;
      const double x = seen.dot(inner->u), y = seen.dot(inner->v);
      const double length = std::hypot(x, y);
      inner->coordinates.push_back(
          {x / length, y / length, axis.variance / (length * length)});
    }
    c.coordinates.clear();
  }
}

}  // namespace

TripletTrack make_triplet_track(const TrackingGeometry& geometry,
                                const Track& track,
                                const Crossings<double>& found,
                                const StartHit<double>* start) {
  const Line<double>& line = found.line;
  TripletTrack t;
  t.start = vertex_of(track);
  t.phi = track.phi;
  t.theta = std::atan2(line.sin_theta, line.cos_theta);
  t.kappa = line.kappa;
  t.fit_kappa = geometry.bz() != 0;
  set_start(start, t);
  t.crossings.reserve(found.list.size());
  std::vector<Vector3> directions;
  for (const TrackCrossing<double>& x : found.list) {
    const double f = x.at.forward, g = x.at.sideward;
    const Vector3 position =
        t.start + Vector3(line.cos_phi * f - line.sin_phi * g,
                          line.sin_phi * f + line.cos_phi * g,
                          x.at.arc * line.cot_theta);
    t.crossings.push_back(
        crossing_of(geometry, geometry.surfaces()[x.surface], position));
    t.crossings.back().turn = line.kappa * x.at.arc * line.inv_sin_theta;
    t.crossings.back().kink_variance = x.theta0_2;
    const double phi = t.phi + t.crossings.back().turn;
    directions.push_back({line.sin_theta * std::cos(phi),
                          line.sin_theta * std::sin(phi), line.cos_theta});
  }
  join_hits_at_one_place(directions, t);
  join_start(t);
  return t;
}

TripletTrack make_triplet_track(const TrackingGeometry& geometry,
                                const Track& track,
                                const Crossings<DoubleDouble>& found,
                                const StartHit<double>* start) {
  const Line<DoubleDouble>& line = found.line;
  TripletTrack t;
  t.traced = true;
  t.start = vertex_of(track);
  t.phi = track.phi;
  t.theta = std::atan2(static_cast<double>(line.sin_theta),
                       static_cast<double>(line.cos_theta));
  t.kappa = static_cast<double>(line.kappa);
  t.fit_kappa = geometry.bz() != 0;
  set_start(start, t);
  const HelixPath<DoubleDouble> path(geometry, found);
  std::vector<Vector3> directions;
  const auto sine = static_cast<double>(line.sin_theta);
  for (std::size_t k = 0; k < path.size(); ++k) {
    const TrackCrossing<DoubleDouble>& x = found.list[k];
    const Cartesian<DoubleDouble> at = position_at(line, x.at);
    TripletPoint c =
        crossing_of(geometry, path.surface(k),
                    {static_cast<double>(at.x), static_cast<double>(at.y),
                     static_cast<double>(at.z)});
    c.kink_variance = static_cast<double>(x.theta0_2);
    c.traced.emplace();
    c.traced->path = static_cast<double>(x.at.arc * line.inv_sin_theta);
    c.traced->inv_sin2 = 1 / (sine * sine);
    set_local(path.on_surface(k), *c.traced);
    t.crossings.push_back(std::move(c));
    const double phi = t.phi + t.kappa * t.crossings.back().traced->path;
    directions.push_back({sine * std::cos(phi), sine * std::sin(phi),
                          static_cast<double>(line.cos_theta)});
  }
  join_hits_at_one_place(directions, t);
  join_start(t);
  return t;
}

TripletTrack make_triplet_track(const TrackingGeometry& geometry,
                                const Track& track, const TracedTrack& found,
                                const StartHit<double>* start) {
  TripletTrack t;
  t.traced = true;
  t.start = vertex_of(track);
  t.phi = found.phi;
  t.theta = found.theta;
  t.kappa = found.kappa;
  t.fit_kappa = found.b_ref != 0;
  set_start(start, t);
  t.crossings.reserve(found.list.size());
  std::vector<Vector3> directions;
  const TracedPath path(geometry, found);
  const auto column = [](const Row<double>& row) {
    return Eigen::Map<const Vector5>(row.data());
  };
  for (const TracedCrossing& x : found.list) {
    directions.push_back(x.direction);
    const SurfaceRecord& s = geometry.surfaces()[x.surface];
    TripletPoint c = crossing_of(geometry, s, x.position);
    c.kink_variance = x.theta0_2;
    c.traced.emplace();
    c.traced->path = x.path;
    c.traced->inv_sin2 = x.inv_sin2;
    const std::size_t k = t.crossings.size();
    set_local(path.on_surface(k), *c.traced);
    c.traced->kappa_behind = column(x.kappa_behind);
    const GeneralKinks<double> kinks = path.kinks(k);
    c.traced->kinks.columns << column(kinks.theta), column(kinks.phi),
        column(kinks.loss);
    c.traced->kinks.variances << kinks.w, kinks.w_phi, kinks.w_loss;
    if (x.energy_loss > 0) t.loses_energy = true;
    t.crossings.push_back(std::move(c));
  }
  join_hits_at_one_place(directions, t);
  join_start(t);
  return t;
}

}  // namespace gttf
