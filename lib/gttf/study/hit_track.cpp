// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/hit_track.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "gttf/core/series.hpp"
#include "gttf/fit/fit_status.hpp"
#include "gttf/fit/track_state.hpp"
#include "gttf/trajectory/reach.hpp"
#include "gttf/trajectory/surface_axes.hpp"

namespace gttf {
namespace {

constexpr double straightest = 1e6;         // GeV
constexpr double min_cos_incidence = 0.01;  // as find_crossings()

double length(double a, double b) { return std::sqrt(a * a + b * b); }

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

/// An arc of a circle above a chord, less than half a turn, and the sine and
/// cosine of half the angle by which it turns.
struct Arc {
  double length, sine, cosine;
};

Arc arc_above(double chord, double curvature) {
  const double sine = std::clamp(0.5 * chord * curvature, -1.0, 1.0);
  const double cosine = std::sqrt((1 - sine) * (1 + sine));
  const double excess = asin_excess(sine * sine, cosine);
  return {chord * (1 + sine * sine * excess), sine, cosine};
}

Vector3 position_of(const Line<double>& l, const Crossing<double>& x) {
  const double a = l.along + x.forward, b = l.across + x.sideward;
  return {l.cos_phi * a - l.sin_phi * b, l.sin_phi * a + l.cos_phi * b,
          l.z + x.arc * l.cot_theta};
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
  for (const SurfaceRecord& s : geometry.surfaces()) {
    TrackHit& hit = hit_of_layer_.emplace_back();
    hit.cylinder = s.kind == SurfaceRecord::Kind::cylinder;
    set_coordinates(hit, geometry.axes(s));
  }
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
  for (const int layer : layers_) has_hit_[static_cast<std::size_t>(layer)] = 1;
  follow_path(hits);

  // Hits and the surfaces without one, in order of flight.
  if (request_.beam_spot) {
    track_.points.push_back(make_beam_spot_hit(*request_.beam_spot, vertex_,
                                               path_.phi(), path_.theta()));
    sources_.push_back(beam_spot);
    surfaces_.push_back(0);
  }
  auto crossing = crossings_.list.begin();
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const double arc = path_.offset + path_.points[k].arc;
    for (; crossing != crossings_.list.end() && crossing->at.arc < arc;
         ++crossing)
      add_passive(*crossing);
    add_hit(hits[order_[k]], static_cast<int>(order_[k]));
    set_scattering(path_.points[k], track_.points.back());
  }
  for (const int layer : layers_) has_hit_[static_cast<std::size_t>(layer)] = 0;
  return {};
}

double HitTrackBuilder::layer_distance(std::size_t layer,
                                       const Vector3& x) const {
  const Surface& s = detector_.layers[layer].surface;
  switch (s.shape) {
    case Shape::cylinder:
      return length(length(x.x(), x.y()) - s.position, outside(s.v, x.z()));
    case Shape::disk:
      return length(x.z() - s.position, outside(s.v, length(x.x(), x.y())));
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
    double most = -1;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const double d = distance2(i, from);
      if (d > most) most = d, best = i;
    }
    return best;
  };
  const std::size_t a = farthest(hits[0].position);
  const std::size_t b = farthest(hits[a].position);
  const Vector3 start =
      hits[distance2(a, vertex_) < distance2(b, vertex_) ? a : b].position;
  keys_.clear();
  for (const std::uint32_t i : order_)
    keys_.emplace_back(distance2(i, start), i);
  if (std::ranges::is_sorted(keys_)) return;
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
  path_.points.resize(hits.size());
  double n = 0, s1 = 0, z1 = 0, ss = 0, sz = 0;
  const auto sum = [&](bool all) {
    for (std::size_t k = 0; k < hits.size(); ++k) {
      const auto layer = static_cast<std::size_t>(layers_[order_[k]]);
      if (!all && geometry_.surfaces()[layer].n_axes < 2) continue;
      const double s = path_.points[k].arc, z = at(k).z();
      n += 1, s1 += s, z1 += z, ss += s * s, sz += s * z;
    }
    return n > 1 && n * ss - s1 * s1 > 0;
  };
  Arc arc{};
  for (std::size_t k = 0; k < hits.size(); ++k) {
    arc = arc_above(transverse_distance(first, at(k)), c);
    path_.points[k] = {arc.length, 2 * arc.sine * arc.cosine,
                       1 - 2 * arc.sine * arc.sine};
  }
  if (!sum(false)) {
    n = s1 = z1 = ss = sz = 0;
    if (!sum(true)) return false;
  }
  const double slope = (n * sz - s1 * z1) / (n * ss - s1 * s1);
  path_.z = (z1 - slope * s1) / n;
  path_.sin_theta = 1 / std::sqrt(1 + slope * slope);
  path_.cos_theta = slope * path_.sin_theta;
  path_.curvature = c;
  // half the turn before the direction of the last chord
  const double chord = transverse_distance(first, last);
  const double x = (last.x() - first.x()) / chord;
  const double y = (last.y() - first.y()) / chord;
  path_.cos_phi = x * arc.cosine + y * arc.sine;
  path_.sin_phi = y * arc.cosine - x * arc.sine;
  return std::isfinite(path_.cos_phi + path_.sin_phi + slope);
}

/// Finds what is crossed without a hit, and how much layers scatter.
void HitTrackBuilder::follow_path(std::span<const FileHit> hits) {
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
  if (request_.scattering == Scattering::highland_total || any_missing())
    cross_detector(hits, kappa, p);
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
void HitTrackBuilder::cross_detector(std::span<const FileHit> hits,
                                     double kappa, double p) {
  const Vector3& first =
      request_.beam_spot ? vertex_ : hits[order_[0]].position;
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

void HitTrackBuilder::add_hit(const FileHit& hit, int index) {
  const auto layer =
      static_cast<std::size_t>(layers_[static_cast<std::size_t>(index)]);
  const SurfaceRecord& s = geometry_.surfaces()[layer];
  TrackHit& h = track_.points.emplace_back(hit_of_layer_[layer]);
  sources_.push_back(index);
  surfaces_.push_back(static_cast<unsigned>(layer));
  h.position = hit.position;
  std::tie(h.u, h.v) = surface_axes(s, hit.position);
  const bool overridden =
      !std::isnan(hit.sigma[0]) || !std::isnan(hit.sigma[1]);
  if (!overridden) return;
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

/// Scattering angle of a hit, from the direction of the path there.
void HitTrackBuilder::set_scattering(const PathPoint& at, TrackHit& hit) const {
  const SurfaceRecord& s = geometry_.surfaces()[surfaces_.back()];
  if (request_.scattering == Scattering::off || !(s.x_over_x0 > 0)) return;
  using Kind = SurfaceRecord::Kind;
  double cosine = path_.cos_theta;
  if (s.kind == Kind::cylinder || s.kind == Kind::plane) {
    const double cos_phi =
        path_.cos_phi * at.cos_turn - path_.sin_phi * at.sin_turn;
    const double sin_phi =
        path_.sin_phi * at.cos_turn + path_.cos_phi * at.sin_turn;
    const double x = hit.position.x(), y = hit.position.y();
    cosine =
        path_.sin_theta * (s.kind == Kind::plane
                               ? cos_phi * s.normal_cos + sin_phi * s.normal_sin
                               : (cos_phi * x + sin_phi * y) / length(x, y));
  }
  const double t = s.x_over_x0 / std::max(std::abs(cosine), min_cos_incidence);
  hit.theta0_2 =
      theta0_squared(strength_.scale, strength_.log_charge_beta,
                     request_.scattering, t, std::max(t, crossings_.x_over_x0));
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
