// SPDX-License-Identifier: Apache-2.0
// The steps of the streaming fit along a kinked helix, for one track or one per
// lane; see StreamingFitter.
#pragma once

#include <span>

#include "gttf/fit/streaming/kink_elimination.hpp"
#include "gttf/fit/streaming/kinked_steps.hpp"
#include "gttf/fit/track/prefit_steps.hpp"

namespace gttf::detail {

/// Where the reference crosses a surface.
template <class S>
struct Crossed {
  HelixState<S> before, after;  ///< after: with its kink
  HelixPoint<S> at;             ///< before
  PlaneAxes<S> axes;
  Cartesian<S> normal;
  LineTransport<S> transport_before, transport_after;
};

/// What a linear fit needs of a crossing of the reference.
template <class S>
struct StreamNode {
  S arc;                   ///< transverse, from the node before
  S kink_theta, kink_phi;  ///< of the reference
  Kink<S> columns;         ///< of the kinks, in start parameters
  S sine2;  ///< of theta between before and after the kink, squared
  S variance_theta, variance_phi;  ///< of the kinks
  Row<S> rows[2];                  ///< of the coordinates
  S residuals[2];
  KinkGain<S> gain;
  S offset_theta, offset_phi;
};

/// A fit of hits as prefit() wants them, with more of the type `Hits`:
///
///   points         indices of the points from the first to the last measured
///                  one: all that measure or scatter
///
/// @tparam S  double, or a number per lane
template <class S, class Hits>
class StreamedFit {
 public:
  /// @param nodes  room for as many as there are points
  StreamedFit(const Hits& hits, std::span<StreamNode<S>> nodes)
      : hits_(hits), nodes_(nodes) {}

  /// Begins with a helix on the surface of the first measured point.
  void start(const HelixState<S>& first) {
    first_ = first;
    is_kinked_ = false;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      StreamNode<S>& n = nodes_[k];
      n.kink_theta = n.kink_phi = n.arc = S(0);
      if (k == 0) continue;
      // a first guess: the distance in the transverse plane
      using std::sqrt;
      const Cartesian<S> step = hits_.surface(hits_.points[k]).position -
                                hits_.surface(hits_.points[k - 1]).position;
      n.arc = sqrt(transverse_dot(step, step));
    }
  }

  /// Follows the helix from the start through all surfaces with the kinks of
  /// the nodes.
  /// @param at_node  called with the number of a node, and where it is
  template <class AtNode>
  void follow(LaneOutcome<S>& outcome, AtNode&& at_node);

  /// One linear fit around the reference: equations, line, gains.
  /// @param weight     factor of theta0_2
  /// @param on_outside called with the number of a node and the equations about
  ///                   the line outside of it
  template <class OnOutside>
  void solve(const S& weight, LaneOutcome<S>& outcome, OnOutside&& on_outside);
  void solve(const S& weight, LaneOutcome<S>& outcome) {
    solve(weight, outcome, [](std::size_t, const FiveEquations<S>&) {});
  }

  /// Moves the kinks of the reference to those fitted.
  /// @param on_change  called with the changes of both kinks of a node
  template <class OnChange>
  void move_kinks(OnChange&& on_change);
  void move_kinks() {
    move_kinks([](const StreamNode<S>&, const S&, const S&) {});
  }
  /// Moves the start of the reference, after the kinks.
  void move_start(LaneOutcome<S>& outcome);

  /// Scattering of a node matters if hits lie on both sides.
  bool kinks(std::size_t k) const {
    return k > 0 && k + 1 < nodes_.size() &&
           any(nodes_[k].variance_theta > S(0));
  }

  const HelixState<S>& first() const { return first_; }
  const Row<S>& line() const { return line_; }
  const FiveEquations<S>& equations() const { return equations_; }
  const S& chi2() const { return column_.chi2; }
  /// The crossing of the first node when it was last followed.
  const Crossed<S>& first_crossing() const { return first_crossing_; }

 private:
  void set_rows(const Crossed<S>& x, std::size_t point, StreamNode<S>& n) const;

  const Hits& hits_;
  std::span<StreamNode<S>> nodes_;
  HelixState<S> first_;
  Crossed<S> first_crossing_;
  bool is_kinked_ = false;  ///< the reference, at some node
  FiveEquations<S> equations_;
  ResidualColumn<S> column_;
  Row<S> line_{};  ///< fitted minus reference at the start
};

template <class S, class Hits>
void StreamedFit<S, Hits>::set_rows(const Crossed<S>& x, std::size_t point,
                                    StreamNode<S>& n) const {
  const InPlane<S> residual =
      seen_in_plane(hits_.surface(point), {x.before.x, x.before.y, x.before.z});
  std::size_t q = 0;
  for (const CoordinateAxis& a : hits_.axes(point)) {
    const S cosine(a.cosine), sine(a.sine);
    n.rows[q] = plane_row(cosine * x.axes.u + sine * x.axes.v, x.normal, x.at,
                          x.transport_before);
    n.residuals[q++] = cosine * residual.u + sine * residual.v;
  }
}

template <class S, class Hits>
template <class AtNode>
[[gnu::flatten]] void StreamedFit<S, Hits>::follow(LaneOutcome<S>& outcome,
                                                   AtNode&& at_node) {
  Crossed<S> x;
  x.after = first_;
  x.transport_after = no_transport<S>();
  HelixDirection<S> direction = direction_of(first_);
  HelixPoint<S> from = point_of(first_, direction);
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    StreamNode<S>& n = nodes_[k];
    const std::size_t point = hits_.points[k];
    const HitSurface<S> surface = hits_.surface(point);
    const S s = arc_to(from, surface, n.arc);
    outcome.require(is_finite(s + from.position.x), FitStatus::not_converged);
    // layers of one sensor may coincide
    constexpr double rounding = 1e-6;  // mm
    if (k > 0) outcome.require(s > S(-rounding), FitStatus::wrong_order);
    if (outcome.failed()) return;
    n.arc = s;
    const ArcTurn<S> turn = arc_turn(from.c, s);
    x.transport_before = x.transport_after;
    transport_along(from, S(1) / direction.sin_theta, s, turn,
                    x.transport_before);
    x.at = advanced(from, s, turn);
    x.before = {x.at.position.x,
                x.at.position.y,
                x.at.position.z,
                x.after.theta,
                x.after.phi + turn.x + turn.x,
                first_.kappa};
    x.axes = axes_on(surface, x.at.position);
    x.normal = x.axes.normal();
    x.after = x.before;
    x.after.theta = x.after.theta + n.kink_theta;
    x.after.phi = x.after.phi + n.kink_phi;
    x.transport_after = x.transport_before;
    if (is_kinked_) {
      using std::sin;
      const S mean = sin(S(0.5) * (x.before.theta + x.after.theta));
      n.sine2 = mean * mean;
      direction = direction_of(x.after);
      from = point_of(x.after, direction);
      transport_through_kink(x.normal, x.at, from, x.transport_after);
    } else {
      n.sine2 = direction.sin_theta * direction.sin_theta;
      from = x.at;
    }
    n.columns = kink_columns(x.transport_after);
    set_rows(x, point, n);
    if (k == 0) first_crossing_ = x;
    at_node(k, x);
  }
}

template <class S, class Hits>
template <class OnOutside>
[[gnu::flatten]] void StreamedFit<S, Hits>::solve(const S& weight,
                                                  LaneOutcome<S>& outcome,
                                                  OnOutside&& on_outside) {
  equations_ = FiveEquations<S>();
  column_ = {};
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    StreamNode<S>& n = nodes_[k];
    n.variance_theta = weight * hits_.theta0_2(hits_.points[k]);
    n.variance_phi = n.variance_theta / n.sine2;
    on_outside(k, equations_);
    if (kinks(k)) {
      shift_kinks(equations_, column_, n.columns, S(-n.kink_theta),
                  S(-n.kink_phi));
      scatter<ZeroVariance::excluded, true>(equations_, n.columns,
                                            n.variance_theta, n.variance_phi,
                                            &n.gain, column_);
      n.offset_theta = column_.kink_theta;
      n.offset_phi = column_.kink_phi;
    }
    const auto axes = hits_.axes(hits_.points[k]);
    for (std::size_t q = 0; q < axes.size(); ++q)
      measure(equations_, column_, n.rows[q], n.residuals[q],
              S(axes[q].variance));
  }
  if (!hits_.field) forbid_curvature(equations_, column_);
  outcome.require(is_determined(equations_), FitStatus::not_determined);
  line_ = gttf::solve(equations_, column_);
  outcome.require(is_finite(column_.chi2 + line_[0]), FitStatus::not_converged);
}

template <class S, class Hits>
template <class OnChange>
[[gnu::flatten]] void StreamedFit<S, Hits>::move_kinks(OnChange&& on_change) {
  Row<S> s = line_;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (!kinks(k)) continue;
    StreamNode<S>& n = nodes_[k];
    S theta = n.offset_theta - n.kink_theta;
    S phi = n.offset_phi - n.kink_phi;
    for (std::size_t i = 0; i < 5; ++i) {
      theta = theta - n.gain.theta[i] * s[i];
      phi = phi - n.gain.phi[i] * s[i];
    }
    n.kink_theta = n.kink_theta + theta;
    n.kink_phi = n.kink_phi + phi;
    for (std::size_t i = 0; i < 3; ++i)
      s[i] = s[i] + n.columns.theta[i] * theta + n.columns.phi[i] * phi;
    s[3] = s[3] + theta;
    is_kinked_ = true;
    on_change(n, theta, phi);
  }
}

template <class S, class Hits>
void StreamedFit<S, Hits>::move_start(LaneOutcome<S>& outcome) {
  using std::cos, std::sin;
  // the start parameters belong to the line before the kink of the first node
  HelixState<S>& h = first_;
  h.x = h.x - sin(h.phi) * line_[0];
  h.y = h.y + cos(h.phi) * line_[0];
  h.z = h.z + line_[1];
  h.phi = h.phi + line_[2];
  h.theta = h.theta + line_[3];
  h.kappa = h.kappa + line_[4];
  const HelixDirection<S> direction = direction_of(h);
  outcome.require(direction.sin_theta > S(0), FitStatus::not_converged);
  // back along the track onto the first surface, where its state is quoted
  const HelixPoint<S> from = point_of(h, direction);
  const S s = arc_to(from, hits_.surface(hits_.points[0]), S(0));
  const auto there = is_finite(s);
  const S safe = select(there, s, S(0));
  const ArcTurn<S> turn = arc_turn(from.c, safe);
  const HelixPoint<S> at = advanced(from, safe, turn);
  h.x = at.position.x;
  h.y = at.position.y;
  h.z = at.position.z;
  h.phi = h.phi + turn.x + turn.x;
}

}  // namespace gttf::detail
