// SPDX-License-Identifier: Apache-2.0
// What names, drawings and checks ask of a surface, whatever its shape.
#pragma once

#include <array>
#include <string_view>

#include "gttf/detector/surface.hpp"

namespace gttf {

/// "cylinder", "disk", "plane": its key in a detector file.
std::string_view shape_name(const Surface& surface);

/// What Surface::position is called there: "radius", "z", "x" or "y".
std::string_view position_name(const Surface& surface);

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

/// Extent of any surface along an axis, mm.
Interval extent(const Surface& surface, Axis along);
/// Least and greatest distance of its points from the z axis, mm.
Interval radii(const Surface& surface);

}  // namespace gttf
