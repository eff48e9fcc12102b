// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/hits/hit_track.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "gttf/fit/track/fit_status.hpp"
#include "gttf/study/hits/hit_parser.hpp"
#include "gttf/trajectory/surface_axes.hpp"

namespace gttf {
namespace {

double length(double a, double b) {
  return b == 0 ? std::abs(a) : std::sqrt(a * a + b * b);
}

double outside(const Interval& interval, double value) {
  return std::max({interval.lower - value, value - interval.upper, 0.0});
}

/// From the surface to a point x with the transverse distance r from the axis.
double surface_distance(const Surface& s, const Vector3& x, double r) {
  switch (s.shape) {
    case Shape::cylinder:
      return length(r - s.position, outside(s.v, x.z()));
    case Shape::disk:
      return length(x.z() - s.position, outside(s.v, r));
    case Shape::plane:
      break;
  }
  // (normal, u, v) is a cyclic permutation of (x, y, z)
  const int n = static_cast<int>(s.normal);
  return std::hypot(x[n] - s.position, outside(s.u, x[(n + 1) % 3]),
                    outside(s.v, x[(n + 2) % 3]));
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
    log_x_over_x0_.push_back(std::log(s.x_over_x0));
  }
  find_coarse_layers();
}

std::string_view HitTrackBuilder::find(std::span<const FileHit> hits) {
  track_.points.clear();
  sources_.clear();
  surfaces_.clear();
  track_.kappa_ref = 0;
  track_.flight.reset();
  simple_ = false;
  if (!take_hits(hits)) return to_string(FitStatus::not_finite);
  if (!find_layers(hits)) return "far_from_surface";
  if (!layer_errors_ && !have_coordinates(hits)) return "not_measured_there";
  if (hits.size() + (request_.beam_spot ? 1 : 0) < 3)
    return to_string(FitStatus::too_few_hits);
  sort_hits(hits);
  mark_layers();
  if (!is_helix(hits)) return build_traced(hits);
  simple_ = track_.field && layer_errors_ && !request_.beam_spot &&
            request_.scattering != Scattering::highland_total &&
            !(any_missing_ && any_coarse_across());
  return simple_ ? std::string_view() : follow();
}

std::string_view HitTrackBuilder::follow() {
  if (!find_path()) return to_string(FitStatus::coincident_hits);
  follow_path();
  find_scattering();
  return {};
}

/// Hits and the surfaces without one, in order of flight.
std::string_view HitTrackBuilder::make_points(std::span<const FileHit> hits) {
  if (track_.flight) return {};  // has them
  if (simple_)
    if (const auto why = follow(); !why.empty()) return why;
  if (request_.beam_spot) {
    track_.points.push_back(make_beam_spot_hit(
        *request_.beam_spot, vertex_, std::atan2(path_.sin_phi, path_.cos_phi),
        std::atan2(path_.sin_theta, path_.cos_theta)));
    sources_.push_back(beam_spot);
    surfaces_.push_back(0);
  }
  const Vector3 first = request_.beam_spot ? vertex_ : position(0);
  auto crossing = crossings_.list.begin();
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const double arc = offset_ + (is_coarse_across(k) ? arc_to_surface(first, k)
                                                      : arcs_[k].length);
    for (; crossing != crossings_.list.end() && crossing->at.arc < arc;
         ++crossing)
      add_passive(*crossing);
    add_hit(hits[order_[k]], static_cast<int>(order_[k]));
    track_.points.back().theta0_2 = hits_.theta0_2[k];
  }
  return {};
}

/// Copies the hits in the order of the file. Returns whether they are finite.
bool HitTrackBuilder::take_hits(std::span<const FileHit> hits) {
  const std::size_t n = hits.size();
  for (std::vector<double>* v : {&hits_.x, &hits_.y, &hits_.z, &r_})
    v->resize(n);
  layers_.resize(n);
  layer_errors_ = true;
  bool finite = true;
  for (std::size_t i = 0; i < n; ++i) {
    const FileHit& hit = hits[i];
    finite = finite && hit.position.allFinite();
    layer_errors_ =
        layer_errors_ && std::isnan(hit.sigma[0]) && std::isnan(hit.sigma[1]);
    hits_.x[i] = hit.position.x();
    hits_.y[i] = hit.position.y();
    hits_.z[i] = hit.position.z();
    layers_[i] = hit.layer;
  }
  for (std::size_t i = 0; i < n; ++i)
    r_[i] = std::sqrt(hits_.x[i] * hits_.x[i] + hits_.y[i] * hits_.y[i]);
  return finite;
}

/// The layer that the file tells, or the nearest one that measures.
bool HitTrackBuilder::find_layers(std::span<const FileHit> hits) {
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const auto distance_from = [&](std::size_t layer) {
      return surface_distance(detector_.layers[layer].surface, position(i),
                              r_[i]);
    };
    double distance = std::numeric_limits<double>::infinity();
    if (layers_[i] >= 0) {
      distance = distance_from(static_cast<std::size_t>(layers_[i]));
    } else {
      for (std::size_t k = 0; k < detector_.layers.size(); ++k) {
        if (!detector_.layers[k].measures()) continue;
        const double d = distance_from(k);
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
            return detail::is_along(c, axis);
          }))
        return false;
    }
  return true;
}

/// Notes which surfaces have a hit: most often those of the track before.
void HitTrackBuilder::mark_layers() {
  if (layers_ == marked_) return;
  for (const int layer : marked_) has_hit_[static_cast<std::size_t>(layer)] = 0;
  for (const int layer : layers_) has_hit_[static_cast<std::size_t>(layer)] = 1;
  marked_ = layers_;
  any_missing_ = any_missing();
}

/// The errors of a hit: those of its layer, or of the file.
void HitTrackBuilder::set_errors(const FileHit& hit, std::size_t layer,
                                 TrackHit& h) const {
  if (std::isnan(hit.sigma[0]) && std::isnan(hit.sigma[1])) return;
  const SurfaceRecord& s = geometry_.surfaces()[layer];
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
      if (detail::is_along(measured[k], axis)) axes[k].variance = variance;
  }
  set_coordinates(h, axes);
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
  set_errors(hit, layer, h);
}

}  // namespace gttf
