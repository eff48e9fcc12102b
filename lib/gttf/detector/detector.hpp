// SPDX-License-Identifier: Apache-2.0
// Detector: the content of a description file in native units. Data only.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gttf/detector/dead_region.hpp"
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
  std::vector<DeadRegion> dead;         ///< where it gives no hits
  FilePosition place;                   ///< of the entry in the file

  /// x/X0 at normal incidence: sum over the slabs.
  double x_over_x0() const {
    double sum = 0;
    for (const Slab& slab : material) sum += slab.x_over_x0;
    return sum;
  }
  /// Does all of it give no hits?
  bool is_dead() const {
    return std::ranges::any_of(dead, &DeadRegion::is_whole);
  }
  bool measures() const { return !coordinates.empty() && !is_dead(); }
  /// Does its material vary over the surface?
  bool has_map() const {
    for (const Slab& slab : material)
      if (slab.map) return true;
    return false;
  }
};

/// Have two layers the same map of material, or none?
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
