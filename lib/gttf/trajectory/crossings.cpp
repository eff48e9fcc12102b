// SPDX-License-Identifier: Apache-2.0
// Finds the surfaces crossed by a track.
#include "gttf/trajectory/crossings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/flight.hpp"
#include "gttf/trajectory/module_index.hpp"
#include "gttf/trajectory/turn.hpp"

namespace gttf {

namespace detail {
namespace {

constexpr RectangleCrossing no_crossing{
    std::numeric_limits<double>::quiet_NaN(), 0};

/// Fetches a record from memory, in advance.
void prefetch(const SurfaceRecord& s) {
  constexpr std::size_t line = 64;
  const auto* bytes = reinterpret_cast<const char*>(&s);
  for (std::size_t i = 0; i < sizeof s; i += line)
    __builtin_prefetch(bytes + i);
}

Crossing<double> at_arc(const Line<double>& l, double arc) {
  Crossing<double> x;
  set_from_arc(l, arc, x);
  return x;
}

/// Coordinates along the axes of a plane of the point that a line reaches by
/// going straight back from an arc.
std::pair<double, double> coordinates_before(const Line<double>& l,
                                             const SurfaceRecord& s, double arc,
                                             const Crossing<double>& at,
                                             double by) {
  const double a = l.along + at.forward - by * at.cos_turn,
               b = l.across + at.sideward - by * at.sin_turn;
  return plane_coordinates(s,
                           Cartesian<double>{l.cos_phi * a - l.sin_phi * b,
                                             l.sin_phi * a + l.cos_phi * b,
                                             l.z + (arc - by) * l.cot_theta});
}

bool is_outside(const SurfaceRecord& s, const std::pair<double, double>& at,
                double by_more_than) {
  const auto [u, v] = at;
  return u < s.u.lower - by_more_than || u > s.u.upper + by_more_than ||
         v < s.v.lower - by_more_than || v > s.v.upper + by_more_than;
}

/// By how much a line displaced across itself meets a plane elsewhere, at most;
/// also along the line.
double slid(const Line<double>& l, double side, double slope) {
  return side * (1 + (1 + std::abs(l.cot_theta)) / std::abs(slope));
}

/// Whether a step of Newton's method shows that a line misses a rectangle. If
/// the slope of the gap changes by half at most up to the zero, that is at most
/// twice the step away, and what the step neglects displaces the point by less
/// than
///
///   2 |c| step^2 (1 + |t|/|slope|),  |t| <= 1 + |cot(theta)|
/// @param more  by how much the point may be displaced besides
bool misses(const Line<double>& l, const SurfaceRecord& s, double arc,
            const Crossing<double>& at, double by, double slope, double more) {
  const double most = more + slid(l, 2 * std::abs(l.c) * by * by, slope);
  return is_outside(s, coordinates_before(l, s, arc, at, by), most);
}

/// The crossing of a line with the plane of a rectangle near the rectangle, if
/// it is certain that the gap has exactly one zero there, or none. Nothing if
/// the line bends or is inclined too much to be certain.
///
/// Seen along z, a point of the rectangle is at most R from its middle, half
/// the sum of its projected sides; the chord from the start to it differs from
/// that to the middle by R at most, and the arc from the arc s of that chord by
///
///   w = R/sqrt(1 - (c (d + R)/2)^2)
///
/// with d the distance of the middle. The slope of the gap changes by c w there
/// at most: with less than half of what it is at s, the gap is monotonic and
/// Newton's steps converge.
///
/// Of a line that bends more by up to `spare`, which displaces it by spare
/// arc^2/2 and turns it by spare arc at most: the crossing with the plane of a
/// rectangle that it may cross, and whether it is sure to. The slope then
/// changes by half at most, too, and the zero moves by up to twice the
/// displacement divided by that at s.
template <bool bends_more = false>
std::optional<RectangleCrossing> cross_near_middle(
    const Line<double>& l, const SurfaceRecord& s, const PlaneGap<double>& gap,
    double position, double spare = 0, ModuleAhead* ahead = nullptr) {
  const std::array<double, 3>&n = s.normal_vector, &u = s.u_vector,
                           v = s.v_vector();
  const double mid_u = 0.5 * (s.u.lower + s.u.upper),
               mid_v = 0.5 * (s.v.lower + s.v.upper);
  const auto middle = [&](std::size_t axis) {
    return position * n[axis] + mid_u * u[axis] + mid_v * v[axis];
  };
  const auto length = [](double a, double b) {
    return std::sqrt(a * a + b * b);
  };
  const double x = middle(0), y = middle(1);
  const double d = length(x * l.cos_phi + y * l.sin_phi - l.along,
                          y * l.cos_phi - x * l.sin_phi - l.across);
  double size = 0.5 * (s.u.length() * length(u[0], u[1]) +
                       s.v.length() * length(v[0], v[1])) +
                same_place;
  const double half_c = 0.5 * std::abs(l.c);
  double bend = half_c, aside = 0, turn = 0;
  if constexpr (bends_more) {
    // 1.25 > asin(x)/x up to x = 0.9, see below
    const double longest = 1.25 * (d + size);
    turn = spare * longest;
    aside = turn * longest;
    size += aside;
    bend += 0.5 * spare;
  }
  const double most = bend * (d + size);
  if (!(d > size && most < 0.9)) return std::nullopt;
  const double range = size / std::sqrt(1 - most * most);
  double arc = std::asin(half_c * d) / half_c;
  // where the steps may go
  const double begin = arc - 2 * range, end = arc + 2 * range;
  if (!(bend * end < 0.5 * unit::pi)) return std::nullopt;
  constexpr int steps = 10;
  constexpr double rounding = 1e-10;  // mm; see refined_arc()
  for (int step = 0; step < steps; ++step) {
    const Crossing<double> at = at_arc(l, arc);
    const double slope = gap.slope(at);
    if (step == 0) {
      double change = 2 * bend * range;
      if constexpr (bends_more) change += turn;
      if (!(change < 0.5 * std::abs(slope))) return std::nullopt;
    }
    const double by = gap.value(at) / slope;
    double margin = 0;
    if constexpr (bends_more) margin = slid(l, aside, slope);
    if (step == 0 && misses(l, s, arc, at, by, slope, same_place + margin))
      return no_crossing;
    // the first step misses a zero by a quarter of the range at most
    if (arc - by < begin || arc - by > end) return no_crossing;
    if (bend * by * by <= rounding * std::abs(slope)) {
      const auto there = coordinates_before(l, s, arc, at, by);
      if constexpr (bends_more) {
        ahead->earliest = arc - by - margin;
        ahead->latest = arc - by + margin;
        ahead->is_sure = ahead->earliest > 0 && !is_outside(s, there, -margin);
      }
      if (is_outside(s, there, margin)) return no_crossing;
      return RectangleCrossing{arc - by, slope - by * gap.bend(at)};
    }
    arc -= by;
  }
  return std::nullopt;
}

}  // namespace

RectangleCrossing cross_rectangle(const Line<double>& l, const SurfaceRecord& s,
                                  double position) {
  const PlaneGap<double> gap(l, s, position);
  const auto set = [&l](double arc) { return at_arc(l, arc); };
  const auto starts_there = [&] { return std::abs(gap.start) <= same_place; };
  const auto is_within = [&](double arc) {
    if (arc < 0 && !starts_there()) return false;
    const Crossing<double> x = set(arc);
    return inside(l, s, x.forward, x.sideward, arc);
  };
  const double towards = gap.along + gap.rise;
  const double straight = -gap.start / towards;
  if (l.c == 0)
    return straight >= -longest_arc_at_start && is_within(straight)
               ? RectangleCrossing{straight, towards}
               : no_crossing;
  if (const auto found = cross_near_middle(l, s, gap, position))
    return found->arc < 0 && !starts_there() ? no_crossing : *found;
  // ends of the arcs on which the gap is monotonic
  const double end = half_a_turn / std::abs(l.c);
  std::array<double, 4> ends{-longest_arc_at_start};
  std::size_t n = 1;
  const double amplitude = std::hypot(gap.along, gap.across);
  if (std::abs(gap.rise) < amplitude) {
    const double beta = std::atan2(gap.across, gap.along);
    const double width = std::acos(-gap.rise / amplitude);
    for (const double turn : {beta - width, beta + width}) {
      double arc = std::fmod(turn / l.c, 2 * end);
      if (arc < 0) arc += 2 * end;
      if (arc > 0 && arc < end) ends[n++] = arc;
    }
  }
  if (n == 3 && ends[2] < ends[1]) std::swap(ends[1], ends[2]);
  ends[n++] = end;
  double first = gap.value(set(ends[0]));
  for (std::size_t i = 0; i + 1 < n; ++i) {
    double from = ends[i], to = ends[i + 1];
    const double last = gap.value(set(to));
    if (const double sign = first;
        std::exchange(first, last) * last > 0 || (sign == 0 && i > 0))
      continue;
    else {
      // Newton steps while they stay between the last points on either side
      double arc =
          from <= straight && straight <= to ? straight : 0.5 * (from + to);
      constexpr int most = 100;
      constexpr double rounding = 1e-12;
      for (int step = 0; step < most; ++step) {
        const Crossing<double> x = set(arc);
        const double value = gap.value(x);
        (value * sign > 0 ? from : to) = arc;
        double next = arc - value / gap.slope(x);
        if (!(from <= next && next <= to)) next = 0.5 * (from + to);
        const double moved = std::abs(next - arc);
        arc = next;
        if (moved <= rounding * (1 + std::abs(arc))) break;
      }
      if (is_within(arc)) return {arc, gap.slope(set(arc))};
    }
  }
  return no_crossing;
}

}  // namespace detail

namespace detail {

bool find_modules(const TrackingGeometry& geometry, const Line<double>& line,
                  std::vector<unsigned>& near,
                  std::vector<ModuleCrossing>& crossed) {
  near.clear();
  bool turned_back = geometry.modules()->find(line, near);
  const auto surfaces = geometry.surfaces();
  // they are far apart in memory
  for (const unsigned i : near) prefetch(surfaces[i]);
  for (const unsigned i : near) {
    const SurfaceRecord& s = surfaces[i];
    const RectangleCrossing x = cross_rectangle(line, s, s.position);
    const double cosine = std::abs(x.slope) * line.sin_theta;
    if (!std::isnan(x.arc) && x.arc >= -longest_arc_at_start &&
        cosine >= min_cos_incidence) {
      crossed.push_back({i, x.arc, s.x_over_x0 / cosine});
      __builtin_prefetch(geometry.axes(s).data());
    } else {
      turned_back =
          turned_back || (ends_before_plane(line, s) && ends_within(line, s));
    }
  }
  return turned_back;
}

bool find_modules_ahead(const TrackingGeometry& geometry,
                        const Line<double>& line, double spare,
                        std::vector<unsigned>& near,
                        std::vector<ModuleAhead>& ahead) {
  near.clear();
  const bool may_turn_back = geometry.modules()->find(line, spare, near);
  const auto surfaces = geometry.surfaces();
  for (const unsigned i : near) prefetch(surfaces[i]);
  for (const unsigned i : near) {
    const SurfaceRecord& s = surfaces[i];
    // if nothing is certain, it is looked for at any arc
    ModuleAhead module{i, 0, std::numeric_limits<double>::infinity(), false};
    bool is_ahead = true;
    if (spare > 0) {
      const auto x = cross_near_middle<true>(
          line, s, PlaneGap<double>(line, s, s.position), s.position, spare,
          &module);
      is_ahead = !x || !std::isnan(x->arc);
    } else {
      const double arc = cross_rectangle(line, s, s.position).arc;
      is_ahead = !std::isnan(arc);
      module.earliest = arc - same_place;
      module.latest = arc + same_place;
    }
    if (is_ahead && module.latest >= -longest_arc_at_start)
      ahead.push_back(module);
  }
  return may_turn_back;
}

}  // namespace detail

namespace {

/// x/X0 where the track meets a surface whose material varies.
void take_local_material(const TrackingGeometry& geometry,
                         Crossings<double>& c) {
  for (TrackCrossing<double>& x : c.list) {
    const double average = geometry.surfaces()[x.surface].x_over_x0;
    if (geometry.is_mapped(x.surface) && average > 0)
      x.at.x_over_x0 *= geometry.x_over_x0_at(
                            x.surface, vector_of(position_at(c.line, x.at))) /
                        average;
  }
}

}  // namespace

Crossings<double> find_crossings(const TrackingGeometry& geometry,
                                 const Track& track, Scattering model) {
  Crossings<double> c;
  c.line = make_line<double>(track, geometry.bz());
  const auto surfaces = geometry.surfaces();
  const auto look_at = [&](unsigned i) {
    TrackCrossing<double>& x = c.list.emplace_back();
    x.surface = i;
    const Reached<double> reached = find_crossing(c.line, surfaces[i], x.at);
    if (reached.turned_back) c.end = TrackEnd::curls_up;
    if (!reached.crossed) c.list.pop_back();
  };
  if (const ModuleIndex* modules = geometry.modules()) {
    std::ranges::for_each(modules->others(), look_at);
    std::vector<unsigned> near;
    std::vector<detail::ModuleCrossing> crossed;
    if (detail::find_modules(geometry, c.line, near, crossed))
      c.end = TrackEnd::curls_up;
    for (const detail::ModuleCrossing& m : crossed)
      c.list.push_back({m.surface, detail::cross_near(
                                       c.line, surfaces[m.surface],
                                       surfaces[m.surface].position,
                                       surfaces[m.surface].x_over_x0, m.arc)});
  } else {
    c.list.reserve(surfaces.size());
    for (unsigned i = 0; i < surfaces.size(); ++i) look_at(i);
  }
  const auto is_before = [](const auto& a, const auto& b) {
    return a.at.arc < b.at.arc ||
           (a.at.arc == b.at.arc && a.surface < b.surface);
  };
  // usually they are, and sorting takes time
  if (!std::ranges::is_sorted(c.list, is_before))
    std::ranges::sort(c.list, is_before);
  for (std::size_t k = 0; k < c.list.size(); ++k) {
    if (!surfaces[c.list[k].surface].measures()) continue;
    if (c.first < 0) c.first = static_cast<int>(k);
    c.last = static_cast<int>(k);
    ++c.n_measuring;
  }
  if (geometry.has_maps()) take_local_material(geometry, c);
  scatter_all(geometry, model, c);
  return c;
}

std::vector<unsigned> surfaces_met_again(const TrackingGeometry& geometry,
                                         const Track& track) {
  std::vector<unsigned> again;
  if (geometry.bz() == 0) return again;  // straight: once
  const Crossings<double> found =
      find_crossings(geometry, track, Scattering::off);
  const Line<double>& l = found.line;
  // the reversed track: its first crossing is the last one of the
  // track
  const double end = std::min(half_a_turn / std::abs(l.kappa),
                              4 * FlightBounds(geometry).reach());
  const double half_turn = 0.5 * l.kappa * end, azimuth = track.phi + half_turn;
  const double chord = end * l.sin_theta * std::sin(half_turn) / half_turn;
  Track back = track;
  back.vertex[0] += chord * std::cos(azimuth);
  back.vertex[1] += chord * std::sin(azimuth);
  back.vertex[2] += end * l.cos_theta;
  back.phi = azimuth + half_turn + unit::pi;
  back.theta = unit::pi - track.theta;
  back.charge = -track.charge;
  const Crossings<double> met = find_crossings(geometry, back, Scattering::off);
  const double arc = end * l.sin_theta;
  constexpr double rounding = 1e-6;  // of paths of metres, mm
  for (const TrackCrossing<double>& x : met.list) {
    const double at = arc - x.at.arc;
    const auto first = std::ranges::find(found.list, x.surface,
                                         &TrackCrossing<double>::surface);
    if (geometry.surfaces()[x.surface].measures() && at > rounding &&
        (first == found.list.end() || std::abs(first->at.arc - at) > rounding))
      again.push_back(x.surface);
  }
  return again;
}

}  // namespace gttf
