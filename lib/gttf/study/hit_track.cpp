// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/hit_track.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "gttf/core/series.hpp"
#include "gttf/fit/fit_status.hpp"
#include "gttf/fit/track_state.hpp"
#include "gttf/trajectory/surface_axes.hpp"

namespace gttf {
namespace {

constexpr double straightest = 1e6;         // GeV
constexpr double min_cos_incidence = 0.01;  // as find_crossings()

double outside(const Interval& interval, double value) {
  return std::max({interval.lower - value, value - interval.upper, 0.0});
}

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

/// Arc above a chord of a circle, less than half a turn.
double arc_above(double chord, double curvature) {
  const double half = 0.5 * chord * curvature;
  if (std::abs(half) < 1e-4) return chord * (1 + half * half / 6);
  return chord * std::asin(std::clamp(half, -1.0, 1.0)) / half;
}

Vector3 position_of(const Line<double>& l, const Crossing<double>& x) {
  const double a = l.along + x.forward, b = l.across + x.sideward;
  return {l.cos_phi * a - l.sin_phi * b, l.sin_phi * a + l.cos_phi * b,
          l.z + x.arc * l.cot_theta};
}

/// Cosine of the angle between a track and the normal of a surface.
double cos_incidence(const SurfaceRecord& s, const Vector3& at, double phi,
                     double theta) {
  using Kind = SurfaceRecord::Kind;
  double cosine = std::cos(theta);
  if (s.kind == Kind::cylinder)
    cosine = std::sin(theta) * std::cos(phi - std::atan2(at.y(), at.x()));
  if (s.kind == Kind::plane)
    cosine = std::sin(theta) *
             (std::cos(phi) * s.normal_cos + std::sin(phi) * s.normal_sin);
  return std::max(std::abs(cosine), min_cos_incidence);
}

bool is_along(const Coordinate& c, std::size_t axis) {
  constexpr double rounding = 1e-9;
  return std::abs(axis == 0 ? std::sin(c.angle) : std::cos(c.angle)) < rounding;
}

}  // namespace

HitTrackBuilder::HitTrackBuilder(const Detector& detector,
                                 const TrackingGeometry& geometry,
                                 const StudyRequest& request,
                                 const HitTrackOptions& options)
    : detector_(detector),
      geometry_(geometry),
      request_(request),
      options_(options),
      vertex_(request.vertex[0], request.vertex[1], request.vertex[2]),
      has_hit_(geometry.surfaces().size()) {
  track_.field = geometry.has_field();
  track_.origin = vertex_;
  if (!track_.field && request.scattering != Scattering::off)
    track_.momentum = options.momentum;
  track_.mass = request.particle.mass;
}

std::string_view HitTrackBuilder::build(std::span<const FileHit> hits) {
  track_.points.clear();
  sources_.clear();
  surfaces_.clear();
  layer_errors_ = true;
  track_.kappa_ref = 0;
  layers_.assign(hits.size(), -1);
  for (const FileHit& hit : hits)
    if (!hit.position.allFinite()) return to_string(FitStatus::not_finite);
  if (!find_layers(hits)) return "far_from_surface";
  if (!have_coordinates(hits)) return "not_measured_there";
  if (hits.size() + (request_.beam_spot ? 1 : 0) < 3)
    return to_string(FitStatus::too_few_hits);
  sort_hits(hits);
  track_.flight.reset();
  if (!is_helix(hits)) return build_traced(hits);
  if (!find_path(hits)) return to_string(FitStatus::coincident_hits);
  cross_detector(hits);

  // Hits and the surfaces without one, in order of flight.
  if (request_.beam_spot) {
    track_.points.push_back(make_beam_spot_hit(*request_.beam_spot, vertex_,
                                               path_.phi, path_.theta));
    sources_.push_back(beam_spot);
    surfaces_.push_back(0);
  }
  for (const int layer : layers_) has_hit_[static_cast<std::size_t>(layer)] = 1;
  auto crossing = crossings_.list.begin();
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const double arc = path_.offset + path_.arcs[k];
    for (; crossing != crossings_.list.end() && crossing->at.arc < arc;
         ++crossing)
      add_passive(*crossing);
    add_hit(hits[order_[k]], static_cast<int>(order_[k]));
  }
  for (const int layer : layers_) has_hit_[static_cast<std::size_t>(layer)] = 0;
  set_scattering(hits);
  return {};
}

double HitTrackBuilder::layer_distance(std::size_t layer,
                                       const Vector3& x) const {
  const Surface& s = detector_.layers[layer].surface;
  switch (s.shape) {
    case Shape::cylinder:
      return std::hypot(std::hypot(x.x(), x.y()) - s.position,
                        outside(s.v, x.z()));
    case Shape::disk:
      return std::hypot(x.z() - s.position,
                        outside(s.v, std::hypot(x.x(), x.y())));
    case Shape::plane:
      break;
  }
  // (normal, u, v) is a cyclic permutation of (x, y, z)
  const int n = static_cast<int>(s.normal);
  return std::hypot(x[n] - s.position, outside(s.u, x[(n + 1) % 3]),
                    outside(s.v, x[(n + 2) % 3]));
}

/// The layer that the file tells, or the nearest one that measures.
bool HitTrackBuilder::find_layers(std::span<const FileHit> hits) {
  for (std::size_t i = 0; i < hits.size(); ++i) {
    double distance = std::numeric_limits<double>::infinity();
    if (hits[i].layer >= 0) {
      layers_[i] = hits[i].layer;
      distance = layer_distance(static_cast<std::size_t>(hits[i].layer),
                                hits[i].position);
    } else {
      for (std::size_t k = 0; k < detector_.layers.size(); ++k) {
        if (!detector_.layers[k].measures()) continue;
        const double d = layer_distance(k, hits[i].position);
        if (d >= distance) continue;
        distance = d;
        layers_[i] = static_cast<int>(k);
      }
    }
    if (!(distance <= options_.max_distance)) return false;
  }
  return true;
}

/// Whether every error that the file gives belongs to a coordinate.
bool HitTrackBuilder::have_coordinates(std::span<const FileHit> hits) const {
  for (std::size_t i = 0; i < hits.size(); ++i)
    for (std::size_t axis = 0; axis < 2; ++axis) {
      if (std::isnan(hits[i].sigma[axis])) continue;
      const Layer& layer =
          detector_.layers[static_cast<std::size_t>(layers_[i])];
      if (layer.measures() &&
          std::ranges::none_of(layer.coordinates, [axis](const Coordinate& c) {
            return is_along(c, axis);
          }))
        return false;
    }
  return true;
}

/// Along less than half a turn of a helix the distance from one end grows, so
/// that the hit farthest from any other is an end.
void HitTrackBuilder::sort_hits(std::span<const FileHit> hits) {
  order_.resize(hits.size());
  for (std::size_t i = 0; i < hits.size(); ++i)
    order_[i] = static_cast<std::uint32_t>(i);
  if (options_.order == HitOrder::as_given) return;
  const auto distance2 = [&](std::size_t i, const Vector3& from) {
    return (hits[i].position - from).squaredNorm();
  };
  const auto farthest = [&](const Vector3& from) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < hits.size(); ++i)
      if (distance2(i, from) > distance2(best, from)) best = i;
    return best;
  };
  const std::size_t a = farthest(hits[0].position);
  const std::size_t b = farthest(hits[a].position);
  const Vector3 start =
      hits[distance2(a, vertex_) < distance2(b, vertex_) ? a : b].position;
  keys_.clear();
  for (const std::uint32_t i : order_)
    keys_.emplace_back(distance2(i, start), i);
  std::ranges::sort(keys_);
  for (std::size_t k = 0; k < keys_.size(); ++k) order_[k] = keys_[k].second;
}

bool HitTrackBuilder::find_path(std::span<const FileHit> hits) {
  const bool spot = request_.beam_spot.has_value();
  const auto at = [&](std::size_t k) -> const Vector3& {
    return hits[order_[k]].position;
  };
  const Vector3& first = spot ? vertex_ : at(0);
  const Vector3& last = at(hits.size() - 1);
  const Vector3& middle = at((hits.size() - (spot ? 1 : 0)) / 2);
  double c = circle_curvature(first, middle, last);
  if (!std::isfinite(c)) return false;
  if (!track_.field) c = 0;

  // Straight line of z over the arc, from hits that measure both.
  path_.arcs.resize(hits.size());
  double n = 0, s1 = 0, z1 = 0, ss = 0, sz = 0;
  const auto sum = [&](bool all) {
    for (std::size_t k = 0; k < hits.size(); ++k) {
      const auto layer = static_cast<std::size_t>(layers_[order_[k]]);
      if (!all && geometry_.surfaces()[layer].n_axes < 2) continue;
      const double s = path_.arcs[k], z = at(k).z();
      n += 1, s1 += s, z1 += z, ss += s * s, sz += s * z;
    }
    return n > 1 && n * ss - s1 * s1 > 0;
  };
  for (std::size_t k = 0; k < hits.size(); ++k)
    path_.arcs[k] = arc_above(transverse_distance(first, at(k)), c);
  if (!sum(false)) {
    n = s1 = z1 = ss = sz = 0;
    if (!sum(true)) return false;
  }
  const double slope = (n * sz - s1 * z1) / (n * ss - s1 * s1);
  path_.z = (z1 - slope * s1) / n;
  path_.theta = std::atan2(1, slope);
  path_.curvature = c;
  const double chord = transverse_distance(first, last);
  path_.phi = std::atan2(last.y() - first.y(), last.x() - first.x()) -
              std::asin(std::clamp(0.5 * chord * c, -1.0, 1.0));
  return std::isfinite(path_.phi + path_.theta);
}

/// Follows the helix from its perigee through the detector.
void HitTrackBuilder::cross_detector(std::span<const FileHit> hits) {
  const Vector3& first =
      request_.beam_spot ? vertex_ : hits[order_[0]].position;
  const double sine = std::sin(path_.theta);
  const double bz = geometry_.bz(), charge = std::abs(request_.particle.charge);
  const double stiffest = charge * std::abs(bz) / straightest;
  double kappa = path_.curvature * sine;
  if (track_.field && std::abs(kappa) < stiffest)
    kappa = std::copysign(stiffest, kappa);
  Vector6 state;
  state << first.x(), first.y(), path_.z, path_.theta, path_.phi, kappa;
  const Vector5 perigee = to_perigee(state, vertex_).parameters;

  Track track;
  track.theta = path_.theta;
  track.phi = perigee[Perigee::phi];
  track.mass = request_.particle.mass;
  track.charge = kappa * bz > 0 ? -charge : charge;
  track.p = track_.field ? charge * std::abs(bz / kappa) : options_.momentum;
  const double d0 = perigee[Perigee::d0];
  track.vertex = {vertex_.x() - d0 * std::sin(track.phi),
                  vertex_.y() + d0 * std::cos(track.phi),
                  vertex_.z() + perigee[Perigee::z0]};
  const Vector3 start(track.vertex[0], track.vertex[1], track.vertex[2]);
  const double forward = (first.x() - start.x()) * std::cos(track.phi) +
                         (first.y() - start.y()) * std::sin(track.phi);
  path_.offset = std::copysign(
      arc_above(transverse_distance(start, first), path_.curvature), forward);

  crossings_ = find_crossings(geometry_, track, request_.scattering);
  track_.kappa_ref = kappa;
  if (options_.momentum <= 0) return;
  // The scattering of another momentum along the same path.
  track.p = options_.momentum;
  const Line<double> other = make_line<double>(track, bz);
  crossings_.line.scatter_scale = other.scatter_scale;
  crossings_.line.log_charge_beta = other.log_charge_beta;
  scatter_all(geometry_, request_.scattering, crossings_);
  track_.kappa_ref = other.kappa;
}

void HitTrackBuilder::add_hit(const FileHit& hit, int index) {
  const auto layer =
      static_cast<std::size_t>(layers_[static_cast<std::size_t>(index)]);
  const SurfaceRecord& s = geometry_.surfaces()[layer];
  TrackHit& h = track_.points.emplace_back();
  sources_.push_back(index);
  surfaces_.push_back(static_cast<unsigned>(layer));
  h.position = hit.position;
  std::tie(h.u, h.v) = surface_axes(s, hit.position);
  h.cylinder = s.kind == SurfaceRecord::Kind::cylinder;
  const bool overridden =
      !std::isnan(hit.sigma[0]) || !std::isnan(hit.sigma[1]);
  if (!overridden) {
    set_coordinates(h, geometry_.axes(s));
    return;
  }
  layer_errors_ = false;
  const auto own = geometry_.axes(s);
  std::vector<CoordinateAxis> axes(own.begin(), own.end());
  const auto user = s.user_axes();
  const std::array<CoordinateAxis, 2> along{user.first, user.second};
  const std::vector<Coordinate>& measured = detector_.layers[layer].coordinates;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const double variance = hit.sigma[axis] * hit.sigma[axis];
    if (std::isnan(variance)) continue;
    if (own.empty()) {
      axes.push_back({along[axis].cosine, along[axis].sine, variance});
      continue;
    }
    for (std::size_t k = 0; k < measured.size(); ++k)
      if (is_along(measured[k], axis)) axes[k].variance = variance;
  }
  set_coordinates(h, axes);
}

/// Scattering angles of the hits, from the direction of the path there.
void HitTrackBuilder::set_scattering(std::span<const FileHit> hits) {
  if (request_.scattering == Scattering::off) return;
  std::size_t k = 0;
  for (std::size_t i = 0; i < track_.points.size(); ++i) {
    if (sources_[i] < 0) continue;
    const double phi = path_.phi + path_.curvature * path_.arcs[k++];
    const auto layer = static_cast<std::size_t>(
        layers_[static_cast<std::size_t>(sources_[i])]);
    const SurfaceRecord& s = geometry_.surfaces()[layer];
    if (!(s.x_over_x0 > 0)) continue;
    const Vector3& at = hits[static_cast<std::size_t>(sources_[i])].position;
    const double t = s.x_over_x0 / cos_incidence(s, at, phi, path_.theta);
    track_.points[i].theta0_2 =
        theta0_squared(crossings_.line, request_.scattering, t,
                       std::max(t, crossings_.x_over_x0));
  }
}

void HitTrackBuilder::add_passive(const TrackCrossing<double>& crossing) {
  if (has_hit_[crossing.surface] != 0 || !(crossing.theta0_2 > 0)) return;
  const SurfaceRecord& s = geometry_.surfaces()[crossing.surface];
  TrackHit& h = track_.points.emplace_back();
  sources_.push_back(passive);
  surfaces_.push_back(crossing.surface);
  h.position = position_of(crossings_.line, crossing.at);
  std::tie(h.u, h.v) = surface_axes(s, h.position);
  h.cylinder = s.kind == SurfaceRecord::Kind::cylinder;
  h.theta0_2 = crossing.theta0_2;
}

}  // namespace gttf
