// SPDX-License-Identifier: Apache-2.0
// Surface: cylinder, disk, plane or cone with its extent.
#pragma once

#include "gttf/core/units.hpp"

namespace gttf {

namespace detail {

/// Surfaces and points nearer than this are at one place, and a track that
/// starts this near to a surface starts on it: no tracker is aligned to a
/// nanometre, and rounding must not decide.
inline constexpr double same_place = 1 * unit::nm;

}  // namespace detail

enum class Shape { cylinder, disk, plane, cone };
enum class Axis { x, y, z };

/// Closed interval [lower, upper], mm.
struct Interval {
  double lower = 0;
  double upper = 0;

  bool contains(double value) const { return value >= lower && value <= upper; }
  double length() const { return upper - lower; }
};

/// A surface of a layer; B and cylinder axes are along z.
///
/// Local axes (u, v): cylinder (r-phi, z), disk (r-phi, r), plane normal to x
/// (y, z), to y (z, x), to z (x, y), truncated cone (r-phi, along the cone
/// towards larger z). Lengths in mm.
struct Surface {
  Shape shape = Shape::cylinder;
  Axis normal = Axis::x;  ///< planes only
  /// Cylinder: radius; disk: z; plane: along `normal`; cone: radius halfway
  /// between its ends.
  double position = 0;
  Interval u;        ///< planes: extent along u; unused otherwise
  Interval v;        ///< cylinder, cone: z; disk: r; plane: extent along v
  double slope = 0;  ///< cones: dr/dz
};

inline Surface make_cylinder(double radius, Interval z) {
  return {Shape::cylinder, Axis::x, radius, {}, z, 0};
}
inline Surface make_disk(double z, Interval radius) {
  return {Shape::disk, Axis::z, z, {}, radius, 0};
}
inline Surface make_plane(Axis normal, double position, Interval u,
                          Interval v) {
  return {Shape::plane, normal, position, u, v, 0};
}

inline Surface make_cone(Interval z, double first_radius, double last_radius) {
  return {Shape::cone, Axis::x, 0.5 * (first_radius + last_radius),
          {},          z,       (last_radius - first_radius) / z.length()};
}

}  // namespace gttf
