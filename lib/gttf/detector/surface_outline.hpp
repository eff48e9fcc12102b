// SPDX-License-Identifier: Apache-2.0
// Properties of a surface of any shape for names, drawings and checks.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gttf/detector/surface.hpp"

namespace gttf {

/// All shapes with their keys in a detector file.
inline constexpr std::array<std::pair<std::string_view, Shape>, 4> shapes{{
    {"cylinder", Shape::cylinder},
    {"disk", Shape::disk},
    {"plane", Shape::plane},
    {"cone", Shape::cone},
}};

std::string_view shape_name(const Surface& surface);

/// The shape as printed in tables: "cylinder", "plane x"; of a cone with dr/dz.
std::string shape_text(const Surface& surface);

/// The name of Surface::position in tables: "radius", "z", "x", "y"; "along
/// normal" for a plane not normal to an axis.
std::string_view position_name(const Surface& surface);

/// The name of an extent in tables; "half_length" is equivalent to a "z" range
/// symmetric about 0. `axis`: 0 for u, 1 for v.
std::string_view extent_name(const Surface& surface, std::size_t axis,
                             const Interval& extent);

/// Whether two surfaces differ only in position and extent.
bool are_parallel(const Surface& a, const Surface& b);

/// The axis normal to a flat surface; nothing for a curved surface.
std::optional<Axis> flat_normal(const Surface& surface);

/// The surface without its edges: two surfaces coincide if all members except
/// the position are equal, and their positions agree.
struct Carrier {
  int family = 0;                  ///< of surfaces that can coincide
  double slope = 0;                ///< of a cone
  std::array<double, 3> normal{};  ///< of a plane not normal to an axis
  double place = 0;                ///< mm

  bool same_family(const Carrier& other) const {
    return family == other.family && slope == other.slope &&
           normal == other.normal;
  }
  auto operator<=>(const Carrier&) const = default;
};

Carrier carrier(const Surface& surface);

/// The words before the position in a sentence: "radius", "plane x".
std::string position_text(const Surface& surface);

/// Names of the local axes u and v under `measures`.
std::array<std::string_view, 2> axis_names(const Surface& surface);

/// Their names on any surface.
inline constexpr std::array<std::string_view, 2> general_axes{"u", "v"};

/// Whether it is a surface of revolution about z.
inline bool is_round(const Surface& s) { return s.shape != Shape::plane; }

/// The straight line in the (z, r) half plane that generates a surface of
/// revolution: its two ends, mm.
struct Meridian {
  std::array<double, 2> z, r;
};

Meridian meridian(const Surface& round);

/// The corners of a plane, in the order of a closed line around it, mm.
using Corners = std::array<std::array<double, 3>, 4>;
Corners corners(const Surface& plane);

/// Unit normal of a plane and unit vector u in it.
struct PlaneDirections {
  std::array<double, 3> normal{0, 0, 1}, u{1, 0, 0};
};

/// A plane normal to z with u along x, after rotations by three angles about
/// the fixed axes given by the letters of `order` ("xyz"), one after the other.
PlaneDirections turned_plane(std::string_view order,
                             const std::array<double, 3>& angles);

/// Extent of any surface along an axis, mm.
Interval extent(const Surface& surface, Axis along);
/// Least and greatest distance of its points from the z axis, mm.
Interval radii(const Surface& surface);

}  // namespace gttf
