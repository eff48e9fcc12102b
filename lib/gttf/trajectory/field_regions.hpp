// SPDX-License-Identifier: Apache-2.0
// Regions of a uniform field, or of none; or one of a field map.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf::detail {

struct FieldMapView;  // field_lookup.hpp

/// The space between two faces of dipoles, all normal to one axis: region i is
/// between face i - 1 and face i. Without dipoles there is one region.
struct FieldRegions {
  Axis normal = Axis::z;          ///< of the faces
  std::size_t n = 1;              ///< regions
  const double* faces = nullptr;  ///< ascending, mm; n - 1 of them
  const std::array<double, 3>* fields = nullptr;  ///< GeV/(e mm)
  /// The field of the only region if it is that of a map; else null.
  const FieldMapView* map = nullptr;
};

/// The regions of a field.
class FieldRegionTable {
 public:
  /// Whether the field is uniform in regions: that of a solenoid, of dipoles
  /// with parallel faces, or none; or that of a map.
  static bool describes(const Field& field);

  /// @pre describes()
  explicit FieldRegionTable(const Field& field);
  FieldRegionTable(const FieldRegionTable&) = delete;
  FieldRegionTable& operator=(const FieldRegionTable&) = delete;

  const FieldRegions& view() const { return view_; }
  /// A region that contains a surface, if there is one.
  std::optional<std::size_t> region_of(const SurfaceRecord& surface) const;
  /// The region of a point; of a point on a face, the second.
  std::size_t region_of(const Vector3& point) const;
  /// Whether the region is the gap of a dipole.
  static bool is_gap(std::size_t region) { return region % 2 == 1; }

 private:
  std::vector<double> faces_;
  std::vector<std::array<double, 3>> fields_;
  std::shared_ptr<const FieldMap> map_;
  FieldRegions view_;
};

}  // namespace gttf::detail
