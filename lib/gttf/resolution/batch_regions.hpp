// SPDX-License-Identifier: Apache-2.0
// Regions of a uniform field, or of none, or a field map: what tracks of
// telescopes and spectrometers fly through in batches.
#pragma once

#include <cstddef>
#include <vector>

#include "gttf/trajectory/field_regions.hpp"

namespace gttf::detail {

/// The regions of a detector with its surfaces.
struct BatchRegions : FieldRegions {
  double b_ref = 0;                     ///< as Field::reference
  const std::size_t* region = nullptr;  ///< of each surface
  /// The surfaces by region and position along the normal, and where those of
  /// each begin.
  const unsigned* order = nullptr;
  const std::size_t* begin = nullptr;
  /// A box, and within it a cylinder about z, that contain all surfaces, mm.
  double lower[3]{}, upper[3]{}, radius = 0;
};

/// The regions of a detector.
class RegionTable {
 public:
  /// Whether tracks can be followed through regions: the field is that of
  /// dipoles with parallel faces, of a map, or none; every surface lies in one
  /// region, and in a gap it is a plane parallel to the faces. Cones and
  /// modules of which every track crosses others are left to the scalar path.
  static bool describes(const TrackingGeometry& geometry);

  /// @pre describes()
  explicit RegionTable(const TrackingGeometry& geometry);
  RegionTable(const RegionTable&) = delete;
  RegionTable& operator=(const RegionTable&) = delete;

  const BatchRegions& view() const { return view_; }

 private:
  FieldRegionTable field_;
  std::vector<std::size_t> region_, begin_;
  std::vector<unsigned> order_;
  BatchRegions view_;
};

}  // namespace gttf::detail
