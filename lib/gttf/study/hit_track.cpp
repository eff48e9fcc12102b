// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/hit_track.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "gttf/fit/fit_status.hpp"
#include "gttf/trajectory/surface_axes.hpp"

namespace gttf {
namespace {

double length(double a, double b) { return std::sqrt(a * a + b * b); }

double outside(const Interval& interval, double value) {
  return std::max({interval.lower - value, value - interval.upper, 0.0});
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

}  // namespace gttf
