// SPDX-License-Identifier: Apache-2.0
// The helix near the hits of a track: what it crosses and how that scatters.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "gttf/study/hits/hit_track.hpp"
#include "gttf/trajectory/surface_axes.hpp"

namespace gttf {

/// Arcs from the first point to the hits. The loop has no branches, so that
/// vector instructions can be used. Returns whether a turn is too large.
template <bool small>
bool HitTrackBuilder::follow_arcs(const Vector3& first) {
  const double x0 = first.x(), y0 = first.y(), curvature = path_.curvature;
  const double *const x = hits_.x.data(), *const y = hits_.y.data();
  ChordArc<double>* const arcs = arcs_.data();
  double most = 0;
  for (std::size_t k = 0; k < arcs_.size(); ++k) {
    const double dx = x[k] - x0, dy = y[k] - y0;
    arcs[k] = arc_above<small>(std::sqrt(dx * dx + dy * dy), curvature);
    most = std::max(most, arcs[k].sine * arcs[k].sine);
  }
  return small && !(most <= largest_small_sine2);
}

void HitTrackBuilder::follow_arcs(const Vector3& first) {
  arcs_.resize(hits_.x.size());
  if (follow_arcs<true>(first)) follow_arcs<false>(first);
  // sorted hits are within half a turn
  if (options_.order == HitOrder::as_given &&
      !std::ranges::is_sorted(arcs_, {}, &ChordArc<double>::length))
    follow_turns(first);
}

/// The same of a track that turns by more than a half, so that chords from the
/// first point shrink again: arcs from hit to hit add up.
void HitTrackBuilder::follow_turns(const Vector3& first) {
  std::vector<double>& lengths = from_first_;
  lengths.clear();
  Vector3 before = first;
  double length = 0;
  for (std::size_t k = 0; k < arcs_.size(); ++k) {
    const Vector3 at = position(k);
    const double chord = std::hypot(at.x() - before.x(), at.y() - before.y());
    length += arc_above<false>(chord, path_.curvature).length;
    lengths.push_back(length);
    before = at;
  }
  // otherwise chords shrink by the errors of hits
  if (!(std::abs(path_.curvature) * length > unit::pi)) return;
  for (std::size_t k = 0; k < arcs_.size(); ++k) {
    const double half_turn = 0.5 * path_.curvature * lengths[k];
    arcs_[k] = {lengths[k], std::sin(half_turn), std::cos(half_turn)};
  }
}

bool HitTrackBuilder::find_path() {
  const bool spot = request_.beam_spot.has_value();
  const std::size_t n = hits_.x.size();
  const Vector3 first = spot ? vertex_ : position(0), last = position(n - 1);
  const double c = circle_curvature(
      cartesian(first), cartesian(position((n - (spot ? 1 : 0)) / 2)),
      cartesian(last));
  if (!std::isfinite(c)) return false;
  path_.curvature = track_.field ? c : 0;
  follow_arcs(first);

  // z over the arc, from hits that measure both
  const auto sum = [&](bool all) {
    ArcLine<double> line;
    for (std::size_t k = 0; k < n; ++k)
      if (all || geometry_.surfaces()[hits_.surface[k]].n_axes >= 2)
        line.add(arcs_[k].length, hits_.z[k]);
    return line;
  };
  ArcLine<double> line =
      any_coarse_across() ? weighted_line((last - first).norm()) : sum(false);
  const auto is_line = [&] { return line.n > 1 && line.determinant() > 0; };
  if (!is_line()) line = sum(true);
  if (!is_line()) return false;
  path_ = make_path(cartesian(first), cartesian(last), path_.curvature,
                    arcs_.back(), line);
  return std::isfinite(path_.cos_phi + path_.sin_phi + path_.cos_theta);
}

/// Finds what is crossed without a hit, and how much layers scatter.
void HitTrackBuilder::follow_path() {
  const double bz = geometry_.bz(), charge = std::abs(request_.particle.charge);
  const double kappa = kappa_of_path(path_, bz, charge);
  const double p =
      track_.field ? charge * std::abs(bz / kappa) : options_.momentum;
  crossings_.list.clear();
  crossings_.x_over_x0 = 0;
  offset_ = 0;
  track_.kappa_ref = kappa;
  if (request_.scattering == Scattering::off) return;
  // or the scattering of another momentum along the same path
  const bool other = options_.momentum > 0;
  strength_ = scatter_strength(1 / (other ? options_.momentum : p),
                               request_.particle.mass, charge);
  if (other && track_.field) track_.kappa_ref *= p / options_.momentum;
  if (request_.scattering == Scattering::highland_total || any_missing_)
    cross_detector(kappa);
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
void HitTrackBuilder::cross_detector(double kappa) {
  const Vector3 at = request_.beam_spot ? vertex_ : position(0);
  const Cartesian<double> first{at.x(), at.y(), path_.z};
  const auto perigee = perigee_of_path(path_, first, cartesian(vertex_));
  offset_ = perigee.offset;
  crossings_.line = line_of_path(path_, perigee, kappa, strength_);
  // those with a hit matter for the sum only
  const bool all = request_.scattering == Scattering::highland_total;
  const auto surfaces = geometry_.surfaces();
  for (unsigned i = 0; i < surfaces.size(); ++i) {
    if (!all && !is_missing(i)) continue;
    TrackCrossing<double>& x = crossings_.list.emplace_back();
    x.surface = i;
    const bool crossed =
        find_crossing(crossings_.line, surfaces[i], x.at).crossed;
    if (crossed && all) crossings_.x_over_x0 += x.at.x_over_x0;
    if (!crossed || !is_missing(i)) crossings_.list.pop_back();
  }
  std::ranges::stable_sort(crossings_.list, {},
                           [](const auto& x) { return x.at.arc; });
}

/// Scattering angles of the hits, from the direction of the path there.
void HitTrackBuilder::find_scattering() {
  hits_.theta0_2.assign(hits_.x.size(), 0);
  if (request_.scattering == Scattering::off) return;
  for (std::size_t k = 0; k < hits_.x.size(); ++k) {
    const std::size_t surface = hits_.surface[k];
    const SurfaceRecord& s = geometry_.surfaces()[surface];
    if (s.x_over_x0 > 0)
      hits_.theta0_2[k] = theta0_squared(
          path_, arcs_[k], s, log_x_over_x0_[surface], hits_.x[k], hits_.y[k],
          strength_, request_.scattering, crossings_.x_over_x0);
  }
}

void HitTrackBuilder::add_passive(const TrackCrossing<double>& crossing) {
  const double theta0_2 =
      theta0_squared(strength_, request_.scattering, crossing.at.x_over_x0,
                     crossings_.x_over_x0);
  if (!(theta0_2 > 0)) return;
  const SurfaceRecord& s = geometry_.surfaces()[crossing.surface];
  TrackHit& h = track_.points.emplace_back();
  sources_.push_back(passive);
  surfaces_.push_back(crossing.surface);
  h.position = vector_of(position_at(crossings_.line, crossing.at));
  std::tie(h.u, h.v) = surface_axes(s, h.position);
  h.cylinder = s.kind == SurfaceRecord::Kind::cylinder;
  h.theta0_2 = theta0_2;
}

}  // namespace gttf
