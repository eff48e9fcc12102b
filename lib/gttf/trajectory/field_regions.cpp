// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/field_regions.hpp"

#include <algorithm>
#include <limits>

#include "gttf/detector/field_map.hpp"
#include "gttf/detector/surface_outline.hpp"

namespace gttf::detail {

namespace {

std::vector<DipoleGap> gaps_in_order(const Field& field) {
  std::vector<DipoleGap> gaps = field.dipoles;
  std::ranges::sort(gaps, {},
                    [](const DipoleGap& g) { return g.extent.lower; });
  return gaps;
}

}  // namespace

bool FieldRegionTable::describes(const Field& field) {
  return std::ranges::all_of(field.dipoles, [&field](const DipoleGap& g) {
    return g.normal == field.dipoles.front().normal;
  });
}

FieldRegionTable::FieldRegionTable(const Field& field) : map_(field.map) {
  fields_.push_back({0, 0, field.bz});
  for (const DipoleGap& gap : gaps_in_order(field)) {
    faces_.insert(faces_.end(), {gap.extent.lower, gap.extent.upper});
    std::array<double, 3>& inside = fields_.emplace_back();
    inside[static_cast<std::size_t>(gap.direction)] = gap.field;
    fields_.emplace_back();
  }
  view_ = {field.dipoles.empty() ? Axis::z : field.dipoles.front().normal,
           fields_.size(), faces_.data(), fields_.data(),
           map_ ? &map_->view() : nullptr};
}

std::optional<std::size_t> FieldRegionTable::region_of(
    const SurfaceRecord& surface) const {
  constexpr double unbounded = std::numeric_limits<double>::infinity();
  const Interval along = extent(surface, view_.normal);
  for (std::size_t i = 0; i <= faces_.size(); ++i) {
    const double from = i == 0 ? -unbounded : faces_[i - 1],
                 to = i == faces_.size() ? unbounded : faces_[i];
    if (from <= along.lower && along.upper <= to) return i;
  }
  return std::nullopt;
}

std::size_t FieldRegionTable::region_of(const Vector3& point) const {
  const double along = point[static_cast<int>(view_.normal)];
  return static_cast<std::size_t>(std::ranges::upper_bound(faces_, along) -
                                  faces_.begin());
}

}  // namespace gttf::detail
