// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/module_index.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gttf/core/series.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/trajectory/turn.hpp"

namespace gttf {

namespace {

using detail::same_place;

/// Extents that differ by less are considered equal, mm.
constexpr double rounding = 1e-6;

bool alike(const Interval& a, const Interval& b) {
  return std::abs(a.lower - b.lower) < rounding &&
         std::abs(a.upper - b.upper) < rounding;
}

Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}

Interval widened(const Interval& i) {
  const double by = same_place + rounding;
  return {i.lower - by, i.upper + by};
}

/// An upper bound of the arc of a chord; the arc is longer than the chord, by
/// pi/2 at most.
double longest_arc(double curvature, double chord) {
  const double x = 0.5 * std::abs(curvature) * chord;
  // asin(x)/x < 1 + x^2/5 up to x = 1/2
  return chord * (x < 0.5 ? 1 + 0.2 * x * x : 0.5 * unit::pi);
}

/// The arc of a chord, if it turns by less than 60 deg, else `otherwise`.
double arc_of(double curvature, double chord, double otherwise) {
  const double x = 0.5 * curvature * chord;
  return std::abs(x) < 0.5
             ? chord * (1 + x * x * detail::asin_excess_small(x * x))
             : otherwise;
}

/// Whether a line of some curvature turns back before it reaches a radius.
bool is_out_of_reach(double curvature, double start, double r) {
  return curvature * (r - start) > 2;
}

/// z of a line after half a turn with some curvature.
double end_of(const Line<double>& l, double curvature) {
  return l.z + half_a_turn / curvature * l.cot_theta;
}

/// Range of arcs of a line, up to half a turn, on which it may be within a
/// range of z and r.
/// @param curvature  the largest that it may have
/// @param start  distance of its start from the axis, mm
Interval arcs_within(const Line<double>& l, double curvature,
                     double inverse_cot, double start, const Interval& z,
                     const Interval& r) {
  constexpr Interval none{1, 0};
  const double nearest = std::max(0.0, r.lower - start);
  Interval arcs{nearest, longest_arc(curvature, r.upper + start)};
  if (nearest == 0)
    arcs.lower = -1;  // a surface at the start may lie just before it
  if (l.cot_theta == 0) return z.contains(l.z) ? arcs : none;
  const double a = (z.lower - l.z) * inverse_cot,
               b = (z.upper - l.z) * inverse_cot;
  return {std::max(arcs.lower, std::min(a, b)),
          std::min(arcs.upper, std::max(a, b))};
}

}  // namespace

ModuleIndex::ModuleIndex(std::span<const SurfaceRecord> surfaces) {
  for (unsigned i = 0; i < surfaces.size(); ++i) {
    const SurfaceRecord& s = surfaces[i];
    if (s.kind != SurfaceRecord::Kind::inclined) {
      others_.push_back(i);
      continue;
    }
    const Box box{widened(extent(s, Axis::z)), widened(radii(s))};
    const Corners all = corners(s);
    const double x = 0.5 * (all[0][0] + all[2][0]),
                 y = 0.5 * (all[0][1] + all[2][1]);
    const double phi = std::atan2(y, x);
    double half_width = unit::pi;  // around the axis: at any azimuth
    if (box.r.lower > 0) {
      half_width = 0;
      for (const auto& corner : all)
        half_width = std::max(
            half_width,
            std::abs(std::remainder(std::atan2(corner[1], corner[0]) - phi,
                                    2 * unit::pi)));
    }
    if (rings_.empty() || rings_.back().end != modules_.size() ||
        !alike(rings_.back().box.z, box.z) ||
        !alike(rings_.back().box.r, box.r))
      rings_.push_back({box, 0, modules_.size(), modules_.size()});
    Ring& ring = rings_.back();
    ring.box = {hull(ring.box.z, box.z), hull(ring.box.r, box.r)};
    ring.half_width = std::max(ring.half_width, half_width);
    const double across = s.normal_r, along = std::abs(s.normal_z);
    most_tilted_ = std::max(most_tilted_,
                            std::min(across, along) / std::max(across, along));
    modules_.push_back({phi, i});
    ring.end = modules_.size();
  }
  for (Ring& ring : rings_) sort(ring);
  std::vector<std::size_t> order(rings_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!order.empty()) root_ = add_node(order);
}

void ModuleIndex::sort(Ring& ring) {
  const auto modules =
      std::span(modules_).subspan(ring.begin, ring.end - ring.begin);
  const std::size_t n = modules.size();
  ring.first_surface = modules.front().surface;
  std::ranges::sort(modules, {}, &Module::phi);
  ring.first_phi = modules.front().phi;
  ring.shift = modules.front().surface - ring.first_surface;
  const double step = 2 * unit::pi / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double phi = ring.first_phi + static_cast<double>(i) * step;
    if (!(std::abs(modules[i].phi - phi) < 0.5 * rounding) ||
        modules[i].surface != ring.first_surface + (ring.shift + i) % n)
      return;
  }
  ring.inverse_step = 1 / step;
}

std::size_t ModuleIndex::add_node(std::span<std::size_t> order) {
  if (order.size() == 1) {
    nodes_.push_back({rings_[order[0]].box, 0, 0, order[0]});
    return nodes_.size() - 1;
  }
  Box box = rings_[order[0]].box;
  for (const std::size_t ring : order)
    box = {hull(box.z, rings_[ring].box.z), hull(box.r, rings_[ring].box.r)};
  // split in half along the longer side
  const bool along_z = box.z.length() > box.r.length();
  const auto middle = [&](std::size_t ring) {
    const Interval& side = along_z ? rings_[ring].box.z : rings_[ring].box.r;
    return side.lower + side.upper;
  };
  const std::size_t half = order.size() / 2;
  std::ranges::nth_element(
      order, order.begin() + static_cast<std::ptrdiff_t>(half), {}, middle);
  const std::size_t left = add_node(order.first(half));
  const std::size_t right = add_node(order.subspan(half));
  nodes_.push_back({box, left, right, no_ring});
  return nodes_.size() - 1;
}

bool ModuleIndex::find(const Line<double>& line,
                       std::vector<unsigned>& found) const {
  Search search = search_for(line, 0, found);
  if (!nodes_.empty()) find_in(root_, search);
  return search.turned_back;
}

bool ModuleIndex::find(const Line<double>& line, double spare,
                       std::vector<unsigned>& found) const {
  if (nodes_.empty()) return false;
  Search search = search_for(line, spare, found);
  find_in(root_, search);
  return search.turned_back || may_turn_back(search);
}

ModuleIndex::Search ModuleIndex::search_for(const Line<double>& line,
                                            double spare,
                                            std::vector<unsigned>& found) {
  return {line,
          std::sqrt(line.r2),
          std::atan2(line.sin_phi, line.cos_phi),
          1 / line.cot_theta,
          std::abs(line.c) + spare,
          spare,
          found};
}

bool ModuleIndex::may_turn_back(const Search& search) const {
  const Line<double>& line = search.line;
  if (line.c == 0) return false;
  const double least = std::abs(line.c), most = bend_bound * least;
  const Box& all = nodes_[root_].box;
  // a chord of half a turn is at least the smallest diameter: else the track
  // ends farther from the axis than they
  const double across = all.r.upper + search.start;
  if (most * across < 2) return false;
  // Beyond a tilted module along z, a point at most as far from the axis is
  // still between its edges up to this distance, or on the far side, which the
  // track approached only if it is this flat.
  const double beyond = 0.5 * half_a_turn * bend_bound * across * most_tilted_;
  const double a = end_of(line, least), b = end_of(line, most);
  if (line.cot_theta > 0)
    return std::min(a, b) <= std::max(all.z.upper, line.z) + beyond;
  return std::max(a, b) >= std::min(all.z.lower, line.z) - beyond;
}

bool ModuleIndex::has_passed_all(const Line<double>& line) const {
  if (nodes_.empty()) return true;
  const Box& all = nodes_[root_].box;
  return (line.along >= 0 && line.r2 > all.r.upper * all.r.upper) ||
         (line.cot_theta >= 0 && line.z > all.z.upper) ||
         (line.cot_theta <= 0 && line.z < all.z.lower);
}

void ModuleIndex::find_in(std::size_t node, Search& search) const {
  const Node& here = nodes_[node];
  const Line<double>& line = search.line;
  const double curvature = std::abs(line.c);
  if (is_out_of_reach(curvature, search.start, here.box.r.lower)) {
    if (search.turned_back || !here.box.z.contains(end_of(line, curvature)))
      return;
    if (here.ring != no_ring) {
      search.turned_back = true;
      return;
    }
  } else {
    const Interval arcs = arcs_within(line, search.most, search.inverse_cot,
                                      search.start, here.box.z, here.box.r);
    if (!(arcs.lower <= arcs.upper)) return;
    if (here.ring != no_ring) {
      find_in_ring(arcs, rings_[here.ring], search);
      return;
    }
  }
  find_in(here.left, search);
  find_in(here.right, search);
}

void ModuleIndex::find_in_ring(const Interval& arcs, const Ring& ring,
                               Search& search) const {
  // a chord turns by half as much as the track, and is displaced from the axis
  // by the start point
  const double r = ring.box.r.lower, start = search.start;
  const double start_width = start <= 0  ? 0.0
                             : start < r ? std::asin(start / r)
                                         : static_cast<double>(unit::pi);
  const double c = search.line.c, half_c = 0.5 * c, nearest = r - start;
  const double from_arc =
      nearest > 0 ? std::max(arcs.lower, arc_of(c, nearest, nearest))
                  : arcs.lower;
  const double to_arc = std::min(
      arcs.upper, arc_of(search.most, ring.box.r.upper + start, arcs.upper));
  const double middle = search.phi + 0.5 * half_c * (from_arc + to_arc);
  double width = 0.5 * std::abs(half_c * (to_arc - from_arc)) +
                 ring.half_width + rounding + start_width;
  if (search.spare > 0) {
    // seen from the axis, a displacement by spare s^2/2
    const double side = 0.5 * search.spare * to_arc * to_arc;
    width += side < r ? std::asin(side / r) : static_cast<double>(unit::pi);
  }
  if (ring.inverse_step > 0 && width < unit::pi) {
    // numbers of modules from the first one on, those beyond the ends from the
    // other end
    const double from = (middle - width - ring.first_phi) * ring.inverse_step,
                 to = (middle + width - ring.first_phi) * ring.inverse_step;
    const auto n = static_cast<std::ptrdiff_t>(ring.end - ring.begin);
    auto i = static_cast<std::ptrdiff_t>(std::ceil(from));
    const auto end =
        std::min(static_cast<std::ptrdiff_t>(std::floor(to)), i + n - 1);
    for (; i <= end; ++i) {
      const std::ptrdiff_t place = (i + ring.shift) % n;
      search.found.push_back(
          ring.first_surface +
          static_cast<unsigned>(place + (place < 0 ? n : 0)));
    }
    return;
  }
  const std::span<const Module> modules =
      std::span(modules_).subspan(ring.begin, ring.end - ring.begin);
  const auto take = [&search](const Module& m) {
    search.found.push_back(m.surface);
  };
  if (!(width < unit::pi)) {
    std::ranges::for_each(modules, take);
    return;
  }
  // the window, and its part beyond pi or -pi
  const double centre = std::remainder(middle, 2 * unit::pi);
  for (const double turn : {-2 * unit::pi, 0.0, 2 * unit::pi}) {
    const double from = centre + turn - width, to = centre + turn + width;
    if (from > unit::pi || to < -unit::pi) continue;
    const auto first =
        std::ranges::lower_bound(modules, from, {}, &Module::phi);
    for (auto m = first; m != modules.end() && m->phi <= to; ++m) take(*m);
  }
}

}  // namespace gttf
