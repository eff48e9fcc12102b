// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/in_plane_arc.hpp"

#include <cmath>

#include "gttf/fit/track/perigee_transport.hpp"
#include "gttf/fit/triplet/passive_turns.hpp"
#include "gttf/fit/triplet/segment.hpp"

namespace gttf::detail {

namespace {

using Rows = Eigen::Matrix<double, 2, 3>;  // d(theta, phi)/d(x, y, z)

Eigen::RowVector3d row(const Cartesian<double>& c) { return {c.x, c.y, c.z}; }

Eigen::Matrix<double, 3, 2> axes(const TripletPoint& c) {
  Eigen::Matrix<double, 3, 2> m;
  m << c.u, c.v;
  return m;
}

Segment<double> helix_segment(const TripletTrack& track,
                              const TripletPoint& from,
                              const TripletPoint& to) {
  return make_segment(cartesian(from.position), cartesian(to.position),
                      0.5 * (to.turn - from.turn),
                      track.kappa / std::sin(track.theta));
}

/// @param gradients  of (theta, phi) against end - start
template <class S>
DirectionByPoints<S> by_points(const Rows& gradients, double polar_slope,
                               double azimuth_slope, const TripletPoint& from,
                               const TripletPoint& to) {
  return {.by_start = (-gradients * axes(from)).template cast<S>(),
          .by_end = (gradients * axes(to)).template cast<S>(),
          .by_kappa = {S(polar_slope), S(azimuth_slope)}};
}

template <class S>
InPlaneArc<S> make_helix_arc(const TripletTrack& track,
                             const TripletPoint& from, const TripletPoint& to) {
  const Segment<double> s = helix_segment(track, from, to);
  const SegmentDerivatives<double> d = derivatives(s);
  Rows start, end, bend;
  start << row(d.polar), row(d.azimuth_start);
  end << row(d.polar), row(d.azimuth_end);
  bend << Eigen::RowVector3d::Zero(), -2 * row(half_bend(s));
  return {
      .start = by_points<S>(start, d.polar_slope, -d.azimuth_slope, from, to),
      .end = by_points<S>(end, d.polar_slope, d.azimuth_slope, from, to),
      .turn = Eigen::Matrix2d::Identity().template cast<S>(),
      .bend = by_points<S>(bend, 0, -2 * d.azimuth_slope, from, to),
      .length = s.length,
      .inverse_index = s.inverse_index};
}

template <class S>
using Local = Eigen::Matrix<S, track_dim, track_dim>;

template <class S>
Local<S> local_of(const TripletPoint& crossing) {
  Local<S> m;
  for (int i = 0; i < track_dim; ++i)
    for (int j = 0; j < track_dim; ++j)
      m(i, j) = static_cast<S>(crossing.traced->local(i, j));
  return m;
}

/// From x_end = T x_start, x = (u, v, theta, phi, kappa): the direction at the
/// start for given points follows from the block that maps directions to
/// points, and from the direction at the end by the one that maps directions.
template <class S>
InPlaneArc<S> make_traced_arc(const TripletPoint& from,
                              const TripletPoint& to) {
  using Matrix2 = Eigen::Matrix<S, 2, 2>;
  using Vector2 = Eigen::Matrix<S, 2, 1>;
  Local<S> t = product(local_of<S>(to), inverse(local_of<S>(from)));
  t.row(OnSurface::phi).swap(t.row(OnSurface::theta));
  t.col(OnSurface::phi).swap(t.col(OnSurface::theta));
  const auto block = [&t](int row, int column) {
    return Matrix2(t.template block<2, 2>(row, column));
  };
  const auto by_kappa = [&t](int row) {
    return Vector2(t.template block<2, 1>(row, 4));
  };
  InPlaneArc<S> arc;
  arc.length = to.traced->path - from.traced->path;
  arc.start.by_end = inverse(block(0, 2));
  arc.start.by_start = -product(arc.start.by_end, block(0, 0));
  arc.start.by_kappa = -product(arc.start.by_end, by_kappa(0));
  const Matrix2 turn = block(2, 2);
  arc.end.by_end = product(turn, arc.start.by_end);
  arc.end.by_start = block(2, 0) + product(turn, arc.start.by_start);
  arc.end.by_kappa = by_kappa(2) + product(turn, arc.start.by_kappa);
  arc.turn = inverse(turn);
  arc.bend.by_end = Eigen::Matrix2d::Zero().template cast<S>();
  arc.bend.by_start = -product(arc.turn, block(2, 0));
  arc.bend.by_kappa = -product(arc.turn, by_kappa(2));
  return arc;
}

/// For kinks along theta and phi.
template <class S>
void set_helix_turns(const TripletTrack& track, const TripletPoint& from,
                     const TripletPoint& layer, const TripletPoint& to,
                     TurnsBetween<S>& turns) {
  const double sigma = std::sqrt(layer.kink_variance);
  const double sigmas[] = {
      sigma, sigma * std::sqrt(inverse_sine_squared(track, layer))};
  const auto is_at = [&layer](const TripletPoint& hit) {
    return (layer.position - hit.position).norm() <= same_place;
  };
  PassiveTurns<double> t{};
  // at one of the hits it turns the track only there
  if (is_at(from)) {
    t.leaving[0][0] = t.leaving[1][1] = -1;
  } else if (is_at(to)) {
    t.arriving[0][0] = t.arriving[1][1] = 1;
  } else {
    t = passive_turns(helix_segment(track, from, layer),
                      helix_segment(track, layer, to),
                      {{layer.u.x(), layer.u.y(), layer.u.z()},
                       {layer.v.x(), layer.v.y(), layer.v.z()}});
  }
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t r = 0; r < 2; ++r) {
      turns.columns[c][turns.leaving + r] = S(t.leaving[r][c] * sigmas[c]);
      turns.columns[c][turns.arriving + r] = S(t.arriving[r][c] * sigmas[c]);
    }
}

/// Changes of the parameters at the start, for unit standard deviations.
template <class S>
Eigen::Matrix<S, track_dim, 3> kinks_at_start(const TripletTrack& track,
                                              const KinkColumns& kinks) {
  using std::sqrt;
  Eigen::Matrix<S, track_dim, 3> m;
  for (int c = 0; c < 3; ++c) {
    const S sigma = sqrt(S(kinks.variances[c]));
    for (int r = 0; r < track_dim; ++r)
      m(r, c) = r == Perigee::kappa && !track.fit_kappa
                    ? S(0)
                    : sigma * static_cast<S>(kinks.columns(r, c));
  }
  return m;
}

}  // namespace

template <class S>
InPlaneArc<S> make_arc(const TripletTrack& track, const TripletPoint& from,
                       const TripletPoint& to) {
  return track.traced ? make_traced_arc<S>(from, to)
                      : make_helix_arc<S>(track, from, to);
}

template <class S>
TurnsBetween<S> turns_between(const TripletTrack& track,
                              const TripletPoint& from,
                              const TripletPoint& layer, const TripletPoint& to,
                              const InPlaneArc<S>& arc) {
  TurnsBetween<S> turns;
  if (!track.traced) {
    set_helix_turns(track, from, layer, to, turns);
    return turns;
  }
  const auto kinks = kinks_at_start<S>(track, layer.traced->kinks);
  const auto moved = product(local_of<S>(to), kinks);
  for (std::size_t i = 0; i < turns.n_columns; ++i) {
    const auto c = static_cast<Eigen::Index>(i);
    const auto at = [&](const Eigen::Matrix<S, 2, 2>& by_end, int r) {
      return by_end(r, 0) * moved(OnSurface::u, c) +
             by_end(r, 1) * moved(OnSurface::v, c);
    };
    auto& column = turns.columns[i];
    // the point at the end is fixed
    for (int r = 0; r < 2; ++r) {
      const auto of_row = static_cast<std::size_t>(r);
      column[turns.leaving + of_row] = -at(arc.start.by_end, r);
      column[turns.arriving + of_row] =
          moved(r == 0 ? OnSurface::theta : OnSurface::phi, c) -
          at(arc.end.by_end, r);
    }
    column[turns.curvature] = kinks(Perigee::kappa, c);
  }
  return turns;
}

template <class S>
LayerKinks<S> kinks_of(const TripletTrack& track, const TripletPoint& layer) {
  using std::sqrt;
  LayerKinks<S> kinks;
  const S variance(layer.kink_variance);
  kinks.columns[0][kinks.theta] = sqrt(variance);
  kinks.columns[1][kinks.phi] =
      sqrt(variance * S(inverse_sine_squared(track, layer)));
  if (!track.loses_energy) return kinks;
  const auto at_start = kinks_at_start<S>(track, layer.traced->kinks);
  for (std::size_t c = 0; c < 3; ++c)
    kinks.columns[c][kinks.curvature] =
        at_start(Perigee::kappa, static_cast<Eigen::Index>(c));
  return kinks;
}

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

template <class S>
Eigen::Matrix<S, track_dim, track_dim> perigee_jacobian(
    const TripletTrack& track, const TripletPoint& crossing) {
  if (track.traced) return inverse(local_of<S>(crossing));
  const PerigeeOf<double> p = perigee_of(
      Helix<double>{cartesian(crossing.position) - cartesian(track.start),
                    track.theta, track.phi + crossing.turn, track.kappa});
  Matrix5 j = Matrix5::Identity();
  for (const int i : {Perigee::d0, Perigee::z0, Perigee::phi}) {
    const double(&by)[state_dim] = p.jacobian[i];
    j.block<1, 2>(i, 0) =
        row({by[StateIndex::x], by[StateIndex::y], by[StateIndex::z]}) *
        axes(crossing);
    j(i, OnSurface::phi) = by[StateIndex::phi];
    j(i, OnSurface::theta) = by[StateIndex::theta];
    j(i, OnSurface::qop) = by[StateIndex::kappa];
  }
  return j.cast<S>();
}

double inverse_sine_squared(const TripletTrack& track,
                            const TripletPoint& crossing) {
  if (track.traced) return crossing.traced->inv_sin2;
  const double sine = std::sin(track.theta);
  return 1 / (sine * sine);
}

#define GTTF_ARCS_OF(S)                                                      \
  template InPlaneArc<S> make_arc(const TripletTrack&, const TripletPoint&,  \
                                  const TripletPoint&);                      \
  template TurnsBetween<S> turns_between(                                    \
      const TripletTrack&, const TripletPoint&, const TripletPoint&,         \
      const TripletPoint&, const InPlaneArc<S>&);                            \
  template LayerKinks<S> kinks_of(const TripletTrack&, const TripletPoint&); \
  template Eigen::Matrix<S, track_dim, track_dim> perigee_jacobian(          \
      const TripletTrack&, const TripletPoint&)
GTTF_ARCS_OF(double);
GTTF_ARCS_OF(DoubleDouble);
#undef GTTF_ARCS_OF

}  // namespace gttf::detail
