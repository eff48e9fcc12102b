// SPDX-License-Identifier: Apache-2.0
// Arcs of a helix in closed form, others from the derivatives of the trace.
#include "gttf/fit/triplet/in_plane_arc.hpp"

#include <cmath>

#include "gttf/fit/track/perigee.hpp"
#include "gttf/fit/triplet/segment.hpp"

namespace gttf::detail {

namespace {

using Rows = Eigen::Matrix<double, 2, 3>;  // (theta, phi) by (x, y, z)

Eigen::RowVector3d row(const Cartesian<double>& c) { return {c.x, c.y, c.z}; }

Eigen::Matrix<double, 3, 2> axes(const TripletPoint& c) {
  Eigen::Matrix<double, 3, 2> m;
  m << c.u, c.v;
  return m;
}

Segment<double> helix_arc(const TripletTrack& track, const TripletPoint& from,
                          const TripletPoint& to) {
  return make_segment(cartesian(from.position), cartesian(to.position),
                      0.5 * (to.turn - from.turn),
                      track.kappa / std::sin(track.theta));
}

/// The arc from the start. It may be that of a layer at the start: of no length
/// or, by rounding, negative.
Segment<double> arc_from_start(const TripletTrack& track,
                               const TripletPoint& to) {
  const Vector3 step = to.position - track.start;
  // below it, two points do not tell the direction to all digits
  constexpr double shortest = 1 * unit::um;
  if (step.norm() > shortest)
    return helix_arc(track, start_crossing(track), to);
  const double half_turn = 0.5 * to.turn;
  const double cosine = std::cos(track.phi + half_turn);
  const double sine = std::sin(track.phi + half_turn);
  const double chord = cosine * step.x() + sine * step.y();
  const ArcShape<double> shape = arc_shape(half_turn);
  return {.chord = chord,
          .inverse_chord = 1 / chord,
          .rise = step.z(),
          .chord_cos = cosine,
          .chord_sin = sine,
          .half_turn = half_turn,
          .shape = shape,
          .arc = chord * shape.stretch,
          .length = step.norm(),
          .sin_theta = std::sin(track.theta),
          .cos_theta = std::cos(track.theta),
          .kappa = track.kappa,
          .inverse_index = 1,
          .index = 1};
}

InPlaneArc make_helix_arc(const TripletTrack& track, const TripletPoint& from,
                          const TripletPoint& to) {
  const Segment<double> s = helix_arc(track, from, to);
  const SegmentDerivatives<double> d = derivatives(s);
  Rows start, end;  // against end - start
  start << row(d.polar), row(d.azimuth_start);
  end << row(d.polar), row(d.azimuth_end);
  const auto wide = [](const Eigen::Matrix2d& m) { return m.cast<Wide>(); };
  return {.start_by_start = wide(-start * axes(from)),
          .start_by_end = wide(start * axes(to)),
          .end_by_start = wide(-end * axes(from)),
          .end_by_end = wide(end * axes(to)),
          .start_by_kappa = {Wide(d.polar_slope), Wide(-d.azimuth_slope)},
          .end_by_kappa = {Wide(d.polar_slope), Wide(d.azimuth_slope)},
          .length = s.length,
          .inverse_index = s.inverse_index};
}

/// From x_end = T x_start, x = (u, v, phi, theta, kappa): what the direction at
/// the start must be for given points follows from the block that turns
/// directions into points.
InPlaneArc make_traced_arc(const TripletPoint& from, const TripletPoint& to) {
  using Matrix2 = InPlaneArc::Matrix2;
  using Vector2 = InPlaneArc::Vector2;
  const WideBlock<track_dim, track_dim> t =
      product<track_dim, track_dim, track_dim>(to.traced->local,
                                               inverse(from.traced->local));
  const auto block = [&t](int row, int column) {
    return Matrix2(t.block<2, 2>(row, column));
  };
  const auto by_kappa = [&t](int row) {
    return Vector2(t.block<2, 1>(row, 4));
  };
  const Matrix2 by_end = inverse<2>(block(0, 2)), turn = block(2, 2);
  // rows phi, theta
  const Matrix2 start_by_start = -product<2, 2, 2>(by_end, block(0, 0));
  const Vector2 start_by_kappa = -product<2, 2, 1>(by_end, by_kappa(0));
  const auto swapped = [](const auto& m) {
    return m.colwise().reverse().eval();
  };
  return {.start_by_start = swapped(start_by_start),
          .start_by_end = swapped(by_end),
          .end_by_start = swapped(
              (block(2, 0) + product<2, 2, 2>(turn, start_by_start)).eval()),
          .end_by_end = swapped(product<2, 2, 2>(turn, by_end)),
          .start_by_kappa = swapped(start_by_kappa),
          .end_by_kappa = swapped(
              (by_kappa(2) + product<2, 2, 1>(turn, start_by_kappa)).eval()),
          .length = to.traced->path - from.traced->path};
}

}  // namespace

TripletPoint start_crossing(const TripletTrack& track) {
  TripletPoint c{.position = track.start,
                 .turn = 0,
                 .u = {-std::sin(track.phi), std::cos(track.phi), 0},
                 .v = Vector3::UnitZ(),
                 .coordinates = track.start_coordinates,
                 .kink_variance = track.start_kink_variance,
                 .traced = {}};
  if (track.traced) {
    const double sine = std::sin(track.theta);
    c.traced.emplace();
    c.traced->inv_sin2 = 1 / (sine * sine);
  }
  return c;
}

InPlaneArc make_arc(const TripletTrack& track, const TripletPoint& from,
                    const TripletPoint& to) {
  return track.traced ? make_traced_arc(from, to)
                      : make_helix_arc(track, from, to);
}

WideBlock<track_dim, track_dim> perigee_jacobian(const TripletTrack& track,
                                                 const TripletPoint& crossing) {
  if (track.traced) return inverse(crossing.traced->local);
  const PerigeeRows<double> p = perigee_rows(arc_from_start(track, crossing));
  Matrix5 j = Matrix5::Identity();
  const auto set = [&](int i, const StateRow<double>& r) {
    j.block<1, 2>(i, 0) = row(r.position) * axes(crossing);
    j(i, OnSurface::phi) = r.phi;
    j(i, OnSurface::theta) = r.theta;
    j(i, OnSurface::qop) = r.kappa;
  };
  set(Perigee::d0, p.d0);
  set(Perigee::z0, p.z0);
  set(Perigee::phi, p.phi);
  return j.cast<Wide>();
}

double inverse_sine_squared(const TripletTrack& track,
                            const TripletPoint& crossing) {
  if (track.traced) return crossing.traced->inv_sin2;
  const double sine = std::sin(track.theta);
  return 1 / (sine * sine);
}

}  // namespace gttf::detail
