// SPDX-License-Identifier: Apache-2.0
// Finds the surfaces that a track crosses.
#include "gttf/trajectory/crossings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/flight.hpp"
#include "gttf/trajectory/module_index.hpp"

namespace gttf {

namespace detail {

double arc_to_rectangle(const Line<double>& l, const SurfaceRecord& s,
                        double position) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const PlaneGap<double> gap(l, s, position);
  const auto set = [&l](double arc) {
    Crossing<double> x;
    set_from_arc(l, arc, x);
    return x;
  };
  const auto is_within = [&](double arc) {
    if (arc < 0 && !(std::abs(gap.start) <= same_place)) return false;
    const Crossing<double> x = set(arc);
    return inside(l, s, x.forward, x.sideward, arc);
  };
  const double towards = gap.along + gap.rise;
  const double straight = -gap.start / towards;
  if (l.c == 0)
    return straight >= -longest_arc_at_start && is_within(straight) ? straight
                                                                    : none;
  // ends of the arcs on which the gap is monotonic
  const double end = unit::pi / std::abs(l.c);
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
  ends[n++] = end;
  std::sort(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(n));
  double first = gap.value(set(ends[0]));
  for (std::size_t i = 0; i + 1 < n; ++i) {
    double from = ends[i], to = ends[i + 1];
    const double last = gap.value(set(to));
    if (const double sign = first;
        std::exchange(first, last) * last > 0 || (sign == 0 && i > 0))
      continue;
    else {
      // Newton's steps while they stay between the last points on either side
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
      if (is_within(arc)) return arc;
    }
  }
  return none;
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
    Crossing<double> x;
    const Reached<double> reached = find_crossing(c.line, surfaces[i], x);
    if (reached.turned_back) c.end = TrackEnd::curls_up;
    if (reached.crossed) c.list.push_back({i, x});
  };
  if (const ModuleIndex* modules = geometry.modules()) {
    std::vector<unsigned> near(modules->others().begin(),
                               modules->others().end());
    if (modules->find(c.line, near)) c.end = TrackEnd::curls_up;
    std::ranges::sort(near);
    std::ranges::for_each(near, look_at);
  } else {
    c.list.reserve(surfaces.size());
    for (unsigned i = 0; i < surfaces.size(); ++i) look_at(i);
  }
  const auto arc = [](const auto& x) { return x.at.arc; };
  // mostly they are, and sorting asks for memory
  if (!std::ranges::is_sorted(c.list, {}, arc))
    std::ranges::stable_sort(c.list, {}, arc);
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
  // the same track backwards from its end: what it meets there first, it meets
  // last
  const double end = std::min(unit::pi / std::abs(l.kappa),
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
