// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/hit_edges.hpp"

#include <algorithm>
#include <cmath>

#include "gttf/core/dual.hpp"
#include "gttf/trajectory/crossing.hpp"

namespace gttf {
namespace {

// a number is group, track, layer, side; exact as a double
constexpr std::size_t sides = 8, layers = std::size_t{1} << 18,
                      tracks = std::size_t{1} << 22,
                      groups = std::size_t{1} << 6;

/// With derivatives by the position of the surface and by the field.
using D = Dual<2>;
constexpr std::size_t by_position = 0, by_field = 1;

/// Of a cone, the number after its position and extents.
constexpr std::size_t slope_number = 5;

Line<D> line_of(const Track& track, double bz) {
  Line<D> line = make_line<D>(track, bz);
  line.kappa.derivative[by_field] = -track.charge / track.p;
  line.c = line.kappa * line.inv_sin_theta;
  return line;
}

/// With wider edges, where crossings depend on them: that of a track is then
/// known just beyond its edges, too.
SurfaceRecord widened(SurfaceRecord s) {
  if (!s.leans()) return s;
  constexpr double share = 0.5;
  const auto widen = [](Interval& edges, double by) {
    edges = {edges.lower - by, edges.upper + by};
  };
  widen(s.u, share * s.u.length());
  double more = share * s.v.length();
  // of a cone, not as far as its apex
  if (s.kind == SurfaceRecord::Kind::cone && s.slope != 0)
    more = std::min(
        more, share * (s.position / std::abs(s.slope) - 0.5 * s.v.length()));
  widen(s.v, more);
  return s;
}

Cartesian<D> crossing_of(const Track& track, const Line<D>& line,
                         const SurfaceRecord& s, const D& position) {
  // along the axis an azimuth does not exist
  if (std::abs(std::sin(track.theta)) < 1e-12 && !s.is_upright() && !s.leans())
    return {D(track.vertex[0]), D(track.vertex[1]), position};
  return position_at(line, cross(line, widened(s), position, D(0)));
}

/// The coordinate of a point that extent `side` limits; nothing: none.
std::optional<D> coordinate_at(const SurfaceRecord& s, std::size_t side,
                               const Cartesian<D>& point) {
  using Kind = SurfaceRecord::Kind;
  const bool is_v = side >= 2;
  if (s.is_curved() || s.kind == Kind::disk) {
    if (!is_v) return std::nullopt;
    return s.is_curved() ? point.z : sqrt(transverse_dot(point, point));
  }
  const auto [u, v] = detail::plane_coordinates(s, point);
  return is_v ? v : u;
}

/// Positive if the start of the track is beyond the surface, mm.
std::optional<D> beyond_start(const SurfaceRecord& s, const D& position,
                              const Track& track) {
  const auto& x = track.vertex;
  const double sine = std::sin(track.theta);
  const Cartesian<double> at{x[0], x[1], x[2]},
      direction{sine * std::cos(track.phi), sine * std::sin(track.phi),
                std::cos(track.theta)};
  if (s.kind == SurfaceRecord::Kind::cylinder)
    return D(std::hypot(x[0], x[1])) - position;
  const LevelOnPath<double> level = level_on_path(s, at, direction);
  if (!(std::abs(level.slope) > 0)) return std::nullopt;
  return D(level.slope > 0 ? 1 : -1) * (D(level.value + s.position) - position);
}

/// Positive if the track turns back before it reaches the surface, or crosses
/// it at too small an angle; without unit.
std::optional<D> beyond_turn(const SurfaceRecord& s, const D& position,
                             const Line<D>& l) {
  using Kind = SurfaceRecord::Kind;
  const double least = detail::min_cos_incidence / l.sin_theta.value;
  if (s.kind == Kind::cylinder) {
    if (!(least < 1)) return std::nullopt;
    // x * t - c r^2/2 is constant on a helix
    const D sin_psi =
        (D(0.5) * l.c * (position * position - l.r2) - l.across) / position;
    return abs(sin_psi) - D(std::sqrt(1 - least * least));
  }
  if (s.kind == Kind::plane) {
    const D cn(s.normal_cos), sn(s.normal_sin);
    const D cos0 = l.cos_phi * cn + l.sin_phi * sn;
    const D sin0 = l.sin_phi * cn - l.cos_phi * sn;
    const D turn = l.c * (position - (l.along * cos0 - l.across * sin0));
    return D(least * least) - cos0 * cos0 + turn * (turn + D(2) * sin0);
  }
  if (s.leans()) return std::nullopt;
  return abs(l.c * l.tan_theta * (position - l.z)) - D(unit::pi);
}

}  // namespace

std::optional<std::size_t> HitEdge::number() const {
  static_assert(n_sides <= sides);
  if (group >= groups || track >= tracks || layer >= layers)
    return std::nullopt;
  return first_number +
         (((group * tracks + track) * layers + layer) * sides + side) * 2 +
         (is_outside ? 1 : 0);
}

HitEdge HitEdge::of(std::size_t number) {
  std::size_t rest = number - first_number;
  const auto next = [&rest](std::size_t count) {
    const std::size_t value = rest % count;
    rest /= count;
    return value;
  };
  HitEdge edge;
  edge.is_outside = next(2) != 0;
  edge.side = next(sides);
  edge.layer = next(layers);
  edge.track = next(tracks);
  edge.group = rest;
  return edge;
}

std::optional<HitMargin> hit_margin(const DesignNumbers& design,
                                    const HitEdge& edge, const Track& track) {
  const Detector& detector = design.detector();
  const SurfaceRecord s(detector.layers[edge.layer].surface);
  const std::size_t first = design.first_of(edge.layer),
                    field = design.end_of(detector.layers.size() - 1);
  const double bz = detector.field.bz;
  const D position = D::variable(s.position, by_position);
  const Line<D> line = line_of(track, bz);
  HitMargin margin;
  margin.slopes[0] = {first, 0, s.position};
  margin.slopes[1] = {field, 0, bz};
  std::optional<D> beyond;
  if (edge.side == HitEdge::start) {
    beyond = beyond_start(s, position, track);
    // a track that starts on a layer crosses it
    if (beyond) beyond->value -= HitMargin::inside;
    if (s.kind == SurfaceRecord::Kind::cone && beyond)
      margin.slopes[2] = {
          first + slope_number,
          beyond->derivative[by_position] * (track.vertex[2] - s.middle()),
          s.slope};
  } else if (edge.side == HitEdge::turn) {
    beyond = beyond_turn(s, position, line);
    // in mm of the position
    if (beyond) {
      const double scale = std::abs(beyond->derivative[by_position]);
      *beyond = *beyond / D(scale);
    }
  } else {
    beyond = coordinate_at(s, edge.side, crossing_of(track, line, s, position));
    if (!beyond) return std::nullopt;
    const double sign = edge.side % 2 == 0 ? -1 : 1;
    const std::size_t extent = first + 1 + edge.side;
    const auto& limits = edge.side < 2 ? s.u : s.v;
    const double limit = edge.side % 2 == 0 ? limits.lower : limits.upper;
    // a steeper cone is further out where it is crossed
    if (s.kind == SurfaceRecord::Kind::cone)
      margin.slopes[2] = {
          first + slope_number,
          sign * beyond->derivative[by_position] * (beyond->value - s.middle()),
          s.slope};
    *beyond = D(sign) * (*beyond - D(limit));
    margin.slopes[3] = {extent, -sign, limit};
  }
  if (!beyond || !std::isfinite(beyond->value) ||
      !std::isfinite(beyond->derivative[by_position]) ||
      !std::isfinite(beyond->derivative[by_field]))
    return std::nullopt;
  margin.at = beyond->value;
  margin.slopes[0].value = beyond->derivative[by_position];
  margin.slopes[1].value = beyond->derivative[by_field];
  if (edge.is_outside) {
    margin.at = -margin.at;
    for (HitMargin::Slope& slope : margin.slopes) slope.value = -slope.value;
  }
  return margin;
}

}  // namespace gttf
