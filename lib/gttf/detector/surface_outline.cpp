// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/surface_outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace gttf {

namespace {

constexpr std::array<std::string_view, 4> axis_letters{"x", "y", "z",
                                                       "along normal"};

std::string_view letter(Axis axis) {
  return axis_letters[static_cast<std::size_t>(axis)];
}

/// The axis `n` steps after another, in cyclic order x, y, z.
Axis axis_behind(Axis axis, int steps) {
  return static_cast<Axis>((static_cast<int>(axis) + steps) % 3);
}

double nearest_to_zero(const Interval& i) {
  return i.contains(0) ? 0 : std::min(std::abs(i.lower), std::abs(i.upper));
}
double farthest_from_zero(const Interval& i) {
  return std::max(std::abs(i.lower), std::abs(i.upper));
}

/// Least and greatest distance of a rectangle from the z axis: seen along it,
/// the rectangle is a convex quadrilateral.
Interval radii_of(const Corners& all) {
  Interval range{std::numeric_limits<double>::infinity(), 0};
  int left = 0, right = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto &a = all[i], &b = all[(i + 1) % all.size()];
    const double dx = b[0] - a[0], dy = b[1] - a[1];
    const double length2 = dx * dx + dy * dy;
    const double share =
        length2 > 0 ? std::clamp(-(a[0] * dx + a[1] * dy) / length2, 0.0, 1.0)
                    : 0;
    range.lower =
        std::min(range.lower, std::hypot(a[0] + share * dx, a[1] + share * dy));
    range.upper = std::max(range.upper, std::hypot(a[0], a[1]));
    const double side = a[0] * dy - a[1] * dx;
    left += side > 0 ? 1 : 0;
    right += side < 0 ? 1 : 0;
  }
  if (left == 4 || right == 4) range.lower = 0;  // around the axis
  return range;
}

}  // namespace

std::string_view shape_name(const Surface& surface) {
  for (const auto& [name, shape] : shapes)
    if (shape == surface.shape) return name;
  return {};
}

std::string shape_text(const Surface& surface) {
  std::string text(shape_name(surface));
  if (surface.is_inclined()) {
    const auto& n = surface.normal_vector;
    return text + fmt::format(" ({:.4g} {:.4g} {:.4g})", n[0], n[1], n[2]);
  }
  if (!is_round(surface)) text.append(1, ' ').append(position_name(surface));
  if (surface.shape == Shape::cone)
    text += fmt::format(" {:.4g}", surface.slope);
  return text;
}

std::string_view position_name(const Surface& surface) {
  switch (surface.shape) {
    case Shape::cylinder:
    case Shape::cone:
      return "radius";
    case Shape::disk:
      return "z";
    case Shape::plane:
      break;
  }
  return letter(surface.normal);
}

std::string position_text(const Surface& surface) {
  std::string text(position_name(surface));
  if (surface.shape == Shape::cylinder) return text;
  return (is_round(surface) ? shape_text(surface) : "plane") + ' ' + text;
}

std::array<std::string_view, 2> axis_names(const Surface& surface) {
  switch (surface.shape) {
    case Shape::cylinder:
      return {"rphi", "z"};
    case Shape::disk:
      return {"rphi", "r"};
    case Shape::cone:
      return {"rphi", "v"};
    case Shape::plane:
      break;
  }
  if (surface.is_inclined()) return general_axes;
  return {letter(axis_behind(surface.normal, 1)),
          letter(axis_behind(surface.normal, 2))};
}

std::string_view extent_name(const Surface& surface, std::size_t axis,
                             const Interval& extent) {
  switch (surface.shape) {
    case Shape::cylinder:
      return extent.lower == -extent.upper ? "half_length" : "z";
    case Shape::disk:
      return "radius";
    case Shape::cone:
      return "z";
    case Shape::plane:
      break;
  }
  return axis_names(surface)[axis];
}

bool are_parallel(const Surface& a, const Surface& b) {
  return a.shape == b.shape && a.normal == b.normal && a.slope == b.slope &&
         a.normal_vector == b.normal_vector && a.u_vector == b.u_vector;
}

std::optional<Axis> flat_normal(const Surface& surface) {
  if (surface.shape == Shape::disk) return Axis::z;
  if (surface.shape == Shape::plane && !surface.is_inclined())
    return surface.normal;
  return std::nullopt;
}

Carrier carrier(const Surface& surface) {
  if (surface.is_inclined()) {
    const auto& n = surface.normal_vector;
    // a plane that is normal to an axis after all
    for (int axis = 0; axis < 3; ++axis)
      if (const double along = n[static_cast<std::size_t>(axis)];
          std::abs(along) == 1)
        return {axis, 0, {}, along * surface.position};
    return {-3, 0, n, surface.position};
  }
  // a plane normal to z has the orientation of a disk
  const std::optional<Axis> normal = flat_normal(surface);
  // -1: cylinders; a cone is represented by its radius at z = 0
  if (normal || surface.shape != Shape::cone)
    return {normal ? static_cast<int>(*normal) : -1, 0, {}, surface.position};
  const double middle = 0.5 * (surface.v.lower + surface.v.upper);
  return {-2, surface.slope, {}, surface.position - surface.slope * middle};
}

Meridian meridian(const Surface& round) {
  const Interval& v = round.v;
  if (round.shape == Shape::disk)
    return {{round.position, round.position}, {v.lower, v.upper}};
  const double rise = 0.5 * round.slope * v.length();
  return {{v.lower, v.upper}, {round.position - rise, round.position + rise}};
}

Corners corners(const Surface& plane) {
  std::array<double, 3> normal = plane.normal_vector, u = plane.u_vector,
                        v = plane.v_vector();
  if (!plane.is_inclined()) {
    const auto unit = [&plane](int steps) {
      std::array<double, 3> axis{};
      axis[static_cast<std::size_t>(axis_behind(plane.normal, steps))] = 1;
      return axis;
    };
    normal = unit(0), u = unit(1), v = unit(2);
  }
  const auto at = [&](double along_u, double along_v) {
    std::array<double, 3> point{};
    for (std::size_t i = 0; i < 3; ++i)
      point[i] = plane.position * normal[i] + along_u * u[i] + along_v * v[i];
    return point;
  };
  return {at(plane.u.lower, plane.v.lower), at(plane.u.upper, plane.v.lower),
          at(plane.u.upper, plane.v.upper), at(plane.u.lower, plane.v.upper)};
}

PlaneDirections turned_plane(std::string_view order,
                             const std::array<double, 3>& angles) {
  PlaneDirections plane;
  for (std::size_t k = 0; k < angles.size(); ++k) {
    const auto axis = static_cast<std::size_t>(order[k] - 'x');
    const double c = std::cos(angles[k]), s = std::sin(angles[k]);
    for (std::array<double, 3>* vector : {&plane.normal, &plane.u}) {
      double &a = (*vector)[(axis + 1) % 3], &b = (*vector)[(axis + 2) % 3];
      const double turned = c * a - s * b;
      b = s * a + c * b;
      a = turned;
    }
  }
  return plane;
}

Interval extent(const Surface& surface, Axis along) {
  if (is_round(surface)) {
    const Meridian m = meridian(surface);
    if (along == Axis::z)
      return {std::min(m.z[0], m.z[1]), std::max(m.z[0], m.z[1])};
    const double r = std::max(m.r[0], m.r[1]);
    return {-r, r};
  }
  if (surface.is_inclined()) {
    const auto i = static_cast<std::size_t>(along);
    const auto by = [i](const auto& a, const auto& b) { return a[i] < b[i]; };
    const Corners all = corners(surface);
    const auto [least, most] = std::ranges::minmax_element(all, by);
    return {(*least)[i], (*most)[i]};
  }
  if (along == surface.normal) return {surface.position, surface.position};
  return along == axis_behind(surface.normal, 1) ? surface.u : surface.v;
}

Interval radii(const Surface& surface) {
  if (is_round(surface)) {
    const Meridian m = meridian(surface);
    return {std::min(m.r[0], m.r[1]), std::max(m.r[0], m.r[1])};
  }
  if (surface.is_inclined()) return radii_of(corners(surface));
  const Interval x = extent(surface, Axis::x), y = extent(surface, Axis::y);
  return {std::hypot(nearest_to_zero(x), nearest_to_zero(y)),
          std::hypot(farthest_from_zero(x), farthest_from_zero(y))};
}

}  // namespace gttf
