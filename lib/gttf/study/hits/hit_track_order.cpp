// SPDX-License-Identifier: Apache-2.0
// The hits of a track in order of flight.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gttf/core/cartesian.hpp"
#include "gttf/study/hits/hit_track.hpp"
#include "gttf/trajectory/surface_axes.hpp"

namespace gttf {
namespace {

/// So many standard deviations a hit may be away from its track.
constexpr double deviations = 5;

/// Errors that move hits by less do no harm to their order, mm.
constexpr double harmless = 0.1;

double gap_between(const Interval& a, const Interval& b) {
  return std::max({a.lower - b.upper, b.lower - a.upper, 0.0});
}

/// The least distance between points of two surfaces, or less; mm.
double gap_between(const Surface& a, const Surface& b) {
  if (a.shape == Shape::plane || b.shape == Shape::plane)
    return a.shape == b.shape && a.normal == b.normal
               ? std::abs(a.position - b.position)
               : 0;
  const auto radii = [](const Surface& s) {
    return s.shape == Shape::disk ? s.v : Interval{s.position, s.position};
  };
  const auto heights = [](const Surface& s) {
    return s.shape == Shape::disk ? Interval{s.position, s.position} : s.v;
  };
  return std::hypot(gap_between(radii(a), radii(b)),
                    gap_between(heights(a), heights(b)));
}

/// How far along its surface a hit may be away from its track, mm.
double reach_of(const TrackHit& hit) {
  if (hit.n_coordinates == 0) return 0;  // is where it is
  if (hit.n_coordinates == 1) return std::numeric_limits<double>::infinity();
  const CoordinateAxis &a = hit.coordinates[0], &b = hit.coordinates[1];
  const double of_a = a.cosine * a.cosine + a.sine * a.sine;
  const double of_b = b.cosine * b.cosine + b.sine * b.sine;
  // the error of one coordinate moves the hit along the other one's strip
  return deviations * std::sqrt(a.variance * of_b + b.variance * of_a) /
         std::abs(a.cosine * b.sine - a.sine * b.cosine);
}

/// Does the surface lie across the z axis?
bool is_across(const SurfaceRecord& s) {
  using Kind = SurfaceRecord::Kind;
  return s.kind == Kind::disk || s.kind == Kind::disk_plane;
}

}  // namespace

/// Which layers have errors that reach to other ones?
void HitTrackBuilder::find_coarse_layers() {
  const auto& layers = detector_.layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const double reach = reach_of(hit_of_layer_[i]);
    reach_of_layer_.push_back(reach);
    bool reaches = false;
    for (std::size_t k = 0; reach > harmless && k < layers.size(); ++k) {
      if (i == k || gap_between(layers[i].surface, layers[k].surface) >= reach)
        continue;
      coarse_ = coarse_ || layers[k].measures();
      reaches = true;
    }
    const bool across = reaches && is_across(geometry_.surfaces()[i]);
    coarse_across_.push_back(across ? 1 : 0);
    any_coarse_across_ = any_coarse_across_ || across;
  }
}

/// Do errors of the hit change its distance from the first one in the
/// transverse plane, compared with that of other surfaces?
bool HitTrackBuilder::is_coarse_across(std::size_t k) const {
  const unsigned surface = hits_.surface[k];
  return layer_errors_
             ? coarse_across_[surface] != 0
             : is_across(geometry_.surfaces()[surface]) && reach_[k] > harmless;
}

bool HitTrackBuilder::any_coarse_across() const {
  if (layer_errors_ && !any_coarse_across_) return false;
  for (std::size_t k = 0; k < hits_.surface.size(); ++k)
    if (is_coarse_across(k)) return true;
  return false;
}

/// Sets distance2_, from that hit, and returns which one is farthest.
std::size_t HitTrackBuilder::farthest_from(std::size_t hit) {
  const std::size_t n = hits_.x.size();
  const Vector3 from = position(hit);
  distance2_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = hits_.x[i] - from.x(), y = hits_.y[i] - from.y(),
                 z = hits_.z[i] - from.z();
    distance2_[i] = x * x + y * y + z * z;
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < n; ++i)
    if (distance2_[i] > distance2_[best]) best = i;
  return best;
}

void HitTrackBuilder::sort_hits(std::span<const FileHit> hits) {
  const std::size_t n = layers_.size();
  order_.resize(n);
  hits_.surface.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    order_[i] = static_cast<std::uint32_t>(i);
    hits_.surface[i] = static_cast<unsigned>(layers_[i]);
  }
  const bool sort = options_.order == HitOrder::along_track;
  if (sort) sort_by_distance();
  if (!coarse_ && !any_coarse_across_ && layer_errors_) return;
  find_reach(hits);
  // hits that are far from each other, compared with their errors, are in order
  if (sort && find_doubtful() && sort_by_crossing()) find_reach(hits);
}

/// Along less than half a turn of a helix the distance from one end grows, so
/// that the hit farthest from any other is an end.
void HitTrackBuilder::sort_by_distance() {
  const std::size_t a = farthest_from(0);
  from_first_.swap(distance2_);
  const std::size_t b = farthest_from(a);
  const bool from_a = (position(a) - vertex_).squaredNorm() <
                      (position(b) - vertex_).squaredNorm();
  if (!from_a && b == 0)
    from_first_.swap(distance2_);
  else if (!from_a)
    farthest_from(b);
  if (std::ranges::is_sorted(distance2_)) return;
  keys_.clear();
  for (const std::uint32_t i : order_) keys_.emplace_back(distance2_[i], i);
  std::ranges::sort(keys_);
  take_order_of_keys();
}

/// Puts the hits, in whatever order they are, in that of the numbers in keys_.
void HitTrackBuilder::take_order_of_keys() {
  const std::size_t n = order_.size();
  const auto take = [&](auto& values, auto& before) {
    before.swap(values);
    values.resize(n);
    for (std::size_t k = 0; k < n; ++k) values[k] = before[keys_[k].second];
  };
  take(order_, order_before_);
  for (std::size_t k = 0; k < n; ++k)
    hits_.surface[k] = static_cast<unsigned>(layers_[order_[k]]);
  for (std::vector<double>* v : {&hits_.x, &hits_.y, &hits_.z, &r_})
    take(*v, before_);
}

/// Sets reach_ of the hits in their order.
void HitTrackBuilder::find_reach(std::span<const FileHit> hits) {
  reach_.resize(order_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const std::size_t layer = hits_.surface[k];
    reach_[k] = reach_of_layer_[layer];
    if (layer_errors_) continue;
    TrackHit hit = hit_of_layer_[layer];
    set_errors(hits[order_[k]], layer, hit);
    reach_[k] = reach_of(hit);
  }
}

/// Sets doubtful_ to the runs of hits whose distances do not tell their order.
/// Returns whether there are any.
bool HitTrackBuilder::find_doubtful() {
  const std::size_t n = order_.size();
  nearest_behind_.resize(n);
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t k = n; k-- > 0;) {
    nearest = std::min(nearest, std::sqrt(distance2_[order_[k]]) - reach_[k]);
    nearest_behind_[k] = nearest;
  }
  doubtful_.clear();
  double farthest = 0;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < n; ++k) {
    farthest = std::max(farthest, std::sqrt(distance2_[order_[k]]) + reach_[k]);
    if (k + 1 < n && nearest_behind_[k + 1] < farthest) continue;
    if (k > begin) doubtful_.emplace_back(begin, k + 1);
    begin = k + 1;
  }
  return !doubtful_.empty();
}

/// Orders the doubtful hits by where the track crosses their surfaces: errors
/// along the surface do not matter for that. Returns whether that changes it.
bool HitTrackBuilder::sort_by_crossing() {
  const Vector3 first = position(0);
  const Vector3 step = position(order_.size() - 1) - first;
  const Field& field = geometry_.field();
  const bool around_z =
      field.kind == FieldKind::solenoid ||
      (field.kind == FieldKind::map &&
       choose_frame(field, step.normalized()).polar == Axis::z);
  if (!(step.norm() > 0) || (around_z && !find_rough_path(step.norm())))
    return false;
  keys_.clear();
  for (std::uint32_t k = 0; k < order_.size(); ++k) keys_.emplace_back(0, k);
  bool sorted = true;
  for (const auto& [begin, end] : doubtful_) {
    for (std::size_t k = begin; k < end; ++k)
      keys_[k].first = around_z ? arc_to_surface(first, k)
                                : distance_to_surface(first, step, k);
    const auto run = std::span(keys_).subspan(begin, end - begin);
    if (std::ranges::is_sorted(run)) continue;
    sorted = false;
    std::ranges::sort(run);
  }
  if (!sorted) take_order_of_keys();
  return !sorted;
}

/// Sets path_ and arcs_ to a helix around z through the first, the middle and
/// the last hit in the transverse plane.
/// @param length  between the ends, mm
bool HitTrackBuilder::find_rough_path(double length) {
  const std::size_t n = order_.size();
  const Vector3 first = position(0), last = position(n - 1);
  path_.curvature = circle_curvature(
      cartesian(first), cartesian(position(n / 2)), cartesian(last));
  if (!std::isfinite(path_.curvature)) return false;
  follow_arcs(first);
  path_ = make_path(cartesian(first), cartesian(last), path_.curvature,
                    arcs_.back(), weighted_line(length));
  return std::isfinite(path_.cos_phi + path_.sin_phi + path_.cos_theta +
                       path_.z);
}

/// z over the arc: coarse hits tell little about it, unmeasured coordinates
/// nothing.
/// @param length  between the ends, mm
ArcLine<double> HitTrackBuilder::weighted_line(double length) const {
  const double floor = 1e-3 * length, most = 10 * length;
  ArcLine<double> line;
  for (std::size_t k = 0; k < reach_.size(); ++k) {
    const double reach = std::min(reach_[k], most);
    line.add(arcs_[k].length, hits_.z[k], 1 / (reach * reach + floor * floor));
  }
  return line;
}

/// The arc, in the transverse plane, from `first` along path_ to the plane that
/// touches the surface of hit k there; mm.
double HitTrackBuilder::arc_to_surface(const Vector3& first,
                                       std::size_t k) const {
  const Vector3 step = position(k) - first;
  const ChordArc<double>& arc = arcs_[k];
  const auto turned = [this](double cosine, double sine) {
    return Vector3(path_.cos_phi * cosine - path_.sin_phi * sine,
                   path_.sin_phi * cosine + path_.cos_phi * sine, 0);
  };
  // coarse hits may lie before the first one
  const bool before = step.dot(turned(arc.cosine, arc.sine)) < 0;
  const double sign = before ? -1 : 1, s = sign * arc.length;
  const double cot = path_.cos_theta / path_.sin_theta;
  Vector3 at = first + sign * step.head<2>().norm() *
                           turned(arc.cosine, sign * arc.sine);
  at.z() = path_.z + s * cot;
  Vector3 slope = turned(arc.cos_turn(), sign * arc.sin_turn());
  slope.z() = cot;
  return s + step_to_surface(at, slope, k).value_or(0);
}

/// The same along a straight line.
double HitTrackBuilder::distance_to_surface(const Vector3& first,
                                            const Vector3& step,
                                            std::size_t k) const {
  return step_to_surface(first, step, k)
      .value_or(step.dot(position(k) - first) / step.squaredNorm());
}

/// How far it is, in units of `step`, from a point to the plane that touches
/// the surface of hit k there; nothing if that is too nearly along it.
std::optional<double> HitTrackBuilder::step_to_surface(const Vector3& from,
                                                       const Vector3& step,
                                                       std::size_t k) const {
  const Vector3 x = position(k);
  const Vector3 normal =
      surface_normal(geometry_.surfaces()[hits_.surface[k]], x);
  const double along = normal.dot(step);
  constexpr double grazing = 0.05;
  if (!(std::abs(along) > grazing * step.norm())) return std::nullopt;
  return normal.dot(x - from) / along;
}

}  // namespace gttf
