// SPDX-License-Identifier: Apache-2.0
#include <Eigen/LU>
#include <cmath>

#include "gttf/fit/detail/kinked_helix.hpp"

namespace gttf::detail {

namespace {

Vector3 left_of(const Helix& h) {
  return {-std::sin(h.phi), std::cos(h.phi), 0};
}

/// The state after the arc s, and (across, vertical, phi) there as function of
/// (across, vertical, phi, theta, kappa) before; see docs/theory/crossings.md.
LineTransport advance(Helix& h, double s) {
  const double sine = std::sin(h.theta), cosine = std::cos(h.theta);
  const double ct = cosine / sine, c = h.kappa / sine;
  const double x = 0.5 * c * s;  // half turn
  const ArcShape<double> shape = arc_shape(x);
  const double half_chord = 0.5 * s / shape.stretch;  // D
  const double u = c * half_chord, w = shape.cosine;  // sin X, cos X
  const double f = 2 * half_chord * w, g = 2 * half_chord * u;
  const double sin_turn = 2 * u * w, cos_turn = 1 - 2 * u * u;
  // (s - f)/c = s^2 (1 - sin 2X/2X)/2X
  const double x2 = x * x;
  const double excess =
      std::abs(x) < 0.1
          ? s * s * x *
                (1. / 3 -
                 x2 * (1. / 15 -
                       x2 * (2. / 315 - x2 * (1. / 2835 - x2 * 2 / 155925))))
          : (s - f) / c;
  const double d2 = 2 * half_chord * half_chord;
  LineTransport t;
  const double along[5] = {sin_turn, 0, g, ct * f, excess / sine};
  t.row(0) << cos_turn, 0, f, -ct * g, d2 / sine;
  t.row(1) << -ct * along[0], 1, -ct * along[2], -s - ct * along[3],
      -ct * along[4];
  t.row(2) << -c * along[0], 0, 1 - c * along[2], -c * along[3],
      s / sine - c * along[4];
  h = h.advanced(s);
  return t;
}

/// (across, vertical, phi) after a finite kink on a surface as function of
/// those before, both slid along their track.
Eigen::Matrix3d through_kink(const Node& n) {
  const Vector3 normal = n.axes.u.cross(n.axes.v);
  const Vector3 t = n.before.slope(), t_after = n.after.slope();
  const double c = n.before.perp_curvature();
  const double c_after = n.after.perp_curvature();
  const Vector3 n_after = left_of(n.after);
  Eigen::Matrix3d m;
  const Vector3 displacement[2] = {left_of(n.before), Vector3::UnitZ()};
  for (int i = 0; i < 2; ++i) {
    const double slide = -normal.dot(displacement[i]) / normal.dot(t);
    const Vector3 on_surface = displacement[i] + slide * t;
    const double along =
        on_surface[0] * t_after[0] + on_surface[1] * t_after[1];
    m(0, i) = on_surface.dot(n_after);
    m(1, i) = on_surface[2] - t_after[2] * along;
    m(2, i) = c * slide - c_after * along;
  }
  m.col(2) << 0, 0, 1;
  return m;
}

}  // namespace

Eigen::Matrix<double, 5, 5> surface_derivatives(
    const Node& node, const Helix& at, const LineTransport& transport) {
  const Vector3 normal = node.axes.u.cross(node.axes.v), t = at.slope();
  Eigen::Matrix<double, 5, 3> local = Eigen::Matrix<double, 5, 3>::Zero();
  const Vector3 displacement[2] = {left_of(at), Vector3::UnitZ()};
  for (int i = 0; i < 2; ++i) {
    const double slide = -normal.dot(displacement[i]) / normal.dot(t);
    local.block<3, 1>(0, i) = displacement[i] + slide * t;
    local(4, i) = at.perp_curvature() * slide;
  }
  local(4, 2) = 1;
  Eigen::Matrix<double, 5, 5> d = local * transport;
  d(3, 3) += 1;  // theta
  return d;
}

FitStatus KinkedHelix::start(const TrackHits& track, const Helix& first) {
  first_ = first;
  nodes_.clear();
  std::size_t begin = 0, end = track.points.size();
  while (!track.points[begin].measures()) ++begin;
  while (!track.points[end - 1].measures()) --end;
  for (std::size_t i = begin; i < end; ++i) {
    if (!track.points[i].measures() && track.points[i].theta0_2 == 0) continue;
    Node& n = nodes_.emplace_back();
    n.point = i;
    // a first guess: the distance in the transverse plane
    if (nodes_.size() > 1)
      n.arc = (track.points[i].position -
               track.points[nodes_[nodes_.size() - 2].point].position)
                  .head<2>()
                  .norm();
  }
  return FitStatus::ok;
}

FitStatus KinkedHelix::follow(const TrackHits& track) {
  Helix h = first_;
  LineTransport t = LineTransport::Zero();
  t.leftCols<3>().setIdentity();
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    Node& n = nodes_[k];
    const TrackHit& p = track.points[n.point];
    const double s = arc_to(h, p, n.arc);
    if (!std::isfinite(s) || !h.position.allFinite())
      return FitStatus::not_converged;
    // layers of one sensor may coincide
    constexpr double rounding = 1e-6;  // mm
    if (k > 0 && !(s > -rounding)) return FitStatus::wrong_order;
    n.arc = s;
    const LineTransport step = advance(h, s);
    t = (step.leftCols<3>() * t).eval();
    t.rightCols<2>() += step.rightCols<2>();
    n.before = n.after = h;
    n.axes = axes_at(p, h.position);
    n.after.theta += n.kink_theta;
    n.after.phi += n.kink_phi;
    n.transport_before = t;
    if (n.kink_theta != 0 || n.kink_phi != 0) t = (through_kink(n) * t).eval();
    n.transport_after = t;
    h = n.after;
    // kinks as changes of the start parameters
    const Eigen::Matrix3d back = t.leftCols<3>().inverse();
    const Vector3 theta = -back * t.col(3), phi = back.col(2);
    n.columns = {{theta[0], theta[1], theta[2]}, {phi[0], phi[1], phi[2]}};
  }
  return FitStatus::ok;
}

Row<double> KinkedHelix::row(const Node& node,
                             const CoordinateAxis& axis) const {
  const Vector3 m = axis.cosine * node.axes.u + axis.sine * node.axes.v;
  const Vector3 normal = node.axes.u.cross(node.axes.v);
  const Vector3 t = node.before.slope();
  const double slide = m.dot(t) / normal.dot(t);
  const Vector3 left = left_of(node.before);
  const double across = m.dot(left) - slide * normal.dot(left);
  const double vertical = m[2] - slide * normal[2];
  Row<double> r;
  for (int i = 0; i < 5; ++i)
    r[static_cast<std::size_t>(i)] = across * node.transport_before(0, i) +
                                     vertical * node.transport_before(1, i);
  return r;
}

}  // namespace gttf::detail
