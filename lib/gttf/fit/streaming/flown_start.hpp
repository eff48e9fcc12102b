// SPDX-License-Identifier: Apache-2.0
// TrackWithoutKinks: the track without kinks that is closest to hits in regions
// of uniform fields: find_start() for any scalar, in the usual case that each
// step improves the fit.
#pragma once

#include "gttf/fit/streaming/five_equations.hpp"
#include "gttf/fit/track/hit_surface.hpp"
#include "gttf/fit/triplet/flown_segment.hpp"

namespace gttf::detail {

/// Normal equations of a track without kinks: lower triangle, row by row.
template <class S>
struct NormalSums {
  S information[track_dim][track_dim], right[track_dim], chi2;
};

/// A track on the surface of its first hit, in front of the layer.
template <class S>
struct TrackOnFirstHit {
  Cartesian<S> x, t;
  BatchCharge<S> charge;

  /// Derivatives with respect to d0, z0, phi, theta and kappa there.
  void set_changes(const BatchFlight& model,
                   FlightChange<S> (&changes)[track_dim]) const {
    const FrameDirection<S> at(model.frame, t);
    const Cartesian<S> zero{S(0), S(0), S(0)};
    changes[Perigee::d0] = {at.along_phi, zero};
    changes[Perigee::z0] = {
        out_of_frame(model.frame, Cartesian<S>{S(0), S(0), S(1)}), zero};
    changes[Perigee::phi] = {zero, at.sine * at.along_phi};
    changes[Perigee::theta] = {zero, at.along_theta};
    changes[Perigee::kappa] = {zero, zero, true};
  }
  /// Adds to these parameters.
  /// @return  tracks that still cross the surface
  MaskOf<S> move(const HitGroup& in, const Row<S>& by) {
    const BatchFlight& model = *in.flight;
    const FrameDirection<S> at(model.frame, t);
    const std::size_t first = in.measured[0];
    FlightThroughRegions<S> flight(
        model,
        x + by[Perigee::d0] * at.along_phi +
            out_of_frame(model.frame,
                         Cartesian<S>{S(0), S(0), by[Perigee::z0]}),
        direction_in_frame(model.frame, S(at.theta() + by[Perigee::theta]),
                           S(at.phi() + by[Perigee::phi])),
        {charge.qop + charge.slope * by[Perigee::kappa], charge.slope},
        model.region[first]);
    flight.fly_onto(SurfaceOfLayer{in.points[first].surface},
                    model.region[first], 0, S(0), {});
    x = flight.x;
    t = flight.t;
    charge = flight.charge;
    return flight.good;
  }
};

/// First guess of the path to a layer: the distance along the straight line to
/// a hit.
template <class S>
S distance_towards(const SurfaceOfLayer& layer, const Cartesian<S>& from,
                   const Cartesian<S>& to) {
  using std::abs, std::sqrt;
  const Cartesian<S> step = to - from;
  const S here = layer.on_path(from, step).value,
          change = here - layer.on_path(to, step).value;
  const auto apart = abs(change) > S(0);
  return sqrt(inner(step, step)) *
         select(apart, here / select(apart, change, S(1)), S(0));
}

/// The hit on a point, or the next one.
template <class S>
Cartesian<S> next_hit(const HitGroup& in, const GroupPoint& point) {
  return position_of_hit<S>(in, point.measures ? point.hit : point.next_hit);
}

/// Derivatives and residual of each coordinate of a hit at a point of the
/// track on its surface.
/// @param add  called with the coordinate, its row and its residual
template <class S, class Add>
void see_coordinates(const GroupPoint& point, const Cartesian<S>& hit,
                     const Cartesian<S>& at,
                     const FlightChange<S> (&changes)[track_dim], Add&& add) {
  const HitSurface<S> surface = surface_through(
      point.surface, hit,
      point.surface.is_curved() ? HitSurface<S>::inverse_radius_of(hit) : S(0));
  const InPlane<S> seen = seen_in_plane(surface, at);
  const PlaneAxes<S> axes = axes_on(surface, at);
  for (std::size_t q = 0; q < point.n_coordinates; ++q) {
    const CoordinateAxis& a = point.coordinates[q];
    const S cosine(a.cosine), sine(a.sine);
    const S residual = cosine * seen.u + sine * seen.v;
    const Cartesian<S> along = cosine * axes.u + sine * axes.v;
    Row<S> row;
    for (std::size_t i = 0; i < track_dim; ++i)
      row[i] = inner(along, changes[i].position);
    add(q, row, residual);
  }
}

template <class S>
class TrackWithoutKinks {
 public:
  explicit TrackWithoutKinks(const HitGroup& in)
      : in_(in), model_(*in.flight) {}

  /// @param good  cleared where the scalar path must be taken
  TrackOnFirstHit<S> find(MaskOf<S>& good) const {
    TrackOnFirstHit<S> track = start();
    NormalSums<S> now, next;
    good = both(good, sum(track, now));
    constexpr int most_steps = 8;
    constexpr double near = 1e-4, rounding = 1e-9;  // as in DampedFit
    double damping = 1e-6;
    auto moving = all_true<S>();
    for (int step = 0; step < most_steps && any(both(moving, good)); ++step) {
      Row<S> move;
      solve(now, damping, move);
      const S expected = gain_of(now, move);
      const TrackOnFirstHit<S> before = track;
      const auto crosses = track.move(in_, move);
      const auto followed = both(crosses, sum(track, next));
      // a step that does not improve the fit needs more damping
      const auto better = next.chi2 <= now.chi2 * S(1 + rounding) + S(near);
      good = both(good, either(!moving, both(followed, better)));
      keep(moving, before.x, track.x);
      keep(moving, before.t, track.t);
      track.charge.qop = select(moving, track.charge.qop, before.charge.qop);
      moving = both(moving, !(expected < S(near)));
      now = next;
      damping *= 0.1;
    }
    good = both(good, !moving);
    return track;
  }

  /// The curvature at the origin, before all layers.
  S curvature(MaskOf<S>& good) const {
    BatchCharge<S> charge = find(good).charge;
    for (std::size_t i = first_point(); i-- > 0;)
      charge.pass_back(model_, i, good);
    return -(S(model_.b_ref) * charge.qop);
  }

 private:
  using Flight = FlightThroughRegions<S>;

  static void keep(const MaskOf<S>& moved, const Cartesian<S>& before,
                   Cartesian<S>& now) {
    now = {select(moved, now.x, before.x), select(moved, now.y, before.y),
           select(moved, now.z, before.z)};
  }

  std::size_t first_point() const { return in_.measured[0]; }

  /// On the first hit, towards the next hit at sufficient distance.
  TrackOnFirstHit<S> start() const {
    using std::sqrt;
    TrackOnFirstHit<S> track;
    track.x = position_of_hit<S>(in_, 0);
    const Cartesian<S> whole =
        position_of_hit<S>(in_, in_.n_hits - 1) - track.x;
    const S least2 = S(1e-4) * inner(whole, whole);
    Cartesian<S> t = position_of_hit<S>(in_, 1) - track.x;
    for (std::size_t h = 2; h < in_.n_hits; ++h) {
      const auto far = inner(t, t) > least2;
      if (!any(!far)) break;
      const Cartesian<S> step = position_of_hit<S>(in_, h) - track.x;
      t = {select(far, t.x, step.x), select(far, t.y, step.y),
           select(far, t.z, step.z)};
    }
    track.t = (S(1) / sqrt(inner(t, t))) * t;
    track.charge =
        BatchCharge<S>::at_origin(model_, PackAccess<S>::load(in_.kappa_ref));
    return track;
  }

  /// @return  tracks that could be followed
  MaskOf<S> sum(const TrackOnFirstHit<S>& track, NormalSums<S>& sums) const {
    using std::sqrt;
    const S zero(0);
    for (std::size_t i = 0; i < track_dim; ++i) {
      sums.right[i] = zero;
      for (S& x : sums.information[i]) x = zero;
    }
    sums.chi2 = zero;
    FlightChange<S> changes[track_dim];
    track.set_changes(model_, changes);
    Flight flight(model_, track.x, track.t, track.charge,
                  model_.region[first_point()]);
    S angle2(0), moment(0), moment2(0), path(0);
    Cartesian<S> before{};
    for (std::size_t i = first_point(); i < in_.n_points; ++i) {
      const GroupPoint& point = in_.points[i];
      const S theta0_2 = PackAccess<S>::load(in_.theta0_2[i]);
      if (!point.measures && !model_.loses(i) && !any(theta0_2 > zero))
        continue;
      const bool first = i == first_point();
      const Cartesian<S> hit = next_hit<S>(in_, point);
      const SurfaceOfLayer layer{point.surface};
      flight.fly_onto(layer, model_.region[i], first ? 0 : 1,
                      distance_towards(layer, flight.x, hit), changes);
      if (!first) {
        const Cartesian<S> step = flight.x - before;
        path = path + sqrt(inner(step, step));
      }
      before = flight.x;
      const S wander = angle2 * path * path - S(2) * moment * path + moment2;
      if (point.measures)
        see_coordinates(
            point, hit, flight.x, changes,
            [&](std::size_t q, const Row<S>& row, const S& residual) {
              add(row, residual,
                  S(1) / (S(point.coordinates[q].variance) + wander), sums);
            });
      angle2 = angle2 + theta0_2;
      moment = moment + theta0_2 * path;
      moment2 = moment2 + theta0_2 * path * path;
      flight.charge.pass(model_, i, flight.good);
    }
    if (!model_.field) {
      for (std::size_t j = 0; j < track_dim; ++j)
        sums.information[Perigee::kappa][j] = S(j == Perigee::kappa ? 1 : 0);
      sums.right[Perigee::kappa] = zero;
    }
    return flight.good;
  }

  static void add(const Row<S>& row, const S& residual, const S& weight,
                  NormalSums<S>& sums) {
    for (std::size_t i = 0; i < track_dim; ++i) {
      const S weighted = weight * row[i];
      sums.right[i] = sums.right[i] + weighted * residual;
      for (std::size_t j = 0; j <= i; ++j)
        sums.information[i][j] = sums.information[i][j] + weighted * row[j];
    }
    sums.chi2 = sums.chi2 + weight * residual * residual;
  }

  /// By L D L^T of the equations scaled to a diagonal of 1 + damping.
  static void solve(const NormalSums<S>& e, double damping, Row<S>& move) {
    using std::sqrt;
    S scale[track_dim], l[track_dim][track_dim], inverse[track_dim];
    for (std::size_t i = 0; i < track_dim; ++i)
      scale[i] = S(1) / sqrt(e.information[i][i]);
    for (std::size_t i = 0; i < track_dim; ++i) {
      S y = e.right[i] * scale[i];
      for (std::size_t j = 0; j <= i; ++j) {
        S sum =
            i == j ? S(1 + damping) : e.information[i][j] * scale[i] * scale[j];
        // l[.][k] holds L D
        for (std::size_t k = 0; k < j; ++k)
          sum = sum - l[i][k] * (l[j][k] * inverse[k]);
        l[i][j] = sum;
      }
      inverse[i] = S(1) / l[i][i];
      for (std::size_t k = 0; k < i; ++k)
        y = y - l[i][k] * inverse[k] * move[k];
      move[i] = y;
    }
    for (std::size_t i = track_dim; i-- > 0;) {
      S sum = move[i];
      for (std::size_t k = i + 1; k < track_dim; ++k)
        sum = sum - l[k][i] * move[k];
      move[i] = sum * inverse[i];
    }
    for (std::size_t i = 0; i < track_dim; ++i) move[i] = move[i] * scale[i];
  }

  /// The expected decrease of chi2.
  static S gain_of(const NormalSums<S>& e, const Row<S>& move) {
    S sum(0);
    for (std::size_t i = 0; i < track_dim; ++i) {
      S row = e.information[i][i] * move[i];
      for (std::size_t j = 0; j < i; ++j)
        row = row + S(2) * e.information[i][j] * move[j];
      sum = sum + row * move[i];
    }
    return sum;
  }

  const HitGroup& in_;
  const BatchFlight& model_;
};

}  // namespace gttf::detail
