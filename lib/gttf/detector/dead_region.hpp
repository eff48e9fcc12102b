// SPDX-License-Identifier: Apache-2.0
// DeadRegion: where a layer has no hits.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "gttf/detector/surface.hpp"

namespace gttf {

/// A part of a layer that gives no hits; its material stays. A point belongs to
/// it if it lies within all limits that are given: without any, all of the
/// layer is dead. Coordinates are those of the detector, not of the surface.
struct DeadRegion {
  /// Azimuth, rad: from `lower` in [0, 2 pi) counterclockwise to `upper`, less
  /// than a turn ahead.
  std::optional<Interval> phi;
  std::optional<Interval> r, x, y, z;  ///< mm

  bool is_whole() const { return !phi && !r && !x && !y && !z; }

  /// @param at_x, at_y, at_z  mm
  bool contains(double at_x, double at_y, double at_z) const {
    const auto within = [](const std::optional<Interval>& limits, double at) {
      return !limits || limits->contains(at);
    };
    if (!within(x, at_x) || !within(y, at_y) || !within(z, at_z)) return false;
    if (r && !r->contains(std::hypot(at_x, at_y))) return false;
    if (!phi) return true;
    double azimuth = std::atan2(at_y, at_x);
    if (azimuth < 0) azimuth += 2 * unit::pi;
    return phi->contains(azimuth) || phi->contains(azimuth + 2 * unit::pi);
  }

  friend bool operator==(const DeadRegion&, const DeadRegion&) = default;
};

/// "phi = 10 to 30 deg, z = 0 to 20 mm"; "all".
std::string to_string(const DeadRegion& region);
/// The regions in turn, separated by "; "; empty if there are none.
std::string to_string(std::span<const DeadRegion> regions);

}  // namespace gttf
