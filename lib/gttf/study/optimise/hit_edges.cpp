// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/hit_edges.hpp"

#include <cmath>

#include "gttf/core/dual.hpp"
#include "gttf/trajectory/crossing.hpp"

namespace gttf {
namespace {

// a number is group, track, layer, side; exact as a double
constexpr std::size_t sides = 4, layers = std::size_t{1} << 18,
                      tracks = std::size_t{1} << 22,
                      groups = std::size_t{1} << 6;

/// The coordinate of a point that extent `side` limits; nothing: none.
template <class S>
std::optional<S> coordinate_at(const Surface& s, std::size_t side,
                               const Cartesian<S>& point) {
  using std::sqrt;
  const bool is_v = side >= 2;
  switch (s.shape) {
    case Shape::cylinder:
      if (is_v) return point.z;
      return std::nullopt;
    case Shape::disk:
      if (is_v) return sqrt(point.x * point.x + point.y * point.y);
      return std::nullopt;
    case Shape::plane:
      switch (s.normal) {
        case Axis::x:
          return is_v ? point.z : point.y;
        case Axis::y:
          return is_v ? point.x : point.z;
        case Axis::z:
          return is_v ? point.y : point.x;
        case Axis::none:
          return std::nullopt;
      }
      return std::nullopt;
    default:  // no extent is a coordinate
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::size_t> HitEdge::number() const {
  if (group >= groups || track >= tracks || layer >= layers)
    return std::nullopt;
  return first_number + ((group * tracks + track) * layers + layer) * sides +
         side;
}

HitEdge HitEdge::of(std::size_t number) {
  std::size_t rest = number - first_number;
  HitEdge edge;
  edge.side = rest % sides;
  rest /= sides;
  edge.layer = rest % layers;
  rest /= layers;
  edge.track = rest % tracks;
  edge.group = rest / tracks;
  return edge;
}

std::optional<HitMargin> hit_margin(const DesignNumbers& design,
                                    std::size_t layer, std::size_t side,
                                    const Track& track, double bz) {
  using D = Dual<1>;
  const Surface& s = design.detector().layers[layer].surface;
  const Line<D> line = make_line<D>(track, bz);
  if (s.is_inclined()) return std::nullopt;
  const Crossing<D> x =
      cross(line, SurfaceRecord(s), D::variable(s.position, 0), D(0));
  const auto coordinate = coordinate_at(s, side, position_at(line, x));
  if (!coordinate || !std::isfinite(coordinate->value) ||
      !std::isfinite(coordinate->derivative[0]))
    return std::nullopt;
  HitMargin margin;
  margin.position = design.first_of(layer);
  margin.extent = margin.position + 1 + side;
  margin.sign = side % 2 == 0 ? -1 : 1;
  margin.at = coordinate->value;
  margin.by_position = coordinate->derivative[0];
  margin.start = s.position;
  return margin;
}

}  // namespace gttf
