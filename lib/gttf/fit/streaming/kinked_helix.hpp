// SPDX-License-Identifier: Apache-2.0
// KinkedHelix: the reference of the fit of data along a helix, and the
// propagation of small changes from surface to surface; for one track or one
// track per vector element.
#pragma once

#include <span>

#include "gttf/fit/streaming/stream.hpp"
#include "gttf/fit/track/hit_surface.hpp"
#include "gttf/fit/track/prefit_steps.hpp"
#include "gttf/trajectory/derivatives.hpp"

namespace gttf::detail {

/// Rows (across, vertical, phi) of a point with respect to the five parameters
/// of the line at the start: displacement along the left normal of the
/// direction and along z, with the component along the track removed.
template <class S>
struct LineTransport {
  S row[3][track_dim];
};

template <class S>
LineTransport<S> no_transport() {
  const S zero(0), one(1);
  return {{{one, zero, zero, zero, zero},
           {zero, one, zero, zero, zero},
           {zero, zero, one, zero, zero}}};
}

/// After the arc s: (across, vertical, phi) there as function of (across,
/// vertical, phi, theta, kappa) before; see docs/theory/crossings.md.
/// @param t  arc_turn() of the arc
template <class S>
void transport_along(const HelixPoint<S>& from, const S& inv_sine, const S& s,
                     const ArcTurn<S>& t, LineTransport<S>& transport) {
  using std::abs;
  const S &c = from.c, &ct = from.cot, two(2), one(1);
  const S half_chord = S(0.5) * s * t.sinc;  // D
  const S f = two * half_chord * t.cosine, g = two * half_chord * t.sine;
  const S sin_turn = two * t.sine * t.cosine;
  const S cos_turn = one - two * t.sine * t.sine;
  // (s - f)/c = s^2 (1 - sin 2X/2X)/2X
  const S x2 = t.x * t.x;
  constexpr double terms[] = {1. / 3, -1. / 15, 2. / 315, -1. / 2835,
                              2. / 155925};
  S excess = s * s * t.x * polynomial(terms, x2);
  const auto large = !(abs(t.x) < S(0.1));
  if (any(large))
    excess = select(large, (s - f) / select(large, c, one), excess);
  const S d2 = two * half_chord * half_chord;
  const S along[4] = {sin_turn, g, ct * f, excess * inv_sine};
  const S across_phi = f, across_theta = -(ct * g),
          across_kappa = d2 * inv_sine;
  S(&row)[3][track_dim] = transport.row;
  for (std::size_t j = 0; j < track_dim; ++j) {
    const S across = row[0][j], vertical = row[1][j], phi = row[2][j];
    row[0][j] = cos_turn * across + across_phi * phi;
    // displacement of the point along the track
    const S slid = along[0] * across + along[1] * phi;
    row[1][j] = vertical - ct * slid;
    row[2][j] = phi - c * slid;
  }
  row[0][3] = row[0][3] + across_theta;
  row[0][4] = row[0][4] + across_kappa;
  row[1][3] = row[1][3] - s - ct * along[2];
  row[1][4] = row[1][4] - ct * along[3];
  row[2][3] = row[2][3] - c * along[2];
  row[2][4] = row[2][4] + s * inv_sine - c * along[3];
}

/// Crossing of a track displaced along its left normal, or along z, with a
/// surface: the displacement, and the arc along the track.
template <class S>
struct SlidStep {
  Cartesian<S> displacement;
  S slide;
};

/// @param inverse  1/(normal . slope)
template <class S>
SlidStep<S> slid_onto(const Cartesian<S>& normal, const Cartesian<S>& slope,
                      const S& inverse, const Cartesian<S>& displacement) {
  const S slide = -(dot(normal, displacement) * inverse);
  return {displacement + slide * slope, slide};
}

/// (across, vertical, phi) after a finite kink on a surface as function of the
/// values before, both moved along their track.
template <class S>
void transport_through_kink(const Cartesian<S>& normal,
                            const HelixPoint<S>& before,
                            const HelixPoint<S>& after,
                            LineTransport<S>& transport) {
  const Cartesian<S> left = after.left(), t = after.slope();
  const Cartesian<S> slope = before.slope();
  const S inverse = S(1) / dot(normal, slope);
  const Cartesian<S> basis[2] = {before.left(), {S(0), S(0), S(1)}};
  S m[3][2];
  for (int i = 0; i < 2; ++i) {
    const SlidStep<S> p = slid_onto(normal, slope, inverse, basis[i]);
    const S along = transverse_dot(p.displacement, t);
    m[0][i] = dot(p.displacement, left);
    m[1][i] = p.displacement.z - t.z * along;
    m[2][i] = before.c * p.slide - after.c * along;
  }
  S(&row)[3][track_dim] = transport.row;
  for (std::size_t j = 0; j < track_dim; ++j) {
    const S across = row[0][j], vertical = row[1][j];
    row[0][j] = m[0][0] * across + m[0][1] * vertical;
    row[1][j] = m[1][0] * across + m[1][1] * vertical;
    row[2][j] = row[2][j] + m[2][0] * across + m[2][1] * vertical;
  }
}

/// Kinks after a surface as changes of the start parameters: from the equations
/// transport . s = (changes of across, vertical, phi), solved for d0, z0, phi.
template <class S>
Kink<S> kink_columns(const LineTransport<S>& transport) {
  const S(&t)[3][track_dim] = transport.row;
  const auto column = [&t](std::size_t j) -> Cartesian<S> {
    return {t[0][j], t[1][j], t[2][j]};
  };
  const Cartesian<S> a = column(0), b = column(1), c = column(2);
  const Cartesian<S> bc = cross(b, c), ca = cross(c, a), ab = cross(a, b);
  const S inverse = S(1) / dot(a, bc);
  // a theta kink at a fixed point
  const Cartesian<S> theta = -inverse * column(3);
  return {{dot(bc, theta), dot(ca, theta), dot(ab, theta)},
          {bc.z * inverse, ca.z * inverse, ab.z * inverse}};
}

/// Derivative of the coordinate along `axis`, a vector in the plane.
template <class S>
Row<S> plane_row(const Cartesian<S>& axis, const Cartesian<S>& normal,
                 const HelixPoint<S>& at, const LineTransport<S>& transport) {
  const Cartesian<S> t = at.slope();
  const S slide = dot(axis, t) / dot(normal, t);
  const S across = dot(axis, at.left()) - slide * dot(normal, at.left());
  const S vertical = axis.z - slide * normal.z;
  Row<S> r;
  for (std::size_t j = 0; j < track_dim; ++j)
    r[j] = across * transport.row[0][j] + vertical * transport.row[1][j];
  return r;
}

/// Derivatives of position and (theta, phi) of a state on its surface with
/// respect to the start parameters (d0, z0, phi, theta, kappa).
template <class S>
std::array<Row<S>, track_dim> surface_derivatives(
    const Cartesian<S>& normal, const HelixPoint<S>& at,
    const LineTransport<S>& transport) {
  const Cartesian<S> slope = at.slope();
  const S inverse = S(1) / dot(normal, slope);
  const SlidStep<S> across = slid_onto(normal, slope, inverse, at.left());
  const SlidStep<S> vertical =
      slid_onto(normal, slope, inverse, {S(0), S(0), S(1)});
  std::array<Row<S>, track_dim> d;
  const auto sum = [&](const S& a, const S& b, Row<S>& row) {
    for (std::size_t j = 0; j < track_dim; ++j)
      row[j] = a * transport.row[0][j] + b * transport.row[1][j];
  };
  sum(across.displacement.x, vertical.displacement.x, d[0]);
  sum(across.displacement.y, vertical.displacement.y, d[1]);
  sum(across.displacement.z, vertical.displacement.z, d[2]);
  d[3] = {S(0), S(0), S(0), S(1), S(0)};
  sum(at.c * across.slide, at.c * vertical.slide, d[4]);
  for (std::size_t j = 0; j < track_dim; ++j)
    d[4][j] = d[4][j] + transport.row[2][j];
  return d;
}

/// Where the reference crosses a surface.
template <class S>
struct NodeState {
  Helix<S> before, after;  ///< after: with its kink
  HelixPoint<S> at;        ///< before
  PlaneAxes<S> axes;
  Cartesian<S> normal;
  LineTransport<S> transport_before, transport_after;
};

/// Input of a linear fit for a crossing of the reference.
template <class S>
struct HelixNode {
  S arc;                    ///< transverse, from the node before
  HelixKinks<S> kinks;      ///< columns in start parameters; variances
  std::array<S, 2> so_far;  ///< kinks of the reference
  S sine2;         ///< of theta between before and after the kink, squared
  Row<S> rows[2];  ///< of the coordinates
  S residuals[2];
  KinkGain<S> gain;  ///< of the last fit
  std::array<S, 2> offset;
};

/// A helix with a kink at every node, through hits as for prefit(), with
/// additional requirements on the type `Hits`:
///
///   points         indices of the points from the first to the last measured
///                  one: all points that measure or scatter
///
/// @tparam S  double, or one number per vector element
template <class S, class Hits>
class KinkedHelix {
 public:
  using Scalar = S;
  using Node = HelixNode<S>;

  /// @param nodes  buffer with one node per point
  KinkedHelix(const Hits& hits, std::span<Node> nodes)
      : hits_(hits), nodes_(nodes) {}

  /// Starts with a helix on the surface of the first measured point.
  void start(const Helix<S>& first) {
    first_ = first;
    is_kinked_ = false;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      Node& n = nodes_[k];
      n.arc = n.so_far[0] = n.so_far[1] = S(0);
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
  /// @param at_node  called with the number of a node and its position
  template <class AtNode>
  void follow(BatchOutcome<S>& outcome, AtNode&& at_node);
  void follow(BatchOutcome<S>& outcome) {
    follow(outcome, [](std::size_t, const NodeState<S>&) {});
  }

  /// @param weight  factor of theta0_2
  void set_variances(const S& weight) {
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      Node& n = nodes_[k];
      n.kinks.w = weight * hits_.theta0_2(hits_.points[k]);
      n.kinks.w_phi = n.kinks.w / n.sine2;
    }
  }

  /// Adds to the start parameters, after the kinks have been moved.
  void move_start(const Row<S>& change, BatchOutcome<S>& outcome);
  /// Must be called when a kink of a node has changed.
  void has_kinks() { is_kinked_ = true; }

  // A source of crossings.
  bool scatters(std::size_t k) const {
    return k > 0 && k + 1 < nodes_.size() && any(nodes_[k].kinks.w > S(0));
  }
  const HelixKinks<S>& kinks(std::size_t k) const { return nodes_[k].kinks; }
  void look_ahead(std::size_t) const {}
  template <class F>
  void coordinates(std::size_t k, F&& f) const {
    const auto axes = hits_.axes(hits_.points[k]);
    const Node& n = nodes_[k];
    for (std::size_t q = 0; q < axes.size(); ++q)
      f(DataCoordinate<S>{n.rows[q], n.residuals[q], S(axes[q].variance)});
  }

  std::size_t size() const { return nodes_.size(); }
  Node& node(std::size_t k) { return nodes_[k]; }
  const Node& node(std::size_t k) const { return nodes_[k]; }
  bool has_field() const { return hits_.field; }
  const Helix<S>& first() const { return first_; }
  /// The crossing of the first node in the last pass.
  const NodeState<S>& first_crossing() const { return first_crossing_; }

 private:
  void set_rows(const NodeState<S>& x, std::size_t point, Node& n) const;

  const Hits& hits_;
  std::span<Node> nodes_;
  Helix<S> first_;
  NodeState<S> first_crossing_;
  bool is_kinked_ = false;  ///< at some node
};

template <class S, class Hits>
void KinkedHelix<S, Hits>::set_rows(const NodeState<S>& x, std::size_t point,
                                    HelixNode<S>& n) const {
  const InPlane<S> residual =
      seen_in_plane(hits_.surface(point), x.before.position);
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
[[gnu::flatten]] void KinkedHelix<S, Hits>::follow(BatchOutcome<S>& outcome,
                                                   AtNode&& at_node) {
  NodeState<S> x;
  x.after = first_;
  x.transport_after = no_transport<S>();
  Direction<S> direction = direction_of(first_);
  HelixPoint<S> from = point_of(first_, direction);
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    Node& n = nodes_[k];
    const std::size_t point = hits_.points[k];
    const HitSurface<S> surface = hits_.surface(point);
    const S s = arc_to(from, surface, n.arc);
    outcome.require(is_finite(s + from.position.x), FitStatus::not_converged);
    // layers of one sensor may coincide, and where overlapping modules cross
    // each other the helix of a step may meet them in another order: over such
    // a distance kinks displace nothing
    constexpr double longest_step_back = 0.5;  // mm
    if (k > 0)
      outcome.require(s > S(-longest_step_back), FitStatus::wrong_order);
    if (outcome.failed()) return;
    n.arc = s;
    const ArcTurn<S> turn = arc_turn(from.c, s);
    x.transport_before = x.transport_after;
    transport_along(from, S(1) / direction.sin_theta, s, turn,
                    x.transport_before);
    x.at = advanced(from, s, turn);
    x.before = {x.at.position, x.after.theta, x.after.phi + turn.x + turn.x,
                first_.kappa};
    x.axes = axes_on(surface, x.at.position);
    x.normal = x.axes.normal();
    x.after = x.before;
    x.after.theta = x.after.theta + n.so_far[0];
    x.after.phi = x.after.phi + n.so_far[1];
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
    n.kinks.columns = kink_columns(x.transport_after);
    set_rows(x, point, n);
    if (k == 0) first_crossing_ = x;
    at_node(k, x);
  }
}

template <class S, class Hits>
void KinkedHelix<S, Hits>::move_start(const Row<S>& change,
                                      BatchOutcome<S>& outcome) {
  using std::cos, std::sin;
  // the start parameters belong to the line before the kink of the first node
  Helix<S>& h = first_;
  Cartesian<S>& position = h.position;
  position.x = position.x - sin(h.phi) * change[0];
  position.y = position.y + cos(h.phi) * change[0];
  position.z = position.z + change[1];
  h.phi = h.phi + change[2];
  h.theta = h.theta + change[3];
  h.kappa = h.kappa + change[4];
  const Direction<S> direction = direction_of(h);
  outcome.require(direction.sin_theta > S(0), FitStatus::not_converged);
  // back along the track to the first surface, where its state is given
  const HelixPoint<S> from = point_of(h, direction);
  const S s = arc_to(from, hits_.surface(hits_.points[0]), S(0));
  const auto there = is_finite(s);
  const S safe = select(there, s, S(0));
  const ArcTurn<S> turn = arc_turn(from.c, safe);
  position = advanced(from, safe, turn).position;
  h.phi = h.phi + turn.x + turn.x;
}

}  // namespace gttf::detail
