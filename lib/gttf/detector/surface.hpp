// SPDX-License-Identifier: Apache-2.0
// Surface: cylinder, disk, plane or cone with its extent.
#pragma once

#include <array>

#include "gttf/core/units.hpp"

namespace gttf {

namespace detail {

/// Surfaces and points closer than this coincide, and a track that starts this
/// close to a surface starts on it. No tracker is aligned to a nanometre, and
/// the result must not depend on rounding.
inline constexpr double same_place = 1 * unit::nm;

}  // namespace detail

enum class Shape { cylinder, disk, plane, cone };
/// `none`: the normal of a plane that is not parallel to an axis.
enum class Axis { x, y, z, none };

/// Closed interval [lower, upper], mm.
struct Interval {
  double lower = 0;
  double upper = 0;

  bool contains(double value) const { return value >= lower && value <= upper; }
  double length() const { return upper - lower; }

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// A surface of a layer; B and cylinder axes are along z.
///
/// Local axes (u, v): cylinder (r-phi, z), disk (r-phi, r), plane normal to x
/// (y, z), to y (z, x), to z (x, y), any other plane: its own unit vectors,
/// truncated cone (r-phi, along the cone towards larger z). Lengths in mm.
struct Surface {
  Shape shape = Shape::cylinder;
  Axis normal = Axis::x;  ///< planes only
  /// Cylinder: radius; disk: z; plane: distance of the origin along the
  /// normal; cone: radius halfway between its ends.
  double position = 0;
  Interval u;        ///< planes: extent along u; unused otherwise
  Interval v;        ///< cylinder, cone: z; disk: r; plane: extent along v
  double slope = 0;  ///< cones: dr/dz
  /// Planes not normal to an axis: unit vectors normal and u; v = normal x u.
  std::array<double, 3> normal_vector{}, u_vector{};

  /// Whether it is a plane that is not normal to an axis.
  bool is_inclined() const {
    return shape == Shape::plane && normal == Axis::none;
  }
  std::array<double, 3> v_vector() const {
    const auto &n = normal_vector, &e = u_vector;
    return {n[1] * e[2] - n[2] * e[1], n[2] * e[0] - n[0] * e[2],
            n[0] * e[1] - n[1] * e[0]};
  }
};

inline Surface make_cylinder(double radius, Interval z) {
  return {Shape::cylinder, Axis::x, radius, {}, z, 0, {}, {}};
}
inline Surface make_disk(double z, Interval radius) {
  return {Shape::disk, Axis::z, z, {}, radius, 0, {}, {}};
}
inline Surface make_plane(Axis normal, double position, Interval u,
                          Interval v) {
  return {Shape::plane, normal, position, u, v, 0, {}, {}};
}

inline Surface make_cone(Interval z, double first_radius, double last_radius) {
  return {Shape::cone, Axis::x, 0.5 * (first_radius + last_radius),
          {},          z,       (last_radius - first_radius) / z.length(),
          {},          {}};
}

/// A plane with arbitrary orientation.
/// @param centre  of the rectangle, mm
/// @param normal, u  orthogonal unit vectors
/// @param width   of the rectangle along u and v = normal x u, mm
inline Surface make_inclined_plane(const std::array<double, 3>& centre,
                                   const std::array<double, 3>& normal,
                                   const std::array<double, 3>& u,
                                   const std::array<double, 2>& width) {
  Surface s{Shape::plane, Axis::none, 0, {}, {}, 0, normal, u};
  const auto dot = [&centre](const std::array<double, 3>& a) {
    return a[0] * centre[0] + a[1] * centre[1] + a[2] * centre[2];
  };
  s.position = dot(normal);
  const double at_u = dot(u), at_v = dot(s.v_vector());
  s.u = {at_u - 0.5 * width[0], at_u + 0.5 * width[0]};
  s.v = {at_v - 0.5 * width[1], at_v + 0.5 * width[1]};
  return s;
}

}  // namespace gttf
