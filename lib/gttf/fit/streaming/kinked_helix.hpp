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

/// From a point of a helix to another: (across, vertical, phi) there as
/// function of (across, vertical, phi, theta, kappa) before; see
/// docs/theory/crossings.md.
template <class S>
void transport_along(const HelixPoint<S>& from, const S& inv_sine,
                     const HelixCrossing<S>& to, LineTransport<S>& transport) {
  using std::abs;
  const S &c = from.c, &ct = from.cot, &s = to.arc, one(1), half(0.5);
  const Cartesian<S> chord = to.at.position - from.position;
  // along and across the direction at the begin: sin(turn)/c, (1 - cos(turn))/c
  const S f = chord.x * from.cos_phi + chord.y * from.sin_phi;
  const S d2 = half * transverse_dot(chord, chord), g = c * d2;
  const S sin_turn = c * f, cos_turn = one - c * g;
  // (s - f)/c = s^2 (1 - sin 2X/2X)/2X
  const S x = half * (c * s), x2 = x * x;
  constexpr double terms[] = {1. / 3, -1. / 15, 2. / 315, -1. / 2835,
                              2. / 155925};
  S excess = s * s * x * polynomial(terms, x2);
  const auto large = !(abs(x) < S(0.1));
  if (any(large))
    excess = select(large, (s - f) / select(large, c, one), excess);
  S(&row)[3][track_dim] = transport.row;
  for (std::size_t j = 0; j < track_dim; ++j) {
    const S across = row[0][j], vertical = row[1][j], phi = row[2][j];
    row[0][j] = cos_turn * across + f * phi;
    // displacement of the point along the track
    const S slid = sin_turn * across + g * phi;
    row[1][j] = vertical - ct * slid;
    row[2][j] = phi - c * slid;
  }
  const S slid_theta = ct * f, slid_kappa = excess * inv_sine;
  row[0][3] = row[0][3] - ct * g;
  row[0][4] = row[0][4] + d2 * inv_sine;
  row[1][3] = row[1][3] - s - ct * slid_theta;
  row[1][4] = row[1][4] - ct * slid_kappa;
  row[2][3] = row[2][3] - c * slid_theta;
  row[2][4] = row[2][4] + s * inv_sine - c * slid_kappa;
}

/// Arcs along a track that is displaced by 1 mm along its left normal, or along
/// z, to its crossing with a surface.
template <class S>
struct SlideArcs {
  S across, vertical;
};

template <class S>
SlideArcs<S> slide_arcs(const Cartesian<S>& normal, const HelixPoint<S>& at) {
  const S inverse = S(-1) / dot(normal, at.slope());
  return {(normal.y * at.cos_phi - normal.x * at.sin_phi) * inverse,
          normal.z * inverse};
}

/// (across, vertical, phi) after a finite kink on a surface as function of the
/// values before, both moved along their track.
/// @param turn  of the azimuth by the kink: ArcTurn::sine, cosine
template <class S>
void transport_through_kink(const SlideArcs<S>& slide,
                            const HelixPoint<S>& before,
                            const HelixPoint<S>& after, const ArcTurn<S>& turn,
                            LineTransport<S>& transport) {
  const S &cosine = turn.cosine, &sine = turn.sine;
  // arcs behind the kink to the points nearest to the displaced ones
  const S from_across = sine + slide.across * cosine,
          from_vertical = slide.vertical * cosine;
  const S m[3][2] = {
      {cosine - slide.across * sine, -(slide.vertical * sine)},
      {slide.across * before.cot - after.cot * from_across,
       S(1) + slide.vertical * before.cot - after.cot * from_vertical},
      {before.c * slide.across - after.c * from_across,
       before.c * slide.vertical - after.c * from_vertical}};
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
Row<S> plane_row(const Cartesian<S>& axis, const SlideArcs<S>& slide,
                 const HelixPoint<S>& at, const LineTransport<S>& transport) {
  const S along = dot(axis, at.slope());
  const S across =
      axis.y * at.cos_phi - axis.x * at.sin_phi + slide.across * along;
  const S vertical = axis.z + slide.vertical * along;
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
  const SlideArcs<S> slide = slide_arcs(normal, at);
  const Cartesian<S> across = at.left() + slide.across * at.slope();
  const Cartesian<S> vertical =
      Cartesian<S>{S(0), S(0), S(1)} + slide.vertical * at.slope();
  std::array<Row<S>, track_dim> d;
  const auto sum = [&](const S& a, const S& b, Row<S>& row) {
    for (std::size_t j = 0; j < track_dim; ++j)
      row[j] = a * transport.row[0][j] + b * transport.row[1][j];
  };
  sum(across.x, vertical.x, d[0]);
  sum(across.y, vertical.y, d[1]);
  sum(across.z, vertical.z, d[2]);
  d[3] = {S(0), S(0), S(0), S(1), S(0)};
  sum(at.c * slide.across, at.c * slide.vertical, d[4]);
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

/// The surface of the first node and the line on it.
template <class S>
struct FirstCrossing {
  Cartesian<S> normal;
  LineTransport<S> transport;  ///< from the start, before the kink
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
    is_kinked_ = is_followed_ = false;
    for (Node& n : nodes_) n.so_far = {S(0), S(0)};
  }

  /// Follows the helix from the start through all surfaces with the kinks of
  /// the nodes.
  /// @param crossed  filled unless empty: one per node
  void follow(BatchOutcome<S>& outcome, std::span<NodeState<S>> crossed = {});

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
  const FirstCrossing<S>& first_crossing() const { return first_crossing_; }

 private:
  void set_rows(const HitSurface<S>& surface, std::size_t point,
                const HelixPoint<S>& at, const SlideArcs<S>& slide,
                const LineTransport<S>& transport, Node& n) const;

  const Hits& hits_;
  std::span<Node> nodes_;
  Helix<S> first_;
  FirstCrossing<S> first_crossing_;
  bool is_kinked_ = false;    ///< at some node
  bool is_followed_ = false;  ///< arcs of all nodes are known
};

template <class S, class Hits>
void KinkedHelix<S, Hits>::set_rows(const HitSurface<S>& surface,
                                    std::size_t point, const HelixPoint<S>& at,
                                    const SlideArcs<S>& slide,
                                    const LineTransport<S>& transport,
                                    HelixNode<S>& n) const {
  const auto coordinates = hits_.axes(point);
  if (coordinates.empty()) return;
  const PlaneAxes<S> axes = axes_on(surface, at.position);
  const InPlane<S> residual = seen_in_plane(surface, at.position);
  std::size_t q = 0;
  for (const CoordinateAxis& a : coordinates) {
    const S cosine(a.cosine), sine(a.sine);
    n.rows[q] =
        plane_row(cosine * axes.u + sine * axes.v, slide, at, transport);
    n.residuals[q++] = cosine * residual.u + sine * residual.v;
  }
}

template <class S, class Hits>
[[gnu::flatten]] void KinkedHelix<S, Hits>::follow(
    BatchOutcome<S>& outcome, std::span<NodeState<S>> crossed) {
  using std::sqrt;
  Direction<S> direction = direction_of(first_);
  S theta = first_.theta, phi = first_.phi;
  HelixPoint<S> from = point_of(first_, direction);
  LineTransport<S> transport = no_transport<S>();
  Cartesian<S> previous = from.position;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    Node& n = nodes_[k];
    const std::size_t point = hits_.points[k];
    const HitSurface<S> surface = hits_.surface(point);
    // at first, the distance in the transverse plane
    const Cartesian<S> step = surface.position - previous;
    const S guess = is_followed_ ? n.arc
                    : k == 0     ? S(0)
                                 : S(sqrt(transverse_dot(step, step)));
    previous = surface.position;
    const HelixCrossing<S> x = cross_surface(from, surface, guess);
    outcome.require(is_finite(x.arc + from.position.x),
                    FitStatus::not_converged);
    // layers of one sensor may coincide, and where overlapping modules cross
    // each other the helix of a step may meet them in another order: over such
    // a distance kinks displace nothing
    constexpr double longest_step_back = 0.5;  // mm
    if (k > 0)
      outcome.require(x.arc > S(-longest_step_back), FitStatus::wrong_order);
    if (outcome.failed()) return;
    n.arc = x.arc;
    const S inv_sine = S(1) / direction.sin_theta;
    transport_along(from, inv_sine, x, transport);
    const Cartesian<S> normal = gap_to(surface, x.at.position).gradient;
    const SlideArcs<S> slide = slide_arcs(normal, x.at);
    set_rows(surface, point, x.at, slide, transport, n);
    phi = phi + from.c * x.arc;
    if (k == 0) first_crossing_ = {normal, transport};
    if (!crossed.empty()) {
      NodeState<S>& c = crossed[k];
      c.before = {x.at.position, theta, phi, first_.kappa};
      c.at = x.at;
      c.axes = axes_on(surface, x.at.position);
      c.normal = normal;
      c.transport_before = transport;
    }
    from = x.at;
    S mean_sine = direction.sin_theta;
    if (is_kinked_) {
      theta = theta + n.so_far[0];
      phi = phi + n.so_far[1];
      // by half of the kink, twice
      const ArcTurn<S> half = arc_turn(S(1), n.so_far[0]);
      const auto turn_half = [&half, &direction] {
        const S sine = direction.sin_theta, cosine = direction.cos_theta;
        direction.sin_theta = sine * half.cosine + cosine * half.sine;
        direction.cos_theta = cosine * half.cosine - sine * half.sine;
      };
      turn_half();
      mean_sine = direction.sin_theta;
      turn_half();
      const ArcTurn<S> turn = arc_turn(S(2), n.so_far[1]);
      from.cos_phi = x.at.cos_phi * turn.cosine - x.at.sin_phi * turn.sine;
      from.sin_phi = x.at.sin_phi * turn.cosine + x.at.cos_phi * turn.sine;
      const S inverse = S(1) / direction.sin_theta;
      from.cot = direction.cos_theta * inverse;
      from.c = first_.kappa * inverse;
      transport_through_kink(slide, x.at, from, turn, transport);
    }
    n.sine2 = mean_sine * mean_sine;
    n.kinks.columns = kink_columns(transport);
    if (!crossed.empty()) {
      crossed[k].after = {x.at.position, theta, phi, first_.kappa};
      crossed[k].transport_after = transport;
    }
  }
  is_followed_ = true;
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
  const auto [s, at] =
      cross_surface(from, hits_.surface(hits_.points[0]), S(0));
  const auto there = is_finite(s);
  position = {select(there, at.position.x, from.position.x),
              select(there, at.position.y, from.position.y),
              select(there, at.position.z, from.position.z)};
  h.phi = h.phi + select(there, from.c * s, S(0));
}

}  // namespace gttf::detail
