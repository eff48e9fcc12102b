// SPDX-License-Identifier: Apache-2.0
// The helix near the hits of a track: what it crosses and how that scatters.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "gttf/core/series.hpp"
#include "gttf/fit/track_state.hpp"
#include "gttf/study/hit_track.hpp"
#include "gttf/trajectory/reach.hpp"
#include "gttf/trajectory/surface_axes.hpp"

namespace gttf {
namespace {

constexpr double straightest = 1e6;         // GeV
constexpr double min_cos_incidence = 0.01;  // as find_crossings()

double transverse_distance(const Vector3& a, const Vector3& b) {
  return (b - a).head<2>().norm();
}

/// Curvature of the circle through three points, positive if they turn
/// counter-clockwise: 2 sin(angle at b)/|a - c|.
double circle_curvature(const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 u = b - a, v = c - b;
  return 2 * (u.x() * v.y() - u.y() * v.x()) /
         (transverse_distance(a, b) * transverse_distance(b, c) *
          transverse_distance(a, c));
}

/// An arc of a circle above a chord, less than half a turn, and the sine and
/// cosine of half the angle by which it turns.
struct Arc {
  double length, sine, cosine;
};

/// That of half an angle for which arc_above<true>() holds.
constexpr double largest_small_sine2 = 0.25;

template <bool small>
Arc arc_above(double chord, double curvature) {
  const double sine = std::clamp(0.5 * chord * curvature, -1.0, 1.0);
  const double cosine = std::sqrt((1 - sine) * (1 + sine));
  const double excess = small ? detail::asin_excess_small(sine * sine)
                              : asin_excess(sine * sine, cosine);
  return {chord * (1 + sine * sine * excess), sine, cosine};
}

Arc arc_above(double chord, double curvature) {
  return arc_above<false>(chord, curvature);
}

Vector3 position_of(const Line<double>& l, const Crossing<double>& x) {
  const double a = l.along + x.forward, b = l.across + x.sideward;
  return {l.cos_phi * a - l.sin_phi * b, l.sin_phi * a + l.cos_phi * b,
          l.z + x.arc * l.cot_theta};
}

}  // namespace

/// Arcs from the first point to the hits. The loop has no branches, so that
/// vector instructions can be used. Returns whether an angle is too large.
template <bool small>
bool HitTrackBuilder::follow_arcs(const Vector3& first) {
  const std::size_t n = hits_.x.size();
  const double x0 = first.x(), y0 = first.y(), curvature = path_.curvature;
  const double *const x = hits_.x.data(), *const y = hits_.y.data();
  double* const length = path_.arc.data();
  double* const sin_turn = path_.sin_turn.data();
  double* const cos_turn = path_.cos_turn.data();
  double* const sine2 = path_.sine2.data();
  for (std::size_t k = 0; k < n; ++k) {
    const double dx = x[k] - x0, dy = y[k] - y0;
    const Arc arc = arc_above<small>(std::sqrt(dx * dx + dy * dy), curvature);
    length[k] = arc.length;
    sin_turn[k] = 2 * arc.sine * arc.cosine;
    cos_turn[k] = 1 - 2 * arc.sine * arc.sine;
    sine2[k] = arc.sine * arc.sine;
  }
  return small && std::ranges::any_of(path_.sine2, [](double s) {
           return s > largest_small_sine2;
         });
}

bool HitTrackBuilder::find_path() {
  const bool spot = request_.beam_spot.has_value();
  const std::size_t n_hits = hits_.x.size();
  const Vector3 first = spot ? vertex_ : position(0);
  const Vector3 last = position(n_hits - 1);
  const Vector3 middle = position((n_hits - (spot ? 1 : 0)) / 2);
  const double c = circle_curvature(first, middle, last);
  if (!std::isfinite(c)) return false;
  path_.curvature = track_.field ? c : 0;
  for (std::vector<double>* v :
       {&path_.arc, &path_.sin_turn, &path_.cos_turn, &path_.sine2})
    v->resize(n_hits);
  if (follow_arcs<true>(first)) follow_arcs<false>(first);

  // Straight line of z over the arc, from hits that measure both.
  double n = 0, s1 = 0, z1 = 0, ss = 0, sz = 0;
  const auto sum = [&](bool all) {
    for (std::size_t k = 0; k < n_hits; ++k) {
      if (!all && geometry_.surfaces()[hits_.surface[k]].n_axes < 2) continue;
      const double s = path_.arc[k], z = hits_.z[k];
      n += 1, s1 += s, z1 += z, ss += s * s, sz += s * z;
    }
    return n > 1 && n * ss - s1 * s1 > 0;
  };
  if (!sum(false)) {
    n = s1 = z1 = ss = sz = 0;
    if (!sum(true)) return false;
  }
  const double slope = (n * sz - s1 * z1) / (n * ss - s1 * s1);
  path_.z = (z1 - slope * s1) / n;
  path_.sin_theta = 1 / std::sqrt(1 + slope * slope);
  path_.cos_theta = slope * path_.sin_theta;
  // half the turn before the direction of the last chord
  const double chord = transverse_distance(first, last);
  const Arc arc = arc_above(chord, path_.curvature);
  const double x = (last.x() - first.x()) / chord;
  const double y = (last.y() - first.y()) / chord;
  path_.cos_phi = x * arc.cosine + y * arc.sine;
  path_.sin_phi = y * arc.cosine - x * arc.sine;
  return std::isfinite(path_.cos_phi + path_.sin_phi + slope);
}

/// Finds what is crossed without a hit, and how much layers scatter.
void HitTrackBuilder::follow_path() {
  const double bz = geometry_.bz(), charge = std::abs(request_.particle.charge);
  const double stiffest = charge * std::abs(bz) / straightest;
  double kappa = path_.curvature * path_.sin_theta;
  if (track_.field && std::abs(kappa) < stiffest)
    kappa = std::copysign(stiffest, kappa);
  const double p =
      track_.field ? charge * std::abs(bz / kappa) : options_.momentum;
  crossings_.list.clear();
  crossings_.x_over_x0 = 0;
  path_.offset = 0;
  track_.kappa_ref = kappa;
  if (request_.scattering == Scattering::off) return;
  if (request_.scattering == Scattering::highland_total || any_missing_)
    cross_detector(kappa, p);
  // or the scattering of another momentum along the same path
  const bool other = options_.momentum > 0;
  strength_ = scatter_strength(other ? options_.momentum : p);
  if (other && track_.field) track_.kappa_ref *= p / options_.momentum;
}

/// Has the surface no hit, but scatters?
bool HitTrackBuilder::is_missing(std::size_t surface) const {
  return has_hit_[surface] == 0 && geometry_.surfaces()[surface].x_over_x0 > 0;
}

bool HitTrackBuilder::any_missing() const {
  for (std::size_t i = 0; i < has_hit_.size(); ++i)
    if (is_missing(i)) return true;
  return false;
}

/// Follows the helix from its perigee through the detector.
void HitTrackBuilder::cross_detector(double kappa, double p) {
  const Vector3 first = request_.beam_spot ? vertex_ : position(0);
  Vector6 state;
  state << first.x(), first.y(), path_.z, path_.theta(), path_.phi(), kappa;
  const Vector5 perigee = to_perigee(state, vertex_).parameters;

  Track track;
  track.theta = path_.theta();
  track.phi = perigee[Perigee::phi];
  track.mass = request_.particle.mass;
  track.charge = std::copysign(request_.particle.charge,
                               kappa * geometry_.bz() > 0 ? -1.0 : 1.0);
  track.p = p;
  const double d0 = perigee[Perigee::d0];
  track.vertex = {vertex_.x() - d0 * std::sin(track.phi),
                  vertex_.y() + d0 * std::cos(track.phi),
                  vertex_.z() + perigee[Perigee::z0]};
  const Vector3 start(track.vertex[0], track.vertex[1], track.vertex[2]);
  const double forward = (first.x() - start.x()) * std::cos(track.phi) +
                         (first.y() - start.y()) * std::sin(track.phi);
  path_.offset = std::copysign(
      arc_above(transverse_distance(start, first), path_.curvature).length,
      forward);
  if (request_.scattering == Scattering::highland_total) {
    crossings_ = find_crossings(geometry_, track, request_.scattering);
    return;
  }
  // those with a hit play no part
  const auto surfaces = geometry_.surfaces();
  crossings_.line = make_line<double>(track, geometry_.bz());
  for (unsigned i = 0; i < surfaces.size(); ++i) {
    if (!is_missing(i)) continue;
    TrackCrossing<double>& x = crossings_.list.emplace_back();
    x.surface = i;
    if (!find_crossing(crossings_.line, surfaces[i], x.at).crossed)
      crossings_.list.pop_back();
  }
  std::ranges::stable_sort(crossings_.list, {},
                           [](const auto& x) { return x.at.arc; });
}

/// (13.6 MeV q/(beta p))^2 and ln(q^2/beta^2), as Line has them.
HitTrackBuilder::ScatterStrength HitTrackBuilder::scatter_strength(
    double p) const {
  const double q = request_.particle.charge;
  const double m_over_p = request_.particle.mass / p;
  const double inv_beta2 = 1 + m_over_p * m_over_p;
  const double k = 13.6 * unit::MeV / p * q;
  return {k * k * inv_beta2, std::log(q * q * inv_beta2)};
}

/// Between the path at a hit and the normal of its surface.
double HitTrackBuilder::cos_incidence(const SurfaceRecord& s,
                                      std::size_t k) const {
  using Kind = SurfaceRecord::Kind;
  if (s.kind != Kind::cylinder && s.kind != Kind::plane) return path_.cos_theta;
  const double sin_turn = path_.sin_turn[k], cos_turn = path_.cos_turn[k];
  const double cos_phi = path_.cos_phi * cos_turn - path_.sin_phi * sin_turn;
  const double sin_phi = path_.sin_phi * cos_turn + path_.cos_phi * sin_turn;
  return path_.sin_theta *
         (s.kind == Kind::plane
              ? cos_phi * s.normal_cos + sin_phi * s.normal_sin
              : (cos_phi * hits_.x[k] + sin_phi * hits_.y[k]) / r_[k]);
}

/// Scattering angles of the hits, from the direction of the path there.
void HitTrackBuilder::find_scattering() {
  hits_.theta0_2.assign(hits_.x.size(), 0);
  if (request_.scattering == Scattering::off) return;
  for (std::size_t k = 0; k < hits_.x.size(); ++k) {
    const SurfaceRecord& s = geometry_.surfaces()[hits_.surface[k]];
    if (!(s.x_over_x0 > 0)) continue;
    const double cosine = std::abs(cos_incidence(s, k));
    const double t = s.x_over_x0 / std::max(cosine, min_cos_incidence);
    hits_.theta0_2[k] = theta0_squared(
        strength_.scale, strength_.log_charge_beta, request_.scattering, t,
        std::max(t, crossings_.x_over_x0));
  }
}

void HitTrackBuilder::add_passive(const TrackCrossing<double>& crossing) {
  if (!is_missing(crossing.surface)) return;
  const double theta0_2 = theta0_squared(
      strength_.scale, strength_.log_charge_beta, request_.scattering,
      crossing.at.x_over_x0, crossings_.x_over_x0);
  if (!(theta0_2 > 0)) return;
  const SurfaceRecord& s = geometry_.surfaces()[crossing.surface];
  TrackHit& h = track_.points.emplace_back();
  sources_.push_back(passive);
  surfaces_.push_back(crossing.surface);
  h.position = position_of(crossings_.line, crossing.at);
  std::tie(h.u, h.v) = surface_axes(s, h.position);
  h.cylinder = s.kind == SurfaceRecord::Kind::cylinder;
  h.theta0_2 = theta0_2;
}

}  // namespace gttf
