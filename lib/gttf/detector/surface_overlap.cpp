// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/surface_overlap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gttf/detector/surface_outline.hpp"

namespace gttf::detail {
namespace {

bool overlap(const Interval& a, const Interval& b) {
  return std::min(a.upper, b.upper) - std::max(a.lower, b.lower) > same_place;
}

/// Whether a rectangle and a ring around the origin have an area in common:
/// the nearest and farthest points of the rectangle bound its distances.
bool overlap(const Surface& rectangle, const Interval& ring) {
  const auto nearest_to_zero = [](const Interval& i) {
    return i.contains(0) ? 0.0 : std::min(std::abs(i.lower), std::abs(i.upper));
  };
  const auto farthest = [](const Interval& i) {
    return std::max(std::abs(i.lower), std::abs(i.upper));
  };
  const double nearest_point =
      std::hypot(nearest_to_zero(rectangle.u), nearest_to_zero(rectangle.v));
  const double farthest_point =
      std::hypot(farthest(rectangle.u), farthest(rectangle.v));
  return overlap(ring, Interval{nearest_point, farthest_point});
}

/// Whether two rectangles in one plane overlap, tested along all their sides.
bool overlap_in_plane(const Surface& a, const Surface& b) {
  const Corners of_a = corners(a), of_b = corners(b);
  for (const Corners& sides : {of_a, of_b})
    for (const std::size_t i : {1u, 3u}) {
      const auto range = [&](const Corners& points) {
        Interval r{std::numeric_limits<double>::infinity(),
                   -std::numeric_limits<double>::infinity()};
        double length2 = 0;
        for (const auto& point : points) {
          double along = 0;
          length2 = 0;
          for (std::size_t k = 0; k < 3; ++k) {
            const double side = sides[i][k] - sides[0][k];
            along += side * point[k];
            length2 += side * side;
          }
          along /= std::sqrt(length2);
          r.lower = std::min(r.lower, along);
          r.upper = std::max(r.upper, along);
        }
        return r;
      };
      if (!overlap(range(of_a), range(of_b))) return false;
    }
  return true;
}

}  // namespace

bool overlap(const Surface& a, const Surface& b) {
  if (a.is_inclined() || b.is_inclined()) {
    if (a.shape == b.shape) return overlap_in_plane(a, b);
    return overlap(radii(a), radii(b));
  }
  const bool a_is_plane = a.shape == Shape::plane;
  if (a_is_plane != (b.shape == Shape::plane))
    return a_is_plane ? overlap(a, b.v) : overlap(b, a.v);
  return overlap(a.v, b.v) && (!a_is_plane || overlap(a.u, b.u));
}

}  // namespace gttf::detail
