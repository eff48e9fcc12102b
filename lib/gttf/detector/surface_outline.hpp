// SPDX-License-Identifier: Apache-2.0
// What names, drawings and checks ask of a surface, whatever its shape.
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

/// The shape as tables print it: "cylinder", "plane x"; of a cone with dr/dz.
std::string shape_text(const Surface& surface);

/// What Surface::position is called there: "radius", "z", "x", "y"; of a plane
/// along no axis "along normal".
std::string_view position_name(const Surface& surface);

/// What an extent is called there, "half_length" being another name of a "z"
/// around 0. `axis`: 0 for u, 1 for v.
std::string_view extent_name(const Surface& surface, std::size_t axis,
                             const Interval& extent);

/// Do two surfaces differ in position and extent only?
bool are_parallel(const Surface& a, const Surface& b);

/// The axis that a flat surface is normal to; nothing for one that is curved.
std::optional<Axis> flat_normal(const Surface& surface);

/// The surface without its edges: two coincide if all but the place are equal,
/// and their places agree.
struct Carrier {
  int family = 0;                  ///< of surfaces that can coincide
  double slope = 0;                ///< of a cone
  std::array<double, 3> normal{};  ///< of a plane along no axis
  double place = 0;                ///< mm

  bool same_family(const Carrier& other) const {
    return family == other.family && slope == other.slope &&
           normal == other.normal;
  }
  auto operator<=>(const Carrier&) const = default;
};

Carrier carrier(const Surface& surface);

/// What stands before the position in a sentence: "radius", "plane x".
std::string position_text(const Surface& surface);

/// Names of the local axes u and v under `measures`.
std::array<std::string_view, 2> axis_names(const Surface& surface);

/// Their names on any surface.
inline constexpr std::array<std::string_view, 2> general_axes{"u", "v"};

/// Is it a surface of revolution about z?
inline bool is_round(const Surface& s) { return s.shape != Shape::plane; }

/// The straight line in the half plane of z and r that makes a round surface
/// when it is turned about z: its two ends, mm.
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

/// A plane normal to z with u along x, after turns about the fixed axes that
/// the letters of `order` name ("xyz"), one after the other, by three angles.
PlaneDirections turned_plane(std::string_view order,
                             const std::array<double, 3>& angles);

/// Extent of any surface along an axis, mm.
Interval extent(const Surface& surface, Axis along);
/// Least and greatest distance of its points from the z axis, mm.
Interval radii(const Surface& surface);

}  // namespace gttf
