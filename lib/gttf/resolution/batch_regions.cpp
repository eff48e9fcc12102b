// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/batch_regions.hpp"

#include <algorithm>
#include <cstddef>

#include "gttf/detector/surface_outline.hpp"
#include "gttf/trajectory/flight.hpp"

namespace gttf::detail {

namespace {

bool is_parallel(const SurfaceRecord& s, Axis normal) {
  using Kind = SurfaceRecord::Kind;
  if (s.kind == Kind::disk || s.kind == Kind::disk_plane)
    return normal == Axis::z;
  return s.kind == Kind::plane && s.normal == normal;
}

}  // namespace

bool RegionTable::describes(const TrackingGeometry& geometry) {
  const Field& field = geometry.field();
  if (field.kind == FieldKind::solenoid || geometry.modules() != nullptr ||
      !FieldRegionTable::describes(field))
    return false;
  const FieldRegionTable regions(field);
  return std::ranges::all_of(geometry.surfaces(), [&](const SurfaceRecord& s) {
    if (s.kind == SurfaceRecord::Kind::cone) return false;
    const auto region = regions.region_of(s);
    return region && (!FieldRegionTable::is_gap(*region) ||
                      is_parallel(s, regions.view().normal));
  });
}

RegionTable::RegionTable(const TrackingGeometry& geometry)
    : field_(geometry.field()) {
  for (const SurfaceRecord& s : geometry.surfaces())
    region_.push_back(field_.region_of(s).value());
  for (std::size_t i = 0; i < field_.view().n; ++i) {
    begin_.push_back(order_.size());
    for (unsigned s = 0; s < region_.size(); ++s)
      if (region_[s] == i) order_.push_back(s);
    std::ranges::stable_sort(
        order_.begin() + static_cast<std::ptrdiff_t>(begin_.back()),
        order_.end(), {}, [&](unsigned s) {
          return extent(geometry.surfaces()[s], field_.view().normal).lower;
        });
  }
  begin_.push_back(order_.size());
  view_ = {field_.view(), geometry.b_ref(), region_.data(), order_.data(),
           begin_.data()};
  if (view_.map == nullptr) return;
  const FlightBounds bounds(geometry);
  for (int i = 0; i < 3; ++i) {
    view_.lower[i] = bounds.lower[i];
    view_.upper[i] = bounds.upper[i];
  }
  view_.radius = bounds.radius;
}

}  // namespace gttf::detail
