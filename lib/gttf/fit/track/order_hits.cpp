// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/track/order_hits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "gttf/core/cartesian.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/fit/track/hits.hpp"
#include "gttf/trajectory/surface_level.hpp"

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
  if (is_round(s)) {
    const Meridian m = meridian(s);
    const double dz = m.z[1] - m.z[0], dr = m.r[1] - m.r[0];
    const double whole = length(dz, dr);
    const double from_z = x.z() - m.z[0], from_r = r - m.r[0];
    return length((from_z * dr - from_r * dz) / whole,
                  outside({0, whole}, (from_z * dz + from_r * dr) / whole));
  }
  if (s.is_inclined()) {
    const auto along = [&x](const std::array<double, 3>& axis) {
      return axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2];
    };
    return std::hypot(along(s.normal_vector) - s.position,
                      outside(s.u, along(s.u_vector)),
                      outside(s.v, along(s.v_vector())));
  }
  // (normal, u, v) is a cyclic permutation of (x, y, z)
  const int n = static_cast<int>(s.normal);
  return std::hypot(x[n] - s.position, outside(s.u, x[(n + 1) % 3]),
                    outside(s.v, x[(n + 2) % 3]));
}

/// Maximum distance of a hit from its track in standard deviations.
constexpr double deviations = 5;

/// Errors below this do not affect the order of hits, mm.
constexpr double harmless = 0.1;

double gap_between(const Interval& a, const Interval& b) {
  return std::max({a.lower - b.upper, b.lower - a.upper, 0.0});
}

/// A lower bound of the distance between points of two surfaces, mm.
double gap_between(const Surface& a, const Surface& b) {
  if (!is_round(a) || !is_round(b))
    return are_parallel(a, b) ? std::abs(a.position - b.position) : 0;
  return std::hypot(gap_between(radii(a), radii(b)),
                    gap_between(extent(a, Axis::z), extent(b, Axis::z)));
}

/// Maximum distance of a hit from its track along the surface, mm.
double reach_of(const TrackHit& hit) {
  if (hit.n_coordinates == 0) return 0;  // is not displaced
  if (hit.n_coordinates == 1) return std::numeric_limits<double>::infinity();
  const CoordinateAxis &a = hit.coordinates[0], &b = hit.coordinates[1];
  const double of_a = a.cosine * a.cosine + a.sine * a.sine;
  const double of_b = b.cosine * b.cosine + b.sine * b.sine;
  // the error of one coordinate moves the hit along the strip of the other
  return deviations * std::sqrt(a.variance * of_b + b.variance * of_a) /
         std::abs(a.cosine * b.sine - a.sine * b.cosine);
}

}  // namespace

HitLayers::HitLayers(const Detector& of, const TrackingGeometry& in)
    : detector(of), geometry(in) {
  for (const SurfaceRecord& s : geometry.surfaces()) {
    TrackHit& hit = hit_of_layer.emplace_back();
    hit.curved = s.is_curved();
    set_coordinates(hit, geometry.axes(s));
    log_x_over_x0.push_back(std::log(s.x_over_x0));
  }
  find_coarse_layers();
}

/// Layers whose errors reach to other layers.
void HitLayers::find_coarse_layers() {
  const auto& layers = detector.layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const double reach = reach_of(hit_of_layer[i]);
    reach_of_layer.push_back(reach);
    bool reaches = false;
    for (std::size_t k = 0; reach > harmless && k < layers.size(); ++k) {
      if (i == k || gap_between(layers[i].surface, layers[k].surface) >= reach)
        continue;
      coarse = coarse || layers[k].measures();
      reaches = true;
    }
    const bool across = reaches && !geometry.surfaces()[i].is_upright();
    coarse_across.push_back(across ? 1 : 0);
    any_coarse_across = any_coarse_across || across;
  }
}

namespace detail {

bool is_along(const Coordinate& c, std::size_t axis) {
  constexpr double rounding = 1e-9;
  return std::abs(axis == 0 ? std::sin(c.angle) : std::cos(c.angle)) < rounding;
}

/// Whether errors of the hit change its transverse distance from the first one
/// significantly, compared with the distance of other surfaces.
bool is_coarse_across(const HitLayers& layers, const HitList& h,
                      std::size_t k) {
  const unsigned surface = h.surface[k];
  return h.layer_errors ? layers.coarse_across[surface] != 0
                        : !layers.geometry.surfaces()[surface].is_upright() &&
                              h.reach[k] > harmless;
}

bool any_coarse_across(const HitLayers& layers, const HitList& h) {
  if (h.layer_errors && !layers.any_coarse_across) return false;
  for (std::size_t k = 0; k < h.surface.size(); ++k)
    if (is_coarse_across(layers, h, k)) return true;
  return false;
}

/// The errors of a hit, from its layer or from the file.
void set_errors(const HitLayers& layers, const MeasuredHit& hit,
                std::size_t layer, TrackHit& h) {
  if (std::isnan(hit.sigma[0]) && std::isnan(hit.sigma[1])) return;
  const SurfaceRecord& s = layers.geometry.surfaces()[layer];
  const auto own = layers.geometry.axes(s);
  std::vector<CoordinateAxis> axes(own.begin(), own.end());
  const auto user = s.user_axes();
  const std::array<CoordinateAxis, 2> along{user.first, user.second};
  const std::vector<Coordinate>& measured =
      layers.detector.layers[layer].coordinates;
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

namespace {

/// Arcs from the first point to the hits. The loop has no branches, so that it
/// can be vectorised. Returns whether a turn is too large.
template <bool small>
bool follow_arcs(HitList& h, const Vector3& first) {
  const double x0 = first.x(), y0 = first.y(), curvature = h.path.first.c;
  const double *const x = h.x.data(), *const y = h.y.data();
  ChordArc<double>* const arcs = h.arcs.data();
  double most = 0;
  for (std::size_t k = 0; k < h.arcs.size(); ++k) {
    const double dx = x[k] - x0, dy = y[k] - y0;
    arcs[k] = arc_above<small>(std::sqrt(dx * dx + dy * dy), curvature);
    most = std::max(most, arcs[k].sine * arcs[k].sine);
  }
  return small && !(most <= largest_small_sine2);
}

/// The same for a track that turns by more than half a turn, where chords from
/// the first point decrease again: sums the arcs from hit to hit.
void follow_turns(HitList& h, const Vector3& first) {
  std::vector<double>& lengths = h.from_first;
  lengths.clear();
  Vector3 before = first;
  double length = 0;
  for (std::size_t k = 0; k < h.arcs.size(); ++k) {
    const Vector3 at = h.position(k);
    const double chord = std::hypot(at.x() - before.x(), at.y() - before.y());
    length += arc_above<false>(chord, h.path.first.c).length;
    lengths.push_back(length);
    before = at;
  }
  // otherwise chords are shortened by the errors of hits
  if (!(std::abs(h.path.first.c) * length > unit::pi)) return;
  for (std::size_t k = 0; k < h.arcs.size(); ++k) {
    const double half_turn = 0.5 * h.path.first.c * lengths[k];
    h.arcs[k] = {lengths[k], std::sin(half_turn), std::cos(half_turn)};
  }
}

}  // namespace

void follow_arcs(HitList& h, const Vector3& first) {
  h.arcs.resize(h.x.size());
  if (follow_arcs<true>(h, first)) follow_arcs<false>(h, first);
  // sorted hits are within half a turn
  if (h.rule == HitOrder::as_given &&
      !std::ranges::is_sorted(h.arcs, {}, &ChordArc<double>::length))
    follow_turns(h, first);
}

/// Line of z over the arc: coarse hits constrain it weakly, unmeasured
/// coordinates not at all.
/// @param length  between the ends, mm
ArcLine<double> weighted_line(const HitList& h, double length) {
  const double floor = 1e-3 * length, most = 10 * length;
  ArcLine<double> line;
  for (std::size_t k = 0; k < h.reach.size(); ++k) {
    const double reach = std::min(h.reach[k], most);
    line.add(h.arcs[k].length, h.z[k], 1 / (reach * reach + floor * floor));
  }
  return line;
}

namespace {

/// Distance, in units of `step`, from a point to the tangent plane of the
/// surface at hit k; nothing if `step` is nearly parallel to it.
std::optional<double> step_to_surface(const HitLayers& layers, const HitList& h,
                                      const Vector3& from, const Vector3& step,
                                      std::size_t k) {
  const Vector3 x = h.position(k);
  const Vector3 normal =
      surface_normal(layers.geometry.surfaces()[h.surface[k]], x);
  const double along = normal.dot(step);
  constexpr double grazing = 0.05;
  if (!(std::abs(along) > grazing * step.norm())) return std::nullopt;
  return normal.dot(x - from) / along;
}

}  // namespace

/// The arc, in the transverse plane, from `first` along h.path to the tangent
/// plane of the surface at hit k; mm.
double arc_to_surface(const HitLayers& layers, const HitList& h,
                      const Vector3& first, std::size_t k) {
  const Vector3 step = h.position(k) - first;
  const ChordArc<double>& arc = h.arcs[k];
  const auto turned = [&](double cosine, double sine) {
    return Vector3(h.path.first.cos_phi * cosine - h.path.first.sin_phi * sine,
                   h.path.first.sin_phi * cosine + h.path.first.cos_phi * sine,
                   0);
  };
  // coarse hits may lie before the first one
  const bool before = step.dot(turned(arc.cosine, arc.sine)) < 0;
  const double sign = before ? -1 : 1, s = sign * arc.length;
  const double cot = h.path.first.cot;
  Vector3 at = first + sign * step.head<2>().norm() *
                           turned(arc.cosine, sign * arc.sine);
  at.z() = h.path.first.position.z + s * cot;
  Vector3 slope = turned(arc.cos_turn(), sign * arc.sin_turn());
  slope.z() = cot;
  return s + step_to_surface(layers, h, at, slope, k).value_or(0);
}

}  // namespace detail

namespace {

using detail::any_coarse_across;
using detail::arc_to_surface;
using detail::follow_arcs;
using detail::is_along;
using detail::set_errors;
using detail::step_to_surface;
using detail::weighted_line;

/// Copies the hits in the order of the file. Returns whether they are finite.
bool take_hits(HitList& h, std::span<const MeasuredHit> hits) {
  const std::size_t n = hits.size();
  for (std::vector<double>* v : {&h.x, &h.y, &h.z, &h.r}) v->resize(n);
  h.layer.resize(n);
  h.layer_errors = true;
  bool finite = true;
  for (std::size_t i = 0; i < n; ++i) {
    const MeasuredHit& hit = hits[i];
    finite = finite && hit.position.allFinite();
    h.layer_errors =
        h.layer_errors && std::isnan(hit.sigma[0]) && std::isnan(hit.sigma[1]);
    h.x[i] = hit.position.x();
    h.y[i] = hit.position.y();
    h.z[i] = hit.position.z();
    h.layer[i] = hit.layer;
  }
  for (std::size_t i = 0; i < n; ++i)
    h.r[i] = std::sqrt(h.x[i] * h.x[i] + h.y[i] * h.y[i]);
  return finite;
}

/// The layer given in the file, or the nearest measuring one.
bool find_layers(const HitLayers& layers, HitList& h,
                 std::span<const MeasuredHit> hits, double max_distance) {
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const auto distance_from = [&](std::size_t layer) {
      return surface_distance(layers.detector.layers[layer].surface,
                              h.position(i), h.r[i]);
    };
    double distance = std::numeric_limits<double>::infinity();
    if (h.layer[i] >= 0) {
      distance = distance_from(static_cast<std::size_t>(h.layer[i]));
    } else {
      for (std::size_t k = 0; k < layers.detector.layers.size(); ++k) {
        if (!layers.detector.layers[k].measures()) continue;
        const double d = distance_from(k);
        if (d >= distance) continue;
        distance = d;
        h.layer[i] = static_cast<int>(k);
      }
    }
    if (!(distance <= max_distance)) return false;
  }
  return true;
}

/// Whether every error in the file belongs to a coordinate.
bool have_coordinates(const HitLayers& layers, const HitList& h,
                      std::span<const MeasuredHit> hits) {
  for (std::size_t i = 0; i < hits.size(); ++i)
    for (std::size_t axis = 0; axis < 2; ++axis) {
      if (std::isnan(hits[i].sigma[axis])) continue;
      const Layer& layer =
          layers.detector.layers[static_cast<std::size_t>(h.layer[i])];
      if (layer.measures() &&
          std::ranges::none_of(layer.coordinates, [axis](const Coordinate& c) {
            return is_along(c, axis);
          }))
        return false;
    }
  return true;
}

/// Sets h.distance2 from that hit, and returns the index of the farthest.
std::size_t farthest_from(HitList& h, std::size_t hit) {
  const std::size_t n = h.x.size();
  const Vector3 from = h.position(hit);
  h.distance2.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = h.x[i] - from.x(), y = h.y[i] - from.y(),
                 z = h.z[i] - from.z();
    h.distance2[i] = x * x + y * y + z * z;
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < n; ++i)
    if (h.distance2[i] > h.distance2[best]) best = i;
  return best;
}

/// Sorts the hits by h.keys.
void take_order_of_keys(HitList& h) {
  const std::size_t n = h.order.size();
  const auto take = [&](auto& values, auto& before) {
    before.swap(values);
    values.resize(n);
    for (std::size_t k = 0; k < n; ++k) values[k] = before[h.keys[k].second];
  };
  take(h.order, h.order_before);
  for (std::size_t k = 0; k < n; ++k)
    h.surface[k] = static_cast<unsigned>(h.layer[h.order[k]]);
  for (std::vector<double>* v : {&h.x, &h.y, &h.z, &h.r}) take(*v, h.before);
}

/// Along less than half a turn of a helix the distance from one end increases,
/// so the hit farthest from any other hit is an end.
void sort_by_distance(HitList& h, const Vector3& vertex) {
  const std::size_t a = farthest_from(h, 0);
  h.from_first.swap(h.distance2);
  const std::size_t b = farthest_from(h, a);
  const bool from_a = (h.position(a) - vertex).squaredNorm() <
                      (h.position(b) - vertex).squaredNorm();
  if (!from_a && b == 0)
    h.from_first.swap(h.distance2);
  else if (!from_a)
    farthest_from(h, b);
  if (std::ranges::is_sorted(h.distance2)) return;
  h.keys.clear();
  for (const std::uint32_t i : h.order) h.keys.emplace_back(h.distance2[i], i);
  std::ranges::sort(h.keys);
  take_order_of_keys(h);
}

/// Sets h.reach of the hits in their order.
void find_reach(const HitLayers& layers, HitList& h,
                std::span<const MeasuredHit> hits) {
  h.reach.resize(h.order.size());
  for (std::size_t k = 0; k < h.order.size(); ++k) {
    const std::size_t layer = h.surface[k];
    h.reach[k] = layers.reach_of_layer[layer];
    if (h.layer_errors) continue;
    TrackHit hit = layers.hit_of_layer[layer];
    set_errors(layers, hits[h.order[k]], layer, hit);
    h.reach[k] = reach_of(hit);
  }
}

/// Sets h.doubtful to the runs of hits whose order does not follow from their
/// distances. Returns whether there are any.
bool find_doubtful(HitList& h) {
  const std::size_t n = h.order.size();
  h.nearest_behind.resize(n);
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t k = n; k-- > 0;) {
    nearest =
        std::min(nearest, std::sqrt(h.distance2[h.order[k]]) - h.reach[k]);
    h.nearest_behind[k] = nearest;
  }
  h.doubtful.clear();
  double farthest = 0;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < n; ++k) {
    farthest =
        std::max(farthest, std::sqrt(h.distance2[h.order[k]]) + h.reach[k]);
    if (k + 1 < n && h.nearest_behind[k + 1] < farthest) continue;
    if (k > begin) h.doubtful.emplace_back(begin, k + 1);
    begin = k + 1;
  }
  return !h.doubtful.empty();
}

/// The same along a straight line.
double distance_to_surface(const HitLayers& layers, const HitList& h,
                           const Vector3& first, const Vector3& step,
                           std::size_t k) {
  return step_to_surface(layers, h, first, step, k)
      .value_or(step.dot(h.position(k) - first) / step.squaredNorm());
}

/// Sets h.path and h.arcs to a helix around z through the first, the middle and
/// the last hit in the transverse plane.
/// @param length  between the ends, mm
bool find_rough_path(HitList& h, double length) {
  const std::size_t n = h.order.size();
  const Vector3 first = h.position(0), last = h.position(n - 1);
  h.path.first.c = circle_curvature(
      cartesian(first), cartesian(h.position(n / 2)), cartesian(last));
  if (!std::isfinite(h.path.first.c)) return false;
  follow_arcs(h, first);
  h.path = make_path(cartesian(first), cartesian(last), h.path.first.c,
                     h.arcs.back(), weighted_line(h, length));
  return std::isfinite(h.path.first.cos_phi + h.path.first.sin_phi +
                       h.path.cos_theta + h.path.first.position.z);
}

/// Orders the doubtful hits by the crossing of the track with their surfaces,
/// independent of errors along the surface. Returns whether that changes it.
bool sort_by_crossing(const HitLayers& layers, HitList& h) {
  const Vector3 first = h.position(0);
  const Vector3 step = h.position(h.order.size() - 1) - first;
  const Field& field = layers.geometry.field();
  const bool around_z =
      field.kind == FieldKind::solenoid ||
      (field.kind == FieldKind::map &&
       choose_frame(field, step.normalized()).polar == Axis::z);
  if (!(step.norm() > 0) || (around_z && !find_rough_path(h, step.norm())))
    return false;
  h.keys.clear();
  for (std::uint32_t k = 0; k < h.order.size(); ++k) h.keys.emplace_back(0, k);
  bool sorted = true;
  for (const auto& [begin, end] : h.doubtful) {
    for (std::size_t k = begin; k < end; ++k)
      h.keys[k].first = around_z
                            ? arc_to_surface(layers, h, first, k)
                            : distance_to_surface(layers, h, first, step, k);
    const auto run = std::span(h.keys).subspan(begin, end - begin);
    if (std::ranges::is_sorted(run)) continue;
    sorted = false;
    std::ranges::sort(run);
  }
  if (!sorted) take_order_of_keys(h);
  return !sorted;
}

}  // namespace

std::string_view assign_layers(const HitLayers& layers,
                               std::span<const MeasuredHit> hits,
                               double max_distance, HitList& h) {
  if (!take_hits(h, hits)) return to_string(FitStatus::not_finite);
  if (!find_layers(layers, h, hits, max_distance)) return "far_from_surface";
  if (!h.layer_errors && !have_coordinates(layers, h, hits))
    return "not_measured_there";
  return {};
}

void order_hits(const HitLayers& layers, std::span<const MeasuredHit> hits,
                const Vector3& vertex, HitOrder rule, HitList& h) {
  const std::size_t n = h.layer.size();
  h.order.resize(n);
  h.surface.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    h.order[i] = static_cast<std::uint32_t>(i);
    h.surface[i] = static_cast<unsigned>(h.layer[i]);
  }
  h.rule = rule;
  const bool sort = rule == HitOrder::along_track;
  if (sort) sort_by_distance(h, vertex);
  if (!layers.coarse && !layers.any_coarse_across && h.layer_errors) return;
  find_reach(layers, h, hits);
  // hits that are far apart compared with their errors are in order
  if (sort && find_doubtful(h) && sort_by_crossing(layers, h))
    find_reach(layers, h, hits);
}

}  // namespace gttf
