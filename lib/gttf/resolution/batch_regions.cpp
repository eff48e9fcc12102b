// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/batch_regions.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "gttf/detector/surface_outline.hpp"

namespace gttf::detail {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

std::vector<DipoleGap> gaps_in_order(const Field& field) {
  std::vector<DipoleGap> gaps = field.dipoles;
  std::ranges::sort(gaps, {},
                    [](const DipoleGap& g) { return g.extent.lower; });
  return gaps;
}

Axis normal_of(const Field& field) {
  return field.dipoles.empty() ? Axis::z : field.dipoles.front().normal;
}

std::vector<double> faces_of(const Field& field) {
  std::vector<double> faces;
  for (const DipoleGap& gap : gaps_in_order(field))
    faces.insert(faces.end(), {gap.extent.lower, gap.extent.upper});
  return faces;
}

/// A region that contains a surface, if there is one.
std::optional<std::size_t> region_of(const SurfaceRecord& s, Axis normal,
                                     const std::vector<double>& faces) {
  const Interval along = extent(s, normal);
  for (std::size_t i = 0; i <= faces.size(); ++i) {
    const double from = i == 0 ? -unbounded : faces[i - 1],
                 to = i == faces.size() ? unbounded : faces[i];
    if (from <= along.lower && along.upper <= to) return i;
  }
  return std::nullopt;
}

bool is_in_gap(std::size_t region) { return region % 2 == 1; }

bool is_parallel(const SurfaceRecord& s, Axis normal) {
  using Kind = SurfaceRecord::Kind;
  if (s.kind == Kind::disk || s.kind == Kind::disk_plane)
    return normal == Axis::z;
  return s.kind == Kind::plane && s.normal == normal;
}

}  // namespace

bool RegionTable::describes(const TrackingGeometry& geometry) {
  const Field& field = geometry.field();
  if (field.kind != FieldKind::dipole && field.kind != FieldKind::none)
    return false;
  if (geometry.modules() != nullptr) return false;
  const Axis normal = normal_of(field);
  const bool parallel = std::ranges::all_of(
      field.dipoles, [&](const DipoleGap& g) { return g.normal == normal; });
  if (!parallel) return false;
  const std::vector<double> faces = faces_of(field);
  return std::ranges::all_of(geometry.surfaces(), [&](const SurfaceRecord& s) {
    if (s.kind == SurfaceRecord::Kind::cone) return false;
    const auto region = region_of(s, normal, faces);
    return region && (!is_in_gap(*region) || is_parallel(s, normal));
  });
}

RegionTable::RegionTable(const TrackingGeometry& geometry)
    : faces_(faces_of(geometry.field())) {
  const Field& field = geometry.field();
  const std::size_t n = faces_.size() + 1;
  const Axis normal = normal_of(field);
  fields_.resize(n);
  std::size_t next = 1;
  for (const DipoleGap& gap : gaps_in_order(field)) {
    fields_[next][static_cast<std::size_t>(gap.direction)] = gap.field;
    next += 2;
  }
  for (const SurfaceRecord& s : geometry.surfaces())
    region_.push_back(region_of(s, normal, faces_).value());
  for (std::size_t i = 0; i < n; ++i) {
    begin_.push_back(order_.size());
    for (unsigned s = 0; s < region_.size(); ++s)
      if (region_[s] == i) order_.push_back(s);
  }
  begin_.push_back(order_.size());
  view_ = {normal,           n,
           faces_.data(),    fields_.data(),
           geometry.b_ref(), region_.data(),
           order_.data(),    begin_.data()};
}

}  // namespace gttf::detail
