// SPDX-License-Identifier: Apache-2.0
// Detector: the content of a description file in native units. Data only.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gttf/detector/field.hpp"
#include "gttf/detector/material.hpp"
#include "gttf/detector/physics_model.hpp"
#include "gttf/detector/surface.hpp"

namespace gttf {

class HitError;

/// One measured coordinate: m = u cos(angle) + v sin(angle), error sigma.
struct Coordinate {
  double angle = 0;  ///< rad, from the surface's u axis towards v
  double sigma = 0;  ///< mm, > 0; if it depends on the track the value at
                     ///< normal incidence
  std::shared_ptr<const HitError> error = {};  ///< null: sigma for all tracks
};

/// A part of a layer without hits; its material remains. A point belongs to
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

/// Line and column (both from 1; 0 = unknown) in the file of an item.
struct FilePosition {
  int line = 0;
  int column = 0;
};

/// A surface with material and measured coordinates.
struct Layer {
  std::string name;   ///< unique within a detector
  std::string group;  ///< for summing budgets; empty if not given
  std::string note;
  Surface surface;
  std::vector<Slab> material;           ///< empty: no material
  std::vector<Coordinate> coordinates;  ///< empty: passive
  double efficiency = 1;                ///< of a hit, in (0, 1]
  std::vector<DeadRegion> dead;         ///< dead regions
  FilePosition place;                   ///< of the entry in the file

  /// x/X0 at normal incidence: sum over the slabs.
  double x_over_x0() const {
    double sum = 0;
    for (const Slab& slab : material) sum += slab.x_over_x0;
    return sum;
  }
  /// Whether all of it is dead.
  bool is_dead() const {
    return std::ranges::any_of(dead, &DeadRegion::is_whole);
  }
  bool measures() const { return !coordinates.empty() && !is_dead(); }
  /// Whether its material varies over the surface.
  bool has_map() const {
    for (const Slab& slab : material)
      if (slab.map) return true;
    return false;
  }
};

/// Whether two layers have the same map of material, or none.
bool same_maps(const Layer& a, const Layer& b);

/// A detector description; layers as listed in the file (`repeat` and `mirror`
/// expanded), in any order.
struct Detector {
  std::string name;
  std::vector<std::string> source;
  Field field;
  PhysicsModel model;
  std::vector<Layer> layers;
  std::vector<Material> materials;  ///< of the file itself
  std::string file;                 ///< as given by the user
  std::string sha256;               ///< of the description after overrides; hex
};

}  // namespace gttf
