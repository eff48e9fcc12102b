// SPDX-License-Identifier: Apache-2.0
// Converts crossings of a detector to input of the triplet fit.
#include "gttf/fit/triplet/triplet_track.hpp"

#include <algorithm>
#include <cmath>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/track/path.hpp"
#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf {

namespace {

Vector3 vertex_of(const Track& track) {
  return {track.vertex[0], track.vertex[1], track.vertex[2]};
}

/// A coordinate x u + y v with this variance, in units of its length.
template <class S>
TripletCoordinate coordinate_along(const S& x, const S& y, double variance) {
  using std::sqrt;
  const S length2 = x * x + y * y, inverse = S(1) / sqrt(length2);
  return {DoubleDouble(x * inverse), DoubleDouble(y * inverse),
          variance / static_cast<double>(length2)};
}

template <class S>
void set_start(const StartHit<S>* start, TripletTrack& t) {
  if (!start) return;
  // the rows begin with the coefficients of d0 and z0
  for (const auto& [row, variance] :
       {std::pair{start->transverse, start->transverse_variance},
        std::pair{start->longitudinal, start->longitudinal_variance}}) {
    t.start_coordinates.push_back(
        coordinate_along(row[0], row[1], static_cast<double>(variance)));
  }
}

template <class S>
S dot(const CoordinateAxis& a, const CoordinateAxis& b) {
  return S(a.cosine) * S(b.cosine) + S(a.sine) * S(b.sine);
}

/// A crossing of `s` at a point, with axes and coordinates of the surface.
/// @tparam S  of the directions of coordinates
template <class S>
TripletPoint crossing_of(const TrackingGeometry& geometry,
                         const SurfaceRecord& s, const Vector3& position) {
  TripletPoint c;
  c.position = position;
  const auto [u, v] = surface_axes(s, position);
  const auto [user_u, user_v] = s.user_axes();
  c.u = user_u.cosine * u + user_u.sine * v;
  c.v = user_v.cosine * u + user_v.sine * v;
  const auto axes = geometry.axes(s);
  c.coordinates.reserve(axes.size());
  for (const CoordinateAxis& axis : axes)
    c.coordinates.push_back(coordinate_along(
        dot<S>(axis, user_u), dot<S>(axis, user_v), axis.variance));
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

template <class S>
void set_kinks(const GeneralKinks<S>& kinks, KinkColumns& columns) {
  int i = 0;
  for (const Row<S>* row : {&kinks.theta, &kinks.phi, &kinks.loss}) {
    for (std::size_t j = 0; j < track_dim; ++j)
      columns.columns(static_cast<int>(j), i) = DoubleDouble((*row)[j]);
    ++i;
  }
  columns.variances << static_cast<double>(kinks.w),
      static_cast<double>(kinks.w_phi), static_cast<double>(kinks.w_loss);
}

using WideMatrix2 = Eigen::Matrix<DoubleDouble, 2, 2>;

/// d(u, v)/d(d0, z0 at the start).
WideMatrix2 shifts(const TracedArc& arc) {
  return arc.local.topLeftCorner<2, 2>();
}

/// d(d0, z0 at the start)/d(u, v) of a crossing at the start: a shift along the
/// surface, and back along the track to the closest approach.
WideMatrix2 into_start(const TripletTrack& t, const TripletPoint& c) {
  if (c.traced) return inverse(shifts(*c.traced));
  const Vector3 e0(std::cos(t.phi), std::sin(t.phi), 0);
  const Vector3 n0(-e0.y(), e0.x(), 0);
  const double cot = std::cos(t.theta) / std::sin(t.theta);
  Eigen::Matrix2d m;
  int column = 0;
  for (const Vector3& axis : {c.u, c.v})
    m.col(column++) << n0.dot(axis), axis.z() - cot * e0.dot(axis);
  return m.cast<DoubleDouble>();
}

/// Coordinates along other axes; `m` = d(old axes)/d(new axes).
TripletCoordinate turned(const TripletCoordinate& a, const WideMatrix2& m) {
  return coordinate_along(a.cosine * m(0, 0) + a.sine * m(1, 0),
                          a.cosine * m(0, 1) + a.sine * m(1, 1), a.variance);
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
    const WideMatrix2 m = into_start(t, *hit);
    for (const TripletCoordinate& a : t.start_coordinates)
      hit->coordinates.push_back(turned(a, m));
    t.start_coordinates.clear();
    return;
  }
  for (auto c = begin; c != end; ++c) {
    t.start_kink_variance += c->kink_variance;
    if (t.traced) t.start_kinks.push_back(c->traced->kinks);
  }
  t.crossings.erase(begin, end);
}

/// The direction between coincident hits is undefined: the coordinates of the
/// outer hit are moved to the inner one, and the outer hit remains as a layer
/// that only scatters.
/// @param distance  of two crossings, mm
/// @param seen_by   coordinate of the second crossing as one of the first
template <class Distance, class SeenBy>
void join_hits_at_one_place(const Distance& distance, double at_one_place,
                            const SeenBy& seen_by, TripletTrack& t) {
  std::optional<std::size_t> inner;
  for (std::size_t i = 0; i < t.crossings.size(); ++i) {
    TripletPoint& c = t.crossings[i];
    if (!c.measures()) continue;
    if (!inner || distance(*inner, i) > at_one_place) {
      inner = i;
      continue;
    }
    for (const TripletCoordinate& a : c.coordinates)
      t.crossings[*inner].coordinates.push_back(seen_by(*inner, i, a));
    c.coordinates.clear();
  }
}

/// The same for directions in doubles. A coordinate along c measures a shift x
/// along the surface of the inner hit as
///
///   (c - n (c . t)/(n . t)) . x
///
/// with n the normal of its own surface and t the direction of the track.
/// @param directions  of the track at every crossing
void join_hits_at_one_place(const std::vector<Vector3>& directions,
                            TripletTrack& t) {
  const auto distance = [&t](std::size_t i, std::size_t k) {
    return (t.crossings[i].position - t.crossings[k].position).norm();
  };
  const auto seen_by = [&](std::size_t i, std::size_t k,
                           const TripletCoordinate& a) {
    const TripletPoint &inner = t.crossings[i], &c = t.crossings[k];
    const Vector3 normal = c.u.cross(c.v);
    const Vector3 along =
        static_cast<double>(a.cosine) * c.u + static_cast<double>(a.sine) * c.v;
    const Vector3 seen =
        along - along.dot(directions[k]) / normal.dot(directions[k]) * normal;
    return coordinate_along(seen.dot(inner.u), seen.dot(inner.v), a.variance);
  };
  join_hits_at_one_place(distance, detail::same_place, seen_by, t);
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
    t.crossings.push_back(crossing_of<double>(
        geometry, geometry.surfaces()[x.surface], position));
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
                                const StartHit<DoubleDouble>* start) {
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
  const auto sine = static_cast<double>(line.sin_theta);
  for (std::size_t k = 0; k < path.size(); ++k) {
    const TrackCrossing<DoubleDouble>& x = found.list[k];
    const Cartesian<DoubleDouble> at = position_at(line, x.at);
    TripletPoint c = crossing_of<DoubleDouble>(
        geometry, path.surface(k),
        {static_cast<double>(at.x), static_cast<double>(at.y),
         static_cast<double>(at.z)});
    c.kink_variance = static_cast<double>(x.theta0_2);
    c.traced.emplace();
    c.traced->path = static_cast<double>(x.at.arc * line.inv_sin_theta);
    c.traced->inv_sin2 = 1 / (sine * sine);
    set_local(path.on_surface(k), *c.traced);
    set_kinks(path.general_kinks(k), c.traced->kinks);
    t.crossings.push_back(std::move(c));
  }
  // A direction can be known to 1e15 rad only, and still the track is
  // determined: nothing but the same surface is the same place.
  constexpr double same_surface = 1e-20;  // mm
  const auto distance = [&](std::size_t i, std::size_t k) {
    const DoubleDouble arc = found.list[k].at.arc - found.list[i].at.arc;
    return std::abs(static_cast<double>(arc * line.inv_sin_theta));
  };
  const auto seen_by = [&t](std::size_t i, std::size_t k,
                            const TripletCoordinate& a) {
    const WideMatrix2 to = shifts(*t.crossings[k].traced);
    return turned(turned(a, to), inverse(shifts(*t.crossings[i].traced)));
  };
  join_hits_at_one_place(distance, same_surface, seen_by, t);
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
    TripletPoint c = crossing_of<double>(geometry, s, x.position);
    c.kink_variance = x.theta0_2;
    c.traced.emplace();
    c.traced->path = x.path;
    c.traced->inv_sin2 = x.inv_sin2;
    const std::size_t k = t.crossings.size();
    set_local(path.on_surface(k), *c.traced);
    c.traced->kappa_behind = column(x.kappa_behind);
    set_kinks(path.kinks(k), c.traced->kinks);
    if (x.energy_loss > 0) t.loses_energy = true;
    t.crossings.push_back(std::move(c));
  }
  join_hits_at_one_place(directions, t);
  join_start(t);
  return t;
}

}  // namespace gttf
