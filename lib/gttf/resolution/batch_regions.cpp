// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/batch_regions.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <vector>

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
  struct Place {
    std::size_t region;
    double lower;  ///< along the normal, mm
    unsigned surface;
    auto operator<=>(const Place&) const = default;
  };
  const std::size_t n = geometry.surfaces().size();
  std::vector<Place> places;
  places.reserve(n);
  region_.reserve(n);
  order_.reserve(n);
  for (const SurfaceRecord& s : geometry.surfaces()) {
    region_.push_back(field_.region_of(s).value());
    places.push_back({region_.back(), extent(s, field_.view().normal).lower,
                      static_cast<unsigned>(places.size())});
  }
  std::ranges::sort(places);
  for (const Place& p : places) {
    begin_.resize(p.region + 1, order_.size());
    order_.push_back(p.surface);
  }
  begin_.resize(field_.view().n + 1, order_.size());
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
