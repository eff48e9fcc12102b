// SPDX-License-Identifier: Apache-2.0
// KinkedFlight: the reference of the streaming fit of data through regions of
// uniform fields, for any scalar: KinkedTrajectory of several tracks.
#pragma once

#include <span>

#include "gttf/fit/streaming/flown_start.hpp"
#include "gttf/fit/streaming/general_kinks.hpp"
#include "gttf/fit/streaming/streamed_fit.hpp"

namespace gttf::detail {

/// One crossing of the reference.
template <class S>
struct FlightNode {
  std::size_t point;        ///< in HitGroup::points
  GeneralKinks<S> kinks;    ///< behind the layer, in start parameters
  std::array<S, 3> so_far;  ///< changes of theta, phi and kappa
  S inv_sin2;               ///< of theta between before and behind the kink
  Row<S> rows[2];           ///< of the coordinates
  S residuals[2];
  GeneralGain<S> gain;  ///< of the last fit
  std::array<S, 3> offset;
};

/// Changes of the start parameters by unit kinks theta and phi at fixed point
/// and curvature, and of the curvature at fixed point and direction:
/// set_kink_columns().
/// @param changes  behind the layer
/// @param slope    d(curvature)/d(start) there; null: the loss does not
///                 fluctuate
template <class S>
void set_kink_columns(const FrameDirection<S>& at, const PlaneAxes<S>& axes,
                      const FlightChange<S> (&changes)[track_dim],
                      const S* slope, GeneralKinks<S>& kinks) {
  const auto moved = [&axes](const FlightChange<S>& by) {
    return InPlane<S>{inner(axes.u, by.position), inner(axes.v, by.position)};
  };
  const auto turned = [&at](const FlightChange<S>& by) {  // phi, theta
    return InPlane<S>{inner(at.along_phi, by.direction) * at.inverse,
                      inner(at.along_theta, by.direction)};
  };
  TwoByTwo<S> a, b, c, d;  // (u, v), (phi, theta) by (d0, z0), (phi, theta)
  const auto put = [](const InPlane<S>& x, std::size_t j, TwoByTwo<S>& m) {
    m.m[0][j] = x.u;
    m.m[1][j] = x.v;
  };
  for (std::size_t j = 0; j < 2; ++j) {
    const FlightChange<S>&near = changes[j], &turn = changes[2 + j];
    put(moved(near), j, a);
    put(moved(turn), j, b);
    put(turned(near), j, c);
    put(turned(turn), j, d);
  }
  static_assert(Perigee::phi == 2 && Perigee::theta == 3);
  const LowerColumns<S> columns(a, b, c, d);
  for (std::size_t i = 0; i < 2; ++i) {
    kinks.phi[i] = columns.upper.m[i][0];
    kinks.theta[i] = columns.upper.m[i][1];
    kinks.phi[2 + i] = columns.lower.m[i][0];
    kinks.theta[2 + i] = columns.lower.m[i][1];
  }
  kinks.phi[Perigee::kappa] = kinks.theta[Perigee::kappa] = S(0);
  for (S& x : kinks.loss) x = S(0);
  kinks.w_loss = S(0);
  if (slope == nullptr) return;
  // what a unit of kappa at the start does here is undone except for kappa
  const FlightChange<S>& by_kappa = changes[Perigee::kappa];
  const auto [near, turn] = columns.applied(moved(by_kappa), turned(by_kappa));
  const S inverse = S(1) / *slope;
  kinks.loss = {-(near.u * inverse), -(near.v * inverse), -(turn.u * inverse),
                -(turn.v * inverse), inverse};
}

template <class S>
class KinkedFlight {
 public:
  using Scalar = S;

  /// @param nodes  buffer for one node per point
  KinkedFlight(const HitGroup& in, FlightNode<S>* nodes,
               const TrackOnFirstHit<S>& track)
      : start(track), in_(in), model_(*in.flight), nodes_(nodes) {
    for (std::size_t i = in.measured[0]; i < in.n_points; ++i) {
      if (!in.points[i].measures && !model_.loses(i) &&
          !any(scattering(i) > S(0)))
        continue;
      FlightNode<S>& n = nodes_[size_++];
      n.point = i;
      n.so_far.fill(S(0));
    }
  }

  /// Follows the track through all surfaces with the kinks of the nodes.
  void follow(BatchOutcome<S>& outcome) {
    FlightChange<S> changes[track_dim];
    start.set_changes(model_, changes);
    const std::size_t first = in_.measured[0];
    FlightThroughRegions<S> flight(model_, start.x, start.t, start.charge,
                                   model_.region[first]);
    for (std::size_t k = 0; k < size_; ++k) {
      FlightNode<S>& n = nodes_[k];
      const GroupPoint& point = in_.points[n.point];
      const Cartesian<S> hit = next_hit<S>(in_, point);
      const SurfaceOfLayer layer{point.surface};
      flight.fly_onto(layer, model_.region[n.point], k == 0 ? 0 : 1,
                      distance_towards(layer, flight.x, hit), changes);
      if (point.measures)
        see_coordinates(
            point, hit, flight.x, changes,
            [&n](std::size_t q, const Row<S>& row, const S& residual) {
              n.rows[q] = row;
              n.residuals[q] = residual;
            });
      pass_layer(n, flight, changes);
    }
    outcome.require(both(flight.good, is_finite(flight.x.x)),
                    FitStatus::not_converged);
  }

  /// @param weight  factor of theta0_2
  void set_variances(const S& weight, BatchOutcome<S>& outcome) {
    MaskOf<S> good = all_true<S>();
    for (std::size_t k = 0; k < size_; ++k) {
      FlightNode<S>& n = nodes_[k];
      n.kinks.w = weight * scattering(n.point);
      n.kinks.w_phi = n.kinks.w * n.inv_sin2;
      if (model_.straggles(n.point))
        n.kinks.w_loss = straggling_variance(model_, n.point, weight, good);
    }
    outcome.require(good, FitStatus::stops);
  }

  void move_start(const Row<S>& change, BatchOutcome<S>& outcome) {
    outcome.require(start.move(in_, change), FitStatus::not_converged);
  }

  // A source of crossings.
  bool scatters(std::size_t k) const {
    if (k == 0 || k + 1 >= size_) return false;
    const GeneralKinks<S>& kinks = nodes_[k].kinks;
    return any(either(kinks.w > S(0), kinks.w_loss > S(0)));
  }
  const GeneralKinks<S>& kinks(std::size_t k) const { return nodes_[k].kinks; }
  void look_ahead(std::size_t) const {}
  template <class F>
  void coordinates(std::size_t k, F&& f) const {
    const FlightNode<S>& n = nodes_[k];
    const GroupPoint& point = in_.points[n.point];
    for (std::size_t q = 0; q < point.n_coordinates; ++q)
      f(DataCoordinate<S>{n.rows[q], n.residuals[q],
                          S(point.coordinates[q].variance)});
  }

  std::size_t size() const { return size_; }
  FlightNode<S>& node(std::size_t k) { return nodes_[k]; }
  const FlightNode<S>& node(std::size_t k) const { return nodes_[k]; }
  bool has_field() const { return model_.field; }
  void has_kinks() { is_kinked_ = true; }

  TrackOnFirstHit<S> start;

 private:
  S scattering(std::size_t point) const {
    return PackAccess<S>::load(in_.theta0_2[point]);
  }

  void pass_layer(FlightNode<S>& n, FlightThroughRegions<S>& flight,
                  FlightChange<S> (&changes)[track_dim]) const {
    const SurfaceRecord& surface = in_.points[n.point].surface;
    const AxisComponents<S> axes =
        axis_components(surface, flight.x.x, flight.x.y);
    const FrameDirection<S> before(model_.frame, flight.t);
    const S inv_sine = before.inverse;
    n.inv_sin2 = inv_sine * inv_sine;
    const PlaneAxes<S> plane = {{axes.u[0], axes.u[1], axes.u[2]},
                                {axes.v[0], axes.v[1], axes.v[2]}};
    flight.charge.pass(model_, n.point, flight.good);
    const bool straggles = model_.straggles(n.point);
    const S slope = flight.charge.curvature_slope(model_);
    const auto set_columns = [&](const FrameDirection<S>& at) {
      set_kink_columns(at, plane, changes, straggles ? &slope : nullptr,
                       n.kinks);
    };
    if (!is_kinked_) return set_columns(before);
    if (straggles) flight.charge.change_curvature(model_, n.so_far[2]);
    flight.t = direction_in_frame(model_.frame, S(before.theta() + n.so_far[0]),
                                  S(before.phi() + n.so_far[1]));
    const FrameDirection<S> behind(model_.frame, flight.t);
    const S sine = S(0.5) * (before.sine + behind.sine);
    n.inv_sin2 = S(1) / (sine * sine);
    // the angles change by constants, so their derivatives are unchanged
    for (FlightChange<S>& c : changes) {
      const S theta = inner(before.along_theta, c.direction),
              phi = inner(before.along_phi, c.direction) * before.inverse;
      c.direction =
          theta * behind.along_theta + (behind.sine * phi) * behind.along_phi;
    }
    set_columns(behind);
  }

  const HitGroup& in_;
  const BatchFlight& model_;
  FlightNode<S>* nodes_;
  std::size_t size_ = 0;
  bool is_kinked_ = false;  ///< at some node
};

}  // namespace gttf::detail
